"""Test whether two groups of rows come from the same distribution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium import inference
from podium._results.result import Result
from podium.columns.number import numbers
from podium.exceptions import DegenerateSampleError, InputError
from podium.tables import Encoder, describe
from podium.tables.labels import read_labeled


@dataclass(frozen=True, kw_only=True, repr=False)
class TwoSampleResult(Result):
    """A test of two groups of rows.

    Attributes
    ----------
    test : Result
        A `podium.inference.RankTest` for one column of numbers, else a `podium.inference.LearnedTest`.
    notes : tuple of str
        What was left out.
    """

    test: Result
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return repr(self.test)


def two_sample_test(
    table: Any,
    *,
    label: str,
    columns: Sequence[str] = (),
    positive: str | Sequence[str] | None = None,
    phi: str = "auc",
    alternative: str = "two-sided",
    random_state: int = 0,
    on_step: Callable[[str], Any] = lambda step: None,
) -> TwoSampleResult:
    """Test whether two groups of rows come from the same distribution.

    With one numeric column, a rank test. With several columns, a score is learned on one half of the rows and tested on
    the other.

    Parameters
    ----------
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        A table of independent rows.
    label : str
        The column that defines the groups.
    columns : sequence of str
        The columns to test; by default all but the label.
    positive : str or sequence of str, optional
        The label's value of the first group, unless the labels are 0/1, −1/1 or false/true.
    phi : str
        Which part of the list matters; see `podium.phi`.
    alternative : {"two-sided", "greater", "less"}
        For one numeric column; ``"greater"`` means that the first group has larger values.
    random_state : int
        Seed of the split and of the test's random draws.
    on_step : callable, optional
        Called with a short description as each stage begins.

    Returns
    -------
    TwoSampleResult
        The test, and what was left out.
    """
    data = read_labeled(table, label, positive, columns)
    first = data.is_positive
    features = data.frame[list(columns)] if columns else data.frame.drop(columns=label)
    on_step("testing")
    description = describe(features, first)
    test: Result
    if list(description.kinds.values()) in (["number"], ["date"]):
        values = numbers(features[next(iter(description.kinds))])
        test = inference.rank_test(values[first], values[~first], phi, alternative=alternative, rng=random_state)
    else:
        if alternative != "two-sided":
            raise InputError(
                f"A one-sided test needs one numeric column; got alternative={alternative!r} for other columns.",
                "name one column, or test two-sided.",
            )
        # Without labels: an encoding that knew the groups would leak them.
        X = Encoder.fit(features, np.arange(len(features)), description.kinds).encode(features)
        if not X.shape[1]:
            raise DegenerateSampleError(
                "There is no column to test: a text value needs at least five rows.",
                " ".join(description.notes) or "choose other columns.",
            )
        test = inference.learned_two_sample_test(X[first], X[~first], phi=phi, rng=random_state)
    return TwoSampleResult(test=test, notes=(*data.warnings, *data.notes, *description.notes))
