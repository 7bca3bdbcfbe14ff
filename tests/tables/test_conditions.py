"""Rules about encoded columns, in the words and units of the table."""

import numpy as np
import pandas as pd
import pytest

from podium.columns.number import NumberColumn
from podium.rankers.treerank.rules import Condition
from podium.tables import Encoder
from podium.tables.conditions import in_words


@pytest.mark.parametrize("z", [-6.0, -3.0, -0.4, 0.0, 2.9, 5.5])
def test_a_number_is_found_again_from_its_code(z):
    column = NumberColumn("x", 10.0, 2.5, False)
    out = np.empty((1, 1))
    column.encode(pd.Series([column.original(z)]), out)
    assert out[0, 0] == pytest.approx(z, abs=1e-12)


def test_conditions_in_words():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": np.where(rng.random(900) < 0.1, np.nan, rng.integers(20, 80, 900)),
            "town": rng.choice(["Bern", "Zug"], 900),
            "job": rng.choice([f"j{i:02}" for i in range(20)], 900),
        }
    )
    y = rng.random(900) < np.where(frame["job"].isin(["j01", "j07"]), 0.95, 0.05)
    kinds = {"age": "number", "town": "text", "job": "text"}
    encoder = Encoder.fit(frame, np.arange(900), kinds, y)
    assert encoder.outputs == ["age", "age is missing", "town = Bern", "town = Zug", "job"]
    age = encoder.columns[0]
    assert in_words(encoder, Condition(0, high=(60 - age.centre) / age.scale)) == "age ≤ 60 or missing"
    assert in_words(encoder, Condition(0, low=(60 - age.centre) / age.scale)) == "age > 60"
    assert in_words(encoder, Condition(1, low=0.5)) == "age is missing"
    assert in_words(encoder, Condition(2, high=0.5)) == "not town = Bern"
    assert in_words(encoder, Condition(3, low=0.5)) == "town = Zug"
    assert in_words(encoder, Condition(4, low=0.5)) == "job is 'j01', 'j07'"
