"""CLV21, §4.1: which of several nested classes a penalty selects, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline

from podium import LinearRanker, metrics
from podium._types import BoolArray, FloatArray
from podium.bounds import paper_penalty
from podium.datasets import LocationModel
from podium.experiments.claims import below, ledger, throughout
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.phi import Mww
from podium.plots.canvas import COLORS, plain
from podium.selection import PenalizedSelection

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIGNAL = LocationModel(0.3, dimension=5)
COLUMNS = (1, 2, 5, 10, 20, 40)  # S_k: linear scores of so many first columns; only five carry signal
PENALTIES = {"explicit": None, "paper": 1.0, "rademacher": None, "slope": None}  # and B₁, which the paper leaves open
LABELS = {
    "explicit": "explicit (guaranteed)",
    "paper": "(4.4) with B₁ = 1",
    "rademacher": "Rademacher (estimate)",
    "slope": "slope (estimate)",
    "cross-validation": "5-fold cross-validation",
    "none": "no penalty",
}
N_FRESH = 50_000


def trials(quick: bool) -> list[Settings]:
    """Samples by the number of rows per class."""
    sizes = {150: 2} if quick else {150: 20, 1_500: 6, 15_000: 2}
    return [{"n_per_class": n, "replicate": i} for n, count in sizes.items() for i in range(count)]


def sample(n_per_class: int, rng: np.random.Generator) -> tuple[FloatArray, BoolArray]:
    """Five columns of the location model, then columns of noise."""
    X, y = SIGNAL.sample(n_per_class, n_per_class, rng)
    return np.hstack([X, rng.standard_normal((len(y), COLUMNS[-1] - SIGNAL.dimension))]), y


@lru_cache(maxsize=1)
def fresh_rows() -> tuple[FloatArray, BoolArray]:
    """Rows to judge on, the same for all."""
    return sample(N_FRESH, np.random.default_rng(1))


def first(n_columns: int) -> Pipeline:
    """The class of linear scores of the first columns."""
    return make_pipeline(ColumnTransformer([("first", "passthrough", slice(n_columns))]), LinearRanker())


def selections(settings: Settings, rng: np.random.Generator) -> Finding:
    """By method: the position of the class chosen; and the true AUC of every class."""
    X, y = sample(settings["n_per_class"], rng)
    classes = [(str(c), first(c)) for c in COLUMNS]
    chosen, truths = {}, []
    for penalty, b1 in PENALTIES.items():
        selection = PenalizedSelection(classes, "auc", penalty=penalty, b1=b1).fit(X, y)
        chosen[penalty] = int(selection.selected_)
    chosen["none"] = int(np.argmax(selection.table_["empirical"]))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    left_out = [cross_val_score(ranker, X, y, scoring="roc_auc", cv=folds).mean() for _, ranker in classes]
    chosen["cross-validation"] = int(np.argmax(left_out))
    rows, labels = fresh_rows()
    for _, ranker in classes:
        truths.append(metrics.auc(labels, ranker.fit(X, y).decision_function(rows)))
    return {"chosen": chosen, "auc": truths}


def oracle_bound(n_per_class: int) -> float:
    """The right side of (4.6) at φ(u) = u, p = ½, B₁ = 1, for the columns with signal: a class without bias."""
    n, k = 2 * n_per_class, COLUMNS.index(SIGNAL.dimension) + 1
    norms = Mww().sup_norm ** 2 + 9 * Mww().sup_norm_derivative ** 2 + 9 * Mww().sup_norm_second_derivative ** 2
    return 2 * paper_penalty(n, k, SIGNAL.dimension, 0.5, "mww", 1.0) + 2 * float(np.sqrt(6 * norms / (0.25 * n)))


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """What each method chose and lost, and whether Proposition 8 holds."""
    ours: dict[str, Any] = {}
    columns: dict[str, list[Any]] = {"rows per class": [], "method": [], "lost": [], "error": [], "chosen": []}
    told, least = [], []
    inside: list[bool | None] = []
    for n in dict.fromkeys(trial["n_per_class"] for trial in settings):
        mine = [f for s, f in zip(settings, findings, strict=True) if s["n_per_class"] == n]
        parts = []
        for method, label in LABELS.items():
            picked = [f["chosen"][method] for f in mine]
            reached = np.array([f["auc"][k] for f, k in zip(mine, picked, strict=True)])
            lost = np.array([max(f["auc"]) for f in mine]) - reached
            error = float(lost.std(ddof=1) / np.sqrt(len(lost)))
            counts = {str(c): picked.count(k) for k, c in enumerate(COLUMNS) if k in picked}
            ours[f"n = m = {n:,}, {label}"] = {
                "columns chosen": counts,
                "AUC lost": round(float(lost.mean()), 4),
                "standard error": round(error, 4),
            }
            for key, entry in zip(columns, (n, label, float(lost.mean()), error, str(counts)), strict=True):
                columns[key].append(entry)
            parts.append(f"{label} {lost.mean():.3f}")
            if method == "paper":
                deficit = (SIGNAL.auc - float(reached.mean())) / 2  # of W: half that of the AUC at p = ½
                ours[f"n = m = {n:,}, both sides of (4.6)"] = [round(deficit, 4), round(oracle_bound(n), 2)]
                noise = float(reached.std(ddof=1) / np.sqrt(len(reached)))  # twice the standard error of half the AUC
                inside.append(below(oracle_bound(n), deficit - noise, deficit + noise))
        told.append(f"n = m = {n:,}: {', '.join(parts)}")
        of_method = {label: ours[f"n = m = {n:,}, {label}"]["AUC lost"] for label in LABELS.values()}
        best = [label for label, lost in of_method.items() if lost == min(of_method.values())]
        least.append(f"{' and '.join(best)} at {n:,}")
    smallest = sum(f["chosen"]["paper"] == 0 for f in findings)
    bounds = [entry[1] for name, entry in ours.items() if name.endswith("(4.6)")]
    claims = ledger({"(4.6), the oracle inequality": throughout(inside)})
    return Outcome(
        paper={},
        ours=ours,
        columns=columns,
        claims=claims,
        sentence=(
            f"AUC lost against the truly best class: {'; '.join(told)}. Least: {'; '.join(least)}. Proposition 8 "
            f"{claims[0].found}; its right side is {' / '.join(f'{b:.2f}' for b in bounds)}, and "
            f"the whole range of W is 0.5. The penalty (4.4) took the smallest class in {smallest} of {len(settings)} "
            "samples: its second term has the constant C = 60 whatever B₁ is."
        ),
        errata=[
            "B₁ and B₂ of (4.4) are said to be those of Theorem 5, which has none of these names.",
        ],
    )


def draw(figure: Figure, columns: Columns) -> None:
    """Bars of what was lost, by method and size.

    Horizontal bars of the AUC lost against the best class, by method of selection and sample size, with error bars.
    """
    ax = figure.subplots()
    rows = list(zip(*columns.values(), strict=True))
    sizes = list(dict.fromkeys(row[0] for row in rows))
    height = 0.8 / len(sizes)
    for i, n in enumerate(sizes):
        mine = [row for row in rows if row[0] == n]
        at = np.arange(len(mine)) + (i - (len(sizes) - 1) / 2) * height
        ax.barh(
            at, [r[2] for r in mine], height, xerr=[2 * r[3] for r in mine], color=COLORS[i], label=f"n = m = {n:,}"
        )
    ax.set_yticks(range(len(LABELS)), list(LABELS.values()))
    ax.invert_yaxis()
    ax.set(xlabel="AUC lost against the best class, ± 2 standard errors")
    ax.set_xlim(left=0)
    ax.legend(frameon=False)
    plain(ax)


SELECTION = Experiment(
    "clv21-selection", "CLV21, §4.1", "Penalized selection among nested classes", trials, selections, conclude, draw
)
