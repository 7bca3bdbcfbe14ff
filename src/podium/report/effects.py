"""Which features move a row up or down: checked, sorted, and laid out as bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from podium import _input
from podium._results.wording import minus
from podium.exceptions import InputError

# More bars than this nobody reads.
MOST_SHOWN = 20


@dataclass(frozen=True)
class Effect:
    """A feature and its effect with limits (NaN if unknown), in percent of the widest bar."""

    feature: str
    effect: float
    low: float
    high: float
    scale: float

    @property
    def figures(self) -> dict[str, str | float | None]:
        """Plain values for a file."""
        low, high = (self.low, self.high) if self.has_limits else (None, None)
        return {"name": self.feature, "estimate": self.effect, "low": low, "high": high}

    @property
    def has_limits(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)

    def in_words(self, value: float) -> str:
        """With its sign and as many decimals as leave the largest effect three digits: they stand under each other."""
        decimals = min(max(0, 2 - math.floor(math.log10(self.scale))), 6)
        text = f"{value:+,.{decimals}f}"
        return minus(text if float(text.replace(",", "")) else text[1:])

    def position(self, value: float) -> float:
        """From 0 at the left end over 50 at no effect to 100."""
        return round(50 + 50 * value / self.scale, 2)


def effects_of(effects: Sequence[tuple[str, float, float, float]]) -> list[Effect]:
    """The largest first."""
    rows = []
    for row in effects:
        if len(row) != 4:
            raise InputError(
                f"An effect must be (feature, effect, low, high); got {row!r}.",
                "pass NaN for limits that are not known.",
            )
        feature, effect, low, high = row
        rows.append((str(feature), _input.check_number(f"the effect of {feature}", effect), float(low), float(high)))
    rows.sort(key=lambda row: -abs(row[1]))
    scale = max((abs(v) for row in rows[:MOST_SHOWN] for v in row[1:] if math.isfinite(v)), default=0.0) or 1.0
    return [Effect(*row, scale) for row in rows]
