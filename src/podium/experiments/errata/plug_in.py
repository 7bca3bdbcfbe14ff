"""What a plug-in rule loses on two cells, beside the bounds of Remark 3 of CLV21 and of CV08; φ(u) = u."""

from __future__ import annotations


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
