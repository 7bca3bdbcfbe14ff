from dataclasses import replace

import numpy as np
import pytest

from contracts.criteria import LOSSES
from criteria import naive_pushes
from podium.criteria import CrucialPairs, CustomPrice, PNormPush
from samples import weighted_rows

every_loss = pytest.mark.parametrize("loss", LOSSES)


@every_loss
@pytest.mark.parametrize("weighted", [True, False])
def test_crucial_pairs_equal_their_definition_by_double_loop(loss, weighted):
    s, y, w = weighted_rows(20)
    w = w if weighted else None
    groups = np.arange(20) % 3
    relevance = np.arange(20) // 5
    pairs = [(i, k) for i in range(20) for k in range(20) if (i * k) % 7 == 1]
    options = {"p": 2.5, "loss": loss, "tol": 1e-12}
    for criterion, matters in (
        (CrucialPairs(groups=groups, **options), lambda i, k: groups[i] == groups[k] and y[i] and not y[k]),
        (CrucialPairs(relevance=relevance, **options), lambda i, k: relevance[i] > relevance[k]),
        (CrucialPairs(pairs=pairs, **options), lambda i, k: (i, k) in pairs),
    ):
        expected = naive_pushes.crucial_objective(s, matters, lambda r: r**2.5, loss, w) / 2.5
        assert criterion.value_and_gradient(s, y, w)[0] == pytest.approx(expected, rel=1e-12)
        priced = replace(criterion, price=CustomPrice(lambda r: r + r**3, lambda r: 1 + 3 * r**2))
        expected = naive_pushes.crucial_objective(s, matters, lambda r: r + r**3, loss, w)
        assert priced.value_and_gradient(s, y, w)[0] == pytest.approx(expected, rel=1e-11)


@every_loss
def test_all_pairs_being_crucial_is_the_push(loss):
    s, y, w = weighted_rows()
    value, gradient = PNormPush(3, loss).value_and_gradient(s, y, w)
    pairs = [(i, k) for i in np.flatnonzero(y) for k in np.flatnonzero(~y)]
    for choice in ({"relevance": y.astype(int)}, {"groups": np.zeros(len(s))}, {"pairs": pairs}):
        same, slopes = CrucialPairs(**choice, p=3, loss=loss).value_and_gradient(s, y, w)
        assert same == pytest.approx(value, rel=1e-6)
        np.testing.assert_allclose(slopes, gradient, atol=1e-6 * np.abs(gradient).max())


def test_pairs_hold_at_scores_of_ten_thousand():
    s, y = np.array([1e4, -1e4, 0.0]), np.array([True, False, True])
    for loss in LOSSES:
        for pair in ([[0, 1]], [[1, 0]]):
            value, gradient = CrucialPairs(pairs=pair, p=64, loss=loss).value_and_gradient(s, y)
            assert np.isfinite(gradient).all()
            assert np.isfinite(value) or (pair == [[0, 1]] and "hinge" in loss)
