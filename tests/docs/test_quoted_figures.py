"""Figures that a page or the readme quotes are those of the data behind them."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from docs.pages import DOCS, ROOT

quality_report = pytest.importorskip("quality_report")
AREAS = ("partial AUC", "TPR at FPR 1 %", "average precision", "AUC")


def said(page):
    path = ROOT / page if page.endswith(".md") else DOCS / f"{page}.rst"
    return " ".join(path.read_text(encoding="utf-8").split())


def lines(name):
    text = (ROOT / "benchmarks" / f"{name}.jsonl").read_text(encoding="utf-8")
    return pd.DataFrame([json.loads(line) for line in text.splitlines()])


@pytest.fixture(scope="module")
def quality():
    """Means over splits, by table and scorer, with processor seconds."""
    values = quality_report.share_of_partial_area(lines("quality"))
    return values.groupby(["scorer", "table"])[[*quality_report.METRICS, "seconds"]].mean()


def ranks(name):
    values = quality_report.share_of_partial_area(lines(name))
    shown = values[~values["scorer"].isin(quality_report.WITHIN)]
    means = shown.groupby(["table", "scorer"])[[*quality_report.METRICS]].mean()
    return means.groupby("table").rank(ascending=False).groupby("scorer").mean()


def short(number, digits=3):
    """As the pages write it: .211, −.022."""
    return f"{number:.{digits}f}".replace("0.", ".", 1).replace("-", "−")


@pytest.mark.parametrize(("name", "n_scorers", "n_tables"), [("quality", 21, 12), ("quality_further", 18, 21)])
def test_the_stack_has_the_mean_ranks_that_are_claimed(name, n_scorers, n_tables):
    found = ranks(name)
    assert (len(found), lines(name)["table"].nunique()) == (n_scorers, n_tables)
    assert (found.idxmin() == "StackedRanker").all()  # by every metric, as the readme says
    numbers = [(found[metric].min(), found[metric].drop("StackedRanker").min()) for metric in AREAS]
    page = said("which_ranker")
    for own, following in numbers:
        assert re.search(rf"{own:.1f} \(next {following:.1f}\)|\({own:.1f}, next {following:.1f}\)", page), (
            own,
            following,
        )


def test_what_the_stack_gains_and_costs(quality):
    page = said("which_ranker")
    seconds = quality["seconds"].unstack("scorer")
    stack, validated = seconds.pop("StackedRanker"), seconds.pop("LinearRanker push, validated")
    assert f"{stack.min():.0f} to {stack.max():.0f} processor seconds" in page
    assert f"takes {short(seconds.min().min())} to {seconds.max().max():.0f}, and a line" in page
    assert f"up to {validated.max():.0f}." in page
    gains = pd.read_csv(DOCS / "data" / "quality_singles.csv").query("metric == 'partial AUC'").set_index("table")
    gains = gains["stack − picked"].str.split(" ").str[0].astype(float)
    for table in gains.nlargest(5).index:
        assert re.search(rf"{table} \(\+{short(gains[table])}\)", page), table
    assert f"Its largest loss, in the mean of the splits, is {short(-gains.min())} ({gains.idxmin()})" in page
    times = stack / quality["seconds"].unstack("scorer")["GradientBoosted bagged"]
    assert 25 <= times.median() <= 40  # "a thirtieth of the time"


@pytest.mark.parametrize(
    ("criterion", "scorer"), [("push:4", "GradientBoosted push:4"), ("auc", "GradientBoosted auc")]
)
def test_where_a_criterion_inside_trees_loses_most(criterion, scorer, quality):
    part = re.search(rf"- ``{criterion}`` on (.*?)[;.] -", said("which_ranker"))[1]
    losses = quality.loc[scorer] - quality.loc["lightgbm"]
    for metric in quality_report.METRICS:
        for table, loss in losses[metric].items():
            if loss < -0.0205:
                assert table in part, (table, metric, loss)
                assert short(loss) in part, (table, metric, loss)


def test_lines_where_no_line_fits(quality):
    page = said("which_ranker")
    for table in ("magic", "skin", "ionosphere"):
        cells = [
            short(quality.loc[(scorer, table), "partial AUC"])
            for scorer in ("logistic regression", "linear", "LinearRanker push, validated")
        ]
        assert f"* - {table} - {' - '.join(cells)}" in page


def test_ranking_objectives_of_others_come_last():
    found = ranks("quality")
    theirs = ["xgboost rank:pairwise", "xgboost rank:ndcg", "lightgbm lambdarank"]
    assert set(found["AUC"].nlargest(3).index) == set(theirs)
    for metric in ("partial AUC", "average precision"):
        assert set(found[metric].nlargest(4).index) == {*theirs, "TreeRanker"}
    at_50 = found["precision at 50"]
    assert at_50[theirs].max() < at_50[["logistic regression", "LDA", "linear", "LinearRanker push, validated"]].min()


def test_trees_forests_and_networks(quality):
    page = said("ranking_trees")
    shown = pd.read_csv(DOCS / "data" / "ranking_trees.csv", index_col="table")["TreeRanker"].drop("mean")
    assert shown.to_dict() == quality.loc["TreeRanker", "AUC"].round(3).to_dict()
    gain = quality.loc["ForestRanker", "AUC"] - quality.loc["random-forest", "AUC"]
    means = quality["AUC"].groupby("scorer").mean()
    assert f"was {short(means['ForestRanker'], 4)}; that of scikit-learn's random forest" in page
    assert f"with as many trees was {short(means['random-forest'], 4)} (difference {short(gain.mean(), 4)}" in page
    assert f"standard error over tables {short(gain.std() / np.sqrt(12), 4)}" in page
    page = said("networks")
    gain = quality.loc["NeuralRanker", "AUC"] - quality.loc["network", "AUC"]
    assert (
        f"was {short(means['NeuralRanker'])}; that of the stack's small network was {short(means['network'])}" in page
    )
    assert f"(difference {short(gain.mean())}, standard error over tables {short(gain.std() / np.sqrt(12))})" in page
    times = quality.loc["NeuralRanker", "seconds"] / quality.loc["network", "seconds"]
    assert f"It took {times.min():.1f} to {times.max():.1f} times as long" in page
    assert ((times > 3).sum(), (gain > 0).sum()) == (8, 7)


def test_few_columns_among_many():
    means = lines("few_columns").groupby(["true", "scorer"])[["auc", "columns"]].mean()
    ours, theirs = "LinearRanker('{}', l1='cv')", "LogisticRegression, L1"
    page = said("which_ranker")
    few, many = means.loc[10], means.loc[40]
    assert (
        f'the AUC is {short(few.auc[ours.format("auc")])} with ``"auc"`` and {short(few.auc[ours.format("logloss")])}'
        in page
    )
    columns = lines("few_columns").groupby(["true", "scorer"])["columns"].median()[10]
    assert columns[ours.format("auc")] == columns[ours.format("logloss")] == 10
    assert "using ten columns" in page
    assert round(columns[theirs], -2) == 100
    assert f"reaches {short(few.auc[theirs])} with a hundred columns" in page
    assert f"without such a penalty it is {short(few.auc['LogisticRegression, ridge'], 2)}" in page
    assert (
        f'the AUC is {short(many.auc[ours.format("logloss")])} with ``"logloss"``, {short(many.auc[theirs])} with '
        f"scikit-learn and {short(many.auc[ours.format('auc')])} with" in page
    )


def test_what_a_light_stack_saves():
    first = lines("serving").iloc[0]
    new, old = first["one row"]
    small, large = first["file"]
    assert first["table"] == "mammography"
    assert f"a row in {new:.0f} ms of processor time instead of {old:.0f}, from a file of {small:.0f} MB" in said(
        "serving"
    )
    assert f"instead of {large:.0f}, with the same average precision" in said("serving")


def test_how_often_limits_of_importance_held():
    rows = re.findall(
        r"^   \* - ([\d,]+)\n     - \d+ %\n     - 3\n((?:     - .*\n)+)", _rst("coverage_importance"), re.M
    )
    held = [float(value) for _, cells in rows for value in re.findall(r"- (.*)\n", cells)[:4]]
    sizes = [int(size.replace(",", "")) for size, _ in rows]
    limits = f"{100 * min(held):.1f} to {100 * max(held):.1f} %"
    words = f"simulated with {min(sizes):,} to {max(sizes):,} rows, 95 % limits held in {limits}"
    assert words in said("report")


def test_how_often_limits_for_the_shares_of_groups_held():
    coverage = pd.read_csv(DOCS / "data" / "coverage_slices.csv")["coverage"]
    words = f"held simultaneously in {100 * coverage.min():.1f} to {100 * coverage.max():.1f} % of samples"
    assert words in said("guide_tables")


def _rst(name):
    return (DOCS / f"{name}.rst").read_text(encoding="utf-8")


def test_ranking_trees_are_above_cart_on_as_many_tables_as_is_said():
    table = pd.read_csv(DOCS / "data" / "ranking_trees.csv").iloc[:-1]
    above = (table["TreeRanker"] > table["CART"]).sum()
    assert f"above CART on {above} of the {len(table)}" in said("ranking_trees")
