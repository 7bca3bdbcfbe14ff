"""What a paper says in words, beside whether it holds."""

from __future__ import annotations

from collections.abc import Mapping

from podium.experiments.experiment import Verdict


def stated(claims: Mapping[str, bool]) -> dict[str, str]:
    """The claims as the paper makes them."""
    return dict.fromkeys(claims, "holds")


def found(claims: Mapping[str, bool]) -> dict[str, str]:
    """The claims as they came out."""
    return {claim: "holds" if true else "fails" for claim, true in claims.items()}


def verdict(claims: Mapping[str, bool]) -> Verdict:
    """All, some or none of them."""
    true = sum(claims.values())
    return "agrees" if true == len(claims) else "agrees in part" if true else "differs"
