"""R09, Figures 1 and 4: what each pair of a positive and a negative contributes to an objective."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from podium.experiments.claims import ledger
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = (1, 1, -1, 1, 1, -1, 1, 1, -1, 1, 1, -1, 1, 1, -1, 1, 1, -1, -1, -1)
SCORES = np.arange(20, 0, -1) / 20
POWERS = (1, 2, 4, 8, 16, 64)
IR = "IR Push"


def losses() -> np.ndarray:
    """e^{−(f(x_i) − f(x̃_k))}, positives down and negatives across, both from the highest score on."""
    positive = np.array(LABELS) == 1
    return np.exp(SCORES[~positive] - SCORES[positive][:, None])


def power_contributions(p: float) -> np.ndarray:
    """(Σ_i ℓ_ik)^p, shared among the positives as their losses are: the caption of Figure 1."""
    sums = losses().sum(axis=0)
    return sums**p * losses() / sums


def ir_contributions() -> np.ndarray:
    """ln(1 + Σ_k ℓ_ik), shared among the negatives as their losses are: the caption of Figure 4."""
    sums = losses().sum(axis=1, keepdims=True)
    return np.log1p(sums) * losses() / sums


def by_power(settings: Settings, rng: np.random.Generator) -> Finding:
    """Of the P-Norm Push."""
    return {f"p = {p}": power_contributions(p).tolist() for p in POWERS}


def of_ir_push(settings: Settings, rng: np.random.Generator) -> Finding:
    """Of the IR Push, and of the plain exponential loss to hold against it."""
    return {IR: ir_contributions().tolist(), "p = 1": power_contributions(1).tolist()}


def conclude_by_power(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Whether the contribution moves to the highest negatives."""
    (finding,) = findings
    top = {name: float(np.sum(matrix, axis=0)[0] / np.sum(matrix)) for name, matrix in finding.items()}
    moves = bool(np.all(np.diff(list(top.values())) > 0))
    return Outcome(
        paper={},
        ours={f"share of the highest negative, {name}": round(s, 4) for name, s in top.items()},
        columns=as_columns(finding),
        claims=ledger({"most of the contribution shifts to the highest negatives as p grows": moves}),
        sentence=(
            f"The highest of 8 negatives bears {top['p = 1']:.0%} of the objective at p = 1, {top['p = 4']:.0%} at "
            f"p = 4 and {top['p = 64']:.0%} at p = 64"
            + (", more at every larger p, as the paper says." if moves else "; the paper says that it grows with p.")
        ),
    )


def conclude_ir_push(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Where the weight lies: the paper says at the lower left, with the highest positives and negatives."""
    (finding,) = findings
    corners = {name: _corners(np.array(matrix)) for name, matrix in finding.items()}
    of_ir = corners[IR]
    heaviest = max(of_ir, key=lambda corner: of_ir[corner])
    lower = {name: of["lower left"] + of["lower right"] for name, of in corners.items()}
    return Outcome(
        paper={},
        ours={
            f"share of the {corner} quarter, {name}": round(s, 4)
            for name, of in corners.items()
            for corner, s in of.items()
        },
        claims=ledger({"the contribution slants towards the lower left": heaviest == "lower left"}),
        columns=as_columns(finding),
        sentence=(
            f"By the formula of the caption the quarter at the {heaviest} bears most, {of_ir[heaviest]:.1%}, and the "
            f"lower left, which the paper names, {of_ir['lower left']:.1%}: weight lies at the left, with the highest "
            f"negatives, and the lower half, the highest positives, bears {lower[IR]:.1%}, more than the "
            f"{lower['p = 1']:.1%} of the exponential loss at p = 1 and less than the upper one."
        ),
    )


def _corners(matrix: np.ndarray) -> dict[str, float]:
    """The share of each quarter of the picture: lower are the highest positives, left the highest negatives."""
    down, left = matrix.shape[0] // 2, matrix.shape[1] // 2
    parts = {
        "lower left": matrix[:down, :left],
        "lower right": matrix[:down, left:],
        "upper left": matrix[down:, :left],
        "upper right": matrix[down:, left:],
    }
    return {name: float(part.sum() / matrix.sum()) for name, part in parts.items()}


def as_columns(finding: Finding) -> Columns:
    """One row per objective and pair; 1 is the highest score."""
    cells = [
        (name, i, k, value)
        for name, matrix in finding.items()
        for i, row in enumerate(matrix, start=1)
        for k, value in enumerate(row, start=1)
    ]
    names = ("objective", "positive", "negative", "contribution")
    return {name: list(column) for name, column in zip(names, zip(*cells, strict=True), strict=True)}


def draw(figure: Figure, columns: Columns) -> None:
    """Lighter is more, within each objective; the highest positive is at the bottom, as in the paper.

    Heat maps of what each pair of a positive and a negative contributes, lighter for more: light at the left, where the
    highest negatives are; the highest positive is at the bottom, as in the paper.
    """
    names = list(dict.fromkeys(columns["objective"]))
    width = min(3, len(names))
    axes = figure.subplots(len(names) // width, width, squeeze=False).ravel()
    for ax, name in zip(axes, names, strict=True):
        values = [v for v, at in zip(columns["contribution"], columns["objective"], strict=True) if at == name]
        matrix = np.reshape(values, (max(columns["positive"]), max(columns["negative"])))
        image = ax.imshow(
            matrix / matrix.sum(),
            origin="lower",
            cmap="cividis",
            aspect="auto",
            vmin=0,
            extent=(0.5, matrix.shape[1] + 0.5, 0.5, matrix.shape[0] + 0.5),
        )
        ax.set(title=name, xticks=(1, matrix.shape[1]), yticks=(1, matrix.shape[0]))
        figure.colorbar(image, ax=ax, format=lambda share, _: f"{share:.1%}", fraction=0.08)
    figure.supxlabel("negative, highest score first")
    figure.supylabel("positive, highest score first")


def _experiment(
    number: int,
    title: str,
    trial: Callable[[Settings, np.random.Generator], Finding],
    conclude: Callable[[Sequence[Settings], Sequence[Finding]], Outcome],
) -> Experiment:
    return Experiment(f"r09-fig{number}", f"R09, Figure {number}", title, once, trial, conclude, draw)


FIG1 = _experiment(1, "What each pair contributes to the P-Norm Push", by_power, conclude_by_power)
FIG4 = _experiment(4, "What each pair contributes to the IR Push", of_ir_push, conclude_ir_push)
