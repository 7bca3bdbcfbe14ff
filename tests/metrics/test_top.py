import numpy as np
import pytest
from sklearn.metrics import average_precision_score, dcg_score, ndcg_score

import naive
from podium import metrics
from podium.exceptions import InputError, InputTypeError
from samples import CASES, draw


@pytest.mark.parametrize("case", CASES)
def test_average_precision_equals_scikit_learn(case):
    y, s = draw(*case)
    w = np.random.default_rng(3).random(len(s))
    assert metrics.average_precision(y, s) == pytest.approx(average_precision_score(y, s), rel=1e-12)
    weighted = metrics.average_precision(y, s, sample_weight=w)
    assert weighted == pytest.approx(average_precision_score(y, s, sample_weight=w), rel=1e-12)


@pytest.mark.parametrize("case", [c for c in CASES if c[1] > 3])
@pytest.mark.parametrize("k", [None, 1, 5])
def test_dcg_with_averaged_ties_equals_scikit_learn(case, k):
    y, s = draw(*case)
    assert metrics.dcg(y, s, k=k) == pytest.approx(dcg_score([y], [s], k=k), rel=1e-12)
    assert metrics.dcg(y, s, k=k, normalize=True) == pytest.approx(ndcg_score([y], [s], k=k), rel=1e-12)


@pytest.mark.parametrize("k", [None, 2, 5])
@pytest.mark.parametrize("weighted", [True, False])
def test_dcg_with_a_discount_of_ones_own_is_its_mean_over_the_positions_of_every_group(k, weighted):
    rng = np.random.default_rng(0)
    for _ in range(20):
        y, s, w = rng.random(12) < 0.4, rng.integers(5, size=12).astype(float), rng.integers(1, 4, size=12)
        if not 0 < y.sum() < 12:
            continue
        table = np.sort(rng.random(60))[::-1]
        rows = np.repeat(np.arange(12), w if weighted else 1)  # a weight is so many equal rows
        expected = {"average": 0.0, "worst": 0.0}
        for i in rows[y[rows]]:
            positions = range(1 + sum(s[rows] > s[i]), sum(s[rows] >= s[i]) + 1)
            worth = [table[j - 1] if k is None or j <= k else 0.0 for j in positions]
            expected["average"] += np.mean(worth)
            expected["worst"] += worth[-1]
        options = {"k": k, "discount": lambda j, table=table: table[: len(j)], "sample_weight": w if weighted else None}
        for ties, gain in expected.items():
            assert metrics.dcg(y, s, ties=ties, **options) == pytest.approx(gain, rel=1e-12)
        best = sum(table[j] for j in range(int(y[rows].sum())) if k is None or j < k)
        assert metrics.dcg(y, s, normalize=True, **options) == pytest.approx(expected["average"] / best, rel=1e-12)


def test_dcg_with_the_usual_discount_given_equals_the_built_in_one():
    rng = np.random.default_rng(1)
    y, s, w = rng.random(500) < 0.2, rng.normal(size=500).round(1), rng.random(500)
    for weight in (None, 50 * w):
        own = metrics.dcg(y, s, discount=lambda j: 1 / np.log2(1 + j), sample_weight=weight)
        assert own == pytest.approx(metrics.dcg(y, s, sample_weight=weight), rel=1e-3 if weight is not None else 1e-12)


@pytest.mark.parametrize("discount", [lambda j: j, lambda j: 1 / (j - 1), lambda j: 1.0, lambda j: np.ones(3)])
def test_a_discount_that_rises_or_is_no_number_is_refused(discount):
    with np.errstate(divide="ignore"), pytest.raises(InputError, match="discount must give a finite number"):
        metrics.dcg([0, 1, 0, 1], [1, 2, 3, 4], discount=discount)


@pytest.mark.parametrize("case", CASES)
def test_rudins_dcg_and_averaged_reciprocal_rank_by_definition(case):
    y, s = draw(*case)
    positions = [naive.top_position(t, s) for t in s[y]]
    dcg = sum(1 / np.log(1 + r) for r in positions)
    assert metrics.dcg(y, s, base=np.e, ties="worst") == pytest.approx(dcg, rel=1e-12)
    assert metrics.average_reciprocal_rank(y, s, normalize=False, ties="worst") == pytest.approx(
        sum(1 / r for r in positions), rel=1e-12
    )
    assert metrics.average_reciprocal_rank(y, s, ties="worst") == pytest.approx(np.mean([1 / r for r in positions]))


def test_ties_count_by_their_mean_over_random_orders():
    y, s = draw(2, 25, 1)
    for k in (1, 4, 13):
        mean, error = naive.mean_over_orders(y, s, lambda labels, k=k: np.mean(labels[:k]))
        assert abs(metrics.precision_at(y, s, k=k) - mean) < 5 * error + 1e-12
    mean, error = naive.mean_over_orders(y, s, lambda labels: np.mean(1 / (1 + np.flatnonzero(labels))))
    assert abs(metrics.average_reciprocal_rank(y, s) - mean) < 5 * error


def test_precision_recall_and_lift_fit_together():
    y, s = draw(5, 60, 4)
    for k in range(1, 61):
        precision = metrics.precision_at(y, s, k=k)
        assert metrics.recall_at(y, s, k=k) == pytest.approx(precision * k / y.sum())
        assert metrics.lift_at(y, s, k=k) == pytest.approx(precision / y.mean())
    assert metrics.precision_at(y, s, k=60) == pytest.approx(y.mean())


def test_a_fraction_is_rounded_up_to_whole_rows():
    s = np.arange(100)
    y = s >= 90
    assert metrics.recall_at(y, s, fraction=0.07) == pytest.approx(0.7)
    assert metrics.recall_at(y, s, fraction=0.071) == pytest.approx(0.8)
    assert metrics.precision_at(y, s, fraction=1e-9) == 1.0


@pytest.mark.parametrize("k", [0, -1, 5])
def test_a_budget_outside_the_list_is_refused(k):
    for metric in (metrics.precision_at, metrics.recall_at, metrics.lift_at, metrics.dcg):
        with pytest.raises(InputError, match=r"k must be 1 to 4; got"):
            metric([0, 1, 0, 1], [1, 2, 3, 4], k=k)


def test_a_budget_that_is_no_number_of_rows_is_refused():
    with pytest.raises(InputTypeError, match="whole number"):
        metrics.precision_at([0, 1], [1, 2], k=1.5)
    with pytest.raises(InputError, match="k rows or a fraction"):
        metrics.precision_at([0, 1], [1, 2])
    with pytest.raises(InputError, match="k rows or a fraction"):
        metrics.precision_at([0, 1], [1, 2], k=1, fraction=0.5)
    with pytest.raises(InputError, match="fraction must be in"):
        metrics.precision_at([0, 1], [1, 2], fraction=1.2)


def test_another_share_of_positives_is_that_of_rows_weighted_by_class():
    y, s = draw(0, 40, 2)
    weight = 40 * np.where(y, 0.1 / y.sum(), 0.9 / (~y).sum())
    for metric in (metrics.precision_at, metrics.recall_at, metrics.lift_at):
        expected = metric(y, s, k=10, sample_weight=weight)
        assert metric(y, s, k=10, prevalence=0.1) == pytest.approx(expected, rel=1e-12)
        assert metric(y, s, k=10, prevalence=y.mean()) == pytest.approx(metric(y, s, k=10), rel=1e-12)
    with pytest.raises(InputError, match="prevalence must be in"):
        metrics.precision_at(y, s, k=10, prevalence=0.0)
