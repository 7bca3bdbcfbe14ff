"""Where to cut: the goals of a shortlist, with the guarantees that the held-out rows allow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from podium import shortlist
from podium.exceptions import DegenerateSampleError
from podium.report.budgets import RankedList
from podium.report.wording import count
from podium.shortlist import Shortlist


@dataclass(frozen=True)
class Cut:
    """A goal, its guarantee, the approximate number of rows it takes in the next list, and the option for it."""

    question: str
    promise: str
    rows: str
    option: str


def cuts(ranked: RankedList) -> list[Cut]:
    """For independent rows; if the list has another share of positives, only what does not depend on it."""
    questions: list[tuple[str, str, Callable[..., Shortlist], float]] = [
        ("Miss hardly any positive", "recall", shortlist.by_recall, 0.95),
        ("Select few negatives", "fpr", shortlist.by_fpr, 0.05),
    ]
    if ranked.prevalence is None:
        questions.append(("Select mostly positives", "precision", shortlist.by_precision, 0.8))
    offered = [_cut(ranked, *one) for one in questions]
    if ranked.prevalence is None:
        promise = "The expected share of negatives among the selected rows is at most 10 %."
        offered.append(Cut("Have few negatives among the selected", promise, "depends on the list", "--fdr 0.1"))
    return offered


def _cut(ranked: RankedList, question: str, name: str, find: Callable[..., Shortlist], rate: float) -> Cut:
    sample = ranked.sample
    option = f"--{name} {rate:g}"
    try:
        cut = find(sample.is_positive, sample.scores, confidence_level=ranked.level, **{name: rate})
    except DegenerateSampleError as error:
        return Cut(question, str(error).partition("\n")[0], "–", option)
    tpr, fpr = (np.mean(sample.scores[rows] >= cut.threshold) for rows in (sample.is_positive, ~sample.is_positive))
    share = ranked.positive_share * tpr + (1 - ranked.positive_share) * fpr
    rows = "none" if cut.threshold == np.inf else count(float(share * ranked.population))
    return Cut(question, cut.guarantee, rows, option)
