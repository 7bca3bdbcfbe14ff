"""Cuts by recall, false positive rate, precision and profit: against definitions, and against what they promise."""

import numpy as np
import pytest
import shortlist_draws as simulated
from scipy.stats import binomtest

from podium.exceptions import DegenerateSampleError, InputError
from podium.shortlist import by_cost, by_fpr, by_precision, by_recall
from podium.shortlist.precision import grid
from shortlist.naive_shortlist import binomial_tail, fpr_threshold, precision_cut, recall_threshold, rows_above


def sample(seed, n=200, ties=True, shift=2.0, share=0.5):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    s = rng.normal(size=n) + shift * y
    return y, np.round(2 * s) / 2 if ties else s


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize(("rate", "level"), [(0.9, 0.95), (0.8, 0.5), (0.95, 0.9)])
def test_rates_cut_at_the_order_statistic_of_the_definition(ties, rate, level):
    for seed in range(10):
        y, s = sample(seed, ties=ties)
        cut = by_recall(y, s, s, recall=rate, confidence_level=level)
        assert cut.threshold == recall_threshold(s[y], rate, level)
        assert np.array_equal(cut.chosen, s >= cut.threshold)
        cut = by_fpr(y, s, s, fpr=1 - rate, confidence_level=level)
        assert np.flatnonzero(cut.chosen).tolist() == rows_above(s, fpr_threshold(s[~y], 1 - rate, level))


def test_positives_for_a_recall_of_95_percent_at_95_percent_are_59_as_wilks_says():
    y = np.arange(200) < 59
    assert by_recall(y, np.arange(200.0)).threshold == 0
    with pytest.raises(DegenerateSampleError, match="takes 59 positives in the calibration sample; got 58"):
        by_recall(y[1:], np.arange(199.0))
    with pytest.raises(DegenerateSampleError, match="takes 59 negatives in the calibration sample; got 58"):
        by_fpr(~y[1:], np.arange(199.0))


def test_the_attained_level_is_the_exact_probability():
    y, s = sample(0, ties=False)
    n = int(y.sum())
    cut = by_recall(y, s, recall=0.9)
    k = int(np.sum(s[y] < cut.threshold)) + 1
    assert cut.attained_level == pytest.approx(binomial_tail(k, n, 0.1), rel=1e-9)
    assert binomial_tail(k + 1, n, 0.1) < 0.95 <= cut.attained_level


def test_the_guarantee_says_so_where_few_positives_allow_no_level_near_the_one_asked_for():
    y = np.arange(200) < 25
    assert by_recall(y, np.arange(200.0), recall=0.9, confidence_level=0.8).guarantee.startswith(
        "With probability at least 80 % (93 % where scores do not tie), rows that score 0 or more hold"
    )
    assert "(" not in by_recall(*sample(0, 5000)).guarantee


def test_a_randomized_cut_is_one_of_two_neighbours_and_its_seed_decides():
    y, s = sample(0, ties=False)
    cuts = [by_recall(y, s, recall=0.9, randomize=True, rng=seed).threshold for seed in range(30)]
    first = np.flatnonzero(np.sort(s[y]) == by_recall(y, s, recall=0.9).threshold)[0]
    assert set(cuts) == set(np.sort(s[y])[first : first + 2])
    assert cuts == [by_recall(y, s, recall=0.9, randomize=True, rng=seed).threshold for seed in range(30)]


@pytest.mark.parametrize("ties", [True, False])
def test_precision_cuts_where_the_last_settled_test_of_the_definition_does(ties):
    found = set()
    for seed in range(30):
        y, s = sample(seed, ties=ties, shift=1.5)
        expected = precision_cut(y, s, 0.8, 0.95)
        assert np.flatnonzero(by_precision(y, s, s, precision=0.8).chosen).tolist() == expected
        found.add(len(expected))
    assert len(found) > 5


def test_a_few_negatives_on_top_do_not_decide():
    y, s = sample(0, n=2000, ties=False, shift=2.5, share=0.2)
    below = by_precision(y, s, s).n_chosen
    s[np.flatnonzero(~y)[:5]] = 20 + np.arange(5)
    cut = by_precision(y, s, s)
    assert cut.n_chosen > 0.85 * below > 200
    assert cut.guarantee.endswith("from the best 37 down, starting again at 89, 183, 427 and 909.")


def test_the_grid_knows_neither_scores_nor_labels_and_ends_with_all_rows():
    places = grid(1000, 0.8, 0.95)
    assert places[-1] == 1000
    assert (np.diff(places) > 0).all()
    first = int(places[0])
    assert binomtest(int(np.ceil(0.9 * first)), first, 0.8, alternative="greater").pvalue <= 0.05


def test_a_list_of_positives_only_is_taken_whole_and_one_without_any_not_at_all():
    y = np.arange(400) > 0
    assert "of all rows are positive." in by_precision(y, np.arange(400.0), precision=0.8).guarantee
    nothing = by_precision(~y, -np.arange(400.0), [1.0, 2.0], precision=0.8)
    assert nothing.guarantee.startswith("No cut can be claimed")
    assert nothing.n_chosen == 0


def test_the_profit_of_every_cut_is_counted_row_by_row():
    y, s = sample(0, n=80)
    found = by_cost(y, s, s, gain=5, cost=2)
    for t, profit in zip(found.thresholds, found.profits, strict=True):
        assert profit == pytest.approx(sum(5 * a - 2 for a, b in zip(y, s, strict=True) if b >= t) / 80, abs=1e-12)
    assert found.profit == found.profits.max() == found.profits[found.thresholds == found.threshold][0]
    assert (found.lows <= found.profits).all()
    assert (found.profits <= found.highs).all()
    assert found.low > 0


def test_where_no_cut_pays_none_is_chosen():
    y, s = sample(0)
    found = by_cost(y, -5 * y + s, s, gain=1.01, cost=1)
    assert found.n_chosen == 0
    assert found.profit == found.low == found.high == 0


@pytest.mark.slow
@pytest.mark.parametrize("population", [simulated.Population(0.5, 0.8, False), simulated.POPULATIONS[9]], ids=str)
def test_promises_are_broken_as_seldom_as_said(population):
    n_draws = 400
    broken, _, exact = simulated.failures(population, 200, n_draws)
    for name, share in broken.items():
        assert share <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_draws), name
    if not population.ties:  # and the exact level is what happens
        for name, level in exact.items():
            assert abs(broken[name] - level) <= 3 * np.sqrt(level * (1 - level) / n_draws), name


@pytest.mark.slow
def test_precision_attains_its_level_where_scores_say_nothing():
    broken, _, _ = simulated.failures(simulated.Population(simulated.PRECISION, 0.5, False), 200, 800)
    assert 0.01 <= broken["precision"] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 800)


@pytest.mark.slow
def test_precision_that_rises_again_hardly_breaks_the_level():
    # Precision .5 above 1, then .9 between 0 and 1: no cut above .6 until far down.
    rng, n_draws, broken = np.random.default_rng(0), 600, 0
    for _ in range(n_draws):
        s = rng.normal(size=300)
        y = rng.random(300) < np.where(s > 1.5, 0.6, np.where(s > 1, 0.9, 0.3))
        t = by_precision(y, s, precision=0.6).threshold
        broken += np.isfinite(t) and _mean_label(t) <= 0.6
    assert broken / n_draws <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_draws)


def _mean_label(t):
    from scipy.stats import norm

    edges = np.maximum(t, [1.5, 1.0, -np.inf])
    upper = np.array([np.inf, 1.5, 1.0])
    mass = np.maximum(norm.cdf(np.maximum(upper, edges)) - norm.cdf(edges), 0)
    return mass @ [0.6, 0.9, 0.3] / mass.sum()


@pytest.mark.parametrize(
    ("find", "options", "words"),
    [
        (by_recall, {"recall": 1.0}, "recall must be in"),
        (by_fpr, {"fpr": 0.0}, "fpr must be in"),
        (by_precision, {"precision": 1.2}, "precision must be in"),
        (by_precision, {"confidence_level": 95}, "confidence_level must be in"),
        (by_cost, {"gain": 1, "cost": 2}, "gain must exceed cost"),
        (by_cost, {"gain": np.inf, "cost": 2}, "gain must be in"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(find, options, words):
    with pytest.raises(InputError, match=words):
        find(*sample(0), **options)
