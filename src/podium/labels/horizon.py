r"""Labels "within a year" of rows that were not all followed for a year: weights, and what estimating them costs.

A row that was censored before the horizon has no label. Those that have one stand for it: with G the chance of not
being censored, which does not depend on when the event comes, a row whose label was known at :math:`X = \min(T, h)`
weighs :math:`1/\hat G(X-)`, by Kaplan and Meier's estimate with events before censorings of the same time. These
weights are n times the jumps of the estimated distribution of the time to the event, and what is left of it at the
horizon; so they sum to the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.order import groups_of_rows
from podium._types import Array, BoolArray, FloatArray, Sample
from podium.exceptions import DegenerateSampleError, InputError


@dataclass(frozen=True, eq=False)
class Horizon:
    """Who had the event by a time, who did not, and who was censored before it."""

    time: float
    is_positive: BoolArray
    is_censored: BoolArray
    until: FloatArray  # X, when a label was known or the row was censored

    @classmethod
    def of(
        cls, event: npt.ArrayLike, follow_up: npt.ArrayLike, horizon: float, competing: npt.ArrayLike | None
    ) -> Horizon:
        """From what users give, checked."""
        time = _input.check_number("horizon", horizon, 0, np.inf, open_low=True, open_high=True)
        follow_up = _checked_follow_up(follow_up, time)
        had_event = _checked_indicator("event", event, len(follow_up))
        had_other = np.zeros_like(had_event)
        if competing is not None:
            had_other = _checked_indicator("competing", competing, len(follow_up))
            if (had_event & had_other).any():
                raise InputError(
                    "A row has the event or a competing one, whichever came first; got "
                    f"{int((had_event & had_other).sum()):,} rows with both."
                )
        within = follow_up <= time
        is_positive = had_event & within
        # Censorings come after events: a row that was censored at the horizon itself was without the event there.
        is_censored = ~(had_event | had_other) & (follow_up < time)
        if not is_positive.any():
            got = f"the first event is at {follow_up[had_event].min():g}" if had_event.any() else "no row has the event"
            raise DegenerateSampleError(
                f"Labels at a horizon need events at or before it, {time:g}; {got}.",
                "event says for which rows follow_up is the time of the event: 1 for these, 0 for censored rows.",
            )
        if (is_positive | is_censored).all():
            raise DegenerateSampleError(
                f"Labels at a horizon need rows that are known to be without the event at {time:g}; all "
                f"{int(is_positive.sum()):,} rows that were not censored before had it.",
                "choose an earlier horizon.",
            )
        return cls(time, is_positive, is_censored, np.minimum(follow_up, time))

    @cached_property
    def _times(self) -> tuple[Array, Array, Array]:
        """The place of every row among the distinct times; rows that were censored at each, and rows at risk of it.

        Rows with an event at that time are no longer at risk.
        """
        values, group = groups_of_rows(self.until)
        n_censored = np.bincount(group[self.is_censored], minlength=len(values))
        return group, n_censored, len(group) - np.cumsum(np.bincount(group)) + n_censored

    @cached_property
    def weight(self) -> FloatArray:
        """1/G(X−) of the rows with a label, 0 of the others."""
        group, n_censored, at_risk = self._times
        uncensored = np.cumprod(1 - n_censored / np.maximum(at_risk, 1))
        weight = 1 / np.concatenate([[1.0], uncensored[:-1]])  # before the last time some rows are left
        return np.where(self.is_censored, 0.0, weight[group])

    def sample(self, y_score: Any, sample_weight: Any, pos_label: Any) -> Sample:
        """The rows with a label, by these scores, as a weighted list."""
        if sample_weight is not None or pos_label not in (None, 1):
            given = "sample_weight" if sample_weight is not None else f"pos_label={pos_label!r}"
            raise InputError(
                f"Labels at a horizon have weights of their own, and events are their positives; got {given} with them."
            )
        return _input.check_sample(self.is_positive, y_score, self.weight)

    def with_estimated_weights(self, influence: FloatArray) -> FloatArray:
        r"""What each row contributes to an estimate, its part in the estimated weights included.

        ``influence`` holds :math:`a_i = w_i\, \partial\theta/\partial w_i` of every row, 0 without a label. A censoring
        at u makes all rows heavier whose label is known later, so that row i contributes

        .. math:: a_i + \int_{[0, h)} \frac{\sum_j a_j 1\{X_j > u\}}{Y(u)} \, dM_i(u), \qquad
           dM_i(u) = dN_i(u) - 1\{i \text{ at risk at } u\} \frac{dN(u)}{Y_0(u)},

        where :math:`N_i` counts its censoring and :math:`Y_0(u)` rows are at risk at u. Of censorings that tie, one
        comes after the other: Y is the number at risk at the last of them, Y₀ if nothing ties.
        """
        group, n_censored, at_risk = self._times
        later = influence.sum() - np.cumsum(np.bincount(group, influence))
        jump = later / np.maximum(at_risk - n_censored + 1, 1)
        expected = np.concatenate([[0.0], np.cumsum(jump * n_censored / np.maximum(at_risk, 1))])
        return influence - expected[group + self.is_censored] + np.where(self.is_censored, jump[group], 0.0)


def _checked_follow_up(follow_up: npt.ArrayLike, horizon: float) -> FloatArray:
    times = _input.check_scores(follow_up, "follow_up").astype(np.float64)
    if times.min() < 0:
        raise InputError(
            f"follow_up must not be negative; got {int((times < 0).sum()):,} of {len(times):,} below 0, the least "
            f"{times.min():g}.",
            "it is the time from when a row was scored to its event, or to when it was last seen.",
        )
    if times.max() < horizon:
        raise InputError(
            f"The horizon must lie within the follow-up; got {horizon:g}, and the longest follow-up is "
            f"{times.max():g}.",
            "choose an earlier horizon: of later times no row tells.",
        )
    return times


def _checked_indicator(name: str, values: npt.ArrayLike, n_rows: int) -> BoolArray:
    given = _input.check_scores(values, name)
    if len(given) != n_rows:
        raise InputError(f"{name} must have one entry per row; got {len(given):,} for {n_rows:,} times of follow-up.")
    is_one = given == 1
    if not (is_one | (given == 0)).all():
        raise InputError(
            f"{name} must be 0 and 1, or booleans; got {given[~is_one & (given != 0)][0]:g}.",
            "of several kinds of events pass those of one kind as event, all others as competing.",
        )
    return is_one
