import numpy as np
import pytest
from scipy import sparse

from podium.models import LinearModel, QuadraticModel

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 5))


def test_quadratic_scores_by_definition():
    model = QuadraticModel()
    matrix = RNG.standard_normal((5, 5))
    matrix += matrix.T
    b = RNG.standard_normal(5)
    theta = model.pack(matrix, b)
    np.testing.assert_allclose(model.scores(X, theta), [z @ matrix @ z + b @ z for z in X])
    np.testing.assert_allclose(model.unpack(theta, 5)[0], matrix)
    assert theta @ theta == pytest.approx(np.sum(matrix**2) + b @ b)


def test_linear_models_take_sparse_rows():
    rows = sparse.csr_array(X * (X > 0))
    theta = RNG.standard_normal(5)
    np.testing.assert_allclose(LinearModel().scores(rows, theta), rows.toarray() @ theta)
    np.testing.assert_allclose(LinearModel().vjp(rows, theta, np.ones(40)), rows.toarray().sum(axis=0))
