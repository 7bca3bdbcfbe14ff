import json

import pandas as pd
import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("xgboost")
report = pytest.importorskip("quality_peers_report")
METRICS = report.METRICS

TABLES = ("first", "second", "third")


def line(table, split, scorer, value):
    return {
        "table": table,
        "split": split,
        "scorer": scorer,
        "seconds": 3.0,
        "clock": 4.0,
        "out of fold": {} if scorer == report.STACK else None,
        **dict.fromkeys(METRICS, value),
    }


@pytest.fixture
def page(tmp_path):
    """One library is worse on every table, one better on the first only, one has not reached the last table."""
    lines = []
    for i, table in enumerate(TABLES):
        lines += [
            line(table, 0, report.STACK, 0.6),
            line(table, 0, "worse", 0.5 - 0.01 * i),
            line(table, 0, "mixed", (0.7, 0.5, 0.55)[i]),
        ]
    lines += [line(table, 0, "slow", 0.8) for table in TABLES[:2]]
    lines.append(line("first", 1, report.STACK, 0.1))  # interrupted here: no other scorer has this split
    results = tmp_path / "lines.jsonl"
    results.write_text("\n".join(map(json.dumps, lines)))
    report.write_page(results, tmp_path / "page.rst")
    return (tmp_path / "page.rst").read_text(encoding="utf-8")


def cells(page, after, scorer):
    part = page[page.index(f"\n{after}\n") :]
    row = part[part.index(f"* - {scorer}\n") + 2 :].split("\n\n")[0].split("   * -")[0]
    return [cell.strip().removeprefix("- ") for cell in row.splitlines()]


def test_means_of_differences_come_with_their_standard_errors_over_tables(page):
    differences = pd.Series([0.1, 0.11, 0.12])
    row = cells(page, "Differences", "worse")
    assert row[1] == "3"
    assert row[-1] == f"**{differences.mean():+.4f} ± {differences.std() / 3**0.5:.4f}**"
    assert row[2] == f"**{differences.mean() / 0.05:+.4f} ± {differences.std() / 3**0.5 / 0.05:.4f}**"  # partial AUC


def test_a_scorer_that_has_not_all_tables_is_named(page):
    assert "slow came last and ran out of time" in page


def test_splits_that_only_one_of_two_has_do_not_count(page):
    assert cells(page, "Differences", "slow")[1] == "2"
    assert cells(page, "**AUC**", "first") == ["first", "+0.100", "**-0.100**", "**-0.200**"]
    assert cells(page, "**AUC**", "third") == ["third", "+0.120", "+0.050", "–"]


def test_ranks_are_among_those_that_have_all_tables(page):
    ranks = page[page.index("Mean ranks") : page.index("Table by table")]
    assert "slow" not in ranks
    assert cells(page, "Mean ranks", report.STACK)[-1] == "1.33 (2)"


def test_the_text_names_only_what_is_beyond_the_standard_errors(page):
    text = page[page.index("What it shows") : page.index("\nDifferences\n")]
    better, worse = text.split("and worse than")
    assert "*worse* (partial AUC" in better
    assert "those with *mixed* by every metric" in text
    assert text.count("mixed") == 1
    assert "*slow* (partial AUC" in worse.split(". ")[0]


def test_a_page_that_is_only_rewritten_keeps_the_day_of_its_run(page, tmp_path):
    earlier = "Run on 1 January 2020 with nothing."
    written = tmp_path / "page.rst"
    written.write_text("\n".join(earlier if text.startswith("Run on ") else text for text in page.splitlines()))
    report.write_page(tmp_path / "lines.jsonl", written, only_rewritten=True)
    assert earlier in written.read_text(encoding="utf-8")


def test_the_share_of_a_core_is_on_the_page_and_every_value_in_the_data(page, tmp_path):
    assert cells(page, "Seconds", "worse") == ["worse", "4", "4", "75%"]
    values = pd.read_csv(tmp_path / "data" / "page.csv").set_index(["table", "metric", "scorer"])
    assert values.loc[("second", "AUC", "worse"), "mean"] == pytest.approx(0.49)
