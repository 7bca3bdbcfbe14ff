"""The words in which results are read: names of statistics, numbers with the digits they deserve, shares as per cent.

A space stands before the per cent sign, and a minus sign is a minus sign.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from podium._words import shown

_SCALES = {"omega": "ω", "mean": "W/n", "sum": "W"}


def statistic(phi: str, scale: str = "omega") -> str:
    """What a rank statistic or a metric is called: "AUC", "ω of power:3" for another φ, "recall at 100".

    >>> statistic("auc"), statistic("power:3"), statistic("smooth-top:0.9:100.0:100.0", "mean")
    ('AUC', 'ω of power:3', 'W/n of smooth-top:0.9:100:100')
    >>> statistic("average-precision"), statistic("recall-at:1000")
    ('average precision', 'recall at 1,000')
    """
    if phi.startswith("neg-"):
        return f"minus {statistic(phi[4:])}"
    if phi == "prevalence":
        return "share of positives"
    return shown(phi) or ("AUC" if (phi, scale) == ("auc", "omega") else f"{_SCALES[scale]} of {specification(phi)}")


def specification(phi: str) -> str:
    """The specification of a φ with numbers short enough to be read."""
    name, *words = phi.split(":")
    try:
        return ":".join([name, *(f"{float(word):.4g}" for word in words)])
    except ValueError:  # a custom φ is named as its author likes
        return phi


def minus(text: str) -> str:
    """The text with a minus sign in place of each hyphen."""
    return text.replace("-", "−")


def percent(share: float) -> str:
    """A share as per cent with two digits, or three where it is nearly all.

    >>> percent(0.354), percent(0.0042), percent(0.9968)
    ('35 %', '0.42 %', '99.7 %')
    """
    value = 100 * share
    if math.isnan(value):
        return "–"
    if 99 < value < 100:
        return f"{value:.1f} %" if value < 99.95 else "> 99.9 %"
    return f"{value:.0f} %" if value >= 9.95 else f"{value:.2g} %"


def level(confidence_level: float) -> str:
    """A confidence level as per cent, with all its digits."""
    return f"{100 * confidence_level:.12g} %"


def decimals(width: float) -> int:
    """How many decimals to print where the uncertainty is so wide: two digits of it, but three decimals at least."""
    if not 0 < width < 0.1:
        return 3
    return min(1 - math.floor(math.log10(width)), 8)


def estimate_and_interval(
    estimate: float, low: float, high: float, confidence_level: float, *, signed: bool = False
) -> str:
    """An estimate with its interval.

    >>> estimate_and_interval(0.87341, 0.85123, 0.89216, 0.95)
    '0.873, 95 % interval 0.851 to 0.892'
    >>> estimate_and_interval(-0.0123, -0.0201, -0.0045, 0.9, signed=True)
    '−0.012, 90 % interval −0.020 to −0.004'
    """
    form = f"{'+' if signed else ''}z.{decimals(high - low)}f"  # z: never minus zero
    return minus(f"{estimate:{form}}, {level(confidence_level)} interval {low:{form}} to {high:{form}}")


def pvalue(value: float) -> str:
    """A p-value; below one in a thousand its size says nothing more."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def rows(n_pos: float, n_neg: float) -> str:
    """How many rows, and how many of them positive.

    >>> rows(101, 184)
    '285 rows, 35 % positive'
    """
    return f"{n_pos + n_neg:,.15g} rows, {percent(n_pos / (n_pos + n_neg))} positive"


def with_note(text: str, note: str) -> str:
    """A line and what to keep in mind, if anything."""
    return f"{text}; note: {note}" if note else text


def quoted(names: Sequence[str]) -> str:
    """Some names for a sentence, and how many more there are."""
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return ", ".join(repr(name) for name in names[:8]) + more
