"""The result of a shortlist: selected rows, threshold, and guarantee."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.order import by_class
from podium._results.result import Result
from podium._types import BoolArray, FloatArray, Sample

EXCHANGEABLE = (
    "Calibration rows and new rows, with their labels, are exchangeable (independent draws from one population, for "
    "instance), and no calibration row had a part in making or choosing the scorer."
)
INDEPENDENT = (
    "Calibration rows are independent draws from the population that the cut will meet, and none had a part in making "
    "or choosing the scorer."
)


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Shortlist(Result):
    """Selected rows and their guarantee.

    Attributes
    ----------
    threshold : float or None
        Rows with at least this score are selected; None if the selection is not described by a threshold, infinite if
        no row is selected.
    chosen : ndarray of bool or None
        Which of the new rows are selected; None without new rows.
    guarantee : str
        The guarantee, in a sentence.
    method : str
        The method that determines the cutoff.
    theorem : str
        The theorem behind the guarantee.
    assumption : str
        The assumptions of the guarantee.
    not_covered : str
        What the guarantee does not cover.
    confidence_level : float or None
        Probability of the guarantee; None if it bounds an expectation.
    attained_level : float or None
        The exact probability if scores do not tie and it is known; otherwise None.
    n_pos, n_neg : int
        The numbers of positives and of negatives among the calibration rows.
    """

    threshold: float | None
    chosen: BoolArray | None
    guarantee: str
    method: str
    theorem: str
    assumption: str
    not_covered: str
    confidence_level: float | None
    attained_level: float | None
    n_pos: int
    n_neg: int

    @property
    def n_chosen(self) -> int | None:
        """Number of new rows selected."""
        return None if self.chosen is None else int(np.count_nonzero(self.chosen))

    def __repr__(self) -> str:
        if self.chosen is not None:
            return f"{self.n_chosen:,} of {len(self.chosen):,} rows selected. {self.guarantee}"
        return self.guarantee

    def __str__(self) -> str:
        return "\n".join(
            [
                repr(self),
                f"Theorem: {self.theorem}",
                f"Assumption: {self.assumption}",
                f"Not covered: {self.not_covered}",
            ]
        )


def calibration(y_cal: npt.ArrayLike, s_cal: npt.ArrayLike, pos_label: Any) -> tuple[FloatArray, FloatArray]:
    """Scores of positives and of negatives, each ascending, as double precision: cuts lie between any two of them."""
    sample: Sample = _input.check_sample(y_cal, s_cal, pos_label=pos_label)
    scores = sample.scores.astype(np.float64, copy=False)
    return by_class(scores, sample.is_positive)


def new_scores(s_new: npt.ArrayLike | None) -> FloatArray | None:
    """Scores of the rows to choose from, if any."""
    return None if s_new is None else _input.check_scores(s_new, "s_new").astype(np.float64, copy=False)


def chosen_from(scores: FloatArray | None, threshold: float) -> BoolArray | None:
    """Which rows reach the threshold."""
    return None if scores is None else scores >= threshold


def just_above(score: float) -> float:
    """The least threshold that leaves a score out; of no score at all, none."""
    return float(np.nextafter(score, np.inf)) if np.isfinite(score) else float(score)


def random_share(randomize: bool, rng: int | np.random.Generator | None) -> float:
    """A number between 0 and 1 drawn at random where asked for, else 1: the cautious end."""
    _input.check_choice("randomize", randomize, (True, False))
    return float(np.random.default_rng(rng).random()) if randomize else 1.0
