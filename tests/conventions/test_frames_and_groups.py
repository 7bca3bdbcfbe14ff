"""Data frames inside stacks and selections, nested parameters, groups, rows to watch."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from podium import (
    AutoRanker,
    BoostedRanker,
    GradientBoostedRanker,
    LinearRanker,
    StackedRanker,
    TreeRanker,
    metrics,
    persist,
)
from podium.exceptions import DegenerateSampleError, InputError
from podium.selection import CriterionSearch, PenalizedSelection

RNG = np.random.default_rng(0)
N = 240
CITY = RNG.choice(["Bern", "Rom", "Wien", None], N)
FRAME = pd.DataFrame({"income": RNG.standard_normal(N), "city": CITY})
Y = FRAME.income.to_numpy() + 2 * (CITY == "Rom") + 0.5 * RNG.standard_normal(N) > 0.7
SMALL = {"n_estimators": 8, "min_child_samples": 5}


def encoded(ranker):
    """A pipeline that needs the names of columns."""
    one_hot = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["city"]), remainder="passthrough")
    return make_pipeline(one_hot, ranker)


COMPOSITE = [
    StackedRanker([("line", encoded(LinearRanker("logloss"))), ("trees", GradientBoostedRanker(**SMALL))], cv=2),
    PenalizedSelection([("line", encoded(LinearRanker("logloss")))], penalty="rademacher"),
    CriterionSearch(encoded(BoostedRanker(n_rounds=10)), ["push:1", "push:2"], cv=2),
]


@pytest.mark.parametrize("ranker", COMPOSITE, ids=lambda ranker: type(ranker).__name__)
@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME)], ids=["pandas", "polars"])
def test_members_get_data_frames_as_they_are(ranker, frame):
    ranker = clone(ranker).set_params(calibrate="platt").fit(frame, Y)
    assert metrics.auc(Y, ranker.decision_function(frame)) > 0.9
    assert ranker.predict_proba(frame).shape == (N, 2)
    effects = ranker.feature_effects(frame, Y, n_repeats=1, random_state=0)
    assert effects.names == ("income", "city")
    assert (effects.effect > 0.05).all()
    assert ranker.certificate(frame, Y).held_out is False
    with pytest.raises(ValueError, match="feature names"):
        ranker.decision_function(FRAME.rename(columns={"city": "town"}))


@pytest.mark.parametrize("ranker", [GradientBoostedRanker(**SMALL), TreeRanker(n_folds=2)], ids=["boosted", "tree"])
def test_categories_are_known_by_their_names(ranker, tmp_path):
    fitted = clone(ranker).fit(FRAME, Y)
    assert metrics.auc(Y, fitted.decision_function(FRAME)) > 0.9
    shuffled = FRAME.assign(city=pd.Categorical(CITY, categories=["Wien", "Rom", "Oslo", "Bern"]))
    np.testing.assert_array_equal(fitted.decision_function(shuffled), fitted.decision_function(FRAME))
    np.testing.assert_array_equal(fitted.decision_function(pl.from_pandas(FRAME)), fitted.decision_function(FRAME))
    persist.save(fitted, tmp_path / "model")
    np.testing.assert_array_equal(
        persist.load(tmp_path / "model").decision_function(FRAME), fitted.decision_function(FRAME)
    )
    coded = FRAME.assign(city=pd.Categorical(CITY).codes.astype(float)).replace({"city": {-1: np.nan}})
    by_name = clone(ranker).set_params(categorical_features=["city"]).fit(coded, Y)
    np.testing.assert_array_equal(by_name.decision_function(coded), fitted.decision_function(FRAME))


def test_columns_of_one_name_are_refused_in_a_sentence_and_in_a_file():
    numbers = pd.DataFrame(RNG.standard_normal((N, 2)), columns=["income", "age"])
    for ranker in (LinearRanker(), GradientBoostedRanker(**SMALL), StackedRanker([LinearRanker()], cv=2)):
        fitted = clone(ranker).fit(numbers, Y)
        for wrong in (numbers.set_axis(["age", "age"], axis=1), FRAME.set_axis(["age", "age"], axis=1)):
            with pytest.raises(InputError, match="a name of its own for every column; got more than one 'age'"):
                clone(ranker).fit(wrong, Y)
            with pytest.raises(InputError, match="more than one 'age'"):
                fitted.decision_function(wrong)
        fitted.feature_names_in_ = np.array(["age", "age"], dtype=object)
        with pytest.raises(InputError, match="a name of its own for every column"):
            persist.loads(persist.dumps(fitted))


def test_parameters_of_members_have_their_names():
    X = FRAME[["income"]].to_numpy()
    stack = StackedRanker([("lr", LogisticRegression(C=3)), ("bayes", GaussianNB())], cv=2, random_state=0)
    assert stack.get_params()["lr__C"] == 3
    assert "lr" not in stack.get_params(deep=False)
    search = GridSearchCV(stack, {"lr__C": [1e-3, 1.0], "bayes": [LinearRanker()]}, cv=2, scoring="roc_auc").fit(X, Y)
    assert search.best_params_["lr__C"] in (1e-3, 1.0)
    assert dict(search.best_estimator_.estimators)["bayes"].__class__ is LinearRanker
    assert dict(stack.estimators)["lr"].C == 3  # the original is as it was
    assert PenalizedSelection([("line", LinearRanker())]).set_params(line__alpha=2.0).get_params()["line__alpha"] == 2
    with pytest.raises(ValueError, match="Invalid parameter 'svm'"):
        stack.set_params(svm__C=1)


def test_so_have_those_of_default_members():
    stack = StackedRanker()
    assert stack.get_params()["hist-boosting__learning_rate"] == 0.1
    changed = clone(stack).set_params(lightgbm__learning_rate=0.05, qda=GaussianNB())
    assert dict(clone(changed).estimators)["lightgbm"].learning_rate == 0.05
    assert isinstance(dict(changed.estimators)["qda"], GaussianNB)
    assert stack.set_params(cv=3).estimators == "default"
    with pytest.raises(ValueError, match="Invalid parameter 'svm'"):
        stack.set_params(svm__C=1)


class Seen(GaussianNB):
    """Remembers the groups that it was fitted to; they are the last column."""

    fits: list = []  # noqa: RUF012  # one list for all copies is what is wanted

    def fit(self, X, y, sample_weight=None):
        Seen.fits.append(set(X[:, -1]))
        return super().fit(X, y)


def test_groups_are_left_out_as_a_whole():
    group = RNG.integers(40, size=N)
    X = np.column_stack([FRAME.income, group])
    Seen.fits.clear()
    StackedRanker([("seen", Seen())], refit=False, cv=4).fit(X, Y, groups=[f"home {k}" for k in group])
    assert len(Seen.fits) == 4
    assert sum(len(set(group) - learned) for learned in Seen.fits) == len(set(group))


def test_copies_in_both_parts_flatter_early_stopping_calibration_and_pruning_unless_grouped():
    # Every row is there six times; nothing can be learned but to know it again.
    X, y = RNG.standard_normal((40, 5)).repeat(6, axis=0), (RNG.random(40) < 0.5).repeat(6)
    group = np.arange(40).repeat(6)
    boosted = GradientBoostedRanker(min_child_samples=1, early_stopping="auc", n_estimators=30)
    (flattered,) = clone(boosted).fit(X, y).validation_paths_
    (honest,) = clone(boosted).fit(X, y, groups=group).validation_paths_
    assert max(flattered) > 0.95
    assert max(honest) < 0.85
    calibrated = GradientBoostedRanker(min_child_samples=1, n_estimators=30, calibrate="platt")
    certain, modest = (np.ptp(clone(calibrated).fit(X, y, groups=g).predict_proba(X)[:, 1]) for g in (None, group))
    assert certain > 0.9
    assert modest < 0.7
    assert len(AutoRanker(candidates=["linear", "boosted"]).fit(X, y, groups=group).validation_) == 2
    with pytest.raises(DegenerateSampleError, match="two groups of either class"):
        CriterionSearch(criteria=["auc"]).fit(X, y, groups=y)


@pytest.mark.parametrize("backend", ["lightgbm", "xgboost"])
def test_rows_to_watch_and_callbacks(backend):
    calls = []
    if backend == "lightgbm":
        callback = lambda state: calls.append(state.iteration)  # noqa: E731
    else:
        import xgboost

        class Callback(xgboost.callback.TrainingCallback):
            def after_iteration(self, model, epoch, log):
                calls.append(epoch)

        callback = Callback()
    old, new = slice(0, 160), slice(160, N)
    ranker = GradientBoostedRanker(backend=backend, **SMALL)
    watched = clone(ranker).fit(FRAME[old], Y[old], eval_set=[(FRAME[new], Y[new])], callbacks=[callback])
    assert calls == list(range(8))
    np.testing.assert_allclose(
        watched.decision_function(FRAME), clone(ranker).fit(FRAME[old], Y[old]).decision_function(FRAME)
    )
    (path,) = watched.validation_paths_
    assert path[-1] == pytest.approx(metrics.auc(Y[new], watched.decision_function(FRAME[new])))
    stopped = clone(ranker).set_params(early_stopping="auc", n_iter_no_change=2, n_estimators=200)
    stopped.fit(FRAME[old], Y[old], eval_set=(FRAME[new], Y[new]))
    assert stopped.n_iter_ == np.argmax(stopped.validation_paths_[0]) + 1 < 198
    with pytest.raises(InputError, match=r"eval_set must be one pair \(X, y\); got 2"):
        ranker.fit(FRAME, Y, eval_set=[(FRAME, Y), (FRAME, Y)])


def test_jobs_give_the_same_selection():
    X = np.column_stack([FRAME.income, RNG.standard_normal(N)])
    with parallel_config("threading"):
        alone, shared = (
            CriterionSearch(BoostedRanker(n_rounds=3), ["push:1", "push:2"], cv=2, n_jobs=n).fit(X, Y) for n in (1, 2)
        )
    np.testing.assert_array_equal(alone.comparison_.values, shared.comparison_.values)
