import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline

from podium import StackedRanker, persist
from podium.exceptions import InputError
from podium.rankers.stack.members import ForestArrays, ImputedRanker, default_members, light

FORESTS = [
    RandomForestClassifier(20, random_state=0),
    ExtraTreesClassifier(20, random_state=0),
    RandomForestClassifier(20, max_leaf_nodes=17, random_state=0),  # whose trees grow best first
    ExtraTreesClassifier(20, class_weight="balanced", max_depth=3, random_state=0),
]


def table(n_rows=600, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 5)) * [1, 1e-3, 1e6, 1, 1]
    X[:, 3] = X[:, 3].round(1)  # numbers that thresholds hit
    y = X[:, 0] + X[:, 3] ** 2 + rng.standard_normal(n_rows) > 1
    X[rng.random(X.shape) < missing] = np.nan
    return X, y.astype(int)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("forest", FORESTS, ids=str)
def test_arrays_score_as_the_forest_to_single_precision(forest, missing):
    X, y = table(missing=missing)
    forest.fit(X, y)
    X_new = np.concatenate([table(2000, seed=1, missing=missing)[0], X])
    arrays = light(forest, dense=True)
    assert isinstance(arrays, ForestArrays)
    # 20 shares, each rounded by half a unit in the last place of single precision: a split taken otherwise moves more
    np.testing.assert_allclose(
        arrays.decision_function(X_new), forest.predict_proba(X_new)[:, 1], rtol=0, atol=np.finfo(np.float32).eps / 2
    )


def test_a_split_between_two_neighbors_of_single_precision_is_kept():
    low = np.float32(1000.0)
    high = np.nextafter(low, np.float32(np.inf))
    X, y = np.repeat([[low], [high]], 50, axis=0), np.repeat([0, 1], 50)
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    np.testing.assert_array_equal(light(forest, dense=True).decision_function(X), forest.predict_proba(X)[:, 1])


def test_sparse_rows_are_scored_as_dense_ones_in_any_blocks(monkeypatch):
    X, y = table()
    X[X < 0] = 0
    arrays = light(ExtraTreesClassifier(10, random_state=0).fit(X, y), dense=False)
    monkeypatch.setattr("podium.rankers.stack.members._BLOCK", 35)
    np.testing.assert_array_equal(arrays.decision_function(sparse.csr_matrix(X)), arrays.decision_function(X))
    with pytest.raises(InputError, match="fitted to 5 columns; got 4"):
        arrays.decision_function(X[:, :4])


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("name", ["logistic", "linear", "kernel", "network"])
def test_members_of_ours_score_without_their_imputer_as_with_it(name, missing):
    X, y = table(200, missing=missing)
    X[:, 4] = np.nan if missing else X[:, 4]
    member = dict(default_members())[name].fit(X, y)
    lighter = light(member, dense=True)
    assert isinstance(lighter, ImputedRanker)
    X_new = table(50, seed=1, missing=missing)[0]
    np.testing.assert_array_equal(lighter.decision_function(X_new), member.decision_function(X_new))
    assert light(member, dense=False) is member
    with pytest.raises(InputError, match="columns got"):
        ImputedRanker(lighter.fillings[:1], lighter.indicated[:0], lighter.ranker).decision_function(X_new[:, :1])


def test_what_is_no_forest_of_two_classes_stays_as_it_is():
    X, y = table()
    three = RandomForestClassifier(3, random_state=0).fit(X, y + (X[:, 0] > 1))
    within = make_pipeline(RandomForestClassifier(3, random_state=0)).fit(X, y)
    assert light(three, dense=True) is three
    assert light(within, dense=True) is within


def test_a_stack_keeps_forests_as_arrays_a_quarter_of_their_size():
    X, y = table()
    bare, within = (
        StackedRanker([member], cv=2, random_state=0).fit(X, y)
        for member in (ExtraTreesClassifier(50), make_pipeline(ExtraTreesClassifier(50)))
    )
    np.testing.assert_allclose(bare.decision_function(X), within.decision_function(X), atol=1e-4)
    assert len(persist.dumps(bare)) < len(persist.dumps(within)) / 2.5
