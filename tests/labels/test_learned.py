"""What is learned about labels: chances off the ends, inclusion from columns, a second source, a stated odds ratio."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from podium import inference, metrics
from podium.exceptions import InputError
from podium.inference.observed import estimate_or_bounds, measure_of
from podium.labels import Observed, design, learned
from podium.labels.chances import chance_of_label, firth, with_intercept
from podium.labels.design import Design
from podium.labels.learned import learned_inclusion, out_of_fold, share_of_second
from podium.labels.lists import PartlyLabeled


def world(n_rows=2000, seed=0):
    """Three columns, a score that misreads them, labels, and the probability of being labeled by the first column."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    y = (rng.random(n_rows) < expit(-2 + 1.5 * X[:, 0] + X[:, 1])).astype(float)
    return X, X @ [0.3, 1, 0.5], y, expit(-1 + X[:, 0])


def shown(y, inclusion, seed=1):
    return np.where(np.random.default_rng(seed).random(len(y)) < inclusion, y, np.nan)


def test_chances_of_a_predictor_with_two_values_are_jeffreys():
    x = np.array([0, 0, 0, 0, 0, 1, 1, 1.0])
    y = np.array([0, 0, 0, 0, 0, 1, 1, 0], dtype=bool)
    chance = chance_of_label(x[:, None], y, np.ones(8, dtype=bool))
    assert chance[[0, -1]] == pytest.approx([0.5 / 6, 2.5 / 4], rel=1e-5)


def test_coefficients_maximize_the_penalized_likelihood():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 2))
    y = X[:, 0] + rng.normal(size=30) > 1
    Z = with_intercept(X, np.ones(30, dtype=bool))

    def loss(beta):
        p = expit(Z @ beta)
        information = (Z * (p * (1 - p))[:, None]).T @ Z
        return -np.log(np.where(y, p, 1 - p)).sum() - 0.5 * np.linalg.slogdet(information)[1]

    best = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-7})
    assert firth(Z, y, np.ones(30))[0] == pytest.approx(best.x, abs=1e-4)


def test_no_row_has_a_chance_from_a_model_that_was_given_its_label():
    rng = np.random.default_rng(0)
    target, among = rng.random(60) < 0.3, rng.random(60) < 0.7
    fold = learned._folds(target, among)
    given = []

    def learner(X, y, rows):
        given.append(rows)
        return np.full(len(X), len(given) / 10)

    chance = learned._cross_fitted(learner, np.zeros((60, 1)), target, among, fold)
    for i in np.flatnonzero(among):
        k = round(10 * chance[i]) - 1
        assert not given[k][i]
        assert given[k].sum() >= among.sum() * 0.75
    assert chance[~among] == pytest.approx(np.full((~among).sum(), 0.3))
    positives = np.bincount(fold[target & among].astype(int), minlength=5)
    assert positives.max() - positives.min() <= 1


def test_the_learner_with_the_smaller_loss_is_taken():
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    everyone = np.ones(4000, dtype=bool)
    step = rng.random(4000) < np.where(np.abs(x) < 0.5, 0.9, 0.1)  # no line has it, trees do
    assert out_of_fold(x[:, None], step, everyone)[np.abs(x) < 0.4].mean() > 0.8
    line = rng.random(4000) < expit(x)
    assert np.abs(out_of_fold(x[:, None], line, everyone) - expit(x)).max() < 0.1


def test_inclusion_by_columns_is_learned():
    X, scores, y, inclusion = world(6000)
    observed = Observed(shown(y, inclusion), columns=X)
    assert repr(observed).endswith("with learned inclusion probabilities)")
    assert np.corrcoef(observed.inclusion, inclusion)[0, 1] > 0.95
    known = inference.interval(observed, scores)
    assert known.low < metrics.auc(y, scores) < known.high
    naive = inference.interval(y[observed.is_labeled], scores[observed.is_labeled])
    assert not naive.low < metrics.auc(y, scores) < naive.high or naive.n_pos / naive.n_neg > 1.3 * y.mean()
    assert inference.interval(observed, scores) == inference.interval(Observed(shown(y, inclusion), columns=X), scores)


def test_either_of_the_two_chances_suffices():
    """Totals of 40,000 rows: one of the two is right, the other a constant; with neither they are far off."""
    X, scores, y, inclusion = world(40_000)
    observed = Observed(shown(y, inclusion), columns=X)
    truth = expit(-2 + 1.5 * X[:, 0] + X[:, 1])
    share = observed.is_labeled.mean()
    off = {}
    for by_label, by_choice in product((True, False), repeat=2):
        observed._inclusion = inclusion if by_choice else np.full(len(y), share)
        design = Design([PartlyLabeled.of(observed, scores)])
        design.predicted = truth if by_label else np.full(len(y), 0.2)
        off[by_label, by_choice] = abs(design.pseudo_labels.sum() / y.sum() - 1)
    assert max(off[True, True], off[True, False], off[False, True]) < 0.03
    assert off[False, False] > 0.15


def test_the_score_alone_is_the_correction_of_begg_and_greenes():
    """Labels chosen by the score: shares of positives by the score, over all rows."""
    rng = np.random.default_rng(4)
    scores = rng.normal(size=8000)
    y = (rng.random(8000) < expit(2 * scores - 1)).astype(float)
    observed = Observed(shown(y, expit(scores - 1)), columns=scores)
    found = inference.interval(observed, scores, metric="prevalence")
    kind = np.floor(4 * scores)
    by_hand = 0.0
    for each in np.unique(kind):
        rows = kind == each
        known = y[rows & observed.is_labeled]
        by_hand += rows.mean() * (known.mean() if len(known) else float(each > 0))
    assert found.estimate == pytest.approx(by_hand, abs=0.01)
    assert found.low < y.mean() < found.high


def test_without_overlap_nothing_is_learned():
    X, scores, y, _ = world()
    top = scores >= np.quantile(scores, 0.9)
    with pytest.raises(InputError, match=r"needs labels of rows of every kind; of the fifth .* 0 of 400 are"):
        Observed(np.where(top, y, np.nan), columns=scores)
    with pytest.raises(InputError, match="needs labels of rows of every kind"):
        learned_inclusion(X, X[:, 1] > 0.5)


def test_a_second_source_makes_intervals_narrower_and_at_no_share_changes_nothing(monkeypatch):
    _, scores, y, _ = world(4000)
    rng = np.random.default_rng(3)
    inclusion = np.full(4000, 0.1)
    labels = shown(y, inclusion)
    assay = np.where(rng.random(4000) < 0.95, y, 1 - y)
    plain = inference.interval(Observed(labels, inclusion), scores)
    helped = inference.interval(Observed(labels, inclusion, predicted=assay), scores)
    assert helped.high - helped.low < 0.7 * (plain.high - plain.low)
    assert helped.low < metrics.auc(y, scores) < helped.high
    assert "a second source has a share of 1.00" in helped.note
    noise = inference.interval(Observed(labels, inclusion, predicted=rng.random(4000)), scores)
    assert noise.high - noise.low == pytest.approx(plain.high - plain.low, rel=0.05)
    monkeypatch.setattr(design, "share_of_second", lambda *_: 0.0)
    without = inference.interval(Observed(labels, inclusion, predicted=assay), scores)
    assert (without.low, without.estimate, without.high) == (plain.low, plain.estimate, plain.high)


def test_columns_beside_a_known_design_help_as_far_as_they_tell_labels(monkeypatch):
    X, _, y, _ = world(4000)
    rng = np.random.default_rng(3)
    scores, inclusion = X[:, 2] + 0.3 * X[:, 1], np.full(4000, 0.2)
    labels = shown(y, inclusion)
    plain = inference.interval(Observed(labels, inclusion), scores)
    known = Observed(labels, inclusion, columns=X)
    assert repr(known).endswith("with inclusion probabilities)")
    assert known.inclusion.tolist() == inclusion.tolist()
    helped = inference.interval(known, scores)
    assert helped.high - helped.low < 0.9 * (plain.high - plain.low)
    assert helped.low < metrics.auc(y, scores) < helped.high
    assert "; columns have a share of 0.9" in helped.note
    noise = inference.interval(Observed(labels, inclusion, columns=rng.random((4000, 3))), scores)
    assert noise.high - noise.low == pytest.approx(plain.high - plain.low, rel=0.03)
    assay = np.where(rng.random(4000) < 0.95, y, 1 - y)
    both = inference.interval(Observed(labels, inclusion, columns=X, predicted=assay), scores)
    assert "; columns and a second source have a share of" in both.note
    assert both.high - both.low < 0.7 * (helped.high - helped.low)
    monkeypatch.setattr(design, "share_of_second", lambda *_: 0.0)
    without = inference.interval(known, scores)
    assert (without.low, without.estimate, without.high) == (plain.low, plain.estimate, plain.high)


def test_the_share_of_a_second_source_is_the_best_in_zero_to_one():
    rng = np.random.default_rng(0)
    y, alone, helped = rng.random(50) < 0.4, rng.random(50), rng.random(50)
    among, weight = rng.random(50) < 0.6, rng.random(50)
    share = share_of_second(alone, helped, y, among, weight)
    losses = [(weight * (y - alone - at * (helped - alone)) ** 2)[among].sum() for at in np.linspace(0, 1, 1001)]
    assert share == pytest.approx(np.argmin(losses) / 1000, abs=1e-3)
    assert share_of_second(alone, alone, y, among, weight) == 0


@pytest.mark.parametrize("own", [expit, lambda s: 1 - expit(s), lambda s: (s > 1).astype(float)])
def test_predictions_by_the_judged_score_are_no_second_source(own):
    _, scores, y, _ = world()
    inclusion = np.full(2000, 0.3)
    with pytest.raises(InputError, match="must come from a second source"):
        inference.interval(Observed(shown(y, inclusion), inclusion, predicted=own(scores)), scores)


SCORES = np.array([3.0, 1.0, 2.0, 2.0, 5.0, 4.0])
SPECS = ["auc", "power:3", "recall-at:3", "precision-at:2", "prevalence"]


@pytest.mark.parametrize("spec", SPECS)
def test_extremes_under_an_odds_ratio_are_those_over_a_grid_of_chances(spec):
    rows = PartlyLabeled.of(Observed([1, None, None, 0, None, None]), SCORES)
    measure = measure_of(rows, spec)
    low, high = np.full(6, 0.1), np.array([0.4, 0.6, 0.3, 0.4, 0.5, 0.9])
    values = []
    for steps in product(np.linspace(0, 1, 5), repeat=4):
        labels = np.array([1.0, 0, 0, 0, 0, 0])
        labels[[1, 2, 4, 5]] = (low + steps_of(steps) * (high - low))[[1, 2, 4, 5]]
        values.append(measure.at(labels))
    lowest, highest = (measure.at(labels) for labels in measure.extremes(rows, low, high))
    assert (lowest, highest) == pytest.approx((min(values), max(values)), abs=0.02)  # W_min is a broken line


def steps_of(steps):
    return np.array([0, steps[0], steps[1], 0, steps[2], steps[3]])


@pytest.mark.parametrize("spec", SPECS)
def test_without_any_limit_on_the_odds_bounds_are_those_for_certain(spec):
    _, scores, y, _ = world(300)
    top = np.where(scores >= np.quantile(scores, 0.8), y, np.nan)
    argument = {"metric": spec} if "-at" in spec or spec == "prevalence" else {"phi": spec}
    certain = inference.interval(Observed(top), scores, **argument)
    wide = inference.interval(Observed(top, odds_ratio=1e12), scores, **argument)
    narrow = inference.interval(Observed(top, odds_ratio=2), scores, **argument)
    assert (wide.low, wide.high) == pytest.approx((certain.low, certain.high), abs=1e-4)
    if spec != "precision-at:2":  # both are labeled
        assert certain.low < narrow.low < narrow.high < certain.high
    assert str(narrow).endswith("rows without a label are at most 2 times higher or lower than expected (95 %)")


def test_bounds_are_wider_by_the_error_of_the_regression(monkeypatch):
    _, scores, y, _ = world(300)
    observed = Observed(np.where(scores >= np.quantile(scores, 0.8), y, np.nan), odds_ratio=2)
    asked = (observed, scores, "auc", None, None, 0.95)
    estimated = estimate_or_bounds(*asked)

    def without_error(*given):
        line, scatter = firth(*given)
        return line, 0 * scatter

    monkeypatch.setitem(estimate_or_bounds.__globals__, "firth", without_error)
    sure = estimate_or_bounds(*asked)
    assert estimated.low < sure.low - 0.01 < sure.high < estimated.high - 0.01


def test_bounds_hold_where_odds_are_as_far_off_as_stated():
    """150 lists whose rows without a label have 2 times the odds, or half of them, above or below the middle."""
    held = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=1500)
        odds = np.exp(1.5 * scores - 2)
        top = scores > 1
        factor = np.where(scores > 0, *[(2, 0.5), (0.5, 2), (2, 2), (0.5, 0.5)][seed % 4])
        true = np.where(top, odds, odds * factor)
        y = (rng.random(1500) < true / (1 + true)).astype(float)
        observed = Observed(np.where(top, y, np.nan), predicted=odds / (1 + odds), odds_ratio=2)
        known = inference.interval(observed, scores)
        held.append(known.low <= metrics.auc(y, scores) <= known.high)
    assert np.mean(held) >= 0.95


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"predicted": [0.5, 2, 0]}, r"labels 0 and 1, or probabilities; got 2 in 1 of 3"),
        ({"predicted": [0.5, 0.2]}, "one entry per row; got 2 for 3"),
        ({"predicted": [0.5, 0.2, 1]}, "or odds_ratio how far they may be off; got neither"),
        ({"odds_ratio": 0.5}, "odds_ratio"),
        (
            {"odds_ratio": 2, "predicted": [0.5, 0.2, 1]},
            "for probabilities between 0 and 1; got predictions that are 0 or",
        ),
        ({"odds_ratio": 2, "inclusion": [1, 1, 0.5]}, "An odds ratio is for labels of which nothing .*; got inclusion"),
        ({"odds_ratio": 2, "columns": [1, 2, 3]}, "An odds ratio is for labels of which nothing .*; got columns"),
        ({"columns": [[1, 2], [3, 4]]}, "one row per row of the list; got 2 for 3"),
        ({"columns": [1, 2, np.nan]}, "a column of columns"),
    ],
)
def test_bad_statements_get_a_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence):
        Observed([1, 0, None], **options)
