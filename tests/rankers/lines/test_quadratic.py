"""What quadratics do of their own."""

import numpy as np
import pytest

from podium import QuadraticRanker
from podium.criteria import RankStatistic
from podium.datasets import LocationModel, ScaleModel
from podium.exceptions import InputError


def test_a_quadratic_rule_starts_at_the_matrix_that_is_given():
    X, y = ScaleModel(0.9, dimension=4).sample(60, 80, 0)
    X = 3 * X + np.arange(4)
    start = np.array([[1.0, 0.2, 0, 0], [0.2, -0.5, 0, 0.1], [0, 0, 0.3, 0], [0, 0.1, 0, 2]])
    scores = np.einsum("ij,jk,ik->i", X, start, X)
    value = RankStatistic("auc", relative=False, tol=1e-10).value_and_gradient(scores, y)[0]
    for options in ({}, {"scaling": None}, {"scaling": None, "linear_term": False}):
        ranker = QuadraticRanker("auc", solver="gradient-ascent", start=start, **options).fit(X, y)
        assert ranker.path_[0] == pytest.approx(value, rel=1e-8)
    assert QuadraticRanker("auc", start=start).fit(X, y).path_[-1] > value


@pytest.mark.parametrize(
    "start",
    [[1.0, 2.0, 3.0], np.eye(2), np.zeros((3, 3)), np.triu(np.ones((3, 3))), np.full((3, 3), np.nan), [["a"] * 3] * 3],
)
def test_a_quadratic_rule_takes_no_start_but_a_symmetric_matrix_of_all_features(start):
    X, y = LocationModel(0.3, dimension=3).sample(20, 20, 0)
    with pytest.raises(InputError, match="start must be a symmetric matrix"):
        QuadraticRanker(start=start).fit(X, y)


def test_a_quadratic_form_of_constant_columns_scores_all_rows_alike():
    X, y = np.zeros((30, 3)), np.arange(30) % 2
    assert not QuadraticRanker("auc").fit(X, y).decision_function(X).any()
