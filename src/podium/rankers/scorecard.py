"""ScorecardRanker: a card of integer points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from podium import _input, criteria
from podium._results import wording
from podium._results.result import Result, Table
from podium._types import BoolArray, FloatArray
from podium.criteria import Criterion
from podium.exceptions import InputError
from podium.phi import Phi
from podium.rankers.base import Ranker
from podium.rankers.binning import BinnedColumn, Binning, evidence_of
from podium.rankers.lines.linear import LinearRanker
from podium.rankers.treerank.gain import Bins
from podium.rankers.treerank.rules import Condition

_STEPS = 25  # of Newton's method at most; few are needed, from zero
_FARTHEST = 10**6  # points
_FLAT = 1e-10  # of the rows, on curvatures: far from the labels they vanish
_RIDGE = 1e-6  # on log-odds of columns whose spread is about 1: separated classes have no other finite answer


class ScorecardRanker(Ranker):
    r"""A card of integer points: the score of a row is a base and the points of the bin of each of a few columns.

    Every column is cut into bins, a missing value being one of its own, so that labels are likeliest, and gets the
    weight of evidence :math:`x_{jb} = \log \frac{n_{jb}/n}{m_{jb}/m}` of n positives and m negatives, with twenty
    average rows added to every bin. To choose columns and their weights, the evidence of a row comes from all others:
    a column of many bins has no advantage. Columns enter one at a time, the one that makes labels likeliest first, as
    long as larger evidence raises the score. Their weights :math:`w_j` then maximize the criterion, and a column gets

    .. math:: \mathrm{points}_{jb} = \Big[\frac{D}{\log 2} \, c \, w_j x_{jb}\Big], \qquad
       \mathrm{base} = \Big[B + \frac{D}{\log 2} (a - \log O)\Big]

    rounded to integers, where :math:`a + c \sum_j w_j x_j` is the logistic regression of the labels on the score: D
    points more double the odds of being positive, which are O at B points.

    Parameters
    ----------
    criterion : Criterion, Phi or str
        What the weights of the columns maximize, such as ``"auc"``, ``"smooth-top:0.95"`` or ``"logloss"``.
    max_columns : int
        Maximum number of columns on the card.
    max_bins : int
        Maximum number of bins of a column, beside those for missing and special values.
    min_share : float
        Minimum share of the rows in a bin, beside those.
    monotonic_cst : array-like of int, dict or "auto", optional
        As in scikit-learn: 1 where points rise with the numbers of a column, −1 where they fall, 0 for any shape; by
        position, or a dict by name. ``"auto"``: every column rises or falls, whichever fits better.
    special_values : sequence of float
        Numbers that stand for something else, such as −999 for an applicant without a history: each is a bin of its
        own in every column of numbers.
    points_to_double : int
        Points that double the odds of being positive.
    base_points : int
        The score at which the odds of being positive are ``base_odds``.
    base_odds : float
        The odds of being positive at ``base_points``.
    categorical_features : sequence of int or str
        Columns with categories coded as 0, 1, 2, …, by position or name. Categorical and text columns of a data frame
        are always included.
    class_weight : dict, "balanced" or None
        Class weights, as in scikit-learn.
    pos_label : object, optional
        The positive label; by default the last of the two in sorted order. A card on which more points are better has
        the good ones as positives.
    calibrate : {"isotonic", "platt"}, optional
        How scores are mapped to probabilities for ``predict_proba``, in five-fold cross-validation; not by default.

    Attributes
    ----------
    columns_ : ndarray of int
        The columns on the card, that of the widest range of points first.
    bins_ : Bins
        The cuts of these columns.
    points_ : tuple of ndarray of int
        The points of every bin of each: first what is missing or unknown, then in the order of the cuts.
    base_ : int
        The points of every row.
    card_ : Scorecard
        The card as a table, with the training rows of every bin.
    threshold_ : float
        ``predict`` returns the positive class for scores above it.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels; the second is positive.

    References
    ----------
    Siddiqi, N. (2017). *Intelligent Credit Scoring: Building and Implementing Better Credit Risk Scorecards*, second
    edition. Wiley.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from podium import ScorecardRanker
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> card = ScorecardRanker(max_columns=2, max_bins=3, pos_label=0).fit(X, y)
    >>> card.card_
    a card of 2 columns, 6 lines, 459 to 741 points
    """

    columns_: npt.NDArray[np.intp]
    bins_: Bins
    points_: tuple[npt.NDArray[np.int64], ...]
    base_: int
    card_: Scorecard

    def __init__(
        self,
        criterion: Criterion | Phi | str = "auc",
        *,
        max_columns: int = 12,
        max_bins: int = 8,
        min_share: float = 0.05,
        monotonic_cst: Any = None,
        special_values: Sequence[float] = (),
        points_to_double: int = 20,
        base_points: int = 600,
        base_odds: float = 1.0,
        categorical_features: Sequence[int | str] = (),
        class_weight: dict[Any, float] | str | None = None,
        pos_label: Any = None,
        calibrate: str | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_columns = max_columns
        self.max_bins = max_bins
        self.min_share = min_share
        self.monotonic_cst = monotonic_cst
        self.special_values = special_values
        self.points_to_double = points_to_double
        self.base_points = base_points
        self.base_odds = base_odds
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.calibrate = calibrate

    def _fit(self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> None:
        criteria.resolve(self.criterion)
        most = _input.check_integer("max_columns", self.max_columns, 1)
        unit = _input.check_integer("points_to_double", self.points_to_double, 1) / np.log(2)
        base_points = _input.check_integer("base_points", self.base_points, -_FARTHEST, _FARTHEST)
        base_odds = _input.check_number("base_odds", self.base_odds, 0, np.inf, open_low=True, open_high=True)
        binning = Binning(
            _input.check_integer("max_bins", self.max_bins, 2),
            _input.check_number("min_share", self.min_share, 0, 0.5),
            tuple(_input.check_scores(self.special_values, "special_values")) if len(self.special_values) else (),
        )
        mass = np.ones(len(is_positive)) if weight is None else weight
        categorical = self._categorical_columns(X.shape[1])
        columns = binning.columns(X, is_positive, mass, categorical, self._directions(X.shape[1], categorical))
        is_categorical = np.isin(np.arange(X.shape[1]), categorical)
        every = _bins(columns, is_categorical, X)
        codes = every.codes(X)
        evidence = _left_out_evidence(codes, columns, is_positive, mass)
        chosen, slopes = _columns_that_help(evidence, is_positive, mass, most)
        if self.criterion != "logloss" and len(chosen) > 1:
            chosen, slopes = self._improved(evidence, is_positive, weight, chosen, slopes)
        line = _logistic((evidence[:, chosen] @ slopes)[:, None], is_positive, mass)
        points = [
            np.rint(unit * line[1] * w * columns[j].evidence).astype(np.int64)
            for j, w in zip(chosen, slopes, strict=True)
        ]
        order = sorted(range(len(chosen)), key=lambda k: (-np.ptp(points[k]), chosen[k]))
        self.columns_ = np.array([chosen[k] for k in order], dtype=np.intp)
        self.points_ = tuple(points[k] for k in order)
        self.base_ = int(np.rint(base_points + unit * (line[0] - np.log(base_odds))))
        self.bins_ = Bins(
            tuple(every.cuts[j] for j in self.columns_), is_categorical[self.columns_], every.has_missing[self.columns_]
        )
        self.card_ = self._card(codes[:, self.columns_], is_positive, mass)

    def _directions(self, n_columns: int, categorical: Sequence[int]) -> list[int | None]:
        given = self.monotonic_cst
        if isinstance(given, str):
            _input.check_choice("monotonic_cst", given, ("auto",))
            return [0 if j in categorical else None for j in range(n_columns)]
        names = [str(name) for name in getattr(self, "feature_names_in_", range(n_columns))]
        if isinstance(given, Mapping):
            unknown = [str(name) for name in given if str(name) not in names]
            if unknown:
                raise InputError(f"monotonic_cst must name columns; there is no {unknown[0]!r}.")
            by_name = {str(name): sign for name, sign in given.items()}
            given = [by_name.get(name, 0) for name in names]
        values = [0] * n_columns if given is None else list(given)
        if len(values) != n_columns or not all(value in (-1, 0, 1) for value in values):
            raise InputError(f"monotonic_cst needs -1, 0 or 1 for each of the {n_columns} columns; got {given!r}.")
        ordered = [names[j] for j in categorical if values[j]]
        if ordered:
            raise InputError(
                f"Categories have no order in which points could rise; got monotonic_cst for {ordered[0]!r}."
            )
        return [int(value) for value in values]

    def _improved(
        self,
        evidence: FloatArray,
        is_positive: BoolArray,
        weight: FloatArray | None,
        chosen: list[int],
        slopes: FloatArray,
    ) -> tuple[list[int], FloatArray]:
        """Weights that maximize the criterion, of the columns whose evidence then raises the score."""
        while len(chosen) > 1:
            ranker = LinearRanker(self.criterion).fit(evidence[:, chosen], is_positive, weight)
            slopes = np.asarray(ranker.coef_, dtype=np.float64).ravel()
            if (slopes > 0).all():
                return chosen, slopes
            chosen = [j for j, slope in zip(chosen, slopes, strict=True) if slope > 0] or chosen[:1]
        return chosen, np.ones(1)

    def _scores(self, X: FloatArray) -> FloatArray:
        return self.base_ + self._points(X).sum(axis=1).astype(np.float64)

    def _points(self, X: FloatArray) -> npt.NDArray[np.int64]:
        codes = self.bins_.codes(X[:, self.columns_])
        out = np.zeros(codes.shape, dtype=np.int64)
        for k, points in enumerate(self.points_):
            out[:, k] = points[codes[:, k]]
        return out

    def points(self, X: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The points of every row, column by column of ``columns_``; with ``base_`` they add up to its score.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            The rows to score.
        """
        check_is_fitted(self)
        return self._points(self._checked_rows(X))

    def _card(self, codes: npt.NDArray[np.uint8], is_positive: BoolArray, weight: FloatArray) -> Scorecard:
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        lines = []
        for k, (j, points) in enumerate(zip(self.columns_, self.points_, strict=True)):
            rows = np.bincount(codes[:, k], weight, len(points))
            hits = np.bincount(codes[:, k], weight * is_positive, len(points))
            values = None if self._categories is None else self._categories.values.get(int(j))
            for condition, at in _conditions(self.bins_, k, points):
                if at[0] > 0 or rows[0] > 0:
                    text = _in_words(condition, str(names[j]), values)
                    lines.append(
                        (str(names[j]), text, int(points[at[0]]), float(rows[at].sum()), float(hits[at].sum()))
                    )
        columns = list(zip(*lines, strict=True)) if lines else [()] * 5
        return Scorecard(
            base=self.base_,
            column=tuple(columns[0]),
            values=tuple(columns[1]),
            points=np.array(columns[2], dtype=np.int64),
            rows=np.array(columns[3], dtype=np.float64),
            positives=np.array(columns[4], dtype=np.float64),
        )

    def _accepts_missing(self) -> bool:
        return True


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Scorecard(Result):
    """A points card, line by line.

    Attributes
    ----------
    base : int
        The points of every row.
    column : tuple of str
        The column of each line.
    values : tuple of str
        Which of its values get the points, in words.
    points : ndarray of int
        What such a value adds to the score.
    rows, positives : ndarray
        Training rows, and positives among them, with such a value; sums of weights if rows have weights.
    """

    base: int
    column: tuple[str, ...]
    values: tuple[str, ...]
    points: npt.NDArray[np.int64]
    rows: FloatArray
    positives: FloatArray

    def __repr__(self) -> str:
        by_column = [self.points[np.array(self.column) == name] for name in dict.fromkeys(self.column)]
        low, high = (self.base + sum(int(end(points)) for points in by_column) for end in (np.min, np.max))
        return f"a card of {len(by_column)} columns, {len(self.points)} lines, {low} to {high} points"

    def _table(self) -> Table:
        heading = ("values", "points", "rows", "positives", "share")
        lines = [("every row", str(self.base), "", "", "")]
        for text, points, rows, hits in zip(self.values, self.points, self.rows, self.positives, strict=True):
            share = wording.percent(hits / rows) if rows else "–"
            lines.append((text, wording.minus(f"{points:+d}"), f"{rows:,.15g}", f"{hits:,.15g}", share))
        return heading, lines


def _bins(columns: Sequence[BinnedColumn], is_categorical: BoolArray, X: FloatArray) -> Bins:
    return Bins(tuple(column.cuts for column in columns), is_categorical, np.asarray(np.isnan(X).any(axis=0)))


def _left_out_evidence(
    codes: npt.NDArray[np.uint8], columns: Sequence[BinnedColumn], is_positive: BoolArray, weight: FloatArray
) -> FloatArray:
    """The evidence of every row in every column from all other rows: of a weight of 3, two are others."""
    masses = [weight * (is_positive == label) for label in (True, False)]
    totals = [mass.sum() for mass in masses]
    own = np.minimum(weight, 1.0)
    out = np.empty(codes.shape)
    for j, column in enumerate(columns):
        level = np.unique(column.evidence, return_inverse=True)[1][codes[:, j]]
        pos, neg = (np.bincount(level, mass)[level] for mass in masses)
        out[:, j] = evidence_of(pos - own * is_positive, neg - own * ~is_positive, *totals)
    return out


def _logistic(X: FloatArray, is_positive: BoolArray, weight: FloatArray) -> FloatArray:
    """Intercept and slopes of a logistic regression, by Newton's method."""
    design = np.column_stack([np.ones(len(X)), X])
    ridge = _RIDGE * weight.sum() * np.diag([0.0, *np.ones(X.shape[1])])
    line = np.zeros(design.shape[1])
    share = np.average(is_positive, weights=weight)
    line[0] = np.log(share / (1 - share))
    for _ in range(_STEPS):
        chance = expit(design @ line)
        slope = design.T @ (weight * (is_positive - chance)) - ridge @ line
        curvature = (design.T * (weight * chance * (1 - chance))) @ design + ridge
        step = np.linalg.solve(curvature + _FLAT * weight.sum() * np.eye(len(line)), slope)
        line += step * min(1.0, 5.0 / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < 1e-8:
            break
    return line


def _columns_that_help(
    evidence: FloatArray, is_positive: BoolArray, weight: FloatArray, most: int
) -> tuple[list[int], FloatArray]:
    """Columns in the order in which they enter, and the slopes of their logistic regression, all positive.

    That enters next which makes labels likeliest by the score test: the square of its slope over its variance given
    those that are in.
    """
    left, squares = np.asarray(evidence.any(axis=0)), evidence**2
    chosen: list[int] = []
    line = _logistic(evidence[:, :0], is_positive, weight)
    while left.any() and len(chosen) < most:
        inside = np.column_stack([np.ones(len(evidence)), evidence[:, chosen]])
        chance = expit(inside @ line)
        slope = evidence.T @ (weight * (is_positive - chance))
        spread = weight * chance * (1 - chance)
        cross = (evidence.T * spread) @ inside
        own = spread @ squares
        curvature = (inside.T * spread) @ inside + _FLAT * weight.sum() * np.eye(inside.shape[1])
        rest = own - np.einsum("ij,ji->i", cross, np.linalg.solve(curvature, cross.T))
        helps = left & (slope > 0) & (rest > 1e-9 * own)
        if not helps.any():
            break
        best = int(np.argmax(np.where(helps, slope**2 / np.maximum(rest, 1e-300), -1.0)))
        left[best] = False
        trial = _logistic(evidence[:, [*chosen, best]], is_positive, weight)
        if (trial[1:] > 0).all():
            chosen.append(best)
            line = trial
    return chosen, line[1:]


def _conditions(bins: Bins, k: int, points: npt.NDArray[np.int64]) -> list[tuple[Condition, npt.NDArray[np.intp]]]:
    """The lines of a column: what they ask, and the codes of its bins."""
    cuts = bins.cuts[k]
    if bins.is_categorical[k]:
        known = [
            (value, np.flatnonzero(points[1 : len(cuts) + 1] == value) + 1)
            for value in np.unique(points[1 : len(cuts) + 1])
        ]
        lines = [(Condition(k, codes=tuple(cuts[at - 1])), at) for _, at in known]
        return [*lines, (Condition(k, codes=(), missing=True), np.array([0]))]
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    lines = [
        (
            Condition(k, codes=(ends[i + 1],))  # a special value
            if np.nextafter(ends[i], np.inf) == ends[i + 1]
            else Condition(k, float(ends[i]), float(ends[i + 1])),
            np.array([i + 1]),
        )
        for i in range(len(cuts) + 1)
    ]
    return [*lines, (Condition(k, low=np.inf, missing=True), np.array([0]))]


def _in_words(condition: Condition, name: str, values: Sequence[Any] | None) -> str:
    """What a line asks; of categories of a data frame by their names."""
    if values is None or not condition.codes:
        return condition.in_words(name)
    *first, last = [str(values[int(code)]) for code in condition.codes]
    return f"{name} is {', '.join(first)} or {last}" if first else f"{name} is {last}"
