"""Calibration within every group: intercept, slope and curve, with limits that hold in all groups together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from podium import _input
from podium._results import wording
from podium._results.result import Result, Table
from podium.inference.calibration import CalibrationSummary, check_probabilities, summary_of
from podium.inference.calibration_curves import CalibrationBand, band_of
from podium.inference.groups.by_group import named_groups


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class GroupCalibration(Result):
    """Calibration of the rows of one group.

    Attributes
    ----------
    group : str
        The name of the group.
    summary : CalibrationSummary
        Intercept and slope with limits.
    band : CalibrationBand
        The calibration curve with a simultaneous band.
    """

    group: str
    summary: CalibrationSummary
    band: CalibrationBand

    def __repr__(self) -> str:
        return f"{self.group}: {self.summary!r}"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class CalibrationByGroup(Result):
    """Calibration of every group; ``by_group["a"]`` is that of group a.

    Attributes
    ----------
    groups : tuple of GroupCalibration
        One for every group.
    confidence_level : float
        The probability that the limits of one kind (intercepts, slopes, or curves) hold in all groups.
    """

    groups: tuple[GroupCalibration, ...]
    confidence_level: float

    def __iter__(self) -> Iterator[GroupCalibration]:
        return iter(self.groups)

    def __getitem__(self, group: str) -> GroupCalibration:
        return next(each for each in self if each.group == group)

    def __repr__(self) -> str:
        level = f"{wording.level(self.confidence_level)} in all groups together"
        parts = (
            f"{each.group} {wording.minus(f'{each.summary.intercept:+.2f}')} and {each.summary.slope:.2f}"
            for each in self
        )
        return f"calibration intercept and slope by group ({level}): {'; '.join(parts)}"

    def _table(self) -> Table:
        heading = ("group", "expected", "observed", "intercept", "low", "high", "slope", "low", "high")
        return heading, [
            (
                each.group,
                each.summary.expected,
                each.summary.observed,
                each.summary.intercept,
                each.summary.intercept_low,
                each.summary.intercept_high,
                each.summary.slope,
                each.summary.slope_low,
                each.summary.slope_high,
            )
            for each in self
        ]


def calibration_by_group(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    by: npt.ArrayLike,
    *,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> CalibrationByGroup:
    """Intercept, slope and curve of the calibration of probabilities in every group, with limits.

    What `calibration` and `calibration_band` say of each group. Of G groups every limit is at the level
    1 − (1 − ``confidence_level``)/G, so that those of one kind hold in all groups together (Bonferroni).

    Parameters
    ----------
    y_true, y_prob : array-like
        Labels and probabilities of the positive class, for independent rows that were not used to make these.
    by : array-like
        The group of every row, such as sex, site or year; each with at least two positives and two negatives.
    confidence_level : float
        The probability with which all intercepts, all slopes, or all curves, lie within their limits.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    CalibrationByGroup
        One `GroupCalibration` for every group.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import calibration_by_group
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> calibration_by_group(rng.random(1000) < p, p, np.where(rng.random(1000) < 0.4, "a", "b"))
    calibration intercept and slope by group (95 % in all groups together): a −0.06 and 1.10; b ...
    """
    level = _input.check_fraction("confidence_level", confidence_level)
    sample = check_probabilities(y_true, y_prob, pos_label)
    names, group = named_groups(by, sample)
    each_level = 1 - (1 - level) / len(names)
    found = []
    for i, name in enumerate(names):
        rows = sample.subset(group == i)
        summary = summary_of(rows, each_level, f" in {name}")
        found.append(
            GroupCalibration(group=str(name), summary=summary, band=band_of(rows.scores, rows.is_positive, each_level))
        )
    return CalibrationByGroup(groups=tuple(found), confidence_level=level)
