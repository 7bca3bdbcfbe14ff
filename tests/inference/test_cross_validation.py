import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from podium.exceptions import InputError
from podium.inference import cross_validated_interval, interval
from podium.inference.intervals.cross_validated import partitions
from podium.metrics import scorer


def table(seed=0, n=400, shift=0.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.standard_normal((n, 3)) + shift * y[:, None], y


@pytest.mark.parametrize("phi", ["mww", "power:3"])
def test_the_estimate_is_the_mean_over_folds(phi):
    X, y = table()
    wanted = cross_val_score(GaussianNB(), X, y, scoring=scorer(phi), cv=5).mean()
    assert cross_validated_interval(GaussianNB(), X, y, 5, phi).estimate == pytest.approx(wanted)


def test_one_held_out_part_gives_the_ordinary_interval():
    X, y = table()
    train, test = np.arange(200), np.arange(200, 400)
    found = cross_validated_interval(GaussianNB(), X, y, [(train, test)])
    scores = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])[:, 1]
    wanted = interval(y[test], scores)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))


class FirstColumn(ClassifierMixin, BaseEstimator):
    """A scorer that learns nothing, so that no fold depends on another."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]


def test_without_learning_the_variance_is_that_of_independent_folds():
    X, y = table()
    folds = list(StratifiedKFold(4).split(X, y))
    found = cross_validated_interval(FirstColumn(), X, y, folds).standard_error
    parts = [cross_validated_interval(FirstColumn(), X, y, [fold]).standard_error for fold in folds]
    assert found == pytest.approx(np.sqrt(np.sum(np.square(parts))) / 4)


@pytest.mark.parametrize(("n_folds", "apart"), [(5, 2), (6, 2)])
def test_what_the_folds_share_is_measured_by_models_without_two_of_them(n_folds, apart):
    X, y = table(n=160, shift=0.3)
    folds = [test for _, test in StratifiedKFold(n_folds).split(X, y)]

    def area(held_out, left_out):
        train = np.setdiff1d(np.arange(len(y)), np.concatenate(left_out))
        scores = LogisticRegression().fit(X[train], y[train]).decision_function(X[held_out])
        return roc_auc_score(y[held_out], scores)

    products, given_models = [], 0.0
    for v, one in enumerate(folds):
        part = cross_validated_interval(LogisticRegression(), X, y, [(np.setdiff1d(np.arange(len(y)), one), one)])
        given_models += (part.standard_error / n_folds) ** 2
        for w in range(v):
            if min(v - w, n_folds - v + w) <= apart:
                other = folds[w]
                of_one = area(one, [one]) - area(one, [one, other])
                products.append(of_one * (area(other, [other]) - area(other, [one, other])))
    found = cross_validated_interval(LogisticRegression(), X, y, n_folds).standard_error
    assert found**2 == pytest.approx(given_models + (1 - 1 / n_folds) * max(np.mean(products), 0))
    assert np.mean(products) > 0


def test_repetitions_are_told_apart_by_overlapping_folds():
    folds = [(None, np.array(rows)) for rows in ([0, 1], [2, 3], [1, 3], [0, 2], [2, 1])]
    assert partitions(folds) == [[0, 1], [2, 3], [4]]


def test_two_folds_say_that_what_they_share_is_not_measured():
    X, y = table()
    assert "three folds" in cross_validated_interval(GaussianNB(), X, y, 2).note
    assert cross_validated_interval(GaussianNB(), X, y, 3).note == ""


@pytest.mark.slow
@pytest.mark.parametrize(("n", "n_features"), [(60, 10), (200, 30)])
def test_the_fitted_models_are_covered_as_often_as_promised(n, n_features):
    rng, y, covered = np.random.default_rng(n), np.arange(n) % 2, []
    shift = np.full(n_features, 0.25)
    for _ in range(60):
        X = rng.standard_normal((n, n_features)) + shift * y[:, None]
        weights = LogisticRegression().fit(X, y).coef_[0]
        true = norm.cdf(weights @ shift / np.sqrt(2 * weights @ weights))  # of the model refitted to all rows
        found = cross_validated_interval(LogisticRegression(), X, y)
        covered.append(found.low <= true <= found.high)
    assert np.mean(covered) >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 60)


def test_repeating_the_folds_does_not_pretend_to_more_rows():
    X, y = table()
    once = cross_validated_interval(LogisticRegression(), X, y, 5).standard_error
    splitter = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
    assert cross_validated_interval(LogisticRegression(), X, y, splitter).standard_error > 0.9 * once


def test_labels_may_be_text_and_perfection_leaves_room():
    X, y = table(shift=9.0)
    found = cross_validated_interval(GaussianNB(), X, np.where(y, "ill", "well"), pos_label="ill")
    assert (found.estimate, found.high) == (1, 1)
    assert 0.9 < found.low < 0.995


def test_real_data_stay_inside_the_unit_interval():
    found = cross_validated_interval(GaussianNB(), *load_breast_cancer(return_X_y=True), phi="power:8")
    assert 0.5 < found.low < found.estimate < found.high < 1


def test_units_of_one_row_change_only_the_quantile_and_copies_in_a_unit_are_seen_through():
    X, y = table()
    folds = list(StratifiedKFold(4).split(X, y))
    plain, single = (cross_validated_interval(FirstColumn(), X, y, folds, groups=g) for g in (None, np.arange(len(y))))
    factor = np.sqrt(len(y) / (len(y) - 1))
    assert (single.estimate, single.standard_error) == pytest.approx((plain.estimate, factor * plain.standard_error))
    rows = np.repeat(np.arange(len(y)), 3)
    thrice = [tuple(np.flatnonzero(np.isin(rows, side)) for side in fold) for fold in folds]
    copies = cross_validated_interval(FirstColumn(), X[rows], y[rows], thrice, groups=rows)
    assert copies.standard_error == pytest.approx(single.standard_error, rel=0.01)
    blind = cross_validated_interval(FirstColumn(), X[rows], y[rows], thrice)
    assert blind.standard_error == pytest.approx(plain.standard_error / np.sqrt(3), rel=0.01)


def test_folds_hold_out_whole_units():
    X, y = table()
    units = np.arange(len(y)) // 4
    scores_of = {}

    class Recorder(FirstColumn):
        def fit(self, X, y):
            scores_of["trained on"] = X[:, 0]
            return super().fit(X, y)

        def decision_function(self, X):
            held_out = np.flatnonzero(~np.isin(table()[0][:, 0], scores_of["trained on"]))
            assert not set(units[held_out]) & set(units[np.isin(table()[0][:, 0], scores_of["trained on"])])
            return X[:, 0]

    cross_validated_interval(Recorder(), X, y, 5, groups=units)
    with pytest.raises(InputError, match="whole units"):
        cross_validated_interval(
            FirstColumn(), X, y, list(StratifiedKFold(4).split(X, y)), groups=np.arange(len(y)) // 200
        )


def test_weights_are_copies_of_rows_in_training_and_in_judging():
    X, y = table(n=160)
    weight = np.random.default_rng(1).integers(1, 4, 160)
    rows = np.repeat(np.arange(160), weight)
    folds = list(StratifiedKFold(3).split(X, y))
    repeated = [tuple(np.flatnonzero(np.isin(rows, side)) for side in fold) for fold in folds]
    found = cross_validated_interval(GaussianNB(), X, y, folds, "power:3", sample_weight=weight)
    wanted = cross_validated_interval(GaussianNB(), X[rows], y[rows], repeated, "power:3")
    for name in ("estimate", "low", "high", "standard_error", "n_pos", "n_neg"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=1e-6), name
    with pytest.raises(InputError, match="above 0"):
        cross_validated_interval(GaussianNB(), X, y, folds, sample_weight=weight - 1)
