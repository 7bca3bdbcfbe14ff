import numpy as np
import pytest

from podium import boosting, metrics
from podium.rankers.trees.curvature import NewtonObjective, boosting_criterion

catboost = pytest.importorskip("catboost")
lightgbm = pytest.importorskip("lightgbm")

OPTIONS = {"thread_count": 1, "verbose": 0, "allow_writing_files": False, "random_seed": 0}


def table(n, seed, bound=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + X[:, 3] ** 2 + rng.standard_normal(n) > bound).astype(int)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["auc", "power:3", "push:2", "logloss"])
def test_a_block_has_the_derivatives_of_newtons_form_turned_to_what_is_maximized(criterion, weighted):
    rng = np.random.default_rng(0)
    y, s = np.arange(40) % 3 == 0, rng.standard_normal(40)
    weight = rng.integers(1, 4, 40).astype(float) if weighted else None
    gradient, curvature = NewtonObjective(boosting_criterion(criterion), y, weight)(s)
    pairs = boosting.objective(criterion).calc_ders_range(s, y.astype(float), weight)
    np.testing.assert_allclose(np.array(pairs), np.column_stack([-gradient, -curvature]))


def test_a_block_of_one_class_moves_nothing():
    pairs = np.array(boosting.objective("auc").calc_ders_range([0.1, 0.2], [1.0, 1.0], None))
    assert (pairs[:, 0] == 0).all()
    assert (pairs[:, 1] < 0).all()


@pytest.mark.parametrize(("criterion", "bound"), [("auc", 1.0), ("push:4", 4.0)])
def test_catboost_ranks_new_rows_as_well_as_lightgbm_by_the_same_criterion(criterion, bound):
    X, y = table(3000, 0, bound)
    X_new, y_new = table(10_000, 1, bound)
    model = catboost.CatBoost(
        OPTIONS
        | {
            "iterations": 60,
            "learning_rate": 0.1,
            "leaf_estimation_iterations": 1,
            "loss_function": boosting.objective(criterion),
            "eval_metric": boosting.metric("auc"),
        }
    ).fit(X, y)
    objective = boosting.objective(criterion)
    rows = lightgbm.Dataset(X, y, init_score=np.full(len(y), objective.start(y)))
    other = lightgbm.train({"objective": objective, "verbosity": -1, "num_threads": 1, "seed": 0}, rows, 60)
    assert metrics.auc(y_new, model.predict(X_new)) > metrics.auc(y_new, other.predict(X_new)) - 0.01


def test_catboost_watches_the_metric_of_all_rows_with_their_weights():
    X, y = table(2500, 0)
    X_new, y_new = table(2500, 1)
    weight = np.random.default_rng(2).integers(1, 4, len(y_new)).astype(float)
    model = catboost.CatBoost(
        OPTIONS | {"iterations": 5, "loss_function": "Logloss", "eval_metric": boosting.metric("power:3")}
    )
    model.fit(X, y, eval_set=catboost.Pool(X_new, y_new, weight=weight))
    watched = model.get_evals_result()["validation"]["BoostingMetric"]
    expected = [
        metrics.rank_statistic(y_new, model.predict(X_new, ntree_end=k), "power:3", sample_weight=weight)
        for k in range(1, 6)
    ]
    np.testing.assert_allclose(watched, expected, rtol=1e-9)
