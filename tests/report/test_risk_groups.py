"""A ranking tree gives the report a part on its segments, in the words and units of the table."""

import numpy as np
import pandas as pd
import pytest

from podium import report, workflow


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 3000
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "town": rng.choice(["Bern", "Genf", "Zug"], n),
            "income": rng.lognormal(8, 2, n),
        }
    )
    risk = 0.1 + 0.5 * (frame["age"] > 60) * (frame["town"] == "Zug") + 0.2 * (frame["income"] > 40_000)
    frame["late"] = (rng.random(n) < risk).astype(int)
    return frame


def test_a_tree_has_risk_groups_in_the_units_of_the_table(table):
    result = workflow.fit(table, label="late", model="ranking-tree")
    assert '<h2 id="segments-heading">Risk groups</h2>' in result.report.html
    rules = [line for line in result.report.html.splitlines() if line.startswith('<tr><th scope="row">1. ')]
    assert len(rules) == 1
    assert "age &gt; 6" in rules[0]
    assert "town = Zug" in rules[0]
    assert "%" in rules[0]


def test_other_models_and_lists_have_none(table):
    assert "Risk groups" not in workflow.fit(table, label="late", model="linear").report.html
    assert "Risk groups" not in report.build([0, 1, 0, 1], [1, 2, 3, 4]).html


def test_rows_with_weights_have_groups_without_ranges(table):
    weighted = table.assign(w=1.0 + np.arange(len(table)) % 2)
    page = workflow.fit(weighted, label="late", model="ranking-tree", weight="w").report.html
    assert "Risk groups" in page
    assert "so there are no ranges" in page
