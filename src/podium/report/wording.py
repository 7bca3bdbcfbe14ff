"""Numbers and results in words: as many digits as a reader needs, thousands set apart, a real minus sign."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from podium._results.wording import minus, specification, statistic
from podium.phi import Phi


def count(value: float) -> str:
    """A whole number; small fractional numbers keep one decimal."""
    if 0 < value < 0.95:
        return f"{value:.1g}"
    whole = abs(value - round(value)) < 0.05 or value >= 10
    return f"{value:,.0f}" if whole else f"{value:.1f}"


def hits_in_words(value: float, outcome: str | None, each: str = "") -> str:
    """A number of hits, "a day" or of the one list, in the words of the label if there are any."""
    every = f" {each}" if each else ""
    if outcome is not None:
        return f"{count(value)}{every} with {outcome}"
    return f"{count(value)} hit{'' if count(value) == '1' else 's'}{every}"


def share_on_axis(value: float) -> str:
    """A percentage at a tick: round by choice, so no digit is cut."""
    return f"{100 * value:.6g} %"


def briefly(value: float) -> str:
    """A number on an axis of any size.

    >>> briefly(1500.0), briefly(25_000.0), briefly(1.2e6), briefly(-0.25)
    ('1,500', '25k', '1.2M', '−0.25')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= (1e4 if letter == "k" else size):
            return minus(f"{value / size:.6g}{letter}")
    return minus(f"{value:,.0f}" if value == round(value) else f"{value:.4g}")


def times(value: float) -> str:
    """A lift: how many times as many."""
    return f"{value:.1f}×" if value < 100 else f"{value:,.0f}×"


def times_on_axis(value: float) -> str:
    """A lift on an axis."""
    return f"{value:,g}×"


def ranged(low: str, high: str) -> str:
    """From one number to another, neither negative, with their unit said once.

    >>> ranged("51 %", "90 %"), ranged("95 %", "> 99.9 %")
    ('51–90 %', '95 to over 99.9 %')
    """
    if high.startswith("> "):
        return high if low == high else f"{low.rstrip('%').rstrip()} to over {high[2:]}"
    return f"{low.rstrip('%×').rstrip()}–{high}"


def moment(value: Any) -> str:
    """A time in plain format: a date if it has no time of day; or a number."""
    if isinstance(value, np.datetime64):
        return str(value.astype("datetime64[m]")).replace("T00:00", "").replace("T", " ")
    return f"{float(value):.10g}"


def score(value: float) -> str:
    """A score or an effect of any size."""
    if not math.isfinite(value):
        return "–"
    return minus(f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}")


def omega(value: float) -> str:
    """A statistic between 0 and 1; a dash if there is none."""
    return "–" if math.isnan(value) else minus(f"{value:.3f}")


def slope(value: float) -> str:
    """A slope, to two decimals; infinite where there is no limit."""
    return minus(f"{value:.2f}" if math.isfinite(value) else "−∞" if value < 0 else "∞")


def difference(value: float) -> str:
    """A difference of statistics, with its sign; a dash if there is none."""
    if math.isnan(value):
        return "–"
    return minus(f"{value:+.3f}") if abs(value) >= 0.0005 else "0.000"


def difference_of_hits(value: float) -> str:
    """More or fewer hits, with their sign."""
    return minus(f"{value:+,.0f}") if abs(value) >= 0.5 else "0"


def p_value(value: float) -> str:
    """A p-value, to three decimals; a dash if there is none."""
    if math.isnan(value):
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def phi_briefly(phi: Phi) -> str:
    """The specification, with numbers short enough for a table."""
    return specification(str(phi))


def statistic_of(phi: Phi) -> str:
    """What the statistic of a φ is called."""
    return statistic(str(phi))
