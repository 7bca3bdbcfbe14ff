"""A05, Figure 3: the uniform bound against that of Freund et al. for linear scorers of one feature, and ours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from podium import bounds
from podium.experiments import claims
from podium.experiments.a05.skew import DELTA, draw_panels, tabulate
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST = {"1/2": 10**5, "1/10": 10**5, "1/100": 10**6, "1/1000": 10**7}  # the right ends of the printed axes


def paper_bound(n_pos: int, n_neg: int, features: int = 1) -> float:
    """Corollary 4.5, with the exact r = 3 for one feature."""
    orders = bounds.log_rank_shatter(2 * n_pos, 2 * n_neg, features, method="central")
    return bounds.auc_uniform_deviation(n_pos, n_neg, orders, confidence_level=1 - DELTA)


def freund_bound(n_pos: int, n_neg: int, features: int = 1) -> float:
    """Theorem 4.14; for one feature s(F̃, N) = 4N + 1."""
    positive, negative = (bounds.log_sign_patterns(features + 1, 2 * n) for n in (n_pos, n_neg))
    return bounds.freund_deviation(n_pos, n_neg, positive, negative, confidence_level=1 - DELTA)


def our_bound(n_pos: int, n_neg: int, features: int = 1) -> float:
    """From min(n, m) disjoint pairs."""
    patterns = bounds.log_sign_patterns(features, min(n_pos, n_neg))
    return bounds.auc_uniform_deviation(n_pos, n_neg, patterns, confidence_level=1 - DELTA, method="sharp")


BOUNDS = {"Freund et al.": freund_bound, "paper (Corollary 4.5)": paper_bound, "ours": our_bound}


def evaluate(settings: Settings, rng: np.random.Generator) -> Finding:
    """The three bounds over the printed range, and in how many cases the comparison is another one in 16 dimensions."""
    sizes = {share: np.linspace(longest / 100, longest, 100).round().tolist() for share, longest in LONGEST.items()}
    return {
        "one": tabulate(sizes, BOUNDS),
        "sixteen": tabulate(sizes, {name: partial(bound, features=16) for name, bound in BOUNDS.items()}),
        "r": bounds.count_sign_patterns(1, 100),
        "s at N = 100": bounds.count_sign_patterns(2, 100),
    }


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Tighter wherever either bound says something."""
    (found,) = findings
    freund, paper, ours = (np.array(found["one"][name]) for name in BOUNDS)
    meaningful = np.minimum(freund, paper) < 0.5
    freund16, paper16, ours16 = (np.array(found["sixteen"][name]) for name in BOUNDS)
    statements = {"tighter than Freund et al. where meaningful": bool((paper < freund)[meaningful].all())}
    printed = {"r(F, m, n) of one feature": 3, "s(F̃, 100)": 401}
    counted = {"r(F, m, n) of one feature": found["r"], "s(F̃, 100)": found["s at N = 100"]}
    looser16 = int((paper16 > freund16).sum())
    return Outcome(
        paper=printed,
        ours=counted
        | {
            "ε at 50,000 + 50,000, Freund et al.": freund_bound(50_000, 50_000),
            "ε at 50,000 + 50,000, paper": paper_bound(50_000, 50_000),
            "ε at 50,000 + 50,000, ours": our_bound(50_000, 50_000),
            "sizes at which Freund et al. is tighter with 16 features": f"{looser16} of {len(paper16)}",
        },
        columns=found["one"],
        claims=(*claims.ledger(statements), *claims.same(printed, counted)),
        sentence=(
            f"The paper's bound is the tighter one at {int((paper < freund)[meaningful].sum())} of the "
            f"{int(meaningful.sum())} sizes where either is below ½; ours is {(ours / paper).min():.2f} to "
            f"{(ours / paper).max():.2f} times the paper's. One feature is a special case: with 16 the bound of Freund "
            f"et al. is tighter than the paper's at {looser16} of {len(paper16)} sizes, and ours than both at "
            f"{int((ours16 < np.minimum(paper16, freund16)).sum())}."
        ),
    )


def draw(figure: Figure, columns: Columns) -> None:
    """The printed ranges.

    Four panels by share of positives: falling curves of three uniform bounds over the sample size, that of Freund and
    others highest and ours lowest.
    """

    def finish(ax: Axes) -> None:
        ax.set(ylim=(0, 1), xlim=(0, None))
        ax.ticklabel_format(axis="x", style="sci", scilimits=(0, 0), useMathText=True)

    draw_panels(figure, columns, finish)


FIG3 = Experiment(
    "a05-fig3", "A05, Figure 3", "Uniform bounds for linear scorers of one feature", once, evaluate, conclude, draw
)
