"""The list beside something else: the rule in use today, and groups of rows among each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest

from podium import _input
from podium._types import Array
from podium.exceptions import InputError
from podium.inference import by_group, compare
from podium.report.budgets import RankedList

_FEWEST = 2  # rows of each class in a group of which anything is said
_MOST = 20  # groups


class Baseline(NamedTuple):
    """Hits of another score at the budget, and how many more this list has, with limits from the same rows."""

    name: str
    hits: float
    more: float
    low: float
    high: float
    pvalue: float


class Slice(NamedTuple):
    """Rows with one value of a column: the AUC among them, the share chosen at the budget, hits in the next list."""

    value: str
    n_rows: int
    n_pos: int
    auc: float
    auc_low: float
    auc_high: float
    chosen: float
    chosen_low: float
    chosen_high: float
    hits: float


class Slices(NamedTuple):
    """The values of a column beside each other; all intervals of one kind hold together."""

    name: str
    rows: list[Slice]
    pvalue: float
    left_out: int


def against(ranked: RankedList, budget: int, clusters: Array | None, name: str, scores: npt.ArrayLike) -> Baseline:
    """Compare with another score of the same rows, a larger one being more positive, by hits at the budget."""
    sample = ranked.sample
    other = _input.check_scores(scores, f"the baseline {name!r}")
    if len(other) != ranked.n_rows:
        raise InputError(f"A baseline needs one score for each of the {ranked.n_rows:,} rows; got {len(other):,}.")
    k = max(1, round(budget / ranked.population * ranked.n_rows))
    found: Any = compare(
        sample.is_positive,
        {"this": sample.scores, "that": other},
        metric=f"precision-at:{k}",
        confidence_level=ranked.level,
        sample_weight=sample.weight,
        groups=clusters,
    )
    return Baseline(
        name=name,
        hits=budget * found.estimate_b,
        more=budget * found.difference,
        low=budget * found.low,
        high=budget * found.high,
        pvalue=found.pvalue,
    )


def slices(
    ranked: RankedList, budget: int, clusters: Array | None, columns: Mapping[str, npt.ArrayLike]
) -> list[Slices]:
    """Every column by its values, where these have enough rows of both classes."""
    return [_slices(ranked, budget, clusters, name, np.asarray(values)) for name, values in columns.items()]


def _slices(ranked: RankedList, budget: int, clusters: Array | None, name: str, values: Array) -> Slices:
    y, scores = ranked.sample.is_positive, ranked.sample.scores
    words = values.astype(str)
    counted = {word: (int(y[words == word].sum()), int((words == word).sum())) for word in np.unique(words)}
    large = [w for w, (n_pos, n) in counted.items() if min(n_pos, n - n_pos) >= _FEWEST]
    kept = sorted(large, key=lambda word: -counted[word][1])[:_MOST]
    if len(kept) < 2:
        raise InputError(
            f"Groups need two values with {_FEWEST} rows of each class; {name!r} has {len(kept)} of {len(counted)}.",
            "name a column with a few values, such as sex or region.",
        )
    rows = np.isin(words, kept)
    weight = ranked.sample.weight
    found = by_group(
        y[rows],
        scores[rows],
        words[rows],
        confidence_level=ranked.level,
        sample_weight=None if weight is None else weight[rows],
        groups=None if clusters is None else clusters[rows],
    )
    chosen = _chosen(scores, max(1, round(budget / ranked.population * len(scores))))
    level = 1 - (1 - ranked.level) / len(kept)  # Bonferroni: all shares hold together
    return Slices(
        name,
        [_slice(word, words == word, y, chosen, found[word], level, ranked.population) for word in kept],
        found.within_pvalue,
        len(counted) - len(kept),
    )


def _chosen(scores: Array, k: int) -> Array:
    """Whether each row is among the best k; of rows that tie at the cut a part of each."""
    cut = np.sort(scores)[-k]
    above, tied = scores > cut, scores == cut
    return above + tied * ((k - above.sum()) / tied.sum())


def _slice(word: str, rows: Array, y: Array, chosen: Array, auc: Any, level: float, population: int) -> Slice:
    n_rows, n_chosen = int(rows.sum()), float(chosen[rows].sum())
    limits = binomtest(round(n_chosen), n_rows).proportion_ci(level, method="wilson")
    hits = float(chosen[rows & y].sum()) * population / len(rows)  # of a list as long as that of the headline
    return Slice(
        word,
        n_rows,
        int(y[rows].sum()),
        auc.estimate,
        auc.low,
        auc.high,
        n_chosen / n_rows,
        min(limits.low, n_chosen / n_rows),
        max(limits.high, n_chosen / n_rows),
        hits,
    )
