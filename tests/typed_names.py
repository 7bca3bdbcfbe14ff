"""Names that `podium` loads on first use have their types; read by mypy, never run."""

from typing import assert_type

import podium
from podium import AutoRanker, LinearRanker, StackedRanker
from podium.phi import Phi
from podium.rankers.lines.linear import LinearRanker as Linear
from podium.rankers.stack.stacked import StackedRanker as Stacked
from podium.selection.auto_ranker import AutoRanker as Auto
from podium.workflow.fit import FitResult


def names_and_their_types() -> None:
    """Never called: pytest imports this file when it looks for examples."""
    assert_type(LinearRanker("auc"), Linear)
    assert_type(StackedRanker(), Stacked)
    assert_type(AutoRanker(), Auto)
    assert_type(podium.LinearRanker(), Linear)
    assert_type(podium.phi.resolve("auc"), Phi)
    assert_type(podium.workflow.fit("loans.csv", label="late"), FitResult)
    assert_type(podium.tables.to_table("loans.csv").frame.shape, tuple[int, int])
