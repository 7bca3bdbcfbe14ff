"""A05: what cannot stand as printed (the count of rank matrices is an experiment of its own)."""

from __future__ import annotations

import math

from podium import bounds
from podium.experiments.errata.erratum import Erratum, Evidence


def _few_pairs() -> Evidence:
    """The largest number of pairs at which the lemma fails, in 30 and in 100 dimensions."""

    def fails(d: int, pairs: int) -> bool:
        return bool(bounds.log_sign_patterns(d, pairs) > d * math.log(2 * math.e * pairs / d))

    last = {d: max((pairs for pairs in range(1, 2 * d) if fails(d, pairs)), default=0) for d in (30, 100)}
    return Evidence(
        not any(last.values()),
        not any(fails(d, pairs) for d in last for pairs in range(last[d] + 1, 4 * d)),
        f"It fails for up to {last[30]} pairs in 30 dimensions and up to {last[100]} in 100, and holds beyond.",
    )


ERRATA = (
    Erratum(
        place="Lemmas 4.10 and 4.12",
        printed="for all N, at most (2eN/d)^d",
        corrected="For fewer pairs than about d/4 it is below the 3^N patterns that they show; "
        "bounds.count_sign_patterns is exact.",
        check=_few_pairs,
        as_read=True,
    ),
)
