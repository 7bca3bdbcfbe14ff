"""What an erratum is: the words as printed, what must stand there instead, and a computation that decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Evidence:
    """The outcome of the computation.

    Parameters
    ----------
    printed : bool
        Whether the printed statement passes; an erratum stands only if it does not.
    corrected : bool
        Whether the statement that replaces it passes the same computation.
    numbers : str
        The figures that decide, as a sentence.
    """

    printed: bool
    corrected: bool
    numbers: str


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """A printed statement that cannot stand.

    Parameters
    ----------
    place : str
        Section, equation or figure.
    printed : str
        The words or the formula as printed.
    corrected : str
        What holds instead.
    check : callable
        ``check()`` computes the evidence.
    as_read : bool
        Whether the printed form was read from a damaged copy and could not be held against a clean one.
    """

    place: str
    printed: str
    corrected: str
    check: Callable[[], Evidence]
    as_read: bool = False

    def sentence(self) -> str:
        """For the page."""
        copy = " (as read from our copy)" if self.as_read else ""
        return f"{self.place}{copy}: printed “{self.printed}”. {self.corrected} {self.check().numbers}"
