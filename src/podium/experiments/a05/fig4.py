"""A05, Figure 4: training AUC, test AUC and guaranteed accuracy of RankBoost against the size of the sample."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from podium import BoostedRanker, bounds, metrics
from podium.datasets import MixtureModel
from podium.experiments import claims
from podium.experiments.a05.skew import DELTA, SHARES
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.experiments.power_law import approach
from podium.plots.canvas import COLORS, FAINT, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIMENSION, ROUNDS, TEST = 16, 20, 2500
# The paper does not print its sizes; these reach to where a bound begins to say something.
SIZES = (200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
QUICK_SIZES = (200, 1000, 5000)
ALIKE = "the bound has the shape of the test AUC"
BEYOND = 2.4  # standard errors, for three differences at once
SHARP = 0.2  # standard error of an exponent up to which ½ and 1 can be told apart
LINES = {
    "training AUC": "training",
    "test AUC": "test",
    "lower bound, paper": "paper bound",
    "lower bound, ours": "our bound",
}


def trials(quick: bool) -> Sequence[Settings]:
    """Ten training samples of every size at every share, from one population."""
    return [
        {"share": share, "size": size, "draw": draw}
        for share in ("1/2", "1/10", "1/100")
        for size in (QUICK_SIZES if quick else SIZES)
        for draw in range(3 if quick else 10)
    ]


def class_sizes(settings: Settings) -> tuple[int, int]:
    """Positives and negatives of a training sample."""
    n_pos = round(SHARES[settings["share"]] * settings["size"])
    return n_pos, settings["size"] - n_pos


def boost(settings: Settings, rng: np.random.Generator) -> Finding:
    """RankBoost with the columns as weak rankers, which makes a linear scorer, and with thresholds."""
    model = MixtureModel(DIMENSION)
    X, y = model.sample(*class_sizes(settings), rng)
    X_test, y_test = model.sample(TEST, TEST, 1)  # one test sample for all, as in the paper
    finding: Finding = {}
    for weak in ("features", "stumps"):
        with warnings.catch_warnings():
            # A handful of positives can be ranked without a mistake, and then boosting ends early.
            warnings.simplefilter("ignore", ConvergenceWarning)
            ranker = BoostedRanker("push:1", weak=weak, n_rounds=ROUNDS).fit(X, y)
        finding[weak] = {
            "training": metrics.auc(y, ranker.decision_function(X)),
            "test": metrics.auc(y_test, ranker.decision_function(X_test)),
        }
        if weak == "features":
            finding[weak]["accuracy"] = model.auc_of(ranker.coef_)
    return finding


def deviations(n_pos: int, n_neg: int) -> dict[str, float]:
    """What is allowed for linear scorers by Corollary 4.5 with Theorem 4.11, and by disjoint pairs."""
    paper = bounds.log_rank_shatter(2 * n_pos, 2 * n_neg, DIMENSION)
    ours = bounds.log_sign_patterns(DIMENSION, min(n_pos, n_neg))
    return {
        "paper bound": bounds.auc_uniform_deviation(n_pos, n_neg, paper, confidence_level=1 - DELTA),
        "our bound": bounds.auc_uniform_deviation(n_pos, n_neg, ours, confidence_level=1 - DELTA, method="sharp"),
    }


def averages(settings: Sequence[Settings], findings: Sequence[Finding]) -> dict[str, list[Any]]:
    """Means and standard deviations over the draws, by share and size."""
    cells: dict[tuple[str, int], list[Finding]] = {}
    for setting, finding in zip(settings, findings, strict=True):
        cells.setdefault((setting["share"], setting["size"]), []).append(finding)
    rows = []
    for (share, size), found in cells.items():
        linear = {name: np.array([f["features"][name] for f in found]) for name in ("training", "test", "accuracy")}
        allowed = deviations(*class_sizes({"share": share, "size": size}))
        rows.append(
            {"share": share, "size": size}
            | {name: float(values.mean()) for name, values in linear.items()}
            | {f"{name} sd": float(values.std(ddof=1)) for name, values in linear.items()}
            | {name: float(linear["training"].mean()) - deviation for name, deviation in allowed.items()}
            | {
                f"{name} of thresholds": float(np.mean([f["stumps"][name] for f in found]))
                for name in ("training", "test")
            }
        )
    return {name: [row[name] for row in rows] for name in rows[0]}


def shapes(settings: Sequence[Settings], findings: Sequence[Finding]) -> dict[str, dict[str, tuple[float, float]]]:
    """How fast the true AUC of what was learned and the paper's bound approach their limits: exponent and error.

    Any two curves that rise have rank correlation one; a bound depends on the size of the sample as it should if it
    approaches its limit at the same rate.
    """
    exponents = {}
    for share in dict.fromkeys(setting["share"] for setting in settings):
        here = [(s, f["features"]) for s, f in zip(settings, findings, strict=True) if s["share"] == share]
        sizes = np.array([setting["size"] for setting, _ in here])
        allowed = np.array([deviations(*class_sizes(setting))["paper bound"] for setting, _ in here])
        exponents[share] = {
            "true AUC": approach(sizes, np.array([finding["accuracy"] for _, finding in here])),
            "bound": approach(sizes, np.array([finding["training"] for _, finding in here]) - allowed),
        }
    return exponents


def alike(exponents: Mapping[str, Mapping[str, tuple[float, float]]]) -> bool | None:
    """Whether both curves have one exponent at every share, at 95 % for all three; None where errors are large."""
    gaps = [
        (of["true AUC"][0] - of["bound"][0], np.hypot(of["true AUC"][1], of["bound"][1])) for of in exponents.values()
    ]
    if any(abs(gap) > BEYOND * error for gap, error in gaps):
        return False
    return True if all(error <= SHARP for _, error in gaps) else None


def told(exponents: Mapping[str, Mapping[str, tuple[float, float]]]) -> str:
    """The exponents in words."""
    parts = [
        " and ".join(f"{value:.2f} ± {error:.2f}" for value, error in of.values()) + f" at a share of {share}"
        for share, of in exponents.items()
    ]
    word = {True: "the same", False: "not the same", None: "too noisy to tell"}[alike(exponents)]
    return (
        "Both curves rise, as any two would; to have one shape they must approach their limits as the same power of "
        f"the size. Exponents of the true AUC and of the bound: {'; '.join(parts)}: {word}."
    )


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Whether the bound has the shape of the test AUC, how loose it is, and whether it was ever broken."""
    columns = averages(settings, findings)
    shares, sizes = np.array(columns["share"]), np.array(columns["size"])
    values = {name: np.array(columns[name]) for name in columns if name not in ("share", "size")}
    exponents = shapes(settings, findings)
    broken = sum(
        abs(finding["features"]["training"] - finding["features"]["accuracy"])
        > min(deviations(*class_sizes(setting)).values())
        for setting, finding in zip(settings, findings, strict=True)
    )
    gap, by_paper, by_us = (values["training"] - values[name] for name in ("accuracy", "paper bound", "our bound"))
    statements = {
        ALIKE: alike(exponents),
        "the bound is too loose for numbers": bool((by_paper > 0.1).all()),
    }
    ends = [int(np.flatnonzero(shares == "1/2")[i]) for i in (0, -1)]
    return Outcome(
        paper={},
        ours={
            f"exponent of the approach to the limit, {curve}, share {share}": f"{value:.2f} ± {error:.2f}"
            for share, of_curves in exponents.items()
            for curve, (value, error) in of_curves.items()
        }
        | {"samples that broke a bound": f"{broken} of {len(findings)}"}
        | {
            f"{line}, {sizes[at]:,} rows at equal classes": float(values[name][at])
            for at in ends
            for line, name in (*LINES.items(), ("test AUC with thresholds", "test of thresholds"))
        },
        columns=columns,
        claims=claims.ledger(statements),
        sentence=(
            f"{told(exponents)} At equal classes training and "
            f"true AUC differ by {gap[ends[0]]:.3f} with {sizes[ends[0]]:,} rows and {abs(gap[ends[1]]):.4f} with "
            f"{sizes[ends[1]]:,}, where the paper allows {by_paper[ends[0]]:.2f} and {by_paper[ends[1]]:.2f}, "
            f"our bound {by_us[ends[0]]:.2f} and {by_us[ends[1]]:.2f}; {broken} of {len(findings)} samples broke a "
            f"bound. Means, variances and sizes of the paper are not printed; these are our own."
        ),
    )


def draw(figure: Figure, columns: Columns) -> None:
    """As printed: training, test and bound one above the other, a column for each share.

    Three rows over the number of training rows, a column for each share of positives: the training AUC falls, the test
    AUC rises, and lower bounds rise far below them.
    """
    shares, sizes = np.array(columns["share"]), np.array(columns["size"])
    names = list(dict.fromkeys(columns["share"]))
    panels = figure.subplots(3, len(names), sharex=True)
    for column, share in enumerate(names):
        here = shares == share
        for row, name in enumerate(("training", "test")):
            panels[row, column].errorbar(
                sizes[here],
                np.array(columns[name])[here],
                np.array(columns[f"{name} sd"])[here],
                color=COLORS[0],
                capsize=2,
            )
        panels[1, column].plot(sizes[here], np.array(columns["accuracy"])[here], ":", color="black", label="true")
        for name, label, style, color in (
            ("paper bound", "paper", "-", COLORS[1]),
            ("our bound", "ours", "--", COLORS[2]),
        ):
            panels[2, column].plot(sizes[here], np.array(columns[name])[here], style, color=color, label=label)
        panels[2, column].axhline(0.5, color=FAINT, linewidth=0.8, linestyle=(0, (4, 4)))
        panels[2, column].set(ylim=(-2.2, 1), xlabel="training rows", xscale="log")
        panels[0, column].set_title(f"share of positives {share}", fontsize=9)
    for row, label in enumerate(("training AUC", "test AUC", "lower bound")):
        panels[row, 0].set_ylabel(label)
    panels[1, 0].legend(frameon=False, loc="lower right")
    panels[2, 0].legend(frameon=False, loc="lower right")
    for ax in panels.ravel():
        plain(ax)


FIG4 = Experiment(
    "a05-fig4", "A05, Figure 4", "RankBoost: training AUC, test AUC and bound", trials, boost, conclude, draw
)
