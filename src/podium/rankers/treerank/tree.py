"""TreeRanker: one tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from podium import _input
from podium import phi as phi_
from podium._types import BoolArray, FloatArray
from podium.phi import Phi
from podium.rankers import fingerprints
from podium.rankers.base import Ranker
from podium.rankers.folds import Groups, stratified_folds
from podium.rankers.treerank import forest
from podium.rankers.treerank.bins import Bins
from podium.rankers.treerank.gain import CurveGain, with_all_of_the_list
from podium.rankers.treerank.grow import BinnedRows, GrowthLimits, grow
from podium.rankers.treerank.prune import cross_validated_penalties, cut_back
from podium.rankers.treerank.rules import Condition, Rule, rules_of
from podium.rankers.treerank.segments import Segments


class TreeRanker(Ranker):
    r"""A ranking tree: the population cut into segments from best to worst, each with a rule in words (TreeRank).

    A cell, at first all rows, is cut into a better part C′ and the rest such that the curve gains most: at φ(u) = u the
    part with the largest TPR(C′) − FPR(C′) within the cell, for another φ the part with the largest gain in ω_φ, read
    off the curve. The parts to choose from are those of a classification tree of the cell, of depth ``rule_depth``, in
    which both classes have the same mass (LeafRank); of these, the richest in positives go up. Both parts are then cut
    in the same way, and the tree is cut back by cross-validated ω_φ. Where φ is flat and would leave all rows in one
    segment, cuts that the AUC is worth are kept. The segments are ordered by their share of positives: their curve on
    the training rows is concave.

    A number that is missing goes to the side where that serves better. So does a set of categories; a category that a
    cell had no rows of goes with the larger part. Columns of numbers are seen as at most 255 bins.

    Parameters
    ----------
    criterion : Phi or str
        What the cuts make large: ω_φ of a φ, such as ``"auc"``, ``"power:3"`` or ``"top:0.9"``. It need not be smooth.
    max_depth : int
        How many cuts lie at most between all rows and a segment.
    rule_depth : int
        How many splits a rule may ask in turn. With 1 every cut is a threshold or a set of categories and every segment
        a box; with 2 or 3 segments are unions of boxes, fewer and better, with longer rules.
    min_samples_leaf : int
        How many rows (or how much weight) each part of a split has at least; a quarter of all rows where they are fewer
        than twice as many.
    penalty : float or "cross-validation"
        The part of ω_φ that a cut must bring to be kept. By default the largest one whose ω_φ of rows left out is
        within a standard error of the best; and no cut is kept where the best is not above none by more than chance (a
        t-test over the folds at 2.5 %). On pure noise nine trees in ten then have no cut.
    n_folds : int
        How many parts the rows are divided into for that. Equal rows are always in the same part, or with ``groups`` in
        ``fit``, rows of one group. With two parts too few cuts are told from chance: of 20 tables with
        one strong column 6 gave a tree of one segment, with three or five parts none.
    categorical_features : sequence of int or str
        Columns that hold categories as codes 0, 1, 2, …, by position or name, split by sets of codes instead of
        thresholds. Columns of categories or text in a data frame are always among them.
    class_weight : dict, "balanced" or None
        How much the rows of each class count, as in scikit-learn. Criteria that compare ranks of pairs hardly change;
        ``predict`` and probabilities are for classes so weighted.
    pos_label : object, optional
        Which of the two labels is the positive one; the last in sorted order by default.
    calibrate : {"isotonic", "platt"}, optional
        How scores become probabilities for ``predict_proba``, learned on rows left out in five folds; none by default.

    Attributes
    ----------
    segments_ : Segments
        The segments from best to worst on the training rows: rule, rows, positives, rates. Without intervals: use
        :meth:`segments` with other rows for those.
    rules_ : list of Rule
        The rules of the segments, condition by condition.
    gains_ : ndarray
        What every cut adds to the AUC of the training rows, by telling apart pairs that were together until then:
        AUC = ½ + Σ gains.
    penalty_ : float
        The penalty used; that of cuts kept for the AUC alone may be another.
    tree_ : RankingTree
        Cells and splits as arrays.
    threshold_ : float
        ``predict`` calls positive what scores above it.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels; the second is positive.

    Notes
    -----
    The score of a row is the share of training rows in poorer segments than its own, plus half of those in equally rich
    ones. A weight of 3 does exactly what three equal rows do.

    References
    ----------
    Clémençon and Vayatis, "Tree-based ranking methods", IEEE Transactions on Information Theory 55 (2009);
    Clémençon, Depecker and Vayatis, "Adaptive partitioning schemes for bipartite ranking", Machine Learning 83 (2011).
    There leaves are in the order in which the tree was cut, so that the curve need not be concave.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from podium import TreeRanker
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> ranker = TreeRanker(max_depth=2).fit(X[::2], y[::2])
    >>> ranker.segments(X[1::2], y[1::2])
    4 segments of 284 rows, best: 97 % positive, worst: 3.5 %
    """

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
        return phi_.resolve(self.criterion)

    def _by_row(self, X: Any, y: Any, groups: Groups | None) -> dict[str, Any]:
        return {} if groups is None else {"groups": groups}

    def _fit(
        self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None, groups: Groups | None = None
    ) -> None:
        data = binned_rows(X, is_positive, weight, self._categorical_columns(X.shape[1]))
        phi = with_all_of_the_list(phi_.resolve(self.criterion), sum(data.mass))
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
            return forest.folds(fingerprints.hashes(X), data.is_positive, data.weight, n_folds)
        return stratified_folds(data.is_positive, n_folds, 0, groups)

    def _scores(self, X: FloatArray) -> FloatArray:
        return self.tree_.scores[self.tree_.cells(self.bins_.codes(X))]

    @property
    def feature_importances_(self) -> FloatArray:
        """Of what all cuts gained, the share of each column; a cut's gain is shared among the columns of its rule.

        They share it by how much purer their splits make the two sides. Zeros where there is no cut.
        """
        check_is_fitted(self)
        gains = self.tree_.gain_by_column(self.n_features_in_)
        return np.asarray(gains / (gains.sum() or 1.0))

    @property
    def rules_(self) -> list[Rule]:
        """The rules of the segments from best to worst, condition by condition."""
        return rules_of(self.tree_, self.bins_)

    def segments(self, X: npt.ArrayLike, y: npt.ArrayLike, *, confidence_level: float = 0.95) -> Segments:
        """What rows that the tree was not grown on say of its segments, with intervals.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows that had no part in growing the tree.
        y : array-like of shape (n_rows,)
            The labels of these rows.
        confidence_level : float
            The probability with which each interval, by itself, holds what it is about; limits are two-sided.

        Returns
        -------
        Segments
            Rules, counts, the share of positives of every segment, and true and false positive rate of the segments
            from the best one up to it, each with Clopper–Pearson limits.
        """
        check_is_fitted(self)
        level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
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
