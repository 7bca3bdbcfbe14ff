"""Precision, recall and lift among the first k rows, by influence at the cut."""

from __future__ import annotations

import numpy as np

from podium import _input
from podium.exceptions import InputError
from podium.inference.hits.new_draw import NewDraw
from podium.inference.lists.ranking import Ranking
from podium.inference.top.estimate import MetricEstimate


def first_rows(ranking: Ranking, name: str, k: int) -> MetricEstimate:
    r"""Recall, precision or lift at k of N rows: those of the first share k/N of the population.

    With T and F the shares of positives and of negatives above the cut and c the chance of a positive *at* the cut, the
    influence values of the recall are

    .. math:: \psi_i = (1 - c)(1\{X_i \text{ above}\} - T), \qquad
       \chi_j = -\frac{m}{n}\, c\,(1\{Y_j \text{ above}\} - F):

    a row more above the cut pushes another one out, which is a positive with probability c. Precision and lift are the
    recall times n/k and N/k. Leaving rows out would not do: where a single row decides on which side of the cut another
    one falls, the jackknife is not consistent. c is the share of positives among the rows around the cut; of a tie
    group at the cut a part is above it. One more loss is a hit, times the share that can be lost; a gain likewise.
    """
    ties = ranking.ties
    n, m, n_rows = ties.n_pos, ties.n_neg, ties.n_total
    k = _input.check_integer("k", k, 1, int(np.ceil(n_rows)), f"the list has {n_rows:g} rows.")
    if k >= n_rows:
        raise InputError(
            f"{name} needs fewer rows than the whole list; got k = {k} of {n_rows:g}.", "nothing varies there."
        )
    above = np.clip((ties.upto - (n_rows - k)) / ties.total, 0.0, 1.0)
    recall, fpr = float(ties.pos @ above) / n, float(ties.neg @ above) / m
    at_cut = NewDraw.of(ranking.sample).chance_at_cut(float(k))
    factor = {"recall-at": 1.0, "precision-at": n / k, "lift-at": n_rows / k}[name]
    row_above = above[np.searchsorted(ties.values, ranking.sample.scores)]
    influence = np.where(
        ranking.sample.is_positive, (1 - at_cut) * (row_above - recall), -m / n * at_cut * (row_above - fpr)
    )
    worst, best = factor * max(k - m, 0.0) / n, factor * min(k, n) / n
    hit, good = factor / n, (factor * recall - worst) / (best - worst)
    return MetricEstimate(
        f"{name}:{k}",
        ranking,
        factor * recall,
        factor * influence,
        lambda: (good * hit, (1 - good) * hit),
        worst=worst,
        best=best,
    )
