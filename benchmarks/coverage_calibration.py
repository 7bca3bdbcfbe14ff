"""Coverage of the limits of calibration intercept and slope, and of the calibration curve.

Part of ``make coverage``: prints its table and writes it to docs/coverage_calibration.rst; two minutes on one core.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pages import table
from scipy.special import expit

from podium.inference import calibration, calibration_band

TARGET = Path(__file__).parent.parent / "docs" / "coverage_calibration.rst"
TABLES = ((60, 0.0, 1.0), (100, -1.0, 1.0), (200, -2.5, 1.2), (500, -3.0, 1.5), (1000, 0.0, 2.0))
TRUTHS = ((0.0, 1.0), (0.5, 1.0), (0.0, 0.6), (-0.3, 1.5))

CURVES = {
    "p, as said": (lambda rng, n: rng.beta(0.5, 3, n), lambda p: p),
    "p², too low": (lambda rng, n: rng.random(n), lambda p: p**2),
    "0.1, from ½ on 0.8": (lambda rng, n: rng.random(n), lambda p: np.where(p > 0.5, 0.8, 0.1)),
    "0.1, from ½ on 0.8; ten values": (
        lambda rng, n: np.round(rng.random(n), 1),
        lambda p: np.where(p > 0.5, 0.8, 0.1),
    ),
    "0.2": (lambda rng, n: rng.random(n), lambda p: 0.2 + 0 * p),
}

HEADER = """Calibration: coverage
=====================

Written by ``make coverage``. Coverage at 95 % of the limits of ``podium.inference.calibration``. The log odds that are
predicted are normal; the true ones are intercept + mean + slope·(predicted − mean). The intercept is judged where
the slope is 1: elsewhere its model is wrong, and what it tends to is another number. With {n} tables a row the
standard error of .95 is {error:.3f}.

The limits of the curve, ``calibration_band``, hold at every sample size if the chance does not fall with p. They are
wide for it wherever the chance rises steeply; where it is flat within the windows they come near their level.
"""


def rows(n_draws: int) -> Iterator[list[str]]:
    for size, mean, spread in TABLES:
        for intercept, slope in TRUTHS:
            rng = np.random.default_rng([size, round(10 * slope), round(10 * intercept) + 10])
            covered, of_slope, n_pos = 0, 0, 0
            for _ in range(n_draws):
                x = mean + spread * rng.standard_normal(size)
                y = rng.random(size) < expit(intercept + mean + slope * (x - mean))
                found = calibration(y, expit(x))
                covered += found.intercept_low <= intercept <= found.intercept_high
                of_slope += found.slope_low <= slope <= found.slope_high
                n_pos += y.sum()
            yield [
                f"{size:,}",
                f"{n_pos / n_draws:.0f}",
                f"{intercept:g}",
                f"{slope:g}",
                f"{covered / n_draws:.3f}" if slope == 1 else "",
                f"{of_slope / n_draws:.3f}",
            ]


def curves(n_draws: int) -> Iterator[list[str]]:
    """Whole curves in the band, points in their limits, the worst of twenty of them, and median widths."""
    for name, (said, chance) in CURVES.items():
        for size in (60, 300, 2000):
            rng, whole, points, widths = np.random.default_rng([size, 7]), [], [], []
            for _ in range(n_draws):
                p = said(rng, size)
                y = rng.random(size) < chance(p)
                bands = [calibration_band(y, p, simultaneous=both) for both in (True, False)]
                inside = [(b.low <= chance(b.probability)) & (chance(b.probability) <= b.high) for b in bands]
                whole.append(inside[0].all())
                points.append(inside[1][np.linspace(0, len(inside[1]) - 1, 20).astype(int)])
                widths.append([np.median(b.high - b.low) for b in bands])
            shares = [np.mean(whole), np.mean(points), np.mean(points, axis=0).min(), *np.median(widths, axis=0)]
            yield [name, f"{size:,}", *(f"{share:.3f}" for share in shares)]


def main(n_draws: int = 1000) -> None:
    names = ["rows", "positives, about", "intercept", "slope", "intercept covered", "slope covered"]
    text = HEADER.format(n=f"{n_draws:,}", error=np.sqrt(0.05 * 0.95 / n_draws))
    text += table("Intercept and slope", names, rows(n_draws))
    names = ["chance", "rows", "whole curves", "points", "worst of 20 points", "width of the band", "width of limits"]
    TARGET.write_text(text + table("Calibration curve", names, curves(n_draws)))


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
