"""Where an interval is known to miss its level: said to the user beside the number."""

from __future__ import annotations

import numpy as np

from podium._types import Array
from podium.inference.lists.ranking import Ranking, is_untied

# Methods whose limits rest on the losses seen; the others hold with few or none.
_NEED_LOSSES = ("jackknife", "projection", "bca", "percentile", "delong", "delong-logit", "hanley-mcneil")

_FEW = 15  # of a class; more of them hardly ever tie all together


def note_on(ranking: Ranking, method: str, clusters: Array | None) -> str:
    """One sentence per known weakness of this method on this list; empty where none is known."""
    notes = []
    n_pos, n_neg = ranking.n_pos, ranking.n_neg
    if min(n_pos, n_neg) < (5 if method == "pseudo-event" else 10):
        notes.append(f"only {min(n_pos, n_neg):g} in a class: coverage may fall short")
    if ranking.sample.scores.min() == ranking.sample.scores.max():
        notes.append("all scores tie: the sample says nothing")
    else:
        for of_class, count, name in (("pos", n_pos, "positives"), ("neg", n_neg, "negatives")):
            if count < _FEW and (getattr(ranking.ties, of_class) > 0).sum() == 1:
                notes.append(f"all {count:g} {name} tie: their spread was not seen, and coverage may fall short")
    if clusters is not None:
        is_positive = ranking.sample.is_positive
        fewest = min(len(np.unique(clusters[rows])) for rows in (is_positive, ~is_positive))
        if fewest < 10:
            notes.append(f"only {fewest} clusters hold a class: coverage may fall short")
    if method in _NEED_LOSSES and not 0.05 < ranking.omega < 0.95:
        notes.append(f"near the end of the scale {method} undercovers: 'pseudo-event' holds")
    if method == "mcdiarmid" and not ranking.is_auc and not is_untied(ranking.ties):
        notes.append("the guarantee is for a list without ties")
    phi = ranking.phi.bind(n_pos + n_neg)
    if phi != ranking.phi.bind(n_pos + n_neg + 1):
        notes.append("φ depends on the length of the list: ω is that of lists this long")
    if phi.discontinuous:
        # The jackknife variance is not consistent at a jump; in simulation it came out too large rather than too small.
        notes.append("φ jumps: the interval is rough, often too wide")
    if not np.isfinite(phi.sup_norm):
        notes.append("φ is unbounded: a few items at the ends of the list decide, and coverage may fall short")
    return "; ".join(notes)
