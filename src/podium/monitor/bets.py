"""Betting martingales: wealth that grows only if the hypothesis is false, mixed over several bet sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium import _input
from podium._fast.sequences import play
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.phi import Phi, resolve

# Shares of the largest bet that cannot ruin, from cautious (a small change, a long wait) to bold.
SIZES = np.array([0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.6, 0.9])
_MOST, _MOST_ROWS = 1e301, 2**53  # beyond what wealth is cut off at; whole numbers that are exact


class Wealth:
    """The mean wealth of players who each stake a constant fraction on every observation.

    Half of the capital is staked from the first observation on, and half gradually, so that capital is left when a late
    change occurs: after t observations 1/(2 log₂(t + 2)) remains in reserve. Under the hypothesis every bet is at best
    fair, so the mean wealth is a supermartingale starting at 1: by Ville's inequality it ever reaches 1/α with
    probability at most α. With ``refill``, every player receives 1 before every bet instead
    (Shiryaev and Roberts): the mean time until the wealth reaches A is then at least A observations.
    """

    def __init__(self, bets: FloatArray, boundary: float, *, refill: bool = False) -> None:
        self.bets, self.boundary, self.refill = bets, boundary, refill
        self.each = np.full(len(bets), 0.0 if refill else 0.5)
        self.largest = 0.0 if refill else 1.0
        self.alarm_after: int | None = None  # how many observations it took
        self.n = 0

    @property
    def value(self) -> float:
        """The current mean wealth: the e-value of the observations."""
        return float(self.each.mean() + self._reserve(self.n))

    def play(self, x: FloatArray) -> None:
        """Bet on observations, whose mean is at most zero under the hypothesis, one after the other."""
        reserve = self._reserve(self.n + np.arange(len(x) + 1))
        fresh = np.ones(len(x)) if self.refill else -np.diff(reserve)
        largest, first = play(self.each, self.bets, np.ascontiguousarray(x), fresh, reserve[1:], self.boundary)
        self.largest = max(self.largest, float(largest))
        if self.alarm_after is None and first > 0:
            self.alarm_after = self.n + int(first)
        self.n += len(x)

    def play_together(self, *measures: FloatArray) -> None:
        """Bet on observations as on one: what is staked before them, in any order, is multiplied by all of them.

        Measured in several ways, by whichever makes the product smallest.
        """
        fresh = self._reserve(self.n) - self._reserve(self.n + 1)
        gains = np.min([np.log1p(self.bets[:, None] * np.sort(x)).sum(axis=1) for x in measures], axis=0)
        self.each = np.minimum((self.each + fresh) * np.exp(np.minimum(gains, 690.0)), 1e300)
        self.n += 1

    def look(self, before: Wealth) -> None:
        """Take the wealth into account; what others who looked before found stays."""
        self.largest = max(self.value, before.largest)
        self.alarm_after = before.alarm_after
        if self.alarm_after is None and self.value >= self.boundary:
            self.alarm_after = self.n

    def _reserve(self, n: Any) -> Any:
        """What is not yet staked after n observations."""
        return 0.0 * n if self.refill else 0.5 / np.log2(n + 2)

    def to_dict(self) -> dict[str, Any]:
        """The state needed to resume."""
        return {"each": self.each.tolist(), "largest": self.largest, "alarm_after": self.alarm_after, "n": self.n}

    def resume(self, saved: Any) -> None:
        """Resume from a saved state."""
        self.each, self.largest = running(saved, "each", len(self.bets)), float(running(saved, "largest")[0])
        self.n = count(saved, "n")
        self.alarm_after = None if saved.get("alarm_after") is None else count(saved, "alarm_after")
        is_over = self.largest >= self.boundary
        if self.value > self.largest * (1 + 1e-9) or is_over != (self.alarm_after is not None):
            raise damaged("largest")
        if self.alarm_after is not None and not 0 < self.alarm_after <= self.n:
            raise damaged("alarm_after")


def bounded(phi: Phi | str, n_rows: int) -> Phi:
    """φ for lists of so many rows; one without bounds is refused, since a single row could ruin every bet."""
    generator = resolve(phi).bind(n_rows)
    ends = generator.value(np.array([0.0, 1.0]))
    if not np.isfinite(ends).all() or ends[0] == ends[1]:
        raise InputError(
            f"phi must be bounded and not constant for monitoring; got {generator}.",
            "use auc, power:3 or smooth-top:0.9.",
        )
    return generator


def alarm_in_words(alarm_after: int | None, unit: str, rows: str) -> str:
    """After how many rows or batches the alarm came, if it did."""
    if alarm_after is None:
        return "no alarm"
    counted = rows if unit == "row" else "batch" if alarm_after == 1 else "batches"
    return f"ALARM after {alarm_after:,} {counted}"


def check_alpha(alpha: float) -> float:
    """The probability of a false alarm ever."""
    return _input.check_fraction("alpha", alpha)


def check_reference(saved: dict[str, Any], fingerprint: str) -> None:
    """Refuse to go on from a state that belongs to another reference or to other settings."""
    if not isinstance(saved, dict) or saved.get("fingerprint") != fingerprint:
        raise InputError(
            "A monitor must resume from its own state; this one belongs to another reference sample or other settings.",
            "use the original model and settings, or start a new monitor.",
        )


def running(saved: Any, name: str, length: int | None = None) -> FloatArray:
    """A number, or a list of so many, that was kept under a name; what a monitor cannot have written is refused."""
    kept = saved.get(name) if isinstance(saved, dict) else None
    numbers: Any = [kept] if length is None else kept
    is_sound = isinstance(numbers, list) and len(numbers) == (length or 1)
    if not is_sound or not all(type(each) in (int, float) and 0 <= each <= _MOST for each in numbers):
        raise damaged(name)
    return np.array(numbers, dtype=np.float64)


def count(saved: Any, name: str) -> int:
    """How many rows came, kept under a name."""
    number = float(running(saved, name)[0])
    if not number.is_integer() or number > _MOST_ROWS:
        raise damaged(name)
    return int(number)


def damaged(name: str) -> InputError:
    """The refusal of a state that no monitor can have written."""
    return InputError(
        f"The state of the monitor is damaged: {name!r} is missing or invalid.",
        "resume from a copy, or start a new monitor.",
    )
