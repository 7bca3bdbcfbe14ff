"""Whether a number is the printed one."""

from __future__ import annotations

from typing import Literal


def agreement(value: float, printed: str) -> Literal["rounded", "truncated", "no"]:
    """How the value becomes the printed number, such as "2.73e3", in its last digit, if it does."""
    mantissa, _, exponent = printed.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    if abs(value - float(printed)) <= unit / 2 * (1 + 1e-9):
        return "rounded"
    return "truncated" if 0 <= value - float(printed) < unit else "no"
