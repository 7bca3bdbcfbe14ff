import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from podium.exceptions import InputError, InputTypeError
from podium.metrics.scorers import estimator_scores

X = np.random.default_rng(0).standard_normal((45_000, 2))
Y = X[:, 0] > 0


class Constant:
    def __init__(self, score):
        self.score = score

    def decision_function(self, X):
        return np.full((len(X), *np.shape(self.score)), self.score)


def test_scores_are_the_decision_function_or_the_probability_of_the_positive_class_in_blocks():
    logistic = LogisticRegression().fit(X, Y)
    np.testing.assert_allclose(estimator_scores(logistic, X), logistic.decision_function(X), rtol=1e-12)
    forest = RandomForestClassifier(3, random_state=0).fit(X[:500], Y[:500])
    np.testing.assert_array_equal(estimator_scores(forest, X), forest.predict_proba(X)[:, 1])
    assert estimator_scores(Constant(1), X[:0]).shape == (0,)


@pytest.mark.parametrize("score", [np.nan, np.inf, [1.0, 2.0]])
def test_scores_that_are_not_one_finite_number_per_row_are_refused(score):
    with pytest.raises(InputError, match="The scores of Constant are not one finite number per row"):
        estimator_scores(Constant(score), X)


def test_an_estimator_that_does_not_score_is_told_so():
    with pytest.raises(InputTypeError, match="StandardScaler has neither"):
        estimator_scores(StandardScaler().fit(X), X)
