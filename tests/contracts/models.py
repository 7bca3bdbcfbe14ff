"""What every model keeps."""

from __future__ import annotations

import numpy as np

from podium import models as package
from podium.models import Model
from registry import Case
from registry import cases as found

EXAMPLES = {"QuadraticModel": [lambda cls: cls(), lambda cls: cls(linear_term=False)]}
N_ROWS, N_COLUMNS = 40, 5


def cases() -> list[Case]:
    return found(package, Model, EXAMPLES)


def _rows_and_parameter(model):
    rng = np.random.default_rng(0)
    X, theta = rng.standard_normal((N_ROWS, N_COLUMNS)), rng.standard_normal(model.n_features(N_COLUMNS))
    if isinstance(model, package.DefiniteModel):
        theta[:N_COLUMNS] += 10  # the diagonal of Θ: any other parameter is refused
    return X, theta, rng


def it_gives_one_finite_score_per_row(model):
    X, theta, _ = _rows_and_parameter(model)
    assert model.scores(X, theta).shape == (N_ROWS,)
    assert np.isfinite(model.scores(X, theta)).all()


def its_vjp_is_the_adjoint_of_the_derivative_of_the_scores(model):
    X, theta, rng = _rows_and_parameter(model)
    cotangent, step = rng.standard_normal(N_ROWS), 1e-6
    numeric = [
        cotangent @ (model.scores(X, theta + step * e) - model.scores(X, theta - step * e)) / (2 * step)
        for e in np.eye(len(theta))
    ]
    np.testing.assert_allclose(model.vjp(X, theta, cotangent), numeric, rtol=1e-6, atol=1e-7)


def its_scores_are_linear_in_its_features(model):
    X, theta, _ = _rows_and_parameter(model)
    if model.is_linear:
        np.testing.assert_allclose(model.scores(X, theta), model.features(X) @ theta)


def its_rows_are_scored_one_by_one(model):
    X, theta, _ = _rows_and_parameter(model)
    np.testing.assert_allclose(model.scores(X[::-3], theta), model.scores(X, theta)[::-3], rtol=1e-12)
