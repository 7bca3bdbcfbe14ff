"""R09: what cannot stand as printed (further errors show in the tables)."""

from __future__ import annotations

import math

import numpy as np

from podium.experiments.errata.erratum import Erratum, Evidence


def _steepest_weak_ranker() -> Evidence:
    """Two weak rankers, one that says nothing and one that is upside down: positives have 0, negatives 1."""
    positives, negatives = np.array([[0.5, 0.0]] * 3), np.array([[0.5, 1.0]] * 3)
    slopes = (positives[:, None] - negatives[None]).sum(axis=(0, 1))  # Σ d_ik M_ik,j at equal weights
    as_printed, corrected = int(np.argmax(slopes)), int(np.argmax(np.abs(slopes)))
    return Evidence(
        as_printed == 1,
        corrected == 1,
        f"With one weak ranker that says nothing and one that is upside down the sums are {slopes[0]:g} and "
        f"{slopes[1]:g}: as printed the first is taken, round after round, with step 0.",
    )


def _positives_of_table_4() -> Evidence:
    """A third of 351 rows is tested: 75 of 117 positives if the 225 good returns are, 42 if the 126 bad ones are."""

    def least_and_largest(n_pos: int, n_total: int) -> tuple[float, float]:
        gains = [1 / math.log(1 + rank) for rank in range(1, n_total + 1)]
        return sum(gains[-n_pos:]), sum(gains[:n_pos])

    printed = (13.92, 14.79)
    good, bad = least_and_largest(75, 117), least_and_largest(42, 117)
    return Evidence(
        good[0] <= printed[0],
        bad[0] <= printed[0] and printed[1] <= bad[1],
        f"The printed DCG is {printed[0]} to {printed[1]}; with 75 of 117 positives it is at least {good[0]:.2f}, "
        f"with 42 it lies between {bad[0]:.2f} and {bad[1]:.2f}.",
    )


ERRATA = (
    Erratum(
        place="Figure 2, 3(a)",
        printed="argmax_j Σ_ik d_ik M_ik,j",
        corrected="It must be the one of largest absolute value, or both signs must be among the candidates.",
        check=_steepest_weak_ranker,
    ),
    Erratum(
        place="§8, Table 4",
        printed="351 examples (225 positive and 126 negative)",
        corrected="The table was computed with the 126 bad returns as the positives.",
        check=_positives_of_table_4,
    ),
)
