"""The ledger: what a paper says in words, by setting, beside whether it holds; open where noise leaves it so."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

Verdict = Literal["agrees", "agrees in part", "differs", "undecided", "extends"]
Key = TypeVar("Key", bound=Hashable)
N_RESAMPLES = 200
SURE = 0.95  # share of resamples in which a claim must hold, or fail
_WORST_FIRST: tuple[Verdict, ...] = ("differs", "undecided", "agrees in part", "agrees")


@dataclass(frozen=True)
class Claim:
    """A sentence, or a number, of a paper in one setting.

    Parameters
    ----------
    says : str
        What the paper says.
    true : bool or None
        Whether it came out so; None where noise leaves it open.
    setting : str
        Where more than one reading of the paper was run: which.
    share : float, optional
        The share of resamples in which it holds, where noise decides.
    """

    says: str
    true: bool | None
    setting: str = ""
    share: float | None = None

    @property
    def found(self) -> Literal["holds", "fails", "open"]:
        """The same in a word."""
        return "open" if self.true is None else "holds" if self.true else "fails"


def ledger(
    truths: Mapping[str, bool | None] | Mapping[str, bool], shares: Mapping[str, float] | None = None, setting: str = ""
) -> tuple[Claim, ...]:
    """One claim for each of these sentences in a setting."""
    return tuple(
        Claim(says, None if true is None else bool(true), setting, shares[says] if shares else None)
        for says, true in truths.items()
    )


def same(paper: Mapping[str, object], ours: Mapping[str, object]) -> tuple[Claim, ...]:
    """Of each printed value, that it is ours to the last digit."""
    return ledger({name: value == ours[name] for name, value in paper.items()})


def verdict(claims: Iterable[Claim]) -> Verdict:
    """That of the setting which comes out worst, so that no further setting can raise it.

    In a setting all claims hold (agrees), at least half of the decided ones (agrees in part) or fewer (differs);
    undecided where none is decided, and ``"extends"`` where the paper claims nothing.
    """
    settings: dict[str, list[bool | None]] = {}
    for claim in claims:
        settings.setdefault(claim.setting, []).append(claim.true)
    return min(map(_of_setting, settings.values()), key=_WORST_FIRST.index, default="extends")


def _of_setting(truths: Sequence[bool | None]) -> Verdict:
    decided = [true for true in truths if true is not None]
    if not decided:
        return "undecided"
    return "agrees" if all(truths) else "agrees in part" if 2 * sum(decided) >= len(decided) else "differs"


def counted(found: Sequence[str]) -> str:
    """How many of the claims hold, fail and are open; a dash for none.

    >>> counted(["holds"] * 2 + ["fails"] * 7 + ["open"] * 9), counted(["holds"])
    ('2 of 18 hold, 7 fail, 9 open', '1 of 1 holds')
    """
    if not found:
        return "–"
    held, failed, left_open = (found.count(word) for word in ("holds", "fails", "open"))
    words = [f"{held} of {len(found)} hold" + "s" * (len(found) == 1)]
    words += [f"{failed} fail" + "s" * (failed == 1)] * (failed > 0) + [f"{left_open} open"] * (left_open > 0)
    return ", ".join(words)


def below(limit: float, low: float, high: float) -> bool | None:
    """Whether a number with these confidence limits is below another; None where they contain it."""
    return True if high < limit else False if low > limit else None


def throughout(parts: Iterable[bool | None]) -> bool | None:
    """Whether something holds in every part; None where noise leaves some part open and no other decides it."""
    each = list(parts)
    return False if False in each else None if None in each else True


def bootstrap_shares(
    judge: Callable[[Sequence[np.ndarray]], Mapping[Key, bool]], sizes: Sequence[int]
) -> dict[Key, float]:
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


def decided(shares: Mapping[Key, float]) -> dict[Key, bool | None]:
    """True or false where nearly all resamples say so, else None."""
    return {claim: True if s >= SURE else False if s <= 1 - SURE else None for claim, s in shares.items()}
