"""Rows of a list that are looked at although they are not on top, so that labels say what the whole list is like."""

from __future__ import annotations

import numpy as np
import pandas as pd

from podium import _input
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.labels.explore import AIMS, measure, spread, strata
from podium.tables.listing import LIST
from podium.workflow.reasons import CHANCES
from podium.workflow.stages.observed import TIED
from podium.workflow.stages.roles import INCLUSION, WHY

ROW = "\0row"  # the number of a row in its table; no column is called so
EXPLORED = (INCLUSION, WHY, TIED)


def check_explore(explore: int, top: int | None, aim: str) -> int:
    """How many rows are drawn: fewer than are listed, and enough for a variance."""
    _input.check_choice("explore_for", aim, AIMS)
    explore = _input.check_integer("explore", explore, 0)
    if explore == 1 or (explore and (top is None or explore >= top)):
        raise InputError(
            f"explore must be at least 2, and fewer than the rows to inspect (top); got {explore} of {top or 'all'}.",
            "for instance top 100 and explore 10: the best 90 rows, and 10 drawn from the others.",
        )
    return explore


def explored(ranked: pd.DataFrame, n_first: int, n_drawn: int, aim: str, seed: int) -> pd.DataFrame:
    """Of a ranked list of all rows the first ones and some drawn from the others, with their inclusion probabilities.

    Columns ``inclusion``, ``why`` ("top" or "explored") and ``tied``, how many rows of the list have this score. Where
    there are several lists, so many are drawn from each.
    """
    rng = np.random.default_rng(seed)
    lists = [rows for _, rows in ranked.groupby(LIST, sort=False)] if LIST in ranked else [ranked]
    drawn = [_of_one(rows.reset_index(drop=True), n_first, n_drawn, aim, rng) for rows in lists]
    return pd.concat(drawn, ignore_index=True)


def _of_one(ranked: pd.DataFrame, n_first: int, n_drawn: int, aim: str, rng: np.random.Generator) -> pd.DataFrame:
    n_first = min(n_first, len(ranked))
    rest = ranked.index >= n_first
    ranked = ranked.assign(**{TIED: ranked.groupby("score")["score"].transform("size")})
    drawn = strata(_spread(ranked, n_first, aim)[n_first:], n_drawn)
    ranked[INCLUSION] = np.append(np.ones(n_first), drawn.inclusion)
    ranked[WHY] = np.where(rest, "explored", "top")
    listed = np.append(np.ones(n_first, dtype=np.bool_), drawn.draw(rng))
    return ranked[listed]


def _spread(ranked: pd.DataFrame, n_first: int, aim: str) -> FloatArray:
    """By the predicted chances; where there are none, all rows are alike."""
    if CHANCES[0] not in ranked:
        return np.ones(len(ranked))
    scores = ranked["score"].to_numpy(dtype=np.float64)
    chances = np.clip(ranked[CHANCES[0]].to_numpy(dtype=np.float64), 1 / (2 * len(ranked)), 1 - 1 / (2 * len(ranked)))
    return spread(measure(scores, aim, max(1, n_first)), chances)


def about_exploring(listed: pd.DataFrame, n_rows: int) -> str:
    """How the rows drawn come into the list, and what they are for."""
    n_drawn = int((listed[WHY] == "explored").sum())
    n_rest = n_rows - len(listed) + n_drawn
    which = f"the top of their {listed[LIST].nunique():,} lists" if LIST in listed else "the top"
    return (
        f"{n_drawn:,} rows (why = explored) were drawn from the {n_rest:,} below {which} with the probabilities in the "
        "column inclusion. Inspect them like the others: with their labels podium evaluate estimates the whole list."
    )
