import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from podium import BoostedRanker, LinearRanker, metrics
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
    ],
)
def test_unusable_parameters_are_refused(options, match):
    with pytest.raises(InputError, match=match):
        CriterionSearch(BoostedRanker(n_rounds=2), **options).fit(*table(60))


@parametrize_with_checks([CriterionSearch(BoostedRanker(n_rounds=3), ["push:1", "push:2"])])
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_a_pipeline_is_searched_by_the_criterion_of_its_last_step_and_sparse_rows_by_a_ranker_that_takes_them():
    X, y = table()
    weight = np.random.default_rng(1).integers(1, 4, len(y))
    inside = make_pipeline(StandardScaler(), LinearRanker())
    search = CriterionSearch(inside, ["auc", "power:3"], cv=2).fit(X, y, sample_weight=weight)
    assert search.best_estimator_[-1].criterion == search.best_criterion_
    lines = CriterionSearch(criteria=["auc", "power:3"], cv=2)
    found, dense = lines.fit(sparse.csr_array(X), y).decision_function(sparse.csr_array(X)), lines.fit(X, y)
    assert metrics.auc(y, found, pos_label="yes") == pytest.approx(
        metrics.auc(y, dense.decision_function(X), pos_label="yes"), abs=0.01
    )
    assert CriterionSearch(criteria=["auc"], cv=200).fit(X[:60], y[:60]).comparison_.values.shape[1] < 60
