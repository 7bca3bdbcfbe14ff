"""Forests of ranking trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from podium import _input
from podium._progress import Progress
from podium._types import BoolArray, FloatArray
from podium.phi import Phi, resolve
from podium.rankers import fingerprints
from podium.rankers.base import Ranker
from podium.rankers.treerank import draws
from podium.rankers.treerank.cells import RankingTree
from podium.rankers.treerank.gain import Bins, CurveGain
from podium.rankers.treerank.grow import BinnedRows, GrowthLimits, grow
from podium.rankers.treerank.tree import binned_rows, rows_of_a_part

_BLOCK = 10_000  # rows scored at a time


class ForestRanker(Ranker):
    r"""A forest of ranking trees: s(x) is the mean, or the median, of the ranks that the trees give a row.

    Every tree is an unpruned :class:`podium.TreeRanker`, grown on a bootstrap sample of the rows, with columns sampled
    for every split of its rules. Equal rows are sampled together, so a weight of 3 is exactly equivalent to three equal
    rows.

    Parameters
    ----------
    criterion : Phi or str
        The criterion that cuts maximize: ω_φ of a φ, such as ``"auc"``, ``"power:3"`` or ``"top:0.9"``.
    n_estimators : int
        Number of trees.
    max_depth : int
        Maximum depth of cuts in a tree. With 1, the default, each tree votes up or down by a deep rule; deeper trees
        rank more finely, which overfits when positives are rare: on a table with 2 % positives the AUC fell from .94 to
        .82.
    rule_depth : int
        Maximum depth of the rule of a cut.
    min_samples_leaf : int
        Minimum number of rows (or total weight) in each part of a split.
    max_features : int, optional
        Number of columns sampled for a split; by default the square root of the number of columns.
    aggregation : {"mean", "median"}
        How to average ranks over trees.
    categorical_features : sequence of int or str
        Columns with categories coded as 0, 1, 2, …, by position or name; split by sets of codes instead of thresholds.
        Categorical and text columns of a data frame are always included.
    class_weight : dict, "balanced" or None
        Class weights, as in scikit-learn. Criteria that compare ranks of pairs hardly change; ``predict`` and
        probabilities refer to the weighted classes.
    pos_label : object, optional
        The positive label; by default the last of the two in sorted order.
    calibrate : {"isotonic", "platt"}, optional
        How scores are mapped to probabilities for ``predict_proba``, in five-fold cross-validation; not by default.
    warm_start : bool
        Whether a second ``fit``, with a larger ``n_estimators``, keeps the trees and grows only the additional ones. On
        the same rows they equal those of a single fit; bins of columns are kept from the first fit.
    verbose : int
        1 shows a progress line with the time.
    random_state : int, RandomState or None
        The seed for sampling rows and columns.

    Attributes
    ----------
    trees_ : list of RankingTree
        The trees.
    threshold_ : float
        ``predict`` returns the positive class for scores above it; chosen on out-of-bag scores of the training rows.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels; the second is positive.

    References
    ----------
    Clémençon, Depecker and Vayatis, "Ranking forests", Journal of Machine Learning Research 14 (2013).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from podium import ForestRanker, metrics
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ranker = ForestRanker(n_estimators=50, random_state=0).fit(X[::2], y[::2])
    >>> metrics.auc(y[1::2], ranker.decision_function(X[1::2])) > 0.975
    True
    """

    trees_: list[RankingTree]
    bins_: Bins
    _seeds: list[int]

    def __init__(
        self,
        criterion: Phi | str = "auc",
        *,
        n_estimators: int = 200,
        max_depth: int = 1,
        rule_depth: int = 30,
        min_samples_leaf: int = 3,
        max_features: int | None = None,
        aggregation: str = "mean",
        categorical_features: Sequence[int | str] = (),
        class_weight: dict[Any, float] | str | None = None,
        pos_label: Any = None,
        calibrate: str | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.rule_depth = rule_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.aggregation = aggregation
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.calibrate = calibrate
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state

    def _accepts_missing(self) -> bool:
        return True

    def _trained_phi(self) -> Phi:
        return resolve(self.criterion)

    def _fit(self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> None:
        _input.check_choice("aggregation", self.aggregation, ("mean", "median"))
        n_columns = X.shape[1]
        wanted = self.max_features
        n_drawn = max(1, round(n_columns**0.5)) if wanted is None else _input.check_integer("max_features", wanted, 1)
        data = binned_rows(X, is_positive, weight, self._categorical_columns(X.shape[1]))
        limits = GrowthLimits(
            max_depth=_input.check_integer("max_depth", self.max_depth, 1),
            rule_depth=_input.check_integer("rule_depth", self.rule_depth, 1, 30),
            least=rows_of_a_part(self.min_samples_leaf, data),
            n_columns=min(n_drawn, n_columns),
        )
        kept = len(self.trees_) if self.warm_start and hasattr(self, "trees_") else 0
        n_trees = kept + self._left_to_add("n_estimators", kept)
        progress = Progress(type(self).__name__, n_trees, enabled=bool(self.verbose))
        rng, keys, phi = check_random_state(self.random_state), draws.row_keys(X), resolve(self.criterion)
        if kept == 0:
            self.bins_, self.trees_, self._seeds = data.bins, [], []
        else:
            data = replace(data, bins=self.bins_, codes=self.bins_.codes(X))
        for i in range(n_trees):
            seed, sample = _resampled(data, keys, rng)
            columns = np.random.default_rng(int(rng.randint(2**31)))
            if i < kept:
                continue  # only the draws are repeated
            self.trees_.append(grow(sample, CurveGain(phi, *sample.mass), limits, columns))
            self._seeds.append(seed)
            progress.update(i + 1)
        progress.close()

    @property
    def feature_importances_(self) -> FloatArray:
        """The share of each column in the total gain of all cuts of all trees, as in :class:`podium.TreeRanker`."""
        check_is_fitted(self)
        gains = np.sum([tree.gain_by_column(self.n_features_in_) for tree in self.trees_], axis=0)
        return np.asarray(gains / (gains.sum() or 1.0))

    def _scores(self, X: FloatArray) -> FloatArray:
        blocks = (self._ranks(X[start : start + _BLOCK]) for start in range(0, len(X), _BLOCK))
        return np.concatenate([self._average(ranks) for ranks in blocks])

    def _training_scores(self, X: FloatArray) -> FloatArray:
        """By the trees that a row was not drawn for; by all where it was drawn for every tree."""
        scores, keys = [], draws.row_keys(X)
        for start in range(0, len(X), _BLOCK):
            block = slice(start, start + _BLOCK)
            ranks = self._ranks(X[block])
            left_out = np.stack([draws.bootstrap_counts(keys[block], seed) == 0 for seed in self._seeds])
            left_out |= ~left_out.any(axis=0)
            scores.append(self._average(np.where(left_out, ranks, np.nan)))
        return np.concatenate(scores)

    def _ranks(self, X: FloatArray) -> FloatArray:
        codes = self.bins_.codes(X)
        return np.stack([tree.scores[tree.cells(codes)] for tree in self.trees_])

    def _average(self, ranks: FloatArray) -> FloatArray:
        average = np.nanmean if self.aggregation == "mean" else np.nanmedian
        return np.asarray(average(ranks, axis=0))


def _resampled(data: BinnedRows, keys: fingerprints.Marks, rng: Any) -> tuple[int, BinnedRows]:
    """A seed and its bootstrap sample, with rows of both classes; of all rows where a hundred draws had none."""
    for _ in range(100):
        seed = int(rng.randint(2**31))
        counts = draws.bootstrap_counts(keys, seed)
        sample = data.part(np.flatnonzero(counts), data.weight * counts)
        if min(sample.mass) > 0:
            return seed, sample
    return seed, data
