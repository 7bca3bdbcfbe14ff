"""``report.md`` beside the page: the numbers of metrics.json, and text from tables that stays text."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from podium import report, workflow
from podium._results.escaping import markdown
from podium._results.wording import percent
from podium.report.wording import count, omega, score, times

HOSTILE = "a|b <script>alert(1)</script> *c* `d`\n# e"


def claims(n_rows=400):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"amount": rng.lognormal(size=n_rows), "age": rng.integers(20, 80, n_rows)})
    frame["region"] = rng.choice(["north", "south"], n_rows)
    risk = np.log(frame["amount"]) + 0.02 * frame["age"] + rng.logistic(size=n_rows)
    return frame.assign(fraud=(risk > np.quantile(risk, 0.8)).astype(int))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("claims")
    result = workflow.fit(claims(), label="fraud", budget=40, model="linear", slices=["region"], baseline="age")
    result.save(folder)
    return result, (folder / "report.md").read_text(), json.loads((folder / "metrics.json").read_text())


def table(text, heading):
    """Cells of the table under a heading, without its head."""
    part = text.partition(f"## {heading}")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def test_the_markdown_twin_has_the_budgets_of_the_metrics(written):
    _, text, metrics = written
    of = {f"{row['k']:,}": row for row in metrics["budgets"]}
    rows = table(text, "What a budget buys")
    assert [row[0] for row in rows] == ["1", "2", "5", "10", "20", "40", "50", "100", "200"]
    for budget, hits, least, by_chance, precision, recall, lift, threshold in rows:
        row = of[budget]
        assert hits == f"{count(row['hits'])} ({row['hits_low']}–{row['hits_high']})"
        assert (int(least), by_chance) == (row["hits_guaranteed"], count(row["random_hits"]))
        assert precision.startswith(f"{percent(row['precision'])} (")
        assert recall.startswith(f"{percent(row['recall'])} (")
        assert lift.startswith(f"{times(row['lift'])} (")
        assert threshold == score(row["threshold"])


def test_the_markdown_twin_has_the_other_figures_of_the_metrics(written):
    _, text, metrics = written
    assert [row[1] for row in table(text, "One number for the list")] == [
        omega(one["estimate"]) for one in metrics["statistics"]
    ]
    assert [row[:2] for row in table(text, "Groups of rows: region")] == [
        [one["value"], str(one["n_rows"])] for one in metrics["slices"][0]["rows"]
    ]
    assert f"the same rows have {count(metrics['baseline']['hits'])} hits" in text
    for one in metrics["certificates"]:
        assert markdown(one["statement"]) in text


def test_one_sentence_says_what_to_expect_how_that_was_judged_and_when(written):
    result, text, metrics = written
    sentence = re.search(r'data-sentence="(.*?)"', result.report.html).group(1)
    assert f"\n**{sentence}**\n" in text
    assert sentence.startswith(f"{metrics['headline']} (95 % range; ")
    assert re.search(
        r"; 20\d\d-\d\d-\d\d; 400 rows; model: linear; evaluated on all rows by models that had not seen them; ",
        sentence,
    )
    header = result.report.html.partition("</header>")[0]
    assert "data-sentence" in header
    assert text.count(metrics["headline"]) == 1


def test_the_sentence_does_not_go_without_its_warnings():
    y = np.arange(60) % 3 == 0
    page = report.build(y, np.arange(60) % 7, warnings=["The rows are old."])
    assert "(evaluated on 60 rows that the scorer had not seen; 1 doubt in the report)." in page.html


def test_high_levels_are_not_rounded_to_certainty_and_columns_stand_by_their_fall():
    y = np.arange(60) % 3 == 0
    falls = [("little", -0.03, -0.05, -0.01), ("much", 0.2, 0.1, 0.3), ("none", 0.0, np.nan, np.nan)]
    page = report.build(y, np.arange(60) % 7, confidence_level=0.9999, importance=falls)
    assert "(99.99 % range; " in page.html
    assert "With 99.99 % ranges" in page.markdown
    assert [row[0] for row in table(page.markdown, "Which columns the model needs")] == ["much", "none", "little"]
    assert page.summary["importance"][1] == {"name": "none", "estimate": 0.0, "low": None, "high": None}


def test_text_from_tables_is_no_markup_in_markdown():
    y = np.arange(60) % 3 == 0
    scores = np.arange(60) % 7
    page = report.build(
        y,
        scores,
        title=HOSTILE,
        about=[HOSTILE],
        candidates={HOSTILE: scores, "other": -scores},
        effects=[(HOSTILE, 1.0, 0.5, 1.5)],
        warnings=[HOSTILE],
        data_notes=[HOSTILE],
        provenance={"command": HOSTILE, "versions": {HOSTILE: HOSTILE}},
    )
    assert "alert" in page.markdown
    assert not re.search(r"(?<!\\)[<`]|(?<!\\)\*c", page.markdown)
    assert len(table(page.markdown, "Candidates compared")) == 2
    assert len(re.findall(r"^# ", page.markdown, re.MULTILINE)) == 1
