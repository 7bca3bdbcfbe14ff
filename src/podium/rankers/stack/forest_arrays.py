"""Forests of scikit-learn as a few arrays: small in a file, and a row is scored in microseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from podium._fast import trees
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError

_BLOCK = 1 << 22  # numbers of a sparse matrix made dense at a time

Integers = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ForestArrays:
    """The mean over trees of the share of positives in a row's leaf.

    Every split is that of the forest: it compares numbers in single precision, for which the largest single-precision
    number up to a threshold does what the threshold does. Shares in leaves are rounded to single precision.

    Attributes
    ----------
    n_features : int
        How many columns rows have.
    roots : ndarray
        The first node of every tree; a left child comes right after its parent.
    column : ndarray
        Which column a node looks at; −1 in leaves.
    number : ndarray
        The threshold of a node, up to which rows go left; the share of positives in a leaf.
    right : ndarray
        The right child of a node; 0 in leaves.
    missing_left : ndarray
        Whether a row whose number is missing goes left.
    """

    n_features: int
    roots: Integers
    column: Integers | npt.NDArray[np.int16]
    number: npt.NDArray[np.float32]
    right: Integers
    missing_left: BoolArray

    @classmethod
    def of(cls, forest: Any) -> ForestArrays:
        """From a fitted forest of two classes, the second of them positive."""
        nodes = [_nodes(tree.tree_) for tree in forest.estimators_]
        sizes = [len(column) for column, *_ in nodes]
        roots = np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int32)
        column, number, right, missing_left = map(np.concatenate, zip(*nodes, strict=True))
        right += np.where(column >= 0, np.repeat(roots, sizes), 0).astype(np.int32)
        if forest.n_features_in_ < 2**15:
            column = column.astype(np.int16)
        return cls(int(forest.n_features_in_), roots, column, number, right, missing_left)

    def decision_function(self, X: Any) -> FloatArray:
        """The score of every row."""
        if X.shape[1] != self.n_features:
            raise InputError(f"The forest was fitted to {self.n_features} columns; got {X.shape[1]}.")
        total = np.zeros(X.shape[0])
        step = max(1, _BLOCK // self.n_features) if sparse.issparse(X) else max(1, X.shape[0])
        for start in range(0, X.shape[0], step):
            rows = X[start : start + step]
            rows = rows.toarray() if hasattr(rows, "toarray") else rows
            with np.errstate(over="ignore"):  # beyond single precision: above, or below, all thresholds
                rows = np.ascontiguousarray(rows, dtype=np.float32)
            trees.add_leaves(
                rows, self.roots, self.column, self.number, self.right, self.missing_left, total[start : start + step]
            )
        return total / len(self.roots)


def _nodes(tree: Any) -> tuple[Any, ...]:
    """Columns, numbers, right children and where missing values go, in the order of the walk."""
    left, right = tree.children_left, tree.children_right
    order, place = np.empty(len(left), dtype=np.intp), np.empty(len(left), dtype=np.int32)
    trees.left_first(left, right, order, place)
    is_leaf = left[order] < 0
    shares = tree.value[:, 0, :]
    numbers = np.where(is_leaf, (shares[:, 1] / shares.sum(axis=1))[order], _not_above(tree.threshold[order]))
    return (
        np.where(is_leaf, -1, tree.feature[order]).astype(np.int32),
        numbers.astype(np.float32),
        np.where(is_leaf, 0, place[right[order]]).astype(np.int32),
        tree.missing_go_to_left[order].astype(np.bool_),
    )


def _not_above(threshold: FloatArray) -> FloatArray:
    """The largest numbers of single precision that are not above thresholds."""
    with np.errstate(over="ignore"):  # beyond single precision: the largest number of it, or minus infinity
        single = threshold.astype(np.float32)
    return np.where(single > threshold, np.nextafter(single, np.float32(-np.inf)), single).astype(np.float64)
