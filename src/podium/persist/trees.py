"""Trees of scikit-learn: written without counts of rows, read only if every index in them is one."""

from __future__ import annotations

from typing import Any

import numpy as np

_LEAF = -1  # in place of a child, as scikit-learn has it
_UNDEFINED = -2  # in place of the column of a leaf
_MOST_CLASSES = 1000
_BITSETS = 4  # of 64 bins
_DEEPEST = 1000  # levels: SHAP values are found by recursion
_OF_PREDICTORS = ("value", "feature_idx", "num_threshold", "missing_go_to_left", "left", "right", "is_leaf")


def tree_state(tree: Any) -> dict[str, Any]:
    """What scoring needs of a tree of a forest; how many rows a node had is left out."""
    nodes = tree.__getstate__()["nodes"]
    is_leaf = nodes["left_child"] == _LEAF
    return {
        "n_features": int(tree.n_features),
        "max_depth": int(tree.max_depth),
        "left": nodes["left_child"].astype(np.int32),
        "right": nodes["right_child"].astype(np.int32),
        "feature": nodes["feature"].astype(np.int32),
        "threshold": nodes["threshold"].copy(),
        "missing_left": nodes["missing_go_to_left"].astype(np.bool_),
        "values": np.where(is_leaf[:, None], tree.value[:, 0, :], 0.0),
    }


def tree_of(kind: Any, state: Any) -> Any:
    """A tree whose nodes lead to later nodes, by columns that there are."""
    from sklearn.tree._tree import NODE_DTYPE

    n_features, values = state["n_features"], state["values"]
    left, right, feature = (_whole(state[name]) for name in ("left", "right", "feature"))
    threshold, missing_left, n_nodes = state["threshold"], state["missing_left"], len(left)
    _require(type(n_features) is int and 0 < n_features < 2**31, "columns")
    _require(type(state["max_depth"]) is int and 0 <= state["max_depth"] <= n_nodes, "a depth")
    _require(values.dtype == np.float64 and values.ndim == 2 and len(values) == n_nodes > 0, "values for all leaves")
    _require(1 <= values.shape[1] <= _MOST_CLASSES, "values for all leaves")
    leaves = values[left == _LEAF]
    _require(bool((np.isfinite(leaves) & (leaves >= 0)).all() and (leaves.sum(axis=1) > 0).all()), "shares in leaves")
    _require(threshold.dtype == np.float64 and threshold.shape == left.shape, "a threshold for every node")
    _require(missing_left.dtype == np.bool_ and missing_left.shape == left.shape, "a side for missing values")
    check_nodes(left, right, feature, left == _LEAF, n_features)
    nodes = np.zeros(n_nodes, dtype=NODE_DTYPE)
    for name, own in (("left_child", left), ("right_child", right), ("feature", feature)):
        nodes[name] = own
    nodes["threshold"], nodes["missing_go_to_left"] = threshold, missing_left
    tree = kind(n_features, np.array([values.shape[1]], dtype=np.intp), 1)
    tree.__setstate__(
        {
            "max_depth": state["max_depth"],
            "node_count": n_nodes,
            "nodes": nodes,
            "values": np.ascontiguousarray(values[:, None, :]),
        }
    )
    return tree


def predictor_state(predictor: Any) -> dict[str, Any]:
    """What scoring needs of a tree of histogram boosting."""
    nodes = predictor.nodes
    _require(not nodes["is_categorical"].any(), "numbers where a model goes into a file; these have categories")
    return {name: np.ascontiguousarray(nodes[name]) for name in _OF_PREDICTORS}


def predictor_of(kind: Any, state: Any) -> Any:
    """A tree whose nodes lead to later nodes; `check_columns` compares its columns with those of its model."""
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE, X_BITSET_INNER_DTYPE

    _require(state.keys() == set(_OF_PREDICTORS), "what scoring needs of a node, and nothing else")
    columns = dict(state)
    for name in ("value", "num_threshold"):
        _require(columns[name].dtype == np.float64 and not np.isnan(columns[name]).any(), "numbers")
    left, right, feature = (_whole(columns[name]) for name in ("left", "right", "feature_idx"))
    is_leaf, missing_left = (_whole(columns[name], "ub").astype(np.bool_) for name in ("is_leaf", "missing_go_to_left"))
    _require(len(left) > 0 and {part.shape for part in columns.values()} == {left.shape}, "values for all nodes")
    check_nodes(left, right, feature, is_leaf, 2**31)
    nodes = np.zeros(len(left), dtype=PREDICTOR_RECORD_DTYPE)
    for name, values in (columns | {"is_leaf": is_leaf, "missing_go_to_left": missing_left}).items():
        nodes[name] = values
    no_categories = np.zeros((0, 8), dtype=X_BITSET_INNER_DTYPE)
    return kind(nodes, no_categories, no_categories)


def forest_arrays_of(kind: Any, state: Any) -> Any:
    """A forest whose nodes lead to later nodes of their tree, by columns that there are."""
    forest = kind(**{name: value for name, value in state.items() if name in kind.__dataclass_fields__})
    roots, column, right, n_nodes = forest.roots, forest.column, forest.right, len(forest.column)
    _require(roots.ndim == column.ndim == 1 and forest.n_features > 0, "numbers of nodes")
    _require(bool(np.isfinite(forest.number[column < 0]).all()), "shares in leaves")
    _require(forest.number.shape == forest.missing_left.shape == column.shape, "a threshold for every node")
    sizes = np.diff(np.append(roots, n_nodes))
    _require(len(roots) > 0 and roots[0] == 0 and bool((sizes > 0).all()), "trees one after the other")
    inner = np.flatnonzero(column >= 0)
    end = np.repeat(roots + sizes, sizes)[inner]
    _require(right.shape == column.shape and bool((column >= -1).all()), "a right child for every node")
    _require(bool(((right[inner] > inner) & (right[inner] < end)).all()), "right children in their tree")
    _require(bool((inner + 1 < end).all() and (column[inner] < forest.n_features).all()), "columns that there are")
    return forest


def ranking_tree_of(kind: Any, state: Any) -> Any:
    """A tree whose rules lead to later splits of their own or to later cells."""
    tree = kind(**{name: value for name, value in state.items() if name in kind.__dataclass_fields__})
    n_cells, n_splits = len(tree.first), len(tree.column)
    by_cell = (tree.first, tree.upper, tree.lower, tree.n_pos, tree.n_neg, tree.gain)
    _require(all(part.shape == (n_cells,) for part in by_cell) and tree.column.ndim == 1, "values for all cells")
    mass, is_leaf = np.array([tree.n_pos, tree.n_neg]), tree.first < 0
    _require(bool((np.isfinite(mass) & (mass >= 0)).all() and (mass.sum(axis=0)[is_leaf] > 0).all()), "mass of cells")
    cut = np.flatnonzero(~is_leaf)
    starts = np.append(tree.first[cut], n_splits)
    _require(n_cells > 0 and starts[0] == 0 and bool((np.diff(starts) > 0).all()), "rules in order")
    for other in (tree.upper[cut], tree.lower[cut]):
        _require(bool(((other > cut) & (other < n_cells)).all()), "later cells")
    owner, end = np.repeat(cut, np.diff(starts)), np.repeat(starts[1:], np.diff(starts))
    _require(len(owner) == n_splits and tree.children.shape == (n_splits, 2), "two children for every split")
    _require(tree.bits.shape == (n_splits, _BITSETS), "bins for every split")
    _require(tree.decrease.shape == (n_splits,), "a decrease for every split")
    for child in tree.children.T:
        cell, split = -1 - child, child > np.arange(n_splits)
        _require(
            bool(np.where(child >= 0, split & (child < end), (cell > owner) & (cell < n_cells)).all()), "later cells"
        )
    return tree


def check_nodes(left: Any, right: Any, feature: Any, is_leaf: Any, n_features: int) -> None:
    """Inner nodes split by a column that there is; their children come after them and are nobody else's."""
    n_nodes = len(is_leaf)
    inner = np.flatnonzero(~is_leaf)
    _require(left.shape == right.shape == feature.shape == (n_nodes,), "two children and a column for every node")
    for child in (left[inner], right[inner]):
        _require(bool(((child > inner) & (child < n_nodes)).all()), "children that are nodes, after their parents")
    children = np.concatenate([left[inner], right[inner]])
    _require(len(np.unique(children)) == len(children), "one parent for every node")
    _require(bool(((feature[inner] >= 0) & (feature[inner] < n_features)).all()), "splits by columns that there are")


def check_depth(left: Any, right: Any, is_leaf: Any) -> None:
    """Few enough levels for loops that call themselves; of nodes that `check_nodes` found sound."""
    level, depth = np.zeros(1, dtype=np.int64), 0
    while len(is_leaf) > 2 * _DEEPEST and len(level):
        level, depth = level[~is_leaf[level]], depth + 1
        level = np.concatenate([left[level], right[level]])
        _require(depth <= _DEEPEST, f"at most {_DEEPEST:,} levels")


def check_columns(kind: type, state: dict[str, Any]) -> None:
    """That trees ask for no column beyond those that their model checks rows for."""
    if state.keys() & {"estimators_", "tree_", "trees_", "_predictors"}:
        _require(type(state.get("n_features_in_")) is int, f"a {kind.__name__} that knows its columns")
    for tree in _trees(state):
        columns = getattr(tree, "column", None)
        if columns is None:
            _require(tree.n_features == state["n_features_in_"], "the columns of their forest")
        else:
            _require(bool(((columns >= 0) & (columns < state["n_features_in_"])).all()), "columns that there are")
    _require(state.get("_preprocessor") is None, "columns as they are")  # what it made of them would not be counted
    for stage in state.get("_predictors", ()):
        for predictor in stage:
            inner = predictor.nodes[predictor.nodes["is_leaf"] == 0]
            _require(bool((inner["feature_idx"] < state["n_features_in_"]).all()), "splits by columns that there are")


def _trees(state: dict[str, Any]) -> list[Any]:
    members = [member.tree_ for member in state.get("estimators_", ()) if hasattr(member, "tree_")]
    return [*members, *state.get("trees_", ()), *([state["tree_"]] if "tree_" in state else [])]


def _whole(values: Any, kinds: str = "iu") -> Any:
    """One axis of whole numbers, in a kind that has room for differences."""
    _require(values.dtype.kind in kinds and values.ndim == 1, "whole numbers")
    return values.astype(np.int64)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"trees need {what}")
