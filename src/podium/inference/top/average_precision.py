"""Average precision: exact leave-one-out values, and what one more loss or gain would change."""

from __future__ import annotations

import numpy as np

from podium._types import FloatArray
from podium.inference.intervals import pseudo_event
from podium.inference.lists.influence import Influence
from podium.inference.lists.ranking import Ranking
from podium.inference.top.estimate import MetricEstimate
from podium.ranks.pooled import TieGroups


def average_precision(ranking: Ranking) -> MetricEstimate:
    r"""Average precision with its jackknife influence values ψ_i = (n − 1)(ā₊ − a_{−i}), χ_j = (m − 1)(ā₋ − a_{−j}).

    a_{−i} is the average precision without positive i, ā₊ the mean of these, likewise for negatives. As everywhere,
    weights count rows; where a row weighs less than one, a unit of that weight is left out instead. Losses and gains
    are the pseudo-events of `pseudo_event.mean_event` with k = 2.
    """
    ties, weight = ranking.ties, ranking.sample.weight
    unit = 1.0 if weight is None else min(1.0, float(weight.min()))
    n, m = ties.n_pos, ties.n_neg
    value = float(changed(ties, 0.0, 0.0)[0])
    influence = Influence(
        ties, changed(ties, -unit, 0.0), changed(ties, 0.0, -unit), (unit - n) / unit, (unit - m) / unit
    )

    def events() -> tuple[float, float]:
        with_one = changed(ties, 0.0, 1.0), changed(ties, 1.0, 0.0)
        loss, gain = (pseudo_event.mean_event(with_one, ties, value, direction, 2) for direction in (-1.0, 1.0))
        return loss, gain

    return MetricEstimate("average-precision", ranking, value, influence.rows(ranking.sample), events)


def changed(ties: TieGroups, positives: float, negatives: float) -> FloatArray:
    r"""Average precision when so many items join (or leave, below zero) the tie group g, for every g, ascending.

    With P_h positives among the T_h items of the best h groups and p_h positives in group h, the average precision is
    Σ p_h P_h/T_h over n. An item that joins group g changes the terms of g and of all groups below it, so sums from the
    top and from the bottom give all values.
    """
    pos = ties.pos[::-1].astype(np.float64)
    hits, rows = (counts[1:] for counts in ties.from_top())
    after = rows + positives + negatives
    # Where rounding or the last item leaves no rows, there is no precision and no positive to count it.
    precision = np.divide(hits + positives, after, out=np.zeros_like(after), where=after > 1e-9)
    terms, terms_after = pos * hits / rows, pos * precision
    above = np.cumsum(terms) - terms
    below = np.cumsum(terms_after[::-1])[::-1]
    return ((above + below + positives * precision) / (ties.n_pos + positives))[::-1]
