"""Statements of the paper's §5.3, told as sentences beside what was measured in both settings that there are of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.experiments.claims import SURE, bootstrap_shares, decided, found, throughout
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


def judged(
    runs: Runs, claims_of: Callable[[Runs, str], Mapping[str, bool | Sequence[bool]]]
) -> tuple[dict[str, bool | None], dict[str, Any]]:
    """The claims in both settings, decided by resampling the replicates, and how they stand in the record.

    A claim about several designs or φ is a sequence, decided part by part: of two parts that noise leaves open, both
    together would nearly always fail.
    """

    def parts(taken: Any) -> dict[tuple[str, int], bool]:
        resampled = runs.resampled(taken)
        return {
            (f"{claim}, {setting}", i): bool(true)
            for setting in SETTINGS
            for claim, each in claims_of(resampled, setting).items()
            for i, true in enumerate([each] if isinstance(each, bool) else each)
        }

    if not claims_of(runs, ALGORITHM_1):
        return {}, {}
    shares = bootstrap_shares(parts, runs.sizes)
    verdicts, of_parts = decided(shares), dict.fromkeys(claim for claim, _ in shares)
    claims = {claim: throughout(v for (name, _), v in verdicts.items() if name == claim) for claim in of_parts}
    weakest = {claim: min(s for (name, _), s in shares.items() if name == claim) for claim in of_parts}
    return claims, dict(found(claims, weakest))


def told(claims: Mapping[str, bool | None]) -> list[str]:
    """Which statements hold, which not, which are open, and what may be behind it; nothing where there are none."""
    held, failed, left_open = (
        [claim for claim, true in claims.items() if true is side] for side in (True, False, None)
    )
    sentences = []
    if held:
        sentences.append(f"As in the paper: {'; '.join(held)}.")
    if failed:
        sentences.append(f"Not as in the paper: {'; '.join(failed)}.")
    if left_open:
        sentences.append(
            f"Undecided, true in neither {SURE:.0%} nor {1 - SURE:.0%} of resamples of the replicates: "
            f"{'; '.join(left_open)}."
        )
    return [*sentences, _UNKNOWN] if failed or left_open else sentences
