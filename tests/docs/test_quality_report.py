import json

import pandas as pd
import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("xgboost")
quality_report = pytest.importorskip("quality_report")
METRICS = quality_report.METRICS


def line(table, split, scorer, value, **more):
    return {"table": table, "split": split, "scorer": scorer, "seconds": 1.0, **dict.fromkeys(METRICS, value), **more}


@pytest.fixture
def page(tmp_path):
    """Two tables; on the second the member that validation picks is not the best one in the end."""
    scorers = {"lightgbm": 0.5, "qda": 0.4, "GradientBoosted auc": 0.45, "GradientBoosted push:4": 0.5}
    held_out = {"lightgbm": dict.fromkeys(METRICS, 0.3), "qda": dict.fromkeys(METRICS, 0.6)}
    lines = []
    for table in ("first", "second"):
        for split in (0, 1):
            lines += [line(table, split, scorer, value + 0.1 * split) for scorer, value in scorers.items()]
            lines.append(line(table, split, "StackedRanker", 0.6 + 0.1 * split, **{"out of fold": held_out}))
    lines.append(line("third", 0, "lightgbm", 0.9))  # interrupted here
    results = tmp_path / "lines.jsonl"
    results.write_text("\n".join(map(json.dumps, lines)))
    quality_report.write_report(results, tmp_path / "page.inc", "make it")
    return (tmp_path / "page.inc").read_text()


def test_only_complete_splits_count(page):
    assert "2 tables, 2 with 2 splits" in page
    assert "third" not in page


def test_the_first_of_the_list_has_rank_one_and_all_tables(page):
    first = page[page.index("**Mean ranks**") :].split("* - ")[2]
    assert first.startswith("StackedRanker")
    assert "1.0 (2)" in first


def test_the_stack_is_compared_with_what_validation_picks_and_with_the_best_in_hindsight(page):
    row = page[page.index("**The stack against single scorers**") :].split("* - ")[2].splitlines()
    cells = [cell.strip().removeprefix("- ") for cell in row]
    # of partial areas, which are divided by .05
    assert cells[:6] == ["first", "qda", "+4.0000 ± 0.0000", "2/2", "lightgbm", "+2.0000 ± 0.0000"]


def test_every_value_is_in_the_data_beside_the_page(page, tmp_path):
    values = pd.read_csv(tmp_path / "page.csv").set_index(["table", "metric", "scorer"])
    assert values.loc[("first", "AUC", "StackedRanker")].tolist() == pytest.approx([0.65, 0.1 / 2**0.5, 2], rel=1e-4)
    singles = pd.read_csv(tmp_path / "page_singles.csv")
    assert set(singles["metric"]) == set(METRICS)
    assert "page.csv" in page


def test_losses_of_a_criterion_inside_the_trees_are_counted(page):
    part = page[page.index("Other objectives") :]
    assert "-0.050 (2)" in part[part.index("- auc") :]
    assert "+0.000 (0)" in part[part.index("- push:4") :]
