"""Names, text, numbers and sums as SQL has them."""

from __future__ import annotations

from collections.abc import Sequence


def name(text: str) -> str:
    """A name, whatever is in it."""
    return '"' + text.replace('"', '""') + '"'


def text(value: str) -> str:
    """A constant text."""
    return "'" + value.replace("'", "''") + "'"


def number(value: float) -> str:
    """A constant to the last digit; the exponent makes it a floating point number, not a decimal one."""
    digits = repr(float(value))
    return digits if "e" in digits else f"{digits}e0"


def total(terms: Sequence[str]) -> str:
    """A sum, in brackets by halves: databases limit how deep an expression is nested.

    >>> total(["a", "b", "c"])
    '(a + (b + c))'
    """
    if len(terms) <= 1:
        return terms[0] if terms else number(0)
    half = len(terms) // 2
    return f"({total(terms[:half])} + {total(terms[half:])})"


def by_threshold(value: str, thresholds: Sequence[float], results: Sequence[str]) -> str:
    """``results[j]``, j being how many of the increasing thresholds are below the value; by halves, too."""
    if not thresholds:
        return results[0]
    half = len(thresholds) // 2
    low = by_threshold(value, thresholds[:half], results[: half + 1])
    high = by_threshold(value, thresholds[half + 1 :], results[half + 1 :])
    return f"CASE WHEN {value} <= {number(thresholds[half])} THEN {low} ELSE {high} END"
