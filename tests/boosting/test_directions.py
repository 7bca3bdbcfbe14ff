"""Every library that is handed a metric keeps the round with its largest value, told or not which way is better."""

import numpy as np
import pytest

from podium import boosting, metrics

METRICS = ["auc", "partial-auc:0.1", "power:3", "average-precision", "tpr-at-fpr:0.1", "neg-push-risk:4"]
ROUNDS, PATIENCE = 40, 15


def table(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    return X, (X[:, 0] + X[:, 1] ** 2 + 2 * rng.standard_normal(n) > 2).astype(int)


X, Y = table(150, 0)
NEW, Y_NEW = table(300, 1)
WEIGHT = np.random.default_rng(2).integers(1, 4, len(NEW)).astype(float)


def lightgbm_train(metric):
    lightgbm = pytest.importorskip("lightgbm")
    params = {"objective": "binary", "metric": "None", "verbosity": -1, "num_threads": 1, "seed": 0, "num_leaves": 4}
    rows = lightgbm.Dataset(X, Y)
    booster = lightgbm.train(
        params,
        rows,
        ROUNDS,
        valid_sets=[rows.create_valid(NEW, Y_NEW, weight=WEIGHT)],
        feval=metric,
        callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
    )
    return booster.best_iteration, lambda k: booster.predict(NEW, num_iteration=k)


def lightgbm_classifier(metric):
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(n_estimators=ROUNDS, num_leaves=4, metric="None", verbose=-1, n_jobs=1)
    stopping = [lightgbm.early_stopping(PATIENCE, verbose=False)]
    model.fit(X, Y, eval_set=[(NEW, Y_NEW)], eval_sample_weight=[WEIGHT], eval_metric=metric, callbacks=stopping)
    return model.best_iteration_, lambda k: model.predict_proba(NEW, num_iteration=k)[:, 1]


def xgboost_train(metric):
    xgboost = pytest.importorskip("xgboost")
    watched = xgboost.DMatrix(NEW, Y_NEW, weight=WEIGHT)
    booster = xgboost.train(
        {"objective": "binary:logistic", "max_depth": 2, "nthread": 1},
        xgboost.DMatrix(X, Y),
        ROUNDS,
        evals=[(watched, "new")],
        custom_metric=metric,
        early_stopping_rounds=PATIENCE,
        verbose_eval=False,
    )
    return booster.best_iteration + 1, lambda k: booster.predict(watched, iteration_range=(0, k))


def xgboost_classifier(metric):
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(
        n_estimators=ROUNDS, max_depth=2, n_jobs=1, eval_metric=metric, early_stopping_rounds=PATIENCE
    )
    model.fit(X, Y, eval_set=[(NEW, Y_NEW)], sample_weight_eval_set=[WEIGHT], verbose=False)
    return model.best_iteration + 1, lambda k: model.predict_proba(NEW, iteration_range=(0, k))[:, 1]


def catboost_fit(metric):
    catboost = pytest.importorskip("catboost")
    model = catboost.CatBoost(
        {
            "iterations": ROUNDS,
            "depth": 2,
            "learning_rate": 0.3,
            "loss_function": "Logloss",
            "eval_metric": metric,
            "early_stopping_rounds": PATIENCE,
            "use_best_model": False,
            "thread_count": 1,
            "random_seed": 0,
            "verbose": 0,
            "allow_writing_files": False,
        }
    )
    model.fit(X, Y, eval_set=catboost.Pool(NEW, Y_NEW, weight=WEIGHT))
    return model.get_best_iteration() + 1, lambda k: model.predict(NEW, ntree_end=k)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")  # older LightGBM has no other
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(
    "library", [lightgbm_train, lightgbm_classifier, xgboost_train, xgboost_classifier, catboost_fit]
)
def test_early_stopping_keeps_the_best_round(library, name):
    best, scores_after = library(boosting.metric(name))
    value = metrics.metric(name)
    last = min(best + PATIENCE, ROUNDS)  # later rounds were not looked at
    values = np.array([value(Y_NEW, scores_after(k), sample_weight=WEIGHT) for k in range(1, last + 1)])
    assert np.ptp(values) > 1e-3
    assert values[best - 1] >= values.max() - 1e-6  # XGBoost keeps six digits


@pytest.mark.parametrize("name", METRICS)
def test_xgboost_told_which_way_keeps_the_same_round(name):
    xgboost = pytest.importorskip("xgboost")
    metric = boosting.metric(name)
    rows, watched = xgboost.DMatrix(X, Y), xgboost.DMatrix(NEW, Y_NEW)
    params = {"objective": "binary:logistic", "max_depth": 2, "nthread": 1}
    best = [
        xgboost.train(
            params,
            rows,
            ROUNDS,
            evals=[(watched, "new")],
            custom_metric=metric,
            callbacks=[xgboost.callback.EarlyStopping(rounds=PATIENCE, maximize=told)],
            verbose_eval=False,
        ).best_iteration
        for told in (None, True)
    ]
    assert best[0] == best[1]


def test_called_with_labels_and_scores_it_is_the_metric():
    scores = NEW[:, 0]
    for weight in (None, WEIGHT):
        expected = metrics.rank_statistic(Y_NEW, scores, "power:3", sample_weight=weight)
        assert boosting.metric("power:3")(Y_NEW, scores, sample_weight=weight) == expected
