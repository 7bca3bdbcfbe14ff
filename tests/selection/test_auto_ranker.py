import warnings

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from contracts import contracts_of, rankers
from podium import AutoRanker, LinearRanker, metrics
from podium.exceptions import InputError
from podium.phi import for_budget

# Splits are drawn row by row: repeated rows are split otherwise than weighted ones, and another order otherwise.
NOT_OF_SPLITS = {"a_weight_is_a_number_of_equal_rows", "the_order_of_rows_does_not_matter"}


def curved(n_rows=600, seed=0):
    """Rows whose label depends on a product: a line cannot rank them, trees can."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 3))
    return X, X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(n_rows) > 0.2


@pytest.mark.slow
@parametrize_with_checks([AutoRanker(candidates=["linear", "quadratic"], random_state=0), AutoRanker(random_state=0)])
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit on noise
        check(estimator)


@pytest.mark.parametrize("contract", [c for c in contracts_of(rankers) if c.__name__ not in NOT_OF_SPLITS])
def test_it_keeps_the_contract_of_rankers(contract):
    contract(AutoRanker(candidates=["linear", "quadratic"], random_state=0))


def test_the_candidate_that_is_best_on_validation_rows_is_fitted_to_all_rows():
    X, y = curved()
    ranker = AutoRanker(candidates=["linear", "trees", "quadratic"], random_state=0).fit(X, y)
    assert ranker.best_name_ == max(ranker.validation_, key=ranker.validation_.get) == "quadratic"
    assert ranker.validation_["linear"] < 0.65 < ranker.validation_["trees"]
    new, labels = curved(4000, seed=1)
    assert metrics.auc(labels, ranker.decision_function(new)) > 0.9
    np.testing.assert_array_equal(ranker.decision_function(new), ranker.best_estimator_.decision_function(new))


def test_a_single_candidate_is_that_ranker():
    X, y = curved(200)
    alone = AutoRanker("power:3", candidates=["linear"], random_state=3).fit(X, y)
    seed = alone.best_estimator_.random_state
    assert alone.validation_ == {}
    expected = LinearRanker("power:3", random_state=seed).fit(X, y)
    np.testing.assert_array_equal(alone.decision_function(X), expected.decision_function(X))


def test_too_few_rows_to_judge_by_take_the_first_candidate_and_say_so():
    X, y = curved(60)
    few = np.concatenate([np.flatnonzero(y)[:7], np.flatnonzero(~y)])
    ranker = AutoRanker(candidates=["linear", "quadratic"], random_state=0).fit(X[few], y[few])
    assert (ranker.best_name_, ranker.validation_) == ("linear", {})
    assert "7 rows of a class are too few" in ranker.notes_[0]


def test_the_choice_is_by_the_part_of_the_list_that_matters():
    X, y = curved(300)
    options = {"candidates": ["linear", "quadratic"], "random_state": 0}
    by_auc, by_top = (AutoRanker(c, **options).fit(X, y).validation_ for c in ("auc", for_budget(10, 300)))
    assert by_auc != by_top


def test_it_works_in_a_pipeline_and_in_cross_validation():
    X, y = curved(300)
    ranker = AutoRanker(candidates=["linear", "quadratic"], random_state=0)
    values = cross_val_score(make_pipeline(StandardScaler(), ranker), X, y, scoring=metrics.scorer("auc"), cv=3)
    assert values.mean() > 0.9


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"candidates": []}, "at least one name"),
        ({"candidates": "linear"}, "at least one name"),
        ({"candidates": ["liner"]}, "must be one of"),
        ({"time_limit": -1}, "time_limit must be in"),
        ({"criterion": "nonsense"}, "nonsense"),
    ],
)
def test_what_cannot_be_gets_a_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence):
        AutoRanker(**options).fit(*curved(60))
