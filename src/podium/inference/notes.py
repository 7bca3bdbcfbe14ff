"""Where an interval is known to miss its level: said to the user beside the number."""

from __future__ import annotations

import numpy as np

from podium._input import Array
from podium.inference.ranking import Ranking

# Methods whose limits rest on the losses seen; the others hold with few or none.
_NEED_LOSSES = ("jackknife", "projection", "bca", "percentile", "delong", "delong-logit", "hanley-mcneil")


def note_on(ranking: Ranking, method: str, clusters: Array | None) -> str:
    """One sentence per known weakness of this method on this list; empty where none is known."""
    notes = []
    n_pos, n_neg = ranking.n_pos, ranking.n_neg
    if min(n_pos, n_neg) < 10:
        notes.append(f"only {min(n_pos, n_neg):g} in a class: coverage may fall short")
    if ranking.sample.scores.min() == ranking.sample.scores.max():
        notes.append("all scores tie: the sample says nothing")
    if clusters is not None:
        fewest = min(
            len(np.unique(clusters[rows])) for rows in (ranking.sample.is_positive, ~ranking.sample.is_positive)
        )
        if fewest < 10:
            notes.append(f"only {fewest} clusters hold a class: coverage may fall short")
    if method in _NEED_LOSSES and not 0.05 < ranking.omega < 0.95:
        notes.append(f"near the end of the scale {method} undercovers: 'pseudo-event' holds")
    largest_tie = 0.0 if ranking.is_auc else float(ranking.ties.total.max()) / (n_pos + n_neg)
    if 0.1 < largest_tie < 1:
        notes.append(f"{largest_tie:.0%} of the list tie: mid-ranks blur which part of it counts")
    phi = ranking.phi.bind(n_pos + n_neg)
    if phi.discontinuous:
        notes.append("φ jumps: the variance sees little of it, and coverage may fall short")
    if not np.isfinite(phi.sup_norm):
        notes.append("φ is unbounded: a few items at the ends decide, and coverage may fall short")
    return "; ".join(notes)
