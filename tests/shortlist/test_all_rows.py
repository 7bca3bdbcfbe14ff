"""A scorer trained on all labeled rows and on the list: what it promises, by all samples there can be, and by draws."""

from itertools import product
from math import fsum

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from podium.exceptions import DegenerateSampleError, InputError
from podium.shortlist import by_fdr, by_fdr_of_all_rows


class MeansApart(ClassifierMixin, BaseEstimator):
    """Rows along the line through both means; the order of rows changes nothing, not even the rounding."""

    def fit(self, X, y):
        mean = [fsum(X[y == label, 0]) / np.sum(y == label) for label in (0, 1)]
        self.slope_ = mean[1] - mean[0]
        return self

    def decision_function(self, X):
        return self.slope_ * X[:, 0]


@pytest.mark.parametrize("fdr", [0.3, 0.5, 0.8])
def test_over_all_samples_of_three_labeled_and_two_new_rows_the_expected_share_of_false_ones_is_as_promised(fdr):
    share, values = 0.4, {True: (1.0, 2.2), False: (0.0, 1.5)}  # of positives; either value of a class is as likely
    kinds = [(label, x) for label in (True, False) for x in values[label]]
    expected, some, total = 0.0, 0.0, 0.0
    for rows in product(kinds, repeat=5):
        chance = np.prod([(share if label else 1 - share) / 2 for label, _ in rows])
        total += chance
        y, X = np.array([label for label, _ in rows]), np.array([[x] for _, x in rows])
        if y[:3].all() or not y[:3].any():
            continue  # refused: nothing is chosen
        chosen = by_fdr_of_all_rows(MeansApart(), X[:3], y[:3], X[3:], fdr=fdr).chosen
        expected += chance * (chosen & ~y[3:]).sum() / max(1, chosen.sum())
        some += chance * chosen.any()
    assert total == pytest.approx(1)
    assert expected <= fdr
    assert some > 0.02 or fdr < 0.5


class ReadsTheOrder(MeansApart):
    """A scorer that ranks the rows that came last in training above all others: it would find the new ones."""

    def fit(self, X, y):
        self.last_ = X[-len(X) // 3 :, 0]
        return self

    def decision_function(self, X):
        return np.isin(X[:, 0], self.last_) + X[:, 0] / 1e6


@pytest.mark.parametrize("ranker", [ReadsTheOrder(), KNeighborsClassifier(3), LogisticRegression()], ids=repr)
def test_scorers_that_memorize_or_read_the_order_of_rows_promise_nothing_that_does_not_hold(ranker):
    rng, n_draws, shares = np.random.default_rng(0), 250, []
    for seed in range(n_draws):
        y = rng.random(140) < 0.5
        X = rng.normal(size=(140, 2)) + 1.2 * y[:, None]
        chosen = by_fdr_of_all_rows(ranker, X[:80], y[:80], X[80:], fdr=0.25, rng=seed).chosen
        shares.append((chosen & ~y[80:]).sum() / max(1, chosen.sum()))
    assert np.mean(shares) <= 0.25 + 3 * np.std(shares) / np.sqrt(n_draws)


def test_more_positives_are_found_than_with_rows_held_out():
    rng, found = np.random.default_rng(1), {"all": 0, "held out": 0}
    for seed in range(60):
        y = rng.random(600) < 0.2
        X = rng.normal(size=(600, 8)) + 0.45 * y[:, None]
        held = np.arange(300) < 90
        model = LogisticRegression().fit(X[:300][~held], y[:300][~held])
        s_cal, s_new = (model.decision_function(rows) for rows in (X[:300][held], X[300:]))
        one = by_fdr_of_all_rows(LogisticRegression(), X[:300], y[:300], X[300:], fdr=0.3, rng=seed)
        assert "at most 30 %" in one.guarantee
        found["all"] += (one.chosen & y[300:]).sum()
        found["held out"] += (by_fdr(y[:300][held], s_cal, s_new, fdr=0.3).chosen & y[300:]).sum()
    assert found["all"] > 1.1 * found["held out"]


def test_what_cannot_be_trained_on_gets_a_sentence():
    X, y = np.zeros((4, 2)), [0, 1, 0, 1]
    with pytest.raises(InputError, match="same columns"):
        by_fdr_of_all_rows(LogisticRegression(), X, y, np.zeros((3, 1)))
    with pytest.raises(DegenerateSampleError, match="both classes"):
        by_fdr_of_all_rows(LogisticRegression(), X, [0, 0, 0, 0], X)
    with pytest.raises(InputError, match="fdr must be in"):
        by_fdr_of_all_rows(LogisticRegression(), X, y, X, fdr=2)
