import numpy as np
import pytest
from sklearn.model_selection import KFold

from podium import BoostedRanker, metrics
from podium.criteria import PNormPush
from podium.exceptions import InputError
from podium.selection import CriterionComparison, CriterionSearch


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, "yes", "no")
    return rng.standard_normal((n, 3)) + (y == "yes")[:, None] * [1.0, 0.3, 0.0], y


def test_values_are_the_metric_of_rows_left_out():
    X, y = table()
    criteria = ["push:1", PNormPush(4)]
    search = CriterionSearch(BoostedRanker(n_rounds=5), criteria, metric="partial-auc:0.2", cv=KFold(3)).fit(X, y)
    for i, criterion in enumerate(criteria):
        for k, (train, test) in enumerate(KFold(3).split(X)):
            ranker = BoostedRanker(criterion, n_rounds=5).fit(X[train], y[train])
            expected = metrics.partial_auc(y[test], ranker.decision_function(X[test]), max_fpr=0.2, pos_label="yes")
            assert search.comparison_.values[i, k] == pytest.approx(expected, rel=1e-12)
    best = BoostedRanker(search.best_criterion_, n_rounds=5).fit(X, y)
    np.testing.assert_allclose(search.decision_function(X), best.decision_function(X))
    assert (search.predict(X) == best.predict(X)).all()
    assert search.best_criterion_ == criteria[search.comparison_.means.argmax()]


def test_gains_are_relative_to_the_error_of_paired_differences():
    values = np.array([[0.5, 0.6, 0.7, 0.8], [0.6, 0.7, 0.8, 0.9], [0.9, 0.6, 0.5, 0.8]])
    comparison = CriterionComparison(criteria=("a", "b", "c"), metric="auc", values=values)
    assert comparison.best == 1
    np.testing.assert_allclose(comparison.gains, [0.1, 0.0, 0.05])
    differences = values[1] - values[2]
    expected = differences.std(ddof=1) * np.sqrt(1 / 4 + 1 / 3)
    np.testing.assert_allclose(comparison.standard_errors, [0, 0, expected], atol=1e-15)
    first, second, third, fourth = str(comparison).splitlines()
    assert "auc of left-out rows, mean of 4 folds" in first
    assert second.split() == ["b", "0.7500"]
    assert f"(behind by 0.0500, {0.05 / expected:.1f} standard errors)" in third
    assert fourth.split()[0] == "a"
    assert repr(comparison).startswith("auc of left-out rows, mean of 4 folds: b 0.750, c 0.700 (behind by 0.0500, ")


def test_weights_count_in_training_and_in_the_metric():
    X, y = table()
    weight = np.random.default_rng(1).integers(1, 4, len(y))
    options = {"criteria": ["push:2"], "cv": KFold(2)}
    search = CriterionSearch(BoostedRanker(n_rounds=3), **options).fit(X, y, sample_weight=weight)
    train, test = next(iter(KFold(2).split(X)))
    ranker = BoostedRanker("push:2", n_rounds=3).fit(X[train], y[train], weight[train])
    expected = metrics.auc(y[test], ranker.decision_function(X[test]), sample_weight=weight[test], pos_label="yes")
    assert search.comparison_.values[0, 0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"criteria": []}, "at least one criterion"),
        ({"criteria": "auc"}, "at least one criterion"),
        ({"metric": "accuracy"}, "metric must be known"),
        ({"criteria": ["puhs:4"]}, "known specification"),
        ({"criteria": ["push:2"], "cv": 200}, "take fewer folds"),
    ],
)
def test_unusable_parameters_are_refused(options, match):
    with pytest.raises(InputError, match=match):
        CriterionSearch(BoostedRanker(n_rounds=2), **options).fit(*table(60))
