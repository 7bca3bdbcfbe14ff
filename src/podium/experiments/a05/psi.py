"""A05, §4.1 and §4.3: how many bipartite rank matrices there are, counted in three ways, beside the printed bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from podium import bounds
from podium.experiments import claims
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once
from podium.plots.canvas import COLORS, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IntArray = npt.NDArray[np.int8]
LARGEST = 6  # of either class, in the table
LISTED = 10  # entries of a matrix up to which all are listed: 3^10 of them
SPACE, PAIRS = 30, 4  # a dimension and a number of pairs at which Lemma 4.10 is false


def counts(settings: Settings, rng: np.random.Generator) -> Finding:
    """ψ by formula; for small sizes also by listing the weak orders, and by Theorem 4.3."""
    sizes = [(m, n) for m in range(1, LARGEST + 1) for n in range(m, LARGEST + 1)]
    small = [(m, n) for m, n in sizes if m * n <= LISTED]
    return {
        "sizes": sizes,
        "weak orders": {items: len(_weak_orders(items)) for items in range(2, 7)},
        "psi": [bounds.count_rank_matrices(m, n) for m, n in sizes],
        "small": small,
        "by weak orders": [_by_weak_orders(m, n) for m, n in small],
        "by sub-matrices": [_by_sub_matrices(m, n) for m, n in small],
    }


def _signs(scores: IntArray, m: int) -> IntArray:
    """The rank matrices of rows of scores, the first m of which are positives."""
    return np.sign(scores[:, :m, None] - scores[:, None, m:]).astype(np.int8)


def _weak_orders(items: int) -> IntArray:
    """One row of scores for each weak order: the ranks 0, …, k − 1 without a gap."""
    ranks = np.zeros((1, 0), dtype=np.int8)
    for _ in range(items):
        ranks = np.unique(np.concatenate([_with_one_more(row) for row in ranks]), axis=0)
    return ranks


def _with_one_more(row: IntArray) -> IntArray:
    """An item more: tied with a group, or between two of them."""
    groups = int(row.max()) + 1 if len(row) else 0
    tied = [np.append(row, g) for g in range(groups)]
    between = [np.append(row + (row >= g), g) for g in range(groups + 1)]
    return np.array(tied + between, dtype=np.int8)


def _by_weak_orders(m: int, n: int) -> int:
    matrices = _signs(_weak_orders(m + n), m).reshape(-1, m * n)
    return len(np.unique(matrices, axis=0))


def _by_sub_matrices(m: int, n: int) -> int:
    """Matrices in which no four entries contradict each other (Theorem 4.3)."""
    possible = {tuple(matrix.ravel()) for matrix in _signs(_weak_orders(4), 2)}
    allowed = np.zeros((3, 3, 3, 3), dtype=bool)
    for matrix in possible:
        allowed[tuple(v + 1 for v in matrix)] = True
    entries = np.array(list(product(range(3), repeat=m * n)), dtype=np.int8).reshape(-1, m, n)
    good = np.ones(len(entries), dtype=bool)
    for i, j in product(range(m), range(m)):
        for k, q in product(range(n), range(n)):
            if i < j and k < q:
                good &= allowed[entries[:, i, k], entries[:, i, q], entries[:, j, k], entries[:, j, q]]
    return int(good.sum())


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Three counts, the printed bounds on them, and where these are wrong."""
    (found,) = findings
    psi = {tuple(size): count for size, count in zip(found["sizes"], found["psi"], strict=True)}
    orders = {int(items): count for items, count in found["weak orders"].items()}
    listed = [psi[tuple(size)] for size in found["small"]]
    same = sum(a == b == c for a, b, c in zip(listed, found["by weak orders"], found["by sub-matrices"], strict=True))
    whole = [f"ψ({m}, {n})" for (m, n), count in psi.items() if count == 3 ** (m * n)]
    statements = {
        "Theorem 4.3: counting by sub-matrices gives ψ": same == len(listed),
        "ψ(m, n) ≥ 3^max(m, n)": all(count >= 3 ** max(size) for size, count in psi.items()),
        "ψ(m, n) ≤ (m + n)!·2^(m + n − 1)": all(count <= _printed(sum(size)) for size, count in psi.items()),
        "ψ(m, n) < 3^(mn)": not whole,
        "weak orders of m + n: (m + n)!·2^(m + n − 1)": all(orders[items] == _printed(items) for items in orders),
        f"Lemma 4.10 with {PAIRS} pairs in {SPACE} dimensions": (
            bounds.count_sign_patterns(SPACE, PAIRS) <= (2 * math.e * PAIRS / SPACE) ** SPACE
        ),
    }
    failed = [claim for claim, true in statements.items() if not true]
    errata = {
        "ψ(m, n) < 3^(mn)": (
            f"ψ(m, n) is said to be strictly below 3^(mn); with one positive or one negative it is equal "
            f"({whole[0]}, …)."
            if whole
            else ""
        ),
        "weak orders of m + n: (m + n)!·2^(m + n − 1)": (
            "The number of orders of m + n items with ties is at most, not equal to, (m + n)!·2^(m + n − 1): two items "
            f"have {orders[2]}, not {_printed(2)}."
        ),
        f"Lemma 4.10 with {PAIRS} pairs in {SPACE} dimensions": (
            f"Lemmas 4.10 and 4.12 are false for fewer pairs than about a quarter of the dimensions: {PAIRS} in "
            f"{SPACE} can be ordered in {bounds.count_sign_patterns(SPACE, PAIRS)} ways, the lemma says at most "
            f"{(2 * math.e * PAIRS / SPACE) ** SPACE:.2g}."
        ),
    }
    return Outcome(
        paper={},
        ours={f"ψ({m}, {n})": count for (m, n), count in psi.items()},
        columns={
            "m": [m for m, _ in psi],
            "n": [n for _, n in psi],
            "psi": list(psi.values()),
            "lower bound": [3 ** max(size) for size in psi],
            "upper bound": [_printed(sum(size)) for size in psi],
            "all matrices": [3 ** (m * n) for m, n in psi],
        },
        claims=claims.ledger(statements),
        sentence=(
            f"The formula, a list of all weak orders and Theorem 4.3 give the same ψ at {same} of {len(listed)} sizes, "
            f"from ψ(1, 1) = {psi[1, 1]} and ψ(2, 2) = {psi[2, 2]} to ψ({LARGEST}, {LARGEST}) = "
            f"{psi[LARGEST, LARGEST]:,} by the formula; {len(statements) - len(failed)} of {len(statements)} printed "
            f"statements hold."
        ),
        errata=[errata[claim] for claim in failed if claim in errata],
    )


def _printed(items: int) -> int:
    """(m + n)!·2^(m + n − 1)."""
    return math.factorial(items) * 2 ** (items - 1)


def draw(figure: Figure, columns: Columns) -> None:
    """ψ(n, n) between the printed bounds.

    Numbers of matrices over n on a logarithmic scale: ψ(n, n) between the printed bounds, all rising.
    """
    ax = figure.subplots()
    square = [i for i, (m, n) in enumerate(zip(columns["m"], columns["n"], strict=True)) if m == n]
    sizes = [columns["n"][i] for i in square]
    lines = (
        ("all matrices", "$3^{mn}$", ":"),
        ("upper bound", "$(m + n)!\\,2^{m + n - 1}$", "--"),
        ("psi", "$\\psi(m, n)$", "-"),
        ("lower bound", "$3^{\\max(m, n)}$", "-."),
    )
    for (name, label, style), color in zip(lines, COLORS, strict=False):
        ax.plot(sizes, [columns[name][i] for i in square], style, marker="o", markersize=4, color=color, label=label)
    ax.set(yscale="log", xlabel="m = n", ylabel="number of matrices", xticks=sizes)
    ax.legend(frameon=False)
    plain(ax)


PSI = Experiment(
    "a05-psi", "A05, §4.1 and §4.3", "How many bipartite rank matrices there are", once, counts, conclude, draw
)
