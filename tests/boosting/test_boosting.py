import numpy as np
import pytest

from podium import GradientBoostedRanker, boosting, metrics
from podium.exceptions import InputError

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")

PARAMS = {"num_leaves": 7, "learning_rate": 0.1, "verbosity": -1, "seed": 0, "num_threads": 1, "deterministic": True}


def table(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.standard_normal(n) > 1.5).astype(int), rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("criterion", ["auc", "power:3", "push:2"])
def test_the_objective_in_lightgbms_train_grows_the_trees_of_the_ranker(criterion):
    X, y, weight = table()
    objective = boosting.objective(criterion)
    start = objective.start(y, weight / 7)
    rows = lightgbm.Dataset(X, y, weight=weight / 7, init_score=np.full(len(y), start))
    booster = lightgbm.train(PARAMS | {"objective": objective, "force_col_wise": True}, rows, 15)
    ranker = GradientBoostedRanker(criterion, num_leaves=7, n_estimators=15).fit(X, y, weight / 7)
    ours = ranker.decision_function(X) + ranker.threshold_
    np.testing.assert_allclose(booster.predict(X) + start, ours, rtol=1e-4, atol=1e-5)


def test_the_objective_in_xgboosts_train_grows_the_trees_of_the_ranker():
    X, y, _ = table()
    objective, share = boosting.objective("auc"), y.mean()
    params = {"learning_rate": 0.1, "tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 7, "max_depth": 0}
    params |= {"min_child_weight": 20 * share * (1 - share), "base_score": objective.start(y), "nthread": 1}
    booster = xgboost.train(params, xgboost.DMatrix(X, y), 10, obj=objective)
    ranker = GradientBoostedRanker("auc", backend="xgboost", num_leaves=7, n_estimators=10).fit(X, y)
    ours = ranker.decision_function(X) + ranker.threshold_
    np.testing.assert_allclose(booster.predict(xgboost.DMatrix(X), output_margin=True), ours, rtol=1e-4, atol=1e-5)


def test_scikit_learns_interfaces_of_both_take_objective_and_metric():
    X, y, weight = table()
    for model in (
        lightgbm.LGBMRegressor(objective=boosting.objective("auc"), n_estimators=20, verbose=-1),
        xgboost.XGBRegressor(objective=boosting.objective("auc"), n_estimators=20),
    ):
        scores = model.fit(X, y, sample_weight=weight).predict(X)
        assert metrics.auc(y, scores) > 0.9


def test_metrics_are_watched_in_both_with_the_weights_of_the_data():
    X, y, _ = table()
    X_new, y_new, w_new = table(seed=1)
    evaluated = {}
    rows = lightgbm.Dataset(X, y)
    booster = lightgbm.train(
        PARAMS | {"objective": "binary", "metric": "None"},
        rows,
        5,
        valid_sets=[rows.create_valid(X_new, y_new, weight=w_new)],
        feval=boosting.metric("power:3"),
        callbacks=[lightgbm.record_evaluation(evaluated)],
    )
    expected = metrics.rank_statistic(y_new, booster.predict(X_new), "power:3", sample_weight=w_new)
    assert evaluated["valid_0"]["power:3"][-1] == pytest.approx(expected, rel=1e-9)
    watched = xgboost.DMatrix(X_new, y_new, weight=w_new)
    booster = xgboost.train(
        {"objective": "binary:logistic", "disable_default_eval_metric": True},
        xgboost.DMatrix(X, y),
        5,
        evals=[(watched, "new")],
        custom_metric=boosting.metric("power:3"),
        evals_result=evaluated,
        verbose_eval=False,
    )
    expected = metrics.rank_statistic(y_new, booster.predict(watched), "power:3", sample_weight=w_new)
    assert evaluated["new"]["prefer-larger-power-3"][-1] == pytest.approx(expected, rel=1e-6)


def test_labels_of_three_kinds_are_refused_in_a_sentence():
    with pytest.raises(InputError, match="two labels"):
        boosting.objective("auc")(np.array([0, 1, 2]), np.zeros(3))


@pytest.mark.parametrize("backend", ["lightgbm", "xgboost"])
def test_importances_are_shares_of_what_splits_gained(backend):
    X, y, _ = table()
    found = GradientBoostedRanker(backend=backend, n_estimators=20).fit(X, y).feature_importances_
    assert found.sum() == pytest.approx(1)
    assert set(np.argsort(-found)[:2]) == {0, 1}
