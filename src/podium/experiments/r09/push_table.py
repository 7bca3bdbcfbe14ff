"""Tables 3 to 5 of R09: what is printed beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from podium.experiments import claims
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.experiments.r09.push_cells import Cells
from podium.experiments.r09.push_study import MEASURES, RANKERS, PushStudy
from podium.plots.canvas import COLOURS, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENOUGH = 45  # cells inside the range of our splits
RARE = 0.01  # share of splits as far out from which on a table is not one of ours
FEW = 100  # splits


def conclude(study: PushStudy, settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """How many of the 49 cells are inside the range, and whether the trend is there."""
    readings = {reading: Cells.of(study, reading, settings, findings) for reading in study.positives}
    cells = next(iter(readings.values()))
    n_splits = len(cells.ours)
    trend = claims.decided({"trend": cells.trend_share})
    among_ours = int(cells.inside.sum()) >= ENOUGH and cells.joint >= RARE
    names = [f"{measure}, {ranker}" for measure in MEASURES for ranker in RANKERS]

    def by_name(values: npt.NDArray[np.float64]) -> Iterator[tuple[str, float]]:
        return zip(names, values.ravel().tolist(), strict=True)

    outside = [
        f"{names[i]} ({cells.printed.flat[i]:g}, ours {cells.low.flat[i]:.4g} to {cells.high.flat[i]:.4g})"
        for i in np.flatnonzero(~cells.inside)
    ]
    other_readings = "".join(
        f" With {reading} as the positives {c.inside.sum()} are, at the powers of ten that suit best."
        for reading, c in list(readings.items())[1:]
    )
    return Outcome(
        paper=dict(by_name(cells.printed)),
        ours={
            **{name: float(f"{value:.5g}") for name, value in by_name(cells.mean)},
            **{f"{name}, standard deviation": float(f"{value:.2g}") for name, value in by_name(cells.deviation)},
            **{f"{name}, share of splits up to the paper's": round(value, 3) for name, value in by_name(cells.below)},
            "share of tables as far out as the printed one": round(cells.joint, 4),
            "R_16 at p = 64 over that at p = 1, printed": round(cells.gain[1], 4),
            "R_16 at p = 64 over that at p = 1, least and mean": [
                round(float(value), 4) for value in (cells.gain[0].min(), cells.gain[0].mean())
            ],
        },
        columns=_as_columns(readings),
        verdict=claims.verdict({"cells": among_ours, **trend}),
        sentence=(
            f"{cells.inside.sum()} of {len(names)} printed values are inside the range of {n_splits} random splits, "
            + f"{cells.central.sum()} inside its central 95 %"
            + (
                f" (a range of {n_splits} is narrow)"
                if n_splits < FEW
                else f"; outside: {', '.join(outside) or 'none'}"
            )
            + f". {_as_a_whole(cells)}{other_readings} "
            + f"Best in the mean: {', '.join(f'{m} {cells.best(m)}' for m in MEASURES)}. "
            + "Small p for the AUC, large p or IR at the top, as the paper says: "
            + {True: "yes", False: "not throughout", None: "undecided"}[trend["trend"]]
            + f" ({cells.trend_share:.0%} of resamples of the splits)."
            + f" Factors of ten that suit best, where the captions say that some were removed: {_powers(cells)}."
        ),
        errata=study.errata,
    )


def _as_a_whole(cells: Cells) -> str:
    """The joint test, and what the push gains in print and in our splits."""
    gains, printed = cells.gain
    side = float(np.mean(gains <= printed))
    reading = " The printed run flatters the push." if side < RARE else ""
    return (
        f"As a whole, cells and gains over p = 1 at once, {cells.joint:.1%} of all tables lie as far out as the "
        f"printed one. R_16 at p = 64 is {printed:.3f} of that at p = 1 in print; {side:.1%} of the splits have as "
        f"little (their mean is {gains.mean():.2f}).{reading}"
    )


def _powers(cells: Cells) -> str:
    removed = zip(MEASURES, cells.powers, strict=True)
    return ", ".join(f"10^{power} from {measure}" for measure, power in removed if power)


def _as_columns(readings: dict[str, Cells]) -> Columns:
    rows = [
        (reading, i, j)
        for reading, cells in readings.items()
        for i in range(len(MEASURES))
        for j in range(len(RANKERS))
    ]
    numbers = {
        "paper": "printed",
        "mean": "mean",
        "standard deviation": "deviation",
        "least": "low",
        "lower quartile": "lower",
        "median": "median",
        "upper quartile": "upper",
        "largest": "high",
        "share up to the paper's": "below",
    }
    return {
        "positives": [reading for reading, _, _ in rows],
        "measure": [list(MEASURES)[i] for _, i, _ in rows],
        "ranker": [list(RANKERS)[j] for _, _, j in rows],
        "power of ten removed": [int(readings[reading].powers[i]) for reading, i, _ in rows],
        **{
            name: [float(getattr(readings[reading], attribute)[i, j]) for reading, i, j in rows]
            for name, attribute in numbers.items()
        },
    }


def draw(figure: Figure, columns: Columns) -> None:
    """Per measure: the range and the quartiles of our splits, and the printed value.

    A panel per measure, over p and IR: bars of the range and the quartiles of our splits with their mean, and diamonds
    of the printed values.
    """
    figure.set_size_inches(6.4, 5.6)
    axes = figure.subplots(4, 2).ravel()
    reading = columns["positives"][0]
    for ax, measure in zip(axes, MEASURES, strict=False):
        rows = [
            i
            for i, (p, at) in enumerate(zip(columns["positives"], columns["measure"], strict=True))
            if (p, at) == (reading, measure)
        ]
        x = np.arange(len(rows))
        part = {name: np.array([columns[name][i] for i in rows]) for name in columns}
        ax.vlines(x, part["least"], part["largest"], color=COLOURS[0], linewidth=1)
        ax.vlines(x, part["lower quartile"], part["upper quartile"], color=COLOURS[0], linewidth=5)
        ax.plot(x, part["mean"], "_", color="black", markersize=7, markeredgewidth=1.5)
        ax.plot(x, part["paper"], "D", color=COLOURS[1], markersize=4)
        power = part["power of ten removed"][0]
        symbol = f"$R_{{{measure[2:]}}}$" if measure.startswith("R_") else measure
        ax.set_title(symbol + (f" / $10^{{{power}}}$" if power else ""), loc="left", fontsize=9)
        ax.set_xticks(x, [name.removeprefix("p = ") for name in part["ranker"]])
        plain(ax)
    axes[5].set_xlabel("p")
    axes[6].set_xlabel("p")
    legend = axes[7]
    legend.axis("off")
    legend.vlines([], [], [], color=COLOURS[0], linewidth=1, label="range over our splits")
    legend.vlines([], [], [], color=COLOURS[0], linewidth=5, label="quartiles")
    legend.plot([], [], "_", color="black", markeredgewidth=1.5, label="mean")
    legend.plot([], [], "D", color=COLOURS[1], markersize=4, label="printed")
    legend.legend(frameon=False, loc="center")


def table_experiment(study: PushStudy) -> Experiment:
    """The experiment of the table."""
    return Experiment(
        f"r09-table{study.number}",
        f"R09, Table {study.number}",
        f"P-Norm Push and IR Push on {study.name}",
        study.trials,
        study.trial,
        partial(conclude, study),
        draw,
        study=study.study,
        table=study.table,
    )
