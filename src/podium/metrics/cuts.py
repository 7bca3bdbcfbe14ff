"""What a threshold, or several, make of a score: rates at a cut, the largest distance of the classes, information."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium import _input
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.labels.design import tie_groups
from podium.ranks.pooled import TieGroups

RATES = ("sensitivity", "specificity", "ppv", "npv", "net-benefit")


def rate(
    name: str, y_true: Any, y_score: Any, cut: float, *, sample_weight: Any = None, pos_label: Any = None
) -> float:
    """A rate of the rows whose score is the cut or more, called positive, or of the others."""
    ties = tie_groups(y_true, y_score, sample_weight, pos_label)
    check_cut(name, ties, cut)
    above = ties.values >= cut
    return of_rates(name, cut, float(ties.pos @ above), float(ties.neg @ above), ties.n_pos, ties.n_neg)


def check_cut(name: str, ties: TieGroups, cut: float) -> None:
    """The cut of a net benefit is a probability, and so are the scores."""
    if name == "net-benefit":
        _input.check_fraction("the threshold probability", cut)
        if ties.values[0] < 0 or ties.values[-1] > 1:
            raise InputError(
                f"Net benefit needs probabilities as scores; got {ties.values[0]:g} to {ties.values[-1]:g}.",
                "calibrate the scores first: a threshold probability means nothing on another scale.",
            )


def of_rates(name: str, cut: float, hits: Any, alarms: Any, n_pos: float, n_neg: float) -> Any:
    """The rate from the positives and negatives at the cut or above; shares of no rows are 1."""
    if name == "sensitivity":
        return hits / n_pos
    if name == "specificity":
        return 1 - alarms / n_neg
    if name == "net-benefit":
        return (hits - alarms * cut / (1 - cut)) / (n_pos + n_neg)
    right, wrong = (hits, alarms) if name == "ppv" else (n_neg - alarms, n_pos - hits)
    return right / (right + wrong) if right + wrong > 0 else 1.0


def ks(y_true: Any, y_score: Any, *, sample_weight: Any = None, pos_label: Any = None) -> float:
    """The largest distance between the shares of positives and of negatives at or above a threshold."""
    tpr, fpr = upper_shares(tie_groups(y_true, y_score, sample_weight, pos_label))
    return float(np.abs(tpr - fpr).max())


def upper_shares(ties: TieGroups) -> tuple[FloatArray, FloatArray]:
    """True and false positive rates of calling every group and those above it positive, ascending by score."""
    tpr, fpr = (np.cumsum(mass[::-1])[::-1] / mass.sum() for mass in (ties.pos, ties.neg))
    return tpr, fpr


def information_value(
    y_true: Any, y_score: Any, n_bins: int = 10, *, sample_weight: Any = None, pos_label: Any = None
) -> float:
    """Σ (p − q) ln(p/q) over bins of equal numbers of rows, with the shares p, q of positives, negatives in a bin."""
    ties = tie_groups(y_true, y_score, sample_weight, pos_label)
    p, q = shares_in_bins(ties, bins(ties, n_bins))
    return float((p - q) @ np.log(p / q))


def bins(ties: TieGroups, n_bins: int) -> Any:
    """The bin of every tie group, by the middle of its ranks: rows that tie stay together; empty bins are left out."""
    _input.check_integer("n_bins", n_bins, 2)
    middle = (ties.below + ties.upto) / 2 / ties.n_total
    return np.unique(np.minimum((n_bins * middle).astype(int), n_bins - 1), return_inverse=True)[1]


def shares_in_bins(ties: TieGroups, bin_of: Any) -> tuple[FloatArray, FloatArray]:
    """Shares of the positives and of the negatives in each bin; a bin without rows of a class counts half of one."""
    pos, neg = (at_least_half_a_row(np.bincount(bin_of, mass)) for mass in (ties.pos, ties.neg))
    return pos / ties.n_pos, neg / ties.n_neg


def at_least_half_a_row(counts: Any) -> FloatArray:
    """Numbers of rows in bins, of which logarithms can be taken."""
    return np.where(counts > 0, counts, 0.5)
