"""``podium fit`` and ``podium demo``, as a new user meets them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from podium import metrics

FILES = ["metrics.json", "model.podium", "report.html", "report.md", "scores.csv"]


def loans(n_rows=600, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "name": [f"=cmd|'{i}'!A1" for i in range(n_rows)],
            "amount": rng.lognormal(size=n_rows),
            "age": rng.integers(18, 80, n_rows),
            "<script>alert(1)</script>": rng.choice(["a", "b", "<img src=x onerror=alert(2)>"], n_rows),
            "town": rng.choice([f"town {i}" for i in range(30)], n_rows),
        }
    )
    risk = np.log(frame["amount"]) + 0.03 * frame["age"] + rng.logistic(size=n_rows)
    frame.loc[::9, "amount"] = np.nan
    return frame.assign(late=np.where(risk > np.quantile(risk, 0.7), "yes", "no"))


@pytest.fixture
def table(tmp_path):
    loans().to_csv(tmp_path / "loans.csv", index=False)
    return tmp_path / "loans.csv"


def fit(podium, table, *more, out="out"):
    out = table.parent / out
    return out, podium("fit", table, "--label", "late", "--positive", "yes", "--id", "name", "--out", out, *more)


def test_fit_writes_five_files_and_prints_where_they_are(podium, table):
    out, run = fit(podium, table, "--model", "linear", "--budget", 30)
    assert run.code == 0
    assert sorted(os.listdir(out)) == FILES
    assert str(out / "report.html") in run.out
    scores = pd.read_csv(out / "scores.csv")
    assert list(scores.columns) == ["id", "score", "rank", "percentile", "label", "judged_by"]
    assert len(scores) == 600
    assert scores["score"].is_monotonic_decreasing
    assert scores["rank"].iloc[0] == 1
    assert metrics.auc(scores["label"], scores["score"]) > 0.6


def test_formulas_in_cells_are_disarmed_and_script_tags_escaped(podium, table):
    out, _ = fit(podium, table, "--model", "linear")
    assert pd.read_csv(out / "scores.csv")["id"].str.startswith("'=cmd").all()
    html = (out / "report.html").read_text()
    assert "<script>alert(1)" not in html
    assert "<img src=x" not in html


def test_existing_files_are_kept_unless_forced(podium, table):
    out, _ = fit(podium, table, "--model", "linear")
    before = (out / "scores.csv").read_bytes()
    _, refused = fit(podium, table, "--model", "linear", "--seed", 1)
    assert (refused.code, "--force" in refused.err) == (2, True)
    assert (out / "scores.csv").read_bytes() == before
    _, forced = fit(podium, table, "--model", "linear", "--seed", 1, "--force")
    assert forced.code == 0
    assert (out / "scores.csv").read_bytes() != before


def test_the_same_seed_gives_the_same_model_and_scores(podium, table):
    one, _ = fit(podium, table, "--model", "linear", out="one")
    two, _ = fit(podium, table, "--model", "linear", out="two")
    assert (one / "scores.csv").read_bytes() == (two / "scores.csv").read_bytes()


def test_auto_takes_the_best_of_its_candidates_on_validation_rows_and_reports_all(podium, table):
    loans(300).to_csv(table, index=False)
    out, run = fit(podium, table, "--json", "--time-limit", 5)  # all but the stack, by what they cost
    summary = json.loads(run.out)
    assert summary == json.loads((out / "metrics.json").read_text())
    assert summary["validation"][summary["chosen"]] == max(summary["validation"].values())
    assert {"linear", "trees", "boosted"} <= set(summary["validation"])
    assert {one["name"] for one in summary["candidates"]} == set(summary["validation"])
    assert f'{summary["chosen"]} <span class="quiet">(this report)' in (out / "report.html").read_text()


def test_without_time_auto_tries_the_fastest_candidate_only(podium, table):
    _, run = fit(podium, table, "--json", "--time-limit", 0)
    assert list(json.loads(run.out)["validation"]) == ["linear"]


def test_rows_of_a_test_file_are_the_ones_judged(podium, table):
    loans(50, seed=1).to_csv(table.parent / "test.csv", index=False)
    out, run = fit(podium, table, "--model", "linear", "--test", table.parent / "test.csv")
    assert run.code == 0
    assert len(pd.read_csv(out / "scores.csv")) == 50


def test_a_column_that_gives_the_label_away_is_reported(podium, table):
    frame = pd.read_csv(table)
    frame.assign(reminder=np.where(frame["late"] == "yes", "sent", "no")).to_csv(table, index=False)
    _, run = fit(podium, table, "--model", "linear")
    assert run.err.count("Column 'reminder'") == 1  # though it ranks as well as the model, too
    assert "'reminder' alone predicts the label perfectly" in run.err
    _, without = fit(podium, table, "--model", "linear", "--exclude", "reminder", "--force")
    assert "reminder" not in without.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--budget", 5, "--fraction", 0.1), "said once"),
        (("--population", 5), "got no budget"),
        (("--budget", 10_000), "budget cannot exceed"),
        (("--fraction", 2), "fraction must be in (0, 1]"),
        (("--holdout", 1), "holdout must be in (0, 1)"),
        (("--exclude", "agee"), "did you mean 'age'?"),
        (("--model", "tree"), "did you mean trees?"),
        (("--phi", "power:x"), "power"),
        (("--criterion", "best", "--model", "linear"), "criterion"),
        (("--budget", "0"), "budget must be 1 to 600; got 0."),
        (("--criterion", "top:0.9"), "Hint: train with 'smooth-top:0.9'"),
        (("--id", "nr"), "A requested column must be in the table; there is no 'nr'."),
    ],
)
def test_an_option_that_cannot_be_gets_a_sentence(options, sentence, podium, table):
    out, run = fit(podium, table, *options)
    assert (run.code, out.exists()) == (2, False)
    assert sentence in run.err


def test_quiet_where_standard_error_is_no_terminal(podium, table):
    _, run = fit(podium, table, "--model", "linear")
    assert run.err == ""
    assert "\x1b" not in run.out


@pytest.mark.slow
def test_the_command_that_the_demo_shows_is_the_one_that_it_runs(podium, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = podium("demo", "--out", "here").out.splitlines()[0].split()
    before = Path("here/scores.csv").read_bytes()
    assert podium(*command[1:], "--force").code == 0
    assert Path("here/scores.csv").read_bytes() == before


def shared(name):
    folder = os.environ.get("PODIUM_DATA")
    for ending in (".csv", ".csv.gz"):
        if folder and (Path(folder) / f"{name}{ending}").is_file():
            return Path(folder) / f"{name}{ending}"
    return pytest.skip(f"PODIUM_DATA names no folder with {name}.csv or {name}.csv.gz")


@pytest.mark.parametrize(("name", "least"), [("german_credit", 0.7), ("magic", 0.8), ("adult", 0.85)])
def test_a_linear_model_of_a_real_table_is_as_good_as_is_known(name, least, podium, tmp_path):
    table = shared(name)
    run = podium("fit", table, "--label", "y", "--model", "linear", "--out", tmp_path / "out")
    assert run.code == 0
    scores = pd.read_csv(tmp_path / "out" / "scores.csv")
    assert metrics.auc(scores["label"], scores["score"]) > least


@pytest.mark.slow
def test_trees_stay_sane_where_one_row_in_four_hundred_is_positive(podium, tmp_path):
    table = shared("kdd99_10pct")
    options = ("--label", "y", "--exclude", "attack", "--model", "trees", "--budget", 1000)
    run = podium("fit", table, *options, "--out", tmp_path / "out")
    assert run.code == 0
    scores = pd.read_csv(tmp_path / "out" / "scores.csv")
    assert scores["label"].head(300).sum() > 290  # without a ridge on leaves: 47
    assert scores["score"].abs().max() < 100


def test_the_page_says_that_only_some_of_very_many_columns_were_changed(podium, tmp_path, monkeypatch):
    monkeypatch.setattr("podium.tables.effects._COLUMNS", 2)
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((120, 3)), columns=["a", "b", "c"])
    frame.assign(y=(frame["c"] > frame["b"]).astype(int)).to_csv(tmp_path / "t.csv", index=False)
    assert podium("fit", tmp_path / "t.csv", "--label", "y", "--model", "linear", "--out", tmp_path / "o").code == 0
    sentence = "Effects are of the 2 columns that go most with the score, of 3."
    assert sentence in (tmp_path / "o" / "report.html").read_text()
    explained = podium("explain", tmp_path / "o" / "model.podium", tmp_path / "t.csv", "--row", "3")
    assert sentence in explained.err
    assert "a = " not in explained.out


def test_the_same_bytes_in_any_folder_with_any_threads_and_hashes(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.standard_normal(300), "t": rng.choice(list("abcdef"), 300)})
    frame.assign(y=(frame["x"] + rng.standard_normal(300) > 0).astype(int)).to_csv(tmp_path / "t.csv", index=False)
    options = ["fit", str(tmp_path / "t.csv"), "--label", "y", "--model", "linear", "--out", "o"]
    found = []
    for place, threads, hashes in (("a", "1", "1"), ("b/c", "2", "2024")):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        variables = {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads, "PYTHONHASHSEED": hashes}
        call = [sys.executable, "-c", "from podium.cli import main; main()", *options]
        subprocess.run(call, check=True, capture_output=True, cwd=folder, env=os.environ | variables)
        found.append([(folder / "o" / name).read_bytes() for name in ("scores.csv", "model.podium", "metrics.json")])
    assert found[0] == found[1]


PEAK = """
from podium import cli
try:
    cli.main()
finally:
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_memory_bounds_the_table_and_as_much_as_the_help_says_comes_on_top(tmp_path):
    loans(500_000).to_csv(tmp_path / "loans.csv", index=False)
    call = [sys.executable, "-c", PEAK, "fit", "loans.csv", "--label", "late", "--positive", "yes", "--model", "linear"]
    run = subprocess.run([*call, "--memory", "40MB"], check=True, capture_output=True, text=True, cwd=tmp_path)
    kilobytes = int(run.stdout.splitlines()[-1])
    assert 100e6 < 1024 * kilobytes < 40e6 + 0.5e9
