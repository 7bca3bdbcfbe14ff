"""``podium evaluate``, ``compare``, ``test`` and ``bound``: the numbers are those of the library."""

import json
from inspect import isfunction

import numpy as np
import pandas as pd
import pytest

from podium import bounds, inference, metrics
from podium._results.wording import minus, pvalue


@pytest.fixture
def scored(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    frame = pd.DataFrame({"y": y, "a": y + rng.normal(size=200), "b": y / 2 + rng.normal(size=200)})
    frame["word"] = np.where(y == 1, "hit", "miss")
    frame.to_csv(tmp_path / "scores.csv", index=False)
    return frame, tmp_path / "scores.csv"


def test_evaluate_prints_intervals_hits_and_a_guarantee(scored, podium):
    frame, path = scored
    run = podium("evaluate", path, "--label", "y", "--score", "a", "--phi", "power:3", "--budget", 80)
    expected = inference.interval(frame["y"], frame["a"], "power:3")
    assert f"{expected.estimate:.4f}" in run.out
    assert f"{expected.low:.4f} to {expected.high:.4f}" in run.out
    assert f"{inference.precision_at_interval(frame['y'], frame['a'], k=80)}." in run.out
    least = inference.hits_lower_bound(frame["y"], frame["a"]).at(80)
    assert least > 0
    assert f"at least {least} hits" in run.out
    assert "With probability at least 95 %" in run.out
    assert (run.code, run.err) == (0, "")


def test_evaluate_for_machines_is_one_json_document(scored, podium):
    frame, path = scored
    found = json.loads(podium("evaluate", path, "--label", "word", "--positive", "hit", "--score", "b", "--json").out)
    assert found["intervals"][0]["estimate"] == inference.interval(frame["y"], frame["b"]).estimate
    assert found["hits"] is None


def test_evaluate_speaks_of_another_list_where_one_is_described(scored, podium):
    frame, path = scored
    options = ("--label", "y", "--score", "a", "--budget", 50, "--population", 1000, "--prevalence", 0.05, "--json")
    found = json.loads(podium("evaluate", path, *options).out)
    expected = inference.precision_at_interval(frame["y"], frame["a"], k=50, n_next=1000, prevalence=0.05)
    assert found["hits"] == expected.to_dict()
    assert found["hits_guaranteed"] is None  # it needs the same share of positives


def test_rows_without_a_label_are_left_out_and_mentioned(scored, podium):
    frame, path = scored
    frame.assign(y=frame["y"].where(frame.index > 4)).to_csv(path, index=False)
    run = podium("evaluate", path, "--label", "y", "--score", "a")
    assert "195 rows, 100 positive" in run.out
    assert "5 of 200 rows have no label" in run.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--label", "y", "--score", "c"), "there is no 'c'"),
        (("--label", "y", "--score", "word"), "the column 'word' must be numbers"),
        (("--label", "word", "--score", "a"), "for instance 'miss'"),
        (("--label", "word", "--score", "a", "--positive", "x"), "has no value 'x'"),
        (("--label", "y", "--score", "a", "--phi", "nonsense"), "nonsense"),
        (("--label", "y", "--score", "a", "--budget", "900"), "the list has 200 rows"),
        (("--label", "y", "--score", "a", "--population", "900"), "got no budget"),
        (("--label", "y", "--score", "a", "--budget", "9", "--prevalence", "2"), "prevalence must be in (0, 1)"),
    ],
)
def test_what_cannot_be_evaluated_gets_a_sentence(options, sentence, scored, podium):
    run = podium("evaluate", scored[1], *options)
    assert (run.code, run.out) == (2, "")
    assert sentence in run.err


def test_probabilities_are_evaluated_as_such(scored, podium, tmp_path):
    frame, path = scored
    rng = np.random.default_rng(0)
    chance = rng.uniform(0.01, 0.99, len(frame))
    listed = frame.assign(probability=chance, y=(rng.random(len(frame)) < chance**2).astype(int))
    listed.to_csv(tmp_path / "list.csv", index=False)
    expected = inference.calibration(listed["y"], chance)
    found = json.loads(podium("evaluate", tmp_path / "list.csv", "--label", "y", "--score", "a", "--json").out)
    assert found["calibration"] == pytest.approx(expected.to_dict())
    said = podium("evaluate", tmp_path / "list.csv", "--label", "y", "--score", "a").out
    assert f"As probabilities: {expected}." in said
    assert (
        f"As probabilities: {expected}."
        in podium("evaluate", tmp_path / "list.csv", "--label", "y", "--score", "probability").out
    )
    assert "As probabilities" not in podium("evaluate", path, "--label", "y", "--score", "a").out


def test_compare_tells_two_scores_apart(scored, podium):
    frame, path = scored
    run = podium("compare", path, "--label", "y", "--score", "a", "--score", "b")
    expected = inference.compare(frame["y"], frame["a"], frame["b"])
    assert minus(f"{expected.difference:+.4f}") in run.out
    assert pvalue(expected.pvalue).removeprefix("p = ").removeprefix("p ") in run.out
    assert all(f"{value:.4f}" in run.out for value in (expected.estimate_a, expected.estimate_b))
    assert "ω" not in run.out  # it is the AUC
    many = podium("compare", path, "--label", "y", "--score", "a", "--score", "b", "--score", "y", "--json")
    assert len(json.loads(many.out)["pairs"]) == 3


def test_compare_shows_hits_at_a_budget(scored, podium):
    frame, path = scored
    run = podium("compare", path, "--label", "y", "--score", "a", "--score", "b", "--budget", 20)
    expected = inference.compare(frame["y"], frame["a"], frame["b"], metric="precision-at:20")
    assert "Hits among the first 20 rows" in run.out
    for column in "ab":
        hits = 20 * metrics.precision_at(frame["y"], frame[column], k=20)
        assert f" {hits:.1f} " in run.out
    assert minus(f"{20 * expected.low:+.1f} to {20 * expected.high:+.1f}") in run.out
    assert podium("compare", path, "--label", "y", "--score", "a", "--score", "b", "--budget", 10**6).code == 2


def test_compare_says_what_a_margin_shows(scored, podium):
    frame, path = scored
    asked = ("compare", path, "--label", "y", "--score", "a", "--score", "b")
    sentences = {
        ("--margin", 0.9): "Equivalent: a and b differ by less than 0.9 in AUC (at the 5 % level, p",
        ("--margin", 0.9, "--not-worse"): "Not worse: a is less than 0.9 in AUC below b (at the 5 % level, p",
        ("--margin", 0.0001): "It is not shown that a and b differ by less than 0.0001 in AUC (at",
    }
    for options, sentence in sentences.items():
        run = podium(*asked, *options)
        kind = "greater" if "--not-worse" in options else "two-sided"
        expected = inference.compare(frame["y"], frame["a"], frame["b"], margin=options[1], alternative=kind)
        assert sentence in run.out
        assert f"{pvalue(expected.pvalue)})" in run.out
        assert ("at least, 95 % sure" in run.out) == (kind == "greater")
        assert (expected.pvalue <= 0.05) == ("It is not shown" not in run.out)
    of_hits = podium(*asked, "--margin", 5, "--budget", 20, "--json")
    expected = inference.compare(frame["y"], frame["a"], frame["b"], metric="precision-at:20", margin=5 / 20)
    assert json.loads(of_hits.out)["pvalue"] == expected.pvalue
    assert "less than 5 hits" in podium(*asked, "--margin", 5, "--budget", 20).out
    assert podium(*asked, "--not-worse").code == podium(*asked, "--margin", 0).code == 2


def test_one_column_is_tested_by_ranks(scored, podium):
    frame, path = scored
    found = json.loads(podium("test", path, "--label", "y", "--column", "a", "--json").out)
    positive = frame["y"] == 1
    assert found["pvalue"] == inference.rank_test(frame["a"][positive], frame["a"][~positive]).pvalue


def test_several_columns_are_tested_by_a_learned_score(scored, podium):
    _, path = scored
    run = podium("test", path, "--label", "y", "--column", "a", "--column", "b")
    assert (run.code, "held-out AUC" in run.out) == (0, True)


def test_every_bound_is_listed_and_can_be_called(podium):
    listed = podium("bound").out
    functions = [name for name in bounds.__all__ if isfunction(getattr(bounds, name))]
    assert len(functions) > 30
    assert [name for name in functions if name not in listed] == []
    run = podium("bound", "auc_deviation", "n_pos=150", "n_neg=150", "confidence_level=0.95")
    assert float(run.out) == bounds.auc_deviation(150, 150)
    found = json.loads(podium("bound", "auc_deviation", "n_pos=9", "n_neg=9", "confidence_level=0.9", "--json").out)
    assert found["value"] == bounds.auc_deviation(9, 9, confidence_level=0.9)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("auc_deviatio",), "did you mean auc_deviation?"),
        (("auc_deviation", "n_pos=1"), "podium bound auc_deviation n_pos=… n_neg=…"),
        (("auc_deviation", "5"), "as name=value"),
        (("auc_deviation", "n_pos=-1", "n_neg=2", "confidence_level=0.9"), "n_pos"),
    ],
)
def test_a_bound_that_cannot_be_evaluated_gets_a_sentence(arguments, sentence, podium):
    run = podium("bound", *arguments)
    assert (run.code, run.out) == (2, "")
    assert sentence in run.err


@pytest.mark.parametrize(
    "command", ["demo", "fit", "score", "explain", "evaluate", "compare", "test", "bound", "reproduce"]
)
def test_every_command_shows_an_example(command, podium):
    run = podium(command, "--help")
    assert (run.code, f"Example: podium {command}" in run.out) == (0, True)


def test_a_command_that_does_not_exist_is_a_usage_error(podium):
    assert podium("rank").code == 2


def test_shell_completion_is_offered(podium):
    assert "--install-completion" in podium("--help").out


def test_a_budget_beyond_the_list_is_refused_by_its_own_name(scored, podium):
    run = podium("evaluate", scored[1], "--label", "y", "--score", "a", "--budget", 5000)
    assert (run.code, "budget must be 1 to" in run.err) == (2, True)
