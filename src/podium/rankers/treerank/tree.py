"""TreeRanker: one tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.phi import Phi, resolve
from podium.rankers.base import Ranker
from podium.rankers.folds import Groups, stratified_folds
from podium.rankers.treerank import draws
from podium.rankers.treerank.cells import RankingTree
from podium.rankers.treerank.gain import Bins, CurveGain, with_all_of_the_list
from podium.rankers.treerank.grow import BinnedRows, GrowthLimits, cross_validated_penalties, cut_back, grow
from podium.rankers.treerank.rules import Condition, Rule, Segments, rules_of


class TreeRanker(Ranker):
    r"""A ranking tree: the population cut into segments from best to worst, each with a rule in words (TreeRank).

    A cell, at first all rows, is cut into a better part C′ and the rest so that the ROC curve gains most: for φ(u) = u
    the part with the largest TPR(C′) − FPR(C′) within the cell, for another φ the part with the largest gain in ω_φ,
    computed from the curve. Candidate parts are the leaves of a classification tree of the cell, of depth
    ``rule_depth``, with both classes reweighted to the same mass (LeafRank); those richest in positives go up. Both
    parts are then cut in the same way, and the tree is pruned by cross-validated ω_φ. If φ is flat and would leave all
    rows in one segment, cuts that improve the AUC are kept. The segments are ordered by their share of positives, so
    their curve on the training rows is concave.

    Missing numbers go to the better side, as do sets of categories; a category without rows in a cell goes with the
    larger part. Numeric columns are binned into at most 255 bins.

    Parameters
    ----------
    criterion : Phi or str
        The criterion that cuts maximize: ω_φ of a φ, such as ``"auc"``, ``"power:3"`` or ``"top:0.9"``. It need not be
        smooth.
    max_depth : int
        Maximum number of cuts between the root and a segment.
    rule_depth : int
        Maximum depth of the rule of a cut. With 1 every cut is a threshold or a set of categories and every segment is
        a box; with 2 or 3 segments are unions of boxes, fewer and better, with longer rules.
    min_samples_leaf : int
        Minimum number of rows (or total weight) in each part of a split; a quarter of all rows if there are fewer than
        twice as many.
    penalty : float or "cross-validation"
        The gain in ω_φ that a cut needs to be kept. By default the largest penalty whose cross-validated ω_φ is within
        a standard error of the best; no cut is kept if the best is not significantly better than none (a t-test over
        the folds at 2.5 %). On pure noise nine trees in ten then have no cut.
    n_folds : int
        Number of folds for that. Equal rows are always in the same fold, and with ``groups`` in ``fit`` rows of one
        group. Two folds are too few: on 6 of 20 tables with one strong column they gave a tree with one segment, three
        or five folds never did.
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

    Attributes
    ----------
    segments_ : Segments
        The segments from best to worst on the training rows: rule, rows, positives, rates. Without intervals: use
        :meth:`segments` with other rows for those.
    rules_ : list of Rule
        The rules of the segments, condition by condition.
    gains_ : ndarray
        The increase of the training AUC by every cut, from pairs that it separates: AUC = ½ + Σ gains.
    penalty_ : float
        The penalty used; cuts kept for the AUC alone may have had another.
    tree_ : RankingTree
        Cells and splits as arrays.
    threshold_ : float
        ``predict`` returns the positive class for scores above it.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels; the second is positive.

    Notes
    -----
    The score of a row is the share of training rows in poorer segments than its own, plus half of those in equally rich
    ones. A weight of 3 is exactly equivalent to three equal rows.

    References
    ----------
    Clémençon and Vayatis, "Tree-based ranking methods", IEEE Transactions on Information Theory 55 (2009);
    Clémençon, Depecker and Vayatis, "Adaptive partitioning schemes for bipartite ranking", Machine Learning 83 (2011).
    There, leaves are ordered by the cuts of the tree, so the curve need not be concave.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from podium import TreeRanker
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> ranker = TreeRanker(max_depth=2).fit(X[::2], y[::2])
    >>> ranker.segments(X[1::2], y[1::2])
    4 segments of 284 rows, best: 97 % positive, worst: 3.5 %
    """

    tree_: RankingTree
    bins_: Bins
    penalty_: float
    gains_: FloatArray
    segments_: Segments

    def __init__(
        self,
        criterion: Phi | str = "auc",
        *,
        max_depth: int = 6,
        rule_depth: int = 2,
        min_samples_leaf: int = 20,
        penalty: float | str = "cross-validation",
        n_folds: int = 5,
        categorical_features: Sequence[int | str] = (),
        class_weight: dict[Any, float] | str | None = None,
        pos_label: Any = None,
        calibrate: str | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.rule_depth = rule_depth
        self.min_samples_leaf = min_samples_leaf
        self.penalty = penalty
        self.n_folds = n_folds
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.calibrate = calibrate

    def _accepts_missing(self) -> bool:
        return True

    def _trained_phi(self) -> Phi:
        return resolve(self.criterion)

    def _by_row(self, X: Any, y: Any, groups: Groups | None) -> dict[str, Any]:
        return {} if groups is None else {"groups": groups}

    def _fit(
        self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None, groups: Groups | None = None
    ) -> None:
        data = binned_rows(X, is_positive, weight, self._categorical_columns(X.shape[1]))
        phi = with_all_of_the_list(resolve(self.criterion), sum(data.mass))
        limits = GrowthLimits(
            max_depth=_input.check_integer("max_depth", self.max_depth, 1),
            rule_depth=_input.check_integer("rule_depth", self.rule_depth, 1, 30),
            least=rows_of_a_part(self.min_samples_leaf, data),
            n_columns=X.shape[1],
        )
        n_folds = _input.check_integer("n_folds", self.n_folds, 2)
        if isinstance(self.penalty, str):
            _input.check_choice("penalty", self.penalty, ("cross-validation",))
            penalties = cross_validated_penalties(data, phi, limits, self._folds(X, data, n_folds, groups))
        else:
            penalties = 2 * (_input.check_number("penalty", self.penalty, 0),)
        self.penalty_ = penalties[0]
        whole = grow(data, CurveGain(phi, *data.mass), limits, np.random.default_rng(0))
        self.tree_, self.bins_ = cut_back(whole, *penalties), data.bins
        self.gains_ = self.tree_.auc_gains()
        order = self.tree_.order
        rules = [rule.in_words(self.condition_in_words) for rule in self.rules_]
        self.segments_ = Segments.counted(rules, self.tree_.n_pos[order], self.tree_.n_neg[order], None)

    @staticmethod
    def _folds(X: FloatArray, data: BinnedRows, n_folds: int, groups: Groups | None) -> npt.NDArray[np.intp]:
        """The fold of every row: equal rows, or those of one group, are in the same."""
        if groups is None:
            return draws.folds(draws.row_keys(X), data.is_positive, data.weight, n_folds)
        return stratified_folds(data.is_positive, n_folds, 0, groups)

    def _scores(self, X: FloatArray) -> FloatArray:
        return self.tree_.scores[self.tree_.cells(self.bins_.codes(X))]

    @property
    def feature_importances_(self) -> FloatArray:
        """The share of each column in the total gain of all cuts.

        A cut's gain is divided among the columns of its rule in proportion to the impurity decrease of their splits.
        Zeros if there is no cut.
        """
        check_is_fitted(self)
        gains = self.tree_.gain_by_column(self.n_features_in_)
        return np.asarray(gains / (gains.sum() or 1.0))

    @property
    def rules_(self) -> list[Rule]:
        """The rules of the segments from best to worst, condition by condition."""
        return rules_of(self.tree_, self.bins_)

    def segments(self, X: npt.ArrayLike, y: npt.ArrayLike, *, confidence_level: float = 0.95) -> Segments:
        """Figures of the segments on held-out rows, with intervals.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows that were not used to grow the tree.
        y : array-like of shape (n_rows,)
            The labels of these rows.
        confidence_level : float
            The confidence level of each interval separately; limits are two-sided.

        Returns
        -------
        Segments
            Rules, counts, the share of positives of every segment, and true and false positive rate of the segments
            from the best one up to it, each with Clopper–Pearson limits.
        """
        check_is_fitted(self)
        level = _input.check_fraction("confidence_level", confidence_level)
        number = self.segment_of(X)
        is_positive = self._known_labels(y)
        n_pos, n_neg = (
            np.bincount(number[rows], minlength=len(self.tree_.order)).astype(np.float64)
            for rows in (is_positive, ~is_positive)
        )
        return Segments.counted(self.segments_.rules, n_pos, n_neg, level)

    def segment_of(self, X: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """The number of the segment of every row; 0 is the best.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows to place.

        Returns
        -------
        ndarray of int
            One number per row.
        """
        check_is_fitted(self)
        place = np.empty(len(self.tree_.first), dtype=np.intp)
        place[self.tree_.order] = np.arange(len(self.tree_.order))
        return place[self.tree_.cells(self.bins_.codes(self._checked_rows(X)))]

    def condition_in_words(self, condition: Condition) -> str:
        """A condition of a rule, by the name of its column.

        Parameters
        ----------
        condition : Condition
            A condition of ``rules_``.

        Returns
        -------
        str
            The condition, such as ``age > 40.5``.
        """
        names = getattr(self, "feature_names_in_", None)
        return condition.in_words(f"x{condition.column}" if names is None else str(names[condition.column]))


def binned_rows(
    X: FloatArray, is_positive: BoolArray, weight: FloatArray | None, categorical: Sequence[int]
) -> BinnedRows:
    """Rows as bins, each of weight one unless weights are given."""
    weight = np.ones(len(is_positive)) if weight is None else weight
    bins = Bins.of(X, weight, categorical)
    return BinnedRows(bins.codes(X), is_positive, weight, bins)


def rows_of_a_part(min_samples_leaf: Any, data: BinnedRows) -> float:
    """The least mass of a part; few rows could not be cut at all by the one for many."""
    least = _input.check_integer("min_samples_leaf", min_samples_leaf, 1)
    total = sum(data.mass)
    return float(least) if total >= 2 * least else total / 4
