"""Labels with gaps, and the probability with which each row was to be labeled."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import Array, BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError
from podium.labels.horizon import Horizon
from podium.labels.learned import learned_inclusion

_TAKE_HORIZONS = (
    "labels at a horizon are taken by podium.inference.interval and compare, and by auc, rank_statistic, "
    "average_precision, precision_at, recall_at and lift_at of podium.metrics."
)


class Observed:
    """Labels of a list of which only some rows were looked at.

    It is taken as ``y_true`` by the metrics of `podium.metrics` and by `podium.inference`, together with the scores of
    *all* rows of the list, labeled or not. With ``inclusion`` the answers are estimates for the whole list; without it
    they are bounds, since nothing says how the labeled rows differ from the others. Labels that are missing because a
    row was not followed long enough are made by `at_horizon`.

    Parameters
    ----------
    y : array-like
        The label of every row of the list: NaN or None where it was not observed.
    inclusion : array-like, optional
        The probability, in (0, 1], with which each row of the list, labeled or not, was to be labeled: 1 for rows that
        are always inspected, the share drawn for those inspected at random. Rows must have been drawn independently of
        their labels, given this probability.
    when : array-like, optional
        When each row was looked at: dates, none after today, or numbers; missing where nobody looked. A row with a time
        and without a label was looked at, and its label is still out. Estimates take it for a row that was not drawn,
        which is right if late labels are like early ones; a note says so, and whether positives came later so far. The
        times change no estimate, and bounds need none.
    columns : array-like or data frame, optional
        Columns of the table, as numbers without gaps. With ``inclusion`` they help to predict labels, as far as the
        labeled rows show that they do; estimates rest on the design and hold whatever the columns are worth. Without
        ``inclusion`` the probabilities are learned from them, and estimates hold only if rows were chosen by these
        columns (or the scores alone, given as such) and by nothing else that bears on the label.
    predicted : array-like, optional
        Predictions in [0, 1] of the label of every row by a second source: another model, a cheap assay. With
        ``inclusion`` they make estimates narrower, if they are any good, and never wrong.
    odds_ratio : float, optional
        Without ``inclusion``: how many times higher or lower, at most, the odds of being positive of rows without a
        label are than ``predicted``, or than labels at their score lead one to expect. Bounds then hold at the
        confidence level if that is true; without it they hold whatever the other labels are.

    References
    ----------
    Of `at_horizon`:

    Uno, H., Cai, T., Tian, L. and Wei, L. J. (2007). Evaluating prediction rules for t-year survivors with censored
    regression models. *Journal of the American Statistical Association* 102, 527–537.

    Blanche, P., Dartigues, J.-F. and Jacqmin-Gadda, H. (2013). Estimating and comparing time-dependent areas under
    receiver operating characteristic curves for censored event times with competing risks. *Statistics in Medicine* 32,
    5381–5397.

    Examples
    --------
    Of six rows the best two were inspected, and two of the other four, drawn at random:

    >>> from podium import metrics
    >>> from podium.labels import Observed
    >>> labels = Observed([1, 0, None, 0, None, 1], inclusion=[1, 1, 0.5, 0.5, 0.5, 0.5])
    >>> labels
    Observed(4 of 6 rows labeled, with inclusion probabilities)
    >>> metrics.precision_at(labels, [6, 5, 4, 3, 2, 1], k=2)
    0.5
    """

    __slots__ = (
        "_inclusion",
        "columns",
        "horizon",
        "is_labeled",
        "learns_inclusion",
        "odds_ratio",
        "predicted",
        "when",
        "y",
    )

    def __init__(
        self,
        y: npt.ArrayLike,
        inclusion: npt.ArrayLike | None = None,
        when: npt.ArrayLike | None = None,
        *,
        columns: Any = None,
        predicted: npt.ArrayLike | None = None,
        odds_ratio: float | None = None,
    ) -> None:
        self.y = _input.column_of(y, "y")
        self.horizon: Horizon | None = None
        self.is_labeled = ~missing_entries(self.y)
        n_rows, n_labeled = len(self.y), int(self.is_labeled.sum())
        if n_labeled == 0:
            raise DegenerateSampleError(f"Observed labels need at least one; all {n_rows:,} are missing.")
        if odds_ratio is not None and (inclusion is not None or columns is not None):
            raise InputError(
                "An odds ratio is for labels of which nothing says how the rows were chosen; got "
                f"{'columns' if inclusion is None else 'inclusion'} with it."
            )
        self._inclusion = None if inclusion is None else self._checked(inclusion)
        self.when = None if when is None else _checked_times(when, n_rows)
        self.odds_ratio = None if odds_ratio is None else _input.check_number("odds_ratio", odds_ratio, 1, np.inf)
        self.predicted = None if predicted is None else _checked_chances(predicted, n_rows)
        self.columns = None if columns is None else _checked_columns(columns, n_rows)
        self.learns_inclusion = self.inclusion is None and columns is not None
        if self.inclusion is None and self.columns is not None and self.has_gaps:
            self._inclusion = learned_inclusion(self.columns, self.is_labeled)
        if self.predicted is not None and self.has_gaps and self.inclusion is None:
            _check_use(self.predicted, self.odds_ratio)

    @classmethod
    def at_horizon(
        cls,
        event: npt.ArrayLike,
        follow_up: npt.ArrayLike,
        horizon: float,
        *,
        competing: npt.ArrayLike | None = None,
    ) -> Observed:
        r"""Labels "event within the horizon" of rows of which some were not followed that long.

        Rows with the event at or before the horizon h are positive; rows followed to the horizon without it are
        negative, as are rows with a competing event before (so that the positives are those of the cumulative
        incidence). Rows censored before the horizon have no label. Other rows stand for them: with T the follow-up and
        G(t−) the chance not to be censored before t, by Kaplan and Meier, they weigh

        .. math:: w_i = \frac{1}{\hat G(\min(T_i, h)-)}.

        Censorings come after events of the same time: a row that was censored at the horizon itself is negative.
        Estimates hold if when a row is censored has nothing to do with its event, its competing event and its score.

        Metrics of ranks and of first rows, `podium.inference.interval` and `podium.inference.compare` take these
        labels, and limits allow for the estimation of G. Where no row was censored before the horizon they are
        ordinary labels.

        Parameters
        ----------
        event : array-like
            1 for rows whose follow-up ended with the event, 0 for others.
        follow_up : array-like
            The time from when a row was scored to its event, to a competing one, or to when it was last seen.
        horizon : float
            Up to which time an event counts, in the unit of ``follow_up``.
        competing : array-like, optional
            1 for rows whose follow-up ended with something after which the event cannot come, or no longer counts.

        Returns
        -------
        Observed
            The labels, for which no inclusion probabilities are needed.

        Examples
        --------
        >>> from podium import metrics
        >>> from podium.labels import Observed
        >>> labels = Observed.at_horizon(event=[1, 0, 1, 0, 0, 1], follow_up=[2, 3, 5, 12, 12, 14], horizon=12)
        >>> labels
        Observed(2 of 6 rows with the event by 12, 3 without, 1 censored before)
        >>> metrics.auc(labels, [6, 5, 2, 4, 3, 1])
        0.629...
        """
        at = Horizon.of(event, follow_up, horizon, competing)
        labels = cls(np.where(at.is_censored, np.nan, at.is_positive))
        labels.horizon = at
        return labels

    def __len__(self) -> int:
        return len(self.y)

    @property
    def inclusion(self) -> FloatArray | None:
        """The probability with which each row was to be labeled; labels at a horizon have none."""
        if self.horizon is not None and self.has_gaps:
            raise InputError(f"This function takes labels that are missing by design; got {self!r}.", _TAKE_HORIZONS)
        return self._inclusion

    def __repr__(self) -> str:
        if self.horizon is not None:
            n_pos, n_censored = int(self.horizon.is_positive.sum()), int(self.horizon.is_censored.sum())
            return (
                f"Observed({n_pos:,} of {len(self):,} rows with the event by {self.horizon.time:g}, "
                f"{len(self) - n_pos - n_censored:,} without, {n_censored:,} censored before)"
            )
        design = "without" if self.inclusion is None else "with learned" if self.learns_inclusion else "with"
        return f"Observed({self.is_labeled.sum():,} of {len(self):,} rows labeled, {design} inclusion probabilities)"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The labels, where every row has one: for functions that know no gaps."""
        if not self.is_labeled.all():
            n_gaps = len(self) - int(self.is_labeled.sum())
            gaps = "missing" if self.horizon is None else f"censored before the horizon {self.horizon.time:g}"
            raise InputTypeError(
                f"This function takes labels without gaps; got Observed labels, {n_gaps:,} of {len(self):,} {gaps}.",
                "podium.metrics and podium.inference.interval, compare, precision_at_interval and tpr_interval take "
                "them."
                if self.horizon is None
                else _TAKE_HORIZONS,
            )
        return np.asarray(self.y.tolist() if dtype is None else self.y, dtype)

    @property
    def has_gaps(self) -> bool:
        """Whether some row has no label."""
        return not self.is_labeled.all()

    @property
    def n_out(self) -> int:
        """How many rows were looked at, and have no label yet."""
        return 0 if self.when is None else int((~self.is_labeled & ~missing_entries(self.when)).sum())

    def positives(self, pos_label: Any = None) -> BoolArray:
        """Which rows are known to be positive.

        Parameters
        ----------
        pos_label : object, optional
            The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

        Returns
        -------
        ndarray of bool
            One value per row; False where there is no label.
        """
        is_positive = np.zeros(len(self), dtype=np.bool_)
        rows = np.flatnonzero(self.is_labeled)
        labels = self.y[rows]
        is_positive[rows] = _input.check_labels(
            labels if labels.dtype.kind != "O" else np.asarray(labels.tolist()), pos_label
        )
        return is_positive

    def _checked(self, inclusion: npt.ArrayLike) -> FloatArray:
        given = _input.check_scores(inclusion, "inclusion")
        if len(given) != len(self):
            raise InputError(
                f"inclusion must have one probability for every row of the list; got {len(given):,} for {len(self):,}.",
                "also rows without a label had a probability of being labeled.",
            )
        values = given.astype(np.float64)
        never = values == 0
        if (never & self.is_labeled).any():
            raise InputError(
                f"A labeled row cannot have inclusion 0; got {int((never & self.is_labeled).sum()):,} such rows.",
                "inclusion is the probability with which the row was to be labeled, whether it was or not.",
            )
        outside = ~((values > 0) & (values <= 1))
        if outside.any():
            hint = "of rows that can never be labeled no design says anything: leave inclusion out for bounds."
            raise InputError(
                f"inclusion must be in (0, 1]; got {values[outside][0]:g} in {int(outside.sum()):,} of {len(self):,}.",
                hint if never.any() else None,
            )
        sure = (values == 1) & ~self.is_labeled
        if sure.any():
            raise InputError(
                f"A row of inclusion 1 must have a label; got {int(sure.sum()):,} without.",
                "if some labels have not come back yet, multiply inclusion by the share that has.",
            )
        return values


def missing_entries(y: Array) -> BoolArray:
    """Where an entry is NaN, NaT, None or pandas' NA."""
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind == "M":
        return np.isnat(y)
    if y.dtype.kind != "O":
        return np.zeros(len(y), dtype=np.bool_)
    return np.fromiter((_input.is_missing(label) for label in y), dtype=np.bool_, count=len(y))


def _checked_chances(predicted: npt.ArrayLike, n_rows: int) -> FloatArray:
    """One prediction in [0, 1] for every row, not the same for all."""
    values = _input.check_scores(predicted, "predicted").astype(np.float64)
    if len(values) != n_rows:
        raise InputError(f"predicted must have one entry per row; got {len(values):,} for {n_rows:,} rows.")
    outside = ~((values >= 0) & (values <= 1))
    if outside.any():
        raise InputError(
            f"predicted must be labels 0 and 1, or probabilities; got {values[outside][0]:g} in "
            f"{int(outside.sum()):,} of {n_rows:,} rows."
        )
    return values


def _check_use(predicted: FloatArray, odds_ratio: float | None) -> None:
    """Without a design predictions are what an odds ratio refers to."""
    if odds_ratio is None:
        raise InputError(
            "Predicted labels help where inclusion says how rows were chosen to be labeled, or odds_ratio how far they "
            "may be off; got neither."
        )
    if not (predicted * (1 - predicted)).all():
        raise InputError(
            "An odds ratio is for probabilities between 0 and 1; got predictions that are 0 or 1.",
            "pass probabilities, or leave predicted out: the known labels then say what is expected at a score.",
        )


def _checked_columns(columns: Any, n_rows: int) -> FloatArray:
    """Numbers: a column or several."""
    names = getattr(columns, "columns", None)
    table = np.atleast_2d(np.asarray(columns).T) if names is None else [columns[name] for name in names]
    values = np.column_stack([_input.check_scores(column, "a column of columns") for column in table])
    if len(values) != n_rows:
        raise InputError(f"columns must have one row per row of the list; got {len(values):,} for {n_rows:,} rows.")
    return values.astype(np.float64)


def _checked_times(when: npt.ArrayLike, n_rows: int) -> Array:
    """Dates or numbers, none of them after today."""
    values = _input.column_of(when, "when")
    if len(values) != n_rows:
        raise InputError(f"when must have one entry per row; got {len(values):,} for {n_rows:,} rows.")
    if values.dtype.kind == "M":
        late = values > np.datetime64("now")
        if late.any():
            raise InputError(
                f"A label cannot have been observed after today; got {int(late.sum()):,} such dates, the latest "
                f"{values[late].max()}."
            )
    return values
