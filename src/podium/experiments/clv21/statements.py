"""Statements of the paper's §5.3, told as sentences beside what was measured."""

from __future__ import annotations

from collections.abc import Mapping

# What one would need to repeat the figures to the letter is not in print.
_UNKNOWN = (
    "The paper gives neither the start θ⁽⁰⁾ nor β, λ and the constant of the step; here the start is standard normal, "
    "β = λ = 100 and the step 1/√T."
)


def told(claims: Mapping[str, bool]) -> list[str]:
    """Which statements hold and which do not, and what may be behind it; nothing where the paper says nothing."""
    held, failed = ([claim for claim, true in claims.items() if true is side] for side in (True, False))
    sentences = []
    if held:
        sentences.append(f"As in the paper: {'; '.join(held)}.")
    if failed:
        sentences.append(f"Not as in the paper: {'; '.join(failed)}. {_UNKNOWN}")
    return sentences
