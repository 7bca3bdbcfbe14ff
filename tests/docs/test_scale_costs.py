"""The table of which ranker trains where is what the rankers do."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from conventions.estimators import ESTIMATORS, X, Y
from podium.distributed import blocks, streams

PAGE = Path(__file__).parents[2] / "docs/scale_costs.rst"
FRAME = pd.DataFrame(X, columns=list("abc"))


def _on_dask(ranker):
    dd = pytest.importorskip("dask.dataframe")
    table = dd.from_pandas(FRAME.assign(y=Y), npartitions=2)
    return ranker.fit(table, "y")


DOORS = {
    "blocks": lambda ranker: ranker.fit(pl.from_pandas(FRAME.assign(y=Y)).lazy(), "y"),
    "Dask": _on_dask,
    "weights": lambda ranker: ranker.fit(X, Y, sample_weight=np.ones(60)),
    "sparse": lambda ranker: ranker.fit(sparse.csr_array(np.where(np.abs(X) > 0.3, X, 0)), Y),
    "missing": lambda ranker: ranker.fit(np.where(np.abs(X) > 2, np.nan, X), Y),
    "text": lambda ranker: ranker.fit(FRAME.assign(c=np.where(X[:, 2] > 0, "north", "south")), Y),
}


def rows_of_the_page():
    lines = iter(PAGE.read_text(encoding="utf-8").split("Which ranker trains where\n")[1].splitlines())
    cells = [[cell.strip() for cell in line.split("|")] for line in lines if line.count("|") == len(DOORS) + 1]
    assert cells[0][1:-1] == list(DOORS)
    return {row[0].strip("`"): dict(zip(DOORS, row[1:-1], strict=True)) for row in cells[1:]}


def takes(name, door):
    """Whether a fit through this door succeeds; a refusal is a sentence."""
    ranker = clone(ESTIMATORS[name])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            DOORS[door](ranker)
    except (ValueError, TypeError):
        return False
    return np.isfinite(ranker.threshold_)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_table_says_what_each_ranker_takes(name, monkeypatch):
    monkeypatch.setattr(streams, "engine", blocks.Loop)
    said = rows_of_the_page()[name]
    found = {door: "yes" if takes(name, door) else "–" for door in DOORS}
    assert said == found


def test_the_table_has_every_ranker():
    assert set(rows_of_the_page()) == set(ESTIMATORS)
