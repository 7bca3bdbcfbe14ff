"""Simulated coverage of the hits of a new list: ``make coverage`` writes docs/coverage_hits.rst.

A labeled list and the next one are drawn from the same population, the number of positives random in both. Scores are
normal in both classes with equal variances; variants round them, tie them in grades, put some negatives on top, or let
clusters of rows share a part of their score.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import norm

from podium.inference import hits_lower_bound, precision_at_interval

PAGE = Path(__file__).parents[1] / "docs" / "coverage_hits.rst"
BUDGETS = np.array([20, 50, 100, 400])  # of 2,000 rows; of other lengths as many in proportion


@dataclass(frozen=True)
class Design:
    """A population, how many rows of it are labeled, and how long the next list is."""

    name: str
    share: float = 0.02
    auc: float = 0.9
    n_rows: int = 2000
    n_next: int = 2000
    rounding: float | None = None
    on_top: float = 0.0
    cluster: int = 1
    labels_differ: bool = True
    case_control: tuple[int, int] | None = None

    @property
    def budgets(self) -> np.ndarray:
        return np.maximum(1, BUDGETS * self.n_next // 2000)

    @property
    def is_exchangeable(self) -> bool:
        return self.cluster == 1 and self.case_control is None

    def draw(self, rng, n_rows):
        """Labels, scores and clusters of rows from the population."""
        cluster = np.arange(n_rows) // self.cluster
        n_labels = n_rows if self.labels_differ else cluster[-1] + 1
        y = rng.random(n_labels) < self.share
        y = y if self.labels_differ else y[cluster]
        return y, self.scores(rng, y, cluster), cluster

    def scores(self, rng, y, cluster):
        noise = rng.standard_normal(len(y))
        if self.cluster > 1:
            noise = np.sqrt(0.5) * noise + np.sqrt(0.5) * rng.standard_normal(cluster[-1] + 1)[cluster]
        s = noise + y * np.sqrt(2) * norm.ppf(self.auc)
        s = np.where(~y & (rng.random(len(y)) < self.on_top), s + 10, s)
        return s if self.rounding is None else np.round(s / self.rounding)

    def labeled(self, rng):
        """Rows to learn from: both classes are among them, or they are drawn again."""
        if self.case_control is not None:
            y = np.arange(sum(self.case_control)) < self.case_control[0]
            return y, self.scores(rng, y, np.arange(len(y))), None
        while True:
            y, s, cluster = self.draw(rng, self.n_rows)
            if 0 < y.sum() < len(y):
                return y, s, None if self.cluster == 1 else cluster


GRADES = {"rounding": 1.5}
DESIGNS = [
    Design("2 % positive"),
    Design("2 % positive", auc=0.7),
    Design("1 % positive", share=0.01),
    Design("1 % positive", share=0.01, auc=0.7),
    Design("10 % positive", share=0.1),
    Design("10 % positive", share=0.1, auc=0.7),
    Design("50 % positive", share=0.5),
    Design("50 % positive", share=0.5, auc=0.7),
    Design("2 % positive, scores rounded to 0.5", rounding=0.5),
    Design("2 % positive, about five grades", **GRADES),
    Design("2 % positive, 1 % of the negatives on top", on_top=0.01),
    Design("2 % positive, clusters of 4", cluster=4),
    Design("2 % positive, clusters of 10", cluster=10),
    Design("2 % positive, clusters of 4 with one label", cluster=4, labels_differ=False),
    Design("2 % positive, clusters of 10 with one label", cluster=10, labels_differ=False),
    Design("2 % positive, clusters of 4, grades", cluster=4, **GRADES),
    Design("2 % positive", n_next=500),
    Design("2 % positive", n_next=20_000),
    Design("2 % positive, about five grades", n_next=500, **GRADES),
    Design("2 % positive, clusters of 4", n_next=1000, cluster=4),
    Design("10 % positive", share=0.1, n_rows=100, n_next=100),
    Design("50 % positive", share=0.5, auc=0.7, n_rows=100, n_next=100),
    Design("2 % positive", n_rows=100, n_next=100),
    Design("10 % positive", share=0.1, n_rows=100),
    Design("2 % positive, 200 of each class labeled", case_control=(200, 200)),
    Design("2 % positive, 50 of each class labeled", case_control=(50, 50)),
    Design("10 % positive, 200 of each class labeled", share=0.1, case_control=(200, 200)),
]


@dataclass(frozen=True)
class Held:
    """How often each range held, its mean width, that of the same composition, and how often each bound held."""

    ranges: np.ndarray
    width: np.ndarray
    fixed_width: np.ndarray | None
    bounds: np.ndarray | None


def simulate(design: Design, n_draws: int, n_fixed: int = 100) -> Held:
    rng = np.random.default_rng([DESIGNS.index(design), 15])
    budgets = design.budgets
    held, width, fixed, bounds = np.zeros(4), np.zeros(4), np.zeros(4), np.zeros(2)
    same_list = design.is_exchangeable and design.n_next == design.n_rows
    prevalence = design.share if design.case_control else None
    for draw in range(n_draws):
        y, s, groups = design.labeled(rng)
        next_y, next_s, _ = design.draw(rng, design.n_next)
        found = np.cumsum(next_y[np.lexsort((rng.random(len(next_s)), -next_s))])
        for i, k in enumerate(budgets.tolist()):
            answer = precision_at_interval(y, s, k=k, n_next=design.n_next, prevalence=prevalence, groups=groups)
            held[i] += answer.low <= found[k - 1] <= answer.high
            width[i] += answer.high - answer.low
            if same_list and draw < n_fixed:
                answer = precision_at_interval(y, s, k=k, composition="fixed")
                fixed[i] += answer.high - answer.low
        if design.is_exchangeable:
            bounds[0] += (found >= hits_lower_bound(y, s, next_s).hits).all()
            bounds[1] += (found >= hits_lower_bound(y, s, n_next=design.n_next).hits).all()
    return Held(
        held / n_draws,
        width / n_draws,
        fixed / min(n_fixed, n_draws) if same_list and n_fixed else None,
        bounds / n_draws if design.is_exchangeable else None,
    )


def row(design: Design, held: Held) -> list[str]:
    labeled = f"{sum(design.case_control)}" if design.case_control else f"{design.n_rows:,}"
    cells = [design.name, f"{design.auc:g}", f"{labeled} → {design.n_next:,}"]
    for i, k in enumerate(design.budgets):
        beside = "" if held.fixed_width is None else f" against {held.fixed_width[i]:.1f}"
        cells.append(f"first {k}: {held.ranges[i]:.3f} ({held.width[i]:.1f}{beside})")
    return [*cells, *(("–", "–") if held.bounds is None else (f"{share:.3f}" for share in held.bounds))]


PREFACE = """Coverage of the hits of a new list
==================================

Written by ``make coverage``: {n} pairs of lists a row; nominal level 95 %. Near .95 the standard error of a figure is
{error:.1f} points. Each pair is a labeled list and the next one, drawn from the same population, with a random number
of positives in both. A figure says how often the hits among the first rows of the next list were inside the range of
:func:`podium.inference.precision_at_interval`. The mean width of the range in hits is in brackets, against that of
``composition="fixed"``, which is for a list with exactly the same number of positives ({n_fixed} pairs).

The range covers more often than it says where few numbers of hits are possible, or where nearly all of the first rows
are hits. With clusters the labeled and the next list have clusters of the same size, whose rows share half of the
variance of their scores, and in two rows their label. Where a number of each class was labeled, the share of positives
in the next list was given as ``prevalence``.

The last two columns say how often :func:`podium.inference.hits_lower_bound` held at every k at once: for the list with
its scores, and for a list of that length not known yet. It is guaranteed for exchangeable rows, not for clusters
or for classes that are sampled separately.
"""


def write(rows: list[list[str]], n_draws: int) -> None:
    lines = [
        PREFACE.format(n=n_draws, n_fixed=min(100, n_draws), error=100 * np.sqrt(0.95 * 0.05 / n_draws)),
        ".. list-table::",
        "   :header-rows: 1",
        "",
    ]
    heading = ["Population", "AUC", "Rows", *(f"Budget {i}" for i in (1, 2, 3, 4)), "Bound, scored", "Bound, any list"]
    for cells in [heading, *rows]:
        lines += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(cells)]
    PAGE.write_text("\n".join([*lines, ""]), encoding="utf-8")


def main(n_draws: int) -> None:
    rows = []
    for design in DESIGNS:
        rows.append(row(design, simulate(design, n_draws)))
        print(*rows[-1], sep="; ", flush=True)
    write(rows, n_draws)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
