"""Figures 5 to 7 of R09: ROC curves of one split, in training and test, whole and at the top."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from podium.experiments import claims
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.experiments.r09.push_study import MEASURES, PARTS, RANKERS, TOP, PushStudy
from podium.plots.canvas import COLORS, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FALLS = "training: R_16 falls from every p to the next"
_STEADY = {
    True: "falling with every p",
    False: "not falling with every p",
    None: "whether it falls with every p being undecided",
}


def conclude(study: PushStudy, settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """What §8 says of the curves: in training a larger push is better near the top, and costs AUC."""
    reading = next(iter(study.positives))
    ours = [f for s, f in zip(settings, findings, strict=True) if s["positives"] == reading]
    rows, names = list(MEASURES), list(RANKERS)
    training = np.array([f["training"] for f in ours])
    first, last = names.index("p = 1"), names.index("p = 64")

    def means(taken: np.ndarray) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        mean = training[taken].mean(axis=0)
        return mean[rows.index("R_16")], mean[rows.index("AUC")]

    def judge(taken: Sequence[np.ndarray]) -> dict[str, bool]:
        worst, auc = means(taken[0])
        return {
            FALLS: bool(np.all(np.diff(worst[first : last + 1]) < 0)),
            "training: AUC at p = 64 below that at p = 1": bool(auc[last] < auc[first]),
        }

    shares = claims.bootstrap_shares(judge, [len(ours)])
    checks = claims.decided(shares)
    worst, auc = means(np.arange(len(ours)))
    curves = ours[0]["curves"]
    test = curves["test"]
    apart = np.max(np.abs(np.subtract(test["p = 64"], test["IR"]))) / test["IR"][-1]
    return Outcome(
        paper={},
        ours={
            "training: mean R_16 at p = 64 relative to p = 1": round(worst[last] / worst[first], 4),
            "training: mean AUC at p = 1": round(auc[first], 4),
            "training: mean AUC at p = 64": round(auc[last], 4),
            "test: largest distance of the curves of p = 64 and IR": round(float(apart), 4),
        },
        columns=_as_columns(curves),
        claims=claims.ledger(checks, shares),
        sentence=(
            f"In the mean over {len(ours)} splits training R_16 at p = 64 is {worst[last] / worst[first]:.2g} times "
            f"that at p = 1, {_STEADY[checks[FALLS]]}, and the training AUC goes "
            f"from {auc[first]:.4f} to {auc[last]:.4f}; the paper says that in training a larger push is better "
            "near the top and costs AUC. In the split drawn the test curves of p = 64 and IR are at most "
            f"{apart:.1%} of the positives apart."
        ),
    )


def _as_columns(curves: dict[str, dict[str, list[float]]]) -> Columns:
    lengths = {part: len(curves[part]["false positives"]) for part in PARTS}
    return {
        "part": [part for part in PARTS for _ in range(lengths[part])],
        **{name: [value for part in PARTS for value in curves[part][name]] for name in ("false positives", *RANKERS)},
    }


def draw(figure: Figure, columns: Columns) -> None:
    """Numbers of true against false positives.

    Numbers of true against false positives in four panels, training above test, whole at the left and the top enlarged
    at the right: a line per p and a dashed one for IR, higher at first for larger p.
    """
    figure.set_size_inches(6.4, 5.6)
    axes = figure.subplots(2, 2)
    for (whole, top), part in zip(axes, PARTS, strict=True):
        rows = [i for i, at in enumerate(columns["part"]) if at == part]
        false = np.array([columns["false positives"][i] for i in rows])
        for color, name in zip(COLORS, RANKERS, strict=True):
            true = np.array([columns[name][i] for i in rows])
            near = false <= TOP * false[-1]
            # Dashed: it lies on p = 64 where the two coincide.
            look = {"color": color, "linestyle": (0, (3, 2)) if name == "IR" else "-", "linewidth": 1.2}
            for ax, shown in ((whole, slice(None)), (top, near)):
                ax.plot(false[shown], true[shown], label=name, drawstyle="steps-post", **look)
        whole.set(title=part, ylabel="true positives")
        top.set_title(f"{part}, enlarged")
        for ax in (whole, top):
            ax.set(xlim=(0, None), ylim=(0, None))
            plain(ax)
    for ax in axes[1]:
        ax.set_xlabel("false positives")
    axes[0, 0].legend(frameon=False, loc="lower right", fontsize=8)


def figure_experiment(study: PushStudy) -> Experiment:
    """The experiment of the figure; its trials are those of the table."""
    return Experiment(
        f"r09-fig{study.figure}",
        f"R09, Figure {study.figure}",
        f"ROC curves of the P-Norm Push and the IR Push on {study.name}",
        study.trials,
        study.trial,
        partial(conclude, study),
        draw,
        study=study.study,
        table=study.table,
    )
