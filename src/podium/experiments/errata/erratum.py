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
    misprint : bool
        Whether what is meant is plain from the context, and what follows uses it; otherwise the statement is wrong.
    as_read : bool
        Whether the printed form was read from a damaged copy and could not be held against a clean one.
    """

    place: str
    printed: str
    corrected: str
    check: Callable[[], Evidence]
    misprint: bool = False
    as_read: bool = False

    def sentence(self) -> str:
        """For the page."""
        copy = " (as read from our copy)" if self.as_read else ""
        word = "misprint" if self.misprint else "wrong"
        return f"{self.place}{copy}, {word}: printed “{self.printed}”. {self.corrected} {self.check().numbers}"


def lost_by_reversing(positives: tuple[float, float], negatives: tuple[float, float], p: float) -> float:
    """W* − W of the wrong order of two cells with masses G and H: (1 − p)·(AUC* − AUC)."""
    (g1, g2), (h1, h2) = positives, negatives
    return (1 - p) * abs(g2 * h1 - g1 * h2)


def by_density_ratio(
    positives: tuple[float, float], negatives: tuple[float, float], p: float
) -> tuple[float, float, float]:
    """The loss, the bound with X ~ G and that with Y ~ H, of Ψ̂ that is right in the second cell and ties with it."""
    (g1, g2), (h1, h2) = positives, negatives
    error = abs(g2 / h2 - g1 / h1)  # in the first cell; a hair more reverses the order
    return lost_by_reversing(positives, negatives, p), (1 - p) * g1 * error, (1 - p) * h1 * error


def by_regression(
    positives: tuple[float, float], negatives: tuple[float, float], p: float
) -> tuple[float, float, float]:
    """The loss, the bound with the factor 1 − p and that with 1/p, of η̂ that is p in both cells; X ~ F."""
    masses = [p * g + (1 - p) * h for g, h in zip(positives, negatives, strict=True)]
    eta = [p * g / f for g, f in zip(positives, masses, strict=True)]
    error = sum(f * abs(e - p) for f, e in zip(masses, eta, strict=True))
    return lost_by_reversing(positives, negatives, p), (1 - p) * error, error / p
