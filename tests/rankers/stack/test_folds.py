"""Folds of a stack: rows left out, weights and groups."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, RepeatedKFold, TimeSeriesSplit

from podium import LinearRanker, StackedRanker
from podium.datasets import LocationModel
from podium.exceptions import InputError
from podium.rankers.folds import stratified_folds
from rankers.stack.tables import BAYES, EXACT, SCALED, noisy


def test_out_of_fold_scores_come_from_models_that_did_not_see_the_row():
    # one nearest neighbor knows every row it has seen: only out of fold is it no oracle
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


@pytest.mark.parametrize("n_pos", [1, 2, 3])
def test_fewer_positives_than_folds(n_pos):
    X, y = LocationModel(1.0, dimension=3).sample(n_pos, 60, 0)
    stack = StackedRanker([LogisticRegression(), LinearRanker()], random_state=0).fit(X, y)
    kept = stack._models[int(np.argmax(stack.weights_))]  # a member of weight zero has none
    assert len(kept) == (1 if n_pos == 1 else n_pos + 1)  # with the one fitted to all rows
    assert (stack.oof_scores_ is None) == (n_pos == 1)
    assert np.isfinite(stack.decision_function(X)).all()


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
