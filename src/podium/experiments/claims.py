"""What a paper says in words, beside whether it holds; None where the noise of the trials leaves it open."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from podium.experiments.experiment import Verdict

Claim = TypeVar("Claim", bound=Hashable)
Claims = Mapping[str, bool] | Mapping[str, bool | None]
N_RESAMPLES = 200
SURE = 0.95  # share of resamples in which a claim must hold, or fail


def stated(claims: Claims) -> dict[str, str]:
    """The claims as the paper makes them."""
    return dict.fromkeys(claims, "holds")


def found(claims: Claims, shares: Mapping[str, float] | None = None) -> dict[str, str]:
    """The claims as they came out, with the share of resamples in which they hold, if there were any."""
    words = {claim: "undecided" if true is None else "holds" if true else "fails" for claim, true in claims.items()}
    if shares is None:
        return words
    return {claim: f"{word} ({shares[claim]:.0%} of resamples)" for claim, word in words.items()}


def verdict(claims: Claims) -> Verdict:
    """All of them, some, or none; undecided where no claim holds and noise leaves one open that may."""
    values = list(claims.values())
    if all(values):
        return "agrees"
    if any(values):
        return "agrees in part"
    return "undecided" if None in values else "differs"


def below(limit: float, low: float, high: float) -> bool | None:
    """Whether a number with these confidence limits is below another; None where they contain it."""
    return True if high < limit else False if low > limit else None


def throughout(parts: Iterable[bool | None]) -> bool | None:
    """Whether something holds in every part; None where noise leaves some part open and no other decides it."""
    each = list(parts)
    return False if False in each else None if None in each else True


def bootstrap_shares(
    judge: Callable[[Sequence[np.ndarray]], Mapping[Claim, bool]], sizes: Sequence[int]
) -> dict[Claim, float]:
    """In which share of resamples of the replicates each claim holds.

    Parameters
    ----------
    judge : callable
        The claims, given for every group of replicates which of them to take.
    sizes : sequence of int
        The number of replicates of every group.
    """
    rng = np.random.default_rng(0)
    draws = [judge([rng.integers(n, size=n) for n in sizes]) for _ in range(N_RESAMPLES)]
    return {claim: float(np.mean([draw[claim] for draw in draws])) for claim in draws[0]}


def decided(shares: Mapping[Claim, float]) -> dict[Claim, bool | None]:
    """True or false where nearly all resamples say so, else None."""
    return {claim: True if s >= SURE else False if s <= 1 - SURE else None for claim, s in shares.items()}
