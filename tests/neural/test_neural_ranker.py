import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score

torch = pytest.importorskip("torch")

from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from contracts import rankers as contract  # noqa: E402
from podium import persist  # noqa: E402
from podium.neural import NeuralRanker  # noqa: E402

WEIGHTS = "batches are drawn row by row, so that a weight is not the same as repeated rows to the last digit"
CHECKED = NeuralRanker(n_epochs=20, random_state=0)


def weights_are_no_repeated_rows(estimator):
    names = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
    few = "the threshold rests on 50 rows: 43 of 50 are called negative where 44 are asked for"
    return dict.fromkeys(names, WEIGHTS) | {"check_class_weight_classifiers": few}


@parametrize_with_checks([CHECKED], expected_failed_checks=weights_are_no_repeated_rows)
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("criterion", ["logloss", "auc", "push:2"])
@pytest.mark.parametrize(
    "kept",
    [
        contract.it_learns_an_obvious_direction,
        contract.weights_decide_whom_it_believes,
        contract.a_row_without_weight_is_no_row,
        contract.it_is_a_classifier_of_two_classes_for_scikit_learn,
        contract.it_pickles_and_fitting_changes_no_parameter,
    ],
)
def test_it_keeps_the_contracts_of_rankers(criterion, kept):
    kept(NeuralRanker(criterion, n_epochs=15, n_members=4, random_state=0))


def test_the_same_seed_gives_the_same_network_and_leaves_the_generator_of_torch_alone():
    X, y = load_breast_cancer(return_X_y=True)
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    scores = [NeuralRanker(n_epochs=3, random_state=1).fit(X, y).decision_function(X) for _ in range(2)]
    np.testing.assert_array_equal(*scores)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_a_model_file_holds_arrays_and_scores_as_before(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    X[:, 0] = np.round(X[:, 0])
    ranker = NeuralRanker(n_epochs=2, categorical_features=[0], random_state=0).fit(X, y)
    again = persist.load(persist.save(ranker, tmp_path / "model"))
    np.testing.assert_array_equal(again.decision_function(X), ranker.decision_function(X))


def test_missing_values_and_categories():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal(1500), rng.integers(0, 9, 1500)])
    y = np.isin(X[:, 1], [1, 4, 8]) ^ (rng.random(1500) < 0.1)
    X[y & (rng.random(1500) < 0.3), 0] = np.nan
    with_codes = NeuralRanker(categorical_features=[1], random_state=0).fit(X[:1000], y[:1000])
    X[0, 1] = 77  # never seen
    assert roc_auc_score(y[1000:], with_codes.decision_function(X[1000:])) > 0.88
    assert np.isfinite(with_codes.decision_function(X[:1])).all()
    only_missing = NeuralRanker(random_state=0).fit(X[:, :1], y)
    assert roc_auc_score(y, only_missing.decision_function(X[:, :1])) > 0.6


def test_a_module_of_ones_own_is_copied_and_trained():
    X, y = load_breast_cancer(return_X_y=True)
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(30, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
    before = module[0].weight.clone()
    ranker = NeuralRanker("auc", module=module, n_epochs=15, random_state=0).fit(X[::2], y[::2])
    assert torch.equal(module[0].weight, before)
    assert roc_auc_score(y[1::2], ranker.decision_function(X[1::2])) > 0.97


def test_training_ends_where_rows_left_out_gain_no_more():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 3)), rng.random(400) < 0.5
    ranker = NeuralRanker(n_iter_no_change=2, random_state=0).fit(X, y)
    assert ranker.n_iter_ < 40
    assert ranker.n_iter_ - 1 - int(np.argmax(ranker.validation_path_)) == 2
