import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, RepeatedKFold, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from podium import GradientBoostedRanker, LinearRanker, StackedRanker, metrics
from podium.criteria import LogLoss, resolve
from podium.datasets import LocationModel
from podium.exceptions import InputError
from podium.metrics.estimator import estimator_scores
from podium.rankers.folds import stratified_folds
from podium.rankers.stack.kernel_logistic import KernelLogistic
from podium.rankers.stack.members import default_members
from podium.rankers.stack.scale import NormalScale, PlattScale
from podium.rankers.stack.small_network import SmallNetwork
from podium.rankers.stack.weights import StackProblem, stack_weights

CANCER = load_breast_cancer(return_X_y=True)
BAYES, SCALED = GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())
# For these a weight of three is three rows.
EXACT = [LogisticRegression(solver="newton-cholesky", tol=1e-12), DecisionTreeClassifier(max_depth=3)]
# The check wants nearly all rows in a class of ten million times the weight.
THRESHOLD = {"check_class_weight_classifiers": "the threshold moves, just above the negatives left out, and no further"}
BATCHES = {"check_sample_weight_equivalence_on_dense_data": "batches of repeated rows are not those of weighted rows"}


@parametrize_with_checks(
    [
        StackedRanker(EXACT, cv=3, random_state=0),
        KernelLogistic(20, random_state=0),
        SmallNetwork((8,), n_epochs=20, random_state=0),
    ],
    expected_failed_checks=lambda estimator: BATCHES if isinstance(estimator, SmallNetwork) else THRESHOLD,
)
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit on noise
        check(estimator)


def noisy(n_rows=400, seed=0):
    """A line that logistic regression finds, and a sphere that only others find."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 4))
    return X, X[:, 0] + (X[:, 1:3] ** 2).sum(axis=1) - 2 + rng.standard_normal(n_rows) > 0


def test_members_that_err_differently_are_better_together():
    X, y = noisy(1000)
    members = [LogisticRegression(), QuadraticDiscriminantAnalysis(), ExtraTreesClassifier(50, random_state=0)]
    X_new, y_new = noisy(5000, seed=1)
    single = [metrics.auc(y_new, clone(m).fit(X, y).predict_proba(X_new)[:, 1]) for m in members]
    stack = StackedRanker(members, random_state=0).fit(X, y)
    assert metrics.auc(y_new, stack.decision_function(X_new)) > max(single) - 0.002


def test_the_score_is_the_weighted_mean_of_scaled_fold_models():
    X, y = noisy()
    stack = StackedRanker([LogisticRegression(), BAYES], refit=False, random_state=0).fit(X, y)
    total = np.zeros(len(y))
    for w, models, z in zip(stack.weights_, stack._models, stack._scales, strict=True):
        assert len(models) == (5 if w > 0 else 0)  # one that counts nothing is not kept
        for model in models:
            raw = model.decision_function(X) if hasattr(model, "decision_function") else model.predict_proba(X)[:, 1]
            total += w * z(raw) / 5
    np.testing.assert_allclose(stack.decision_function(X) + stack.threshold_, total)


def test_out_of_fold_scores_come_from_models_that_did_not_see_the_row():
    # one nearest neighbour knows every row it has seen: only out of fold is it no oracle
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 3)), rng.random(300) < 0.5
    stack = StackedRanker([KNeighborsClassifier(1)], random_state=0).fit(X, y)
    assert 0.4 < stack.oof_intervals_["kneighborsclassifier"].estimate < 0.6


def test_folds_spread_each_class():
    is_positive = np.random.default_rng(0).random(403) < 0.3
    fold = stratified_folds(is_positive, 5, np.random.RandomState(0))
    for label in (False, True):
        sizes = np.bincount(fold[is_positive == label], minlength=5)
        assert sizes.max() - sizes.min() <= 1
    assert stratified_folds(is_positive, 5, np.random.RandomState(1)).tolist() != fold.tolist()


def test_a_weight_of_three_is_three_rows_of_one_fold():
    X, y = noisy(80)
    weight, fold = 1 + np.arange(80) % 3, np.arange(80) // 2 % 4
    members = [EXACT[0], LinearRanker("auc"), BAYES]
    cv = PredefinedSplit(fold), PredefinedSplit(fold.repeat(weight))
    weighted = StackedRanker(members, cv=cv[0], random_state=0).fit(X, y, weight)
    repeated = StackedRanker(members, cv=cv[1], random_state=0).fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)


def test_a_row_of_many_copies_does_not_turn_trees_upside_down():
    # Its copies left out together, a forest would know it from the few of the other class alone.
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.standard_normal((300, 2)), np.zeros((300, 2))])
    y = np.concatenate([X[:300, 0] + 0.5 * rng.standard_normal(300) > 0.5, np.arange(300) == 0])
    stack = StackedRanker([ExtraTreesClassifier(50)], random_state=0).fit(X, y)
    assert stack.oof_intervals_["extratreesclassifier"].estimate > 0.9


def test_rows_of_one_group_can_be_left_out_together():
    X, y = noisy(200)
    group = np.arange(200) // 10
    stack = StackedRanker([SCALED, BAYES], cv=list(GroupKFold(4).split(X, y, group)), random_state=0).fit(X, y)
    for train, test in GroupKFold(4).split(X, y, group):
        expected = clone(BAYES).fit(X[train], y[train]).predict_proba(X[test])[:, 1]
        column = stack.oof_scores_[test, 1]
        assert np.all(np.diff(column[np.argsort(expected)]) >= 0)


def test_a_fold_of_no_weight_is_no_fold():
    X, y = noisy(120)
    fold = np.arange(120) % 4
    cv = list(PredefinedSplit(fold).split())
    weighted = StackedRanker([SCALED, BAYES], cv=cv, random_state=0).fit(X, y, (fold != 1).astype(float))
    assert len(weighted._models[0]) == 4  # three folds, and all rows
    kept = fold != 1
    left = StackedRanker([SCALED, BAYES], cv=PredefinedSplit(fold[kept]), random_state=0).fit(X[kept], y[kept])
    np.testing.assert_allclose(weighted.decision_function(X), left.decision_function(X))


def test_splits_that_do_not_leave_out_every_row_once_are_refused():
    X, y = noisy(100)
    other_table = list(KFold(4).split(np.zeros((120, 1))))
    for cv, sentence in [
        (TimeSeriesSplit(4), "20 of them never, 0 more than once and 0 that do not exist"),
        (RepeatedKFold(n_splits=2, n_repeats=2), "0 of them never, 100 more than once and 0 that"),
        (other_table, "0 of them never, 0 more than once and 20 that do not exist"),
    ]:
        with pytest.raises(InputError, match=sentence):
            StackedRanker([SCALED], cv=cv).fit(X, y)


def test_intervals_are_for_the_phi_of_the_criterion():
    X, y = noisy()
    stack = StackedRanker([SCALED, BAYES], criterion="power:3", random_state=0).fit(X, y)
    assert set(stack.oof_intervals_) == {"pipeline", "gaussiannb", "stack"}
    for name, scores in zip(stack.members_, stack.oof_scores_.T, strict=True):
        found = stack.oof_intervals_[name]
        assert found.estimate == pytest.approx(metrics.rank_statistic(y, scores, phi="power:3"))
        assert found.low < found.estimate < found.high
    assert stack.oof_intervals_["stack"].estimate == pytest.approx(
        metrics.rank_statistic(y, stack.oof_stack_, phi="power:3")
    )


@pytest.mark.parametrize("criterion", ["logloss", "auc", "push:2"])
def test_weights_are_those_of_the_useful_members(criterion):
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2 == 0
    signal, noise = y + 0.7 * rng.standard_normal(600), rng.standard_normal(600)
    problem = StackProblem(np.column_stack([signal, noise, -signal]), y, None, np.arange(600) // 2 % 5)
    weights = stack_weights(problem, resolve(criterion), pull=0.0)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > 0.9


def test_weights_of_log_loss_are_those_of_logistic_regression_where_none_is_negative():
    rng = np.random.default_rng(0)
    y = np.arange(500) % 2 == 0
    Z = y[:, None] * [0.5, 1.0] + rng.standard_normal((500, 2))
    weights = stack_weights(StackProblem(Z, y, None, np.arange(500) // 2 % 5), LogLoss(), pull=0.0)
    theirs = LogisticRegression(C=np.inf, tol=1e-8).fit(Z, y).coef_[0]
    np.testing.assert_allclose(weights, theirs / theirs.sum(), atol=1e-3)


def test_the_pull_goes_from_the_best_weights_to_equal_ones():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2 == 0
    Z = y[:, None] * [0.5, 0.9, 0.7] + rng.standard_normal((200, 3))
    problem = StackProblem(Z, y, None, np.arange(200) // 2 % 5)
    best, drawn, equal = (stack_weights(problem, LogLoss(), pull) for pull in (0.0, 1.0, np.inf))
    np.testing.assert_allclose(equal, 1 / 3)
    assert np.abs(drawn - 1 / 3).max() < np.abs(best - 1 / 3).max()


def test_the_normal_scale_makes_negatives_normal_and_still_rises_beyond_what_it_knows():
    known = np.random.default_rng(0).exponential(size=501)
    positives = np.full(200, known.mean())  # of no influence
    is_positive = np.arange(701) >= 501
    scale = NormalScale.fit(np.concatenate([known, positives]), is_positive, None)
    assert np.median(scale(known)) == pytest.approx(0, abs=1e-12)
    assert scale(known).std() == pytest.approx(1, abs=0.02)
    beyond = scale(known.max() + np.array([0, 1e-3, 1, 10]))
    assert (np.diff(beyond) > 0).all()
    assert np.ptp(beyond) <= 1


def test_the_normal_scale_of_many_scores_keeps_the_order_at_the_top():
    known = np.random.default_rng(0).standard_normal(50_000)
    top = np.sort(known)[-50:]
    assert (np.diff(NormalScale.fit(known, known > np.inf, None)(top)) > 0).all()


def test_the_platt_scale_is_log_odds():
    rng = np.random.default_rng(0)
    s = rng.standard_normal(20_000) * 3
    y = rng.random(20_000) < 1 / (1 + np.exp(-(2 * s - 1)))
    assert PlattScale.fit(s, y, None)(np.array([0.0, 1.0])) == pytest.approx([-1, 1], abs=0.1)


@pytest.mark.parametrize("options", [{"scale": "platt"}, {"refit": True}, {"pull": np.inf}, {"criterion": "auc"}])
def test_every_option_ranks_well(options):
    X, y = CANCER
    stack = StackedRanker([SCALED, BAYES], random_state=0, **options).fit(X[::2], y[::2])
    assert metrics.auc(y[1::2], stack.decision_function(X[1::2])) > 0.985
    assert stack.score(X[1::2], y[1::2]) > 0.9


class Broken(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise ValueError("no fit today")


class Endless(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.full(len(X), np.inf)


def test_a_member_that_fails_is_left_out_by_name():
    X, y = noisy()
    with pytest.warns(UserWarning, match="without 'gone', which could not be fitted: no fit today"):
        stack = StackedRanker([("gone", Broken()), ("bayes", BAYES)]).fit(X, y)
    assert stack.members_ == ["bayes"]
    with pytest.warns(UserWarning, match="without 'endless'.*not one finite number per row"):
        StackedRanker([Endless(), BAYES]).fit(X, y)
    with pytest.warns(UserWarning, match="broken"), pytest.raises(InputError, match="No member"):
        StackedRanker([Broken()]).fit(X, y)


@pytest.mark.parametrize("n_pos", [1, 2, 3])
def test_fewer_positives_than_folds(n_pos):
    X, y = LocationModel(1.0, dimension=3).sample(n_pos, 60, 0)
    stack = StackedRanker([LogisticRegression(), LinearRanker()], random_state=0).fit(X, y)
    assert len(stack._models[0]) == (1 if n_pos == 1 else n_pos + 1)  # with the one fitted to all rows
    assert (stack.oof_scores_ is None) == (n_pos == 1)
    assert np.isfinite(stack.decision_function(X)).all()


def test_the_same_seed_gives_the_same_list_whatever_the_number_of_processes():
    X, y = noisy()
    stack = StackedRanker([ExtraTreesClassifier(10), BAYES], random_state=3)
    one, two = (clone(stack).set_params(n_jobs=n).fit(X, y).decision_function(X) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_weights_reach_members_that_know_them_also_inside_a_pipeline():
    X, y = noisy()
    weight = np.where(X[:, 0] > 0, 1.0, 1e-9)
    for member in (LogisticRegression(), make_pipeline(StandardScaler(with_std=False), LogisticRegression())):
        stack = StackedRanker([member], random_state=0).fit(X, y, weight)
        plain = StackedRanker([member], random_state=0).fit(X, y)
        assert np.abs(stack.decision_function(X) - plain.decision_function(X)).max() > 0.1
    members = [LinearDiscriminantAnalysis(), LogisticRegression()]  # the first knows no weights
    assert len(StackedRanker(members, random_state=0).fit(X, y, weight).members_) == 2


def test_the_default_library_fits_and_names_its_members():
    X, y = noisy(200)
    stack = StackedRanker(random_state=0)
    stack.rankers = [
        (name, member.set_params(n_estimators=5) if "n_estimators" in member.get_params() else member)
        for name, member in default_members()
    ]
    stack.fit(X, y)
    assert stack.members_ == [
        "logistic",
        "linear",
        "qda",
        "kernel",
        "network",
        "random-forest",
        "extra-trees",
        "hist-boosting",
        "lightgbm",
        "xgboost",
    ]
    assert metrics.auc(y, stack.oof_stack_) > 0.75


def test_members_of_the_default_library_take_missing_values():
    X, y = noisy(300)
    X[::7, 1] = np.nan
    for name, member in default_members():
        if "n_estimators" in member.get_params():
            member.set_params(n_estimators=5)
        scores = estimator_scores(member.fit(X, y), np.where(np.arange(300)[:, None] % 5 == 0, np.nan, X))
        assert metrics.auc(y, scores) > 0.6, name


def test_members_that_cannot_take_sparse_rows_or_missing_values_are_left_out():
    X, y = noisy()
    trees = GradientBoostedRanker(n_estimators=5)
    with pytest.warns(UserWarning, match="without 'gaussiannb'"):
        stack = StackedRanker([BAYES, trees], random_state=0).fit(sparse.csr_matrix(np.maximum(X, 0)), y)
    assert stack.members_ == ["gradientboostedranker"]
    with pytest.warns(UserWarning, match="without 'gaussiannb'"):
        stack = StackedRanker([BAYES, trees], random_state=0).fit(np.where(X > 2, np.nan, X), y)
    assert metrics.auc(y, stack.oof_stack_) > 0.7


def test_two_members_of_one_kind_have_two_names():
    stack = StackedRanker([GaussianNB(), GaussianNB(var_smoothing=0.1)], random_state=0).fit(*noisy())
    assert len(set(stack.members_)) == 2


def test_a_stack_may_hold_rankers_of_podium():
    members = [LinearRanker("auc"), GradientBoostedRanker("push:4", n_estimators=5)]
    assert metrics.auc(noisy()[1], StackedRanker(members, random_state=0).fit(*noisy()).oof_stack_) > 0.6


def test_a_progress_line_counts_members_and_fits(caplog):
    caplog.set_level("INFO", "podium")
    StackedRanker([BAYES, SCALED], cv=3, verbose=1).fit(*noisy())
    assert "8/8" in caplog.text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"rankers": "all"}, "rankers must be 'default' or a list"),
        ({"rankers": []}, "rankers must be 'default' or a list"),
        ({"rankers": [3]}, "must have a method fit; got 3"),
        ({"rankers": [BAYES], "cv": 1}, "cv must be 2 or more"),
        ({"rankers": [BAYES], "scale": "z"}, "scale must be one of"),
        ({"rankers": [BAYES], "pull": -1}, "pull must be in"),
        ({"rankers": [BAYES], "criterion": "aucc"}, "criterion must be a known specification"),
    ],
)
def test_bad_parameters_get_a_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence):
        StackedRanker(**options).fit(*noisy())


def test_the_kernel_member_sees_distances_that_columns_do_not_show():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 6))
    y = (X**2).sum(axis=1) > 7
    ranker = KernelLogistic(random_state=0).fit(X[:1000], y[:1000])
    assert metrics.auc(y[1000:], ranker.decision_function(X[1000:])) > 0.97
    assert metrics.auc(y[1000:], LogisticRegression().fit(X[:1000], y[:1000]).decision_function(X[1000:])) < 0.6


def test_refitted_models_and_those_of_the_folds_count_half_each():
    X, y = noisy()
    X_new = noisy(seed=1)[0]
    folds, both, refitted = (
        StackedRanker([BAYES, SCALED], refit=refit, random_state=0).fit(X, y) for refit in (False, "both", True)
    )
    np.testing.assert_array_equal(folds.weights_, both.weights_)
    expected = (folds._scores(X_new) + refitted._scores(X_new)) / 2
    np.testing.assert_allclose(both._scores(X_new), expected)
    with pytest.raises(InputError, match="refit must be one of 'both', False, True"):
        StackedRanker([BAYES], refit="yes").fit(X, y)


def test_the_network_sees_what_no_line_shows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 8))
    y = X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(3000) > 0
    ranker = SmallNetwork(random_state=0).fit(X[:2000], y[:2000])
    assert metrics.auc(y[2000:], ranker.decision_function(X[2000:])) > 0.9
    assert metrics.auc(y[2000:], LinearRanker("auc").fit(X[:2000], y[:2000]).decision_function(X[2000:])) < 0.6


def test_the_network_does_not_depend_on_the_number_of_threads():
    # batches so large that their products are shared among threads
    X = np.random.default_rng(0).standard_normal((20_000, 200))
    y = X[:, 0] * X[:, 1] > 0
    scores = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, "blas"):
            scores.append(SmallNetwork(n_epochs=2, random_state=0).fit(X, y).decision_function(X[:50]))
    np.testing.assert_allclose(*scores, rtol=1e-9)


def test_tags_promise_what_a_member_takes():
    for members, takes_sparse, takes_missing in (
        ("default", True, True),
        ([GaussianNB()], False, False),
        ([GaussianNB(), LogisticRegression()], True, False),
        ([("trees", HistGradientBoostingClassifier())], False, True),
    ):
        tags = StackedRanker(members).__sklearn_tags__().input_tags
        assert (tags.sparse, tags.allow_nan) == (takes_sparse, takes_missing)
