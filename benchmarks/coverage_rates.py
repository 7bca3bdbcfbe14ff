"""Coverage of intervals for points and parts of the ROC curve: ``make coverage`` writes docs/coverage_rates.rst."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.stats import norm

from podium.inference import partial_auc_interval, tpr_interval

PAGE = Path(__file__).parents[1] / "docs" / "coverage_rates.rst"
SHAPES = [(0.7, 1.0, 0.0), (0.9, 1.0, 0.0), (0.97, 1.0, 0.0), (0.9, 2.0, 0.0), (0.9, 0.5, 0.0), (0.9, 1.0, 0.5)]
CELLS = [
    (200, 80, 0.01),
    (200, 80, 0.02),
    (100, 500, 0.001),
    (200, 80, 0.05),
    (50, 50, 0.1),
    (30, 270, 0.02),
    (150, 150, 0.1),
    (150, 150, 0.3),
    (12, 2000, 0.005),
    (1000, 1000, 0.01),
    (1000, 1000, 0.1),
]
GRID = np.linspace(0, 1, 20_001)


def true_curve(auc, sd, rounding):
    """The curve at any false positive rate; straight between the corners where scores are rounded."""
    mean = norm.ppf(auc) * np.sqrt(1 + sd**2)
    if not rounding:
        return mean, lambda t: norm.cdf((mean + norm.ppf(t)) / sd)
    edges = (np.arange(-60, 61)[::-1] - 0.5) * rounding
    return mean, lambda t: np.interp(t, norm.sf(edges), norm.sf(edges, mean, sd))


def coverage(auc, sd, rounding, n_pos, n_neg, rate, n_draws):
    """Shares of the partial areas and of the true positive rates that are covered, mean widths, methods and notes."""
    rng = np.random.default_rng([round(100 * auc), round(10 * sd), round(10 * rounding), n_pos, n_neg])
    mean, curve = true_curve(auc, sd, rounding)
    y = np.repeat([True, False], [n_pos, n_neg])
    truth = np.trapezoid(curve(np.maximum(rate * GRID, 1e-15)), GRID), float(curve(rate))
    held, width = np.zeros(2), np.zeros(2)
    for _ in range(n_draws):
        s = np.concatenate([rng.normal(mean, sd, n_pos), rng.normal(size=n_neg)])
        s = np.round(s / rounding) if rounding else s
        answers = partial_auc_interval(y, s, max_fpr=rate), tpr_interval(y, s, fpr=rate)
        limits = np.array([(answers[0].low, answers[0].high), (answers[1].low, answers[1].high)])
        held += (limits[:, 0] <= truth) & (truth <= limits[:, 1])
        width += np.ptp(limits, axis=1)
    return held / n_draws, width / n_draws, answers


PREFACE = """Coverage of intervals for points and parts of the ROC curve
===========================================================

Written by ``make coverage``: {n} samples a cell, nominal level 95 %; near .95 the standard error of a figure is
{error:.1f} points. Negatives are standard normal, positives normal with standard deviation *sd* and the mean that gives
the AUC; in the last shape scores are rounded to halves. The area is the partial AUC up to the false positive rate,
divided by that rate. A star marks results that carry a note.

With fewer than five negatives in the range (for the area also with fewer than 30 positives) the limits are *fiducial*:
they hold, and their width says how little is known there. *btii*, the method used otherwise, would cover only .68 to
.88 of the true positive rates at 200/80 and rate .01 and at 100/500 and rate .001; percentiles of bootstrap samples,
.67 to .84.

.. list-table::
   :header-rows: 1

"""
COLUMNS = ["n/m", "rate", "AUC", "sd", "rounded", "area", "width", "by", "TPR", "width", "by"]


def main(n_draws: int) -> None:
    rows = [COLUMNS]
    for n_pos, n_neg, rate in CELLS:
        for auc, sd, rounding in SHAPES:
            held, width, (area, tpr) = coverage(auc, sd, rounding, n_pos, n_neg, rate, n_draws)
            of_area = [f"{held[0]:.3f}" + "\\*" * bool(area.note), f"{width[0]:.3f}", area.method]
            of_tpr = [f"{held[1]:.3f}" + "\\*" * bool(tpr.note), f"{width[1]:.3f}", tpr.method]
            rows.append([f"{n_pos}/{n_neg}", f"{rate:g}", f"{auc:g}", f"{sd:g}", f"{rounding:g}", *of_area, *of_tpr])
            print(*rows[-1], flush=True)
        lines = [f"   {'*' if i == 0 else ' '} - {entry}" for row in rows for i, entry in enumerate(row)]
        text = PREFACE.format(n=n_draws, error=100 * np.sqrt(0.95 * 0.05 / n_draws)) + "\n".join(lines) + "\n"
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
