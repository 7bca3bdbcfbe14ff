"""Numbers as people write them: decimal comma or point, thousands separators, a currency or percent sign."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from podium.tables.formats.text import null_where

# What may stand before or after a number; the same in a whole column.
UNIT = r"(?:US|C|A|NZ|HK|S|R)\$|[$€£¥₹₽₺₩₪฿%‰]|USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|kr\.?|zł|Kč|Fr\.|Ft"
_IN_BRACKETS = r"^\((.*)\)$"  # as accountants write what is less than nothing
_LIMIT = r"^([<>≤≥]) ?=? ?"  # as laboratories write what they cannot measure
_BEYOND = r"(\d) ?(\+)$"  # as answers to questions are coded: 10+
_FEWEST_BESIDE_LIMITS = 12  # numbers that differ; of fewer, <18 may be the name of a class
_FEWEST_BETWEEN_LIMITS = 3  # the same where all lie between the limits: 0, 1, 2, 3+
_PLAIN = r"^-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$"


# Decimal marks, and what sets thousands apart: where a point does, a comma is the decimal mark.
_MARKS = (
    *((".", ""), (",", ""), (".", ","), (",", ".")),
    *((".", " "), (",", " "), (".", "'"), (",", "'")),
)


@dataclass(frozen=True)
class NumberFormat:
    """One way to write numbers.

    Attributes
    ----------
    decimal : str
        The point or comma before the fraction.
    thousands : str
        The separator of groups of three digits; empty if there is none.
    unit : str
        The currency or percent sign; it is ignored: 85% becomes 85.
    limits : bool
        Whether some values are limits, which are read as numbers: <0.5 becomes 0.5, and 10+ becomes 10.
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    limits: bool = False

    kind = "number"

    def __post_init__(self) -> None:
        if (self.decimal, self.thousands) not in _MARKS or not re.fullmatch(f"(?:{UNIT})?", self.unit):
            raise ValueError(f"numbers are not written as {self.example[:40]!r}")

    @property
    def example(self) -> str:
        """A number written so."""
        number = f"1{self.thousands}234{self.decimal}5" + (f" {self.unit}" if self.unit else "")
        return f"{number} or <{number}" if self.limits else number

    def read(self, words: pa.ChunkedArray) -> pa.ChunkedArray:
        """Numbers; null where a (tidy) word is none, or is written otherwise."""
        if self.limits:
            words = pc.replace_substring_regex(pc.replace_substring_regex(words, _LIMIT, ""), _BEYOND, r"\1")
        words = pc.replace_substring_regex(words, _IN_BRACKETS, r"-\1")
        words = _if(words, pc.match_substring_regex(words, self._pattern))
        words = pc.replace_substring_regex(words, self._pattern, r"\1\2\4\3")  # a minus behind goes in front
        for mark in filter(None, (self.thousands, " ", "+")):
            words = pc.replace_substring(words, mark, "")
        if self.decimal != ".":
            words = pc.replace_substring(words, self.decimal, ".")
        return _if(words, pc.match_substring_regex(words, _PLAIN)).cast(pa.float64())

    @property
    def _pattern(self) -> str:
        """Groups: a sign in front, a sign behind the unit, the digits, a sign behind them."""
        decimal, mark = re.escape(self.decimal), re.escape(self.thousands)
        whole = r"\d+"
        if mark:  # a group never begins with 0, which tells 0,125 from 1,250; some of India's have two digits
            whole = rf"(?:[1-9]\d{{0,2}}(?:{mark}\d{{2,3}})*{mark}\d{{3}}|\d+)"
        body = rf"(?:{whole}(?:{decimal}\d*)?|{decimal}\d+)(?:[eE]-?\d+)?"
        if not self.unit:
            return rf"^([-+]?) ?()({body})(-?)$"
        unit = re.escape(self.unit)
        return rf"^([-+]?) ?(?:{unit})? ?([-+]?)({body})(-?) ?(?:{unit})?$"


# Every way to write them, plain ones first.
_WAYS = tuple(NumberFormat(decimal, thousands) for decimal, thousands in _MARKS)


def number_formats(words: pa.ChunkedArray) -> list[NumberFormat]:
    """The formats that all of these (tidy) words fit; none of them null."""
    listed = words.to_pylist()
    units = {match.group() for word in listed if (match := re.search(UNIT, word))}
    signs = [_sign(word) for word in listed]
    if len(units) > 1:
        return []
    ways = (replace(way, unit=next(iter(units), ""), limits=any(signs)) for way in _WAYS)
    return [way for way in ways if not (read := way.read(words)).null_count and _is_plausible(read.to_pylist(), signs)]


def limits_among(words: pa.ChunkedArray) -> pa.ChunkedArray:
    """Those of (tidy) words that are limits, such as <0.5 or 10+."""
    return words.filter(pc.match_substring_regex(words, f"{_LIMIT}|{_BEYOND}"))


def _sign(word: str) -> str:
    """Of a limit: on which side of it values are; empty for any other word."""
    found = re.search(_LIMIT, word) or re.search(_BEYOND, word)
    return found[found.lastindex or 0] if found else ""


def _is_plausible(values: list[float], signs: list[str]) -> bool:
    """Whether limits are beside enough numbers, or enclose a few: else they are names of classes."""
    plain = {value for value, sign in zip(values, signs, strict=True) if not sign}
    if not any(signs) or len(plain) >= _FEWEST_BESIDE_LIMITS:
        return True
    lower = [value for value, sign in zip(values, signs, strict=True) if sign and sign in "<≤"]
    upper = [value for value, sign in zip(values, signs, strict=True) if sign and sign not in "<≤"]
    if len(plain) < _FEWEST_BETWEEN_LIMITS:
        return False
    return max(lower, default=min(plain)) <= min(plain) and max(plain) <= min(upper, default=max(plain))


def _if(words: pa.ChunkedArray, condition: pa.ChunkedArray) -> pa.ChunkedArray:
    return null_where(pc.invert(condition), words)
