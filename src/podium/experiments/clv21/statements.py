"""Statements of the paper's §5.3, judged in both settings that there are of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.experiments.claims import Claim, bootstrap_shares, decided, throughout
from podium.experiments.clv21.designs import ALGORITHM_1, SCRIPT
from podium.experiments.clv21.replicates import Runs

SETTINGS = (ALGORITHM_1, SCRIPT)
# What one would need to repeat the figures to the letter is not in print.
_UNKNOWN = (
    "The paper gives neither the start θ⁽⁰⁾ nor β, λ and the constant of the step: with Algorithm 1 the start is "
    "standard normal (norm about 4 for 15 weights, 11 for the 120 entries of a matrix), β = λ = 100 and the step 1/√T; "
    "the authors' script divides its start by the norm, its derivative of RTB is nearly a constant, and its start of "
    "positive numbers points towards θ* where the means differ alike in all columns."
)


def judged(runs: Runs, claims_of: Callable[[Runs, str], Mapping[str, bool | Sequence[bool]]]) -> tuple[Claim, ...]:
    """The claims in both settings, decided by resampling the replicates.

    A claim about several designs or φ is a sequence, decided part by part: of two parts that noise leaves open, both
    together would nearly always fail.
    """

    def parts(taken: Any) -> dict[tuple[str, str, int], bool]:
        resampled = runs.resampled(taken)
        return {
            (claim, setting, i): bool(true)
            for setting in SETTINGS
            for claim, each in claims_of(resampled, setting).items()
            for i, true in enumerate([each] if isinstance(each, bool) else each)
        }

    if not claims_of(runs, ALGORITHM_1):
        return ()
    shares = bootstrap_shares(parts, runs.sizes)
    truths = decided(shares)
    cells = dict.fromkeys((says, setting) for says, setting, _ in shares)
    of = {cell: [key for key in shares if key[:2] == cell] for cell in cells}
    return tuple(
        Claim(says, throughout(truths[key] for key in keys), setting, min(shares[key] for key in keys))
        for (says, setting), keys in of.items()
    )


def unknown(claims: Sequence[Claim]) -> list[str]:
    """What may be behind it, if not all statements hold."""
    return [] if all(claim.true for claim in claims) else [_UNKNOWN]
