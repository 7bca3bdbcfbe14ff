"""What a paper says in words, beside whether it holds; None where the noise of the trials leaves it open."""

from __future__ import annotations

from collections.abc import Mapping

from podium.experiments.experiment import Verdict

Claims = Mapping[str, bool] | Mapping[str, bool | None]


def stated(claims: Claims) -> dict[str, str]:
    """The claims as the paper makes them."""
    return dict.fromkeys(claims, "holds")


def found(claims: Claims) -> dict[str, str]:
    """The claims as they came out."""
    return {claim: "undecided" if true is None else "holds" if true else "fails" for claim, true in claims.items()}


def verdict(claims: Claims) -> Verdict:
    """All of them, some, or none; undecided where no claim holds and noise leaves one open that may."""
    values = list(claims.values())
    if all(values):
        return "agrees"
    if any(values):
        return "agrees in part"
    return "undecided" if None in values else "differs"
