"""Whether a number is the printed one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from podium.experiments import claims
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.experiments.r09.push_curves import figure_experiment
from podium.experiments.r09.push_study import MEASURES, RANKERS, PushCells, PushStudy
from podium.plots.canvas import COLORS, plain


def agreement(value: float, printed: str) -> Literal["rounded", "truncated", "no"]:
    """How the value becomes the printed number, such as "2.73e3", in its last digit, if it does."""
    mantissa, _, exponent = printed.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    if abs(value - float(printed)) <= unit / 2 * (1 + 1e-9):
        return "rounded"
    return "truncated" if 0 <= value - float(printed) < unit else "no"


# Tables 3 to 5 of R09: what is printed beside ours.


if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENOUGH = 45  # cells inside the range of our splits
RARE = 0.01  # share of splits as far out from which on a table is not one of ours
FEW = 100  # splits


def conclude(study: PushStudy, settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """How many of the 49 cells are inside the range, and whether the trend is there."""
    readings = {reading: PushCells.of(study, reading, settings, findings) for reading in study.positives}
    cells = next(iter(readings.values()))
    n_splits = len(cells.ours)
    shares = cells.shares(study.said)
    best = {f"{measure} is best with {group}": shares[measure] for measure, group in study.said.items()}
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
        claims=(
            *claims.ledger({"the printed table is one of our splits": among_ours}),
            *claims.ledger(claims.decided(best), best),
        ),
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
            + f"Factors of ten that suit best, where the captions say that some were removed: {_powers(cells)}."
        ),
        errata=study.errata,
    )


def _as_a_whole(cells: PushCells) -> str:
    """The joint test, and what the push gains in print and in our splits."""
    gains, printed = cells.gain
    side = float(np.mean(gains <= printed))
    reading = " The printed run flatters the push." if side < RARE else ""
    return (
        f"As a whole, cells and gains over p = 1 at once, {cells.joint:.1%} of all tables lie as far out as the "
        f"printed one. R_16 at p = 64 is {printed:.3f} of that at p = 1 in print; {side:.1%} of the splits have as "
        f"little (their mean is {gains.mean():.2f}).{reading}"
    )


def _powers(cells: PushCells) -> str:
    removed = zip(MEASURES, cells.powers, strict=True)
    return ", ".join(f"10^{power} from {measure}" for measure, power in removed if power)


def _as_columns(readings: dict[str, PushCells]) -> Columns:
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
        ax.vlines(x, part["least"], part["largest"], color=COLORS[0], linewidth=1)
        ax.vlines(x, part["lower quartile"], part["upper quartile"], color=COLORS[0], linewidth=5)
        ax.plot(x, part["mean"], "_", color="black", markersize=7, markeredgewidth=1.5)
        ax.plot(x, part["paper"], "D", color=COLORS[1], markersize=4)
        power = part["power of ten removed"][0]
        symbol = f"$R_{{{measure[2:]}}}$" if measure.startswith("R_") else measure
        ax.set_title(symbol + (f" / $10^{{{power}}}$" if power else ""), loc="left", fontsize=9)
        ax.set_xticks(x, [name.removeprefix("p = ") for name in part["ranker"]])
        plain(ax)
    axes[5].set_xlabel("p")
    axes[6].set_xlabel("p")
    legend = axes[7]
    legend.axis("off")
    legend.vlines([], [], [], color=COLORS[0], linewidth=1, label="range over our splits")
    legend.vlines([], [], [], color=COLORS[0], linewidth=5, label="quartiles")
    legend.plot([], [], "_", color="black", markeredgewidth=1.5, label="mean")
    legend.plot([], [], "D", color=COLORS[1], markersize=4, label="printed")
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


# R09, Tables 3, 4 and 5 with Figures 5, 6 and 7: what the paper prints, and how it split the data.


def _said(r2: str, r4: str = "IR or large p") -> dict[str, str]:
    """The rightmost column: the tables differ in R_2 and R_4 alone."""
    return dict.fromkeys(MEASURES, "IR or large p") | {"AUC": "small p", "R_2": r2, "R_4": r4}


MAGIC = PushStudy(
    number=3,
    figure=5,
    table="magic",
    name="MAGIC",
    printed={
        "AUC": (0.8370, 0.8402, 0.8397, 0.8363, 0.8329, 0.8288, 0.8284),
        "R_2": (6.5515, 5.9731, 5.5896, 5.4806, 5.4990, 5.5819, 5.5886),
        "R_4": (4.2134, 3.4875, 2.8875, 2.5638, 2.4291, 2.3651, 2.3582),
        "R_8": (3.8830, 2.9138, 2.1091, 1.6266, 1.3923, 1.2396, 1.2257),
        "R_16": (6.8153, 4.7208, 3.0545, 1.9698, 1.4494, 1.1096, 1.0823),
        "DCG": (1.4022, 1.4048, 1.4066, 1.4084, 1.4087, 1.4087, 1.4087),
        "AveR": (8.1039, 8.5172, 8.6860, 9.6701, 9.7520, 9.7679, 9.7688),
    },
    said=_said("medium p"),
    positives={"gamma": True},
    n_train=1000,
    errata=("MAGIC has 10 features, not 11.",),
)
IONOSPHERE = PushStudy(
    number=4,
    figure=6,
    table="ionosphere",
    name="ionosphere",
    printed={
        "AUC": (0.6797, 0.6732, 0.6700, 0.6612, 0.6479, 0.6341, 0.6409),
        "R_2": (2.1945, 2.1931, 2.1515, 2.1213, 2.1575, 2.1974, 2.1811),
        "R_4": (2.0841, 1.9891, 1.8041, 1.5911, 1.4327, 1.3104, 1.4046),
        "R_8": (3.7099, 3.3459, 2.6271, 1.8950, 1.3861, 1.0823, 1.2979),
        "R_16": (1.7294, 1.4558, 0.8786, 0.4236, 0.2437, 0.1884, 0.2272),
        "DCG": (13.9197, 14.1308, 14.3261, 14.5902, 14.6916, 14.7903, 14.7169),
        "AveR": (2.9712, 3.1610, 3.3041, 3.5084, 3.5849, 3.6571, 3.6076),
    },
    said=_said("medium or large p"),
    positives={"the 126 bad returns": False, "the 225 good returns": True},
    n_columns=5,
)
HOUSING = PushStudy(
    number=5,
    figure=7,
    table="housing_chas",
    name="Boston housing",
    printed={
        "AUC": (0.7739, 0.7633, 0.7532, 0.7500, 0.7420, 0.7330, 0.7373),
        "R_2": (3222, 3406, 3665, 3799, 3818, 3759, 3847),
        "R_4": (294078, 292870, 304457, 307135, 305498, 298611, 304915),
        "R_8": (3.9056, 3.5246, 3.3908, 3.2953, 3.2479, 3.3173, 3.2346),
        "R_16": (1.1762, 0.9694, 0.8337, 0.8028, 0.7801, 0.8816, 0.7788),
        "DCG": (3.6095, 3.6476, 3.6757, 3.6858, 3.6977, 3.6671, 3.6931),
        "AveR": (0.5241, 0.5644, 0.6022, 0.6124, 0.6258, 0.6012, 0.6250),
    },
    said=_said("small p", "small or medium p"),
    positives={"tracts that bound the river": True},
)

TABLE3, TABLE4, TABLE5 = (table_experiment(study) for study in (MAGIC, IONOSPHERE, HOUSING))
FIG5, FIG6, FIG7 = (figure_experiment(study) for study in (MAGIC, IONOSPHERE, HOUSING))
