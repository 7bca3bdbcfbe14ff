"""What every criterion keeps."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import add

import cloudpickle
import numpy as np
import pytest

from podium import criteria as package
from podium import phi
from podium._types import Sample
from podium.criteria import Criterion, CrucialPairs, CustomPrice, ExponentialPrice
from podium.exceptions import InputError
from podium.rounds.computation import values_and_gradients
from registry import Case
from registry import cases as found

N_ROWS = 30
ROWS = np.arange(N_ROWS)
LOSSES = ("exponential", "logistic", "hinge", "squared_hinge")
SMOOTH = [name for name in phi.__all__ if name in ("Power", "Logrank", "EarlyRecognition", "SmoothTopShare")]
EXAMPLES = {
    "RankStatistic": [
        lambda cls: cls(),
        *(lambda cls, name=name: cls(getattr(phi, name)(), tol=1e-10) for name in SMOOTH),
        lambda cls: cls(kernel="triweight", relative=False, bandwidth=0.7),
        lambda cls: cls(kernel="logistic", bandwidth=0.3, tol=1e-10),
    ],
    "PNormPush": [
        lambda cls: cls(),
        *(lambda cls, p=p, loss=loss: cls(p, loss, tol=1e-10) for p in (1, 4, 64, np.inf) for loss in LOSSES),
    ],
    "BottomPush": [lambda cls, loss=loss: cls(2, loss, tol=1e-10) for loss in LOSSES],
    "BothEndsPush": [lambda cls, loss=loss: cls(3, 0.5, loss, tol=1e-10) for loss in LOSSES],
    "Push": [
        lambda cls: cls(ExponentialPrice(), "hinge"),
        lambda cls: cls(CustomPrice(lambda r: r + r**2, lambda r: 1 + 2 * r), "logistic", tol=1e-10),
    ],
    "SmoothPartialAuc": [
        lambda cls: cls(),
        lambda cls: cls(0.3, 0.5, tol=1e-10),
        lambda cls: cls(0.3, 0.5, relative=False, tol=1e-10),
    ],
    "CrucialPairs": [
        *(lambda cls, loss=loss: cls(groups=ROWS % 3, p=2, loss=loss, tol=1e-10) for loss in LOSSES),
        *(lambda cls, loss=loss: cls(relevance=ROWS // 8, p=2, loss=loss, tol=1e-10) for loss in LOSSES),
        *(lambda cls, loss=loss: cls(pairs=np.column_stack([ROWS[:-3], ROWS[3:]]), p=2, loss=loss) for loss in LOSSES),
        lambda cls: cls(groups=ROWS % 3, price=CustomPrice(lambda r: r + r**2, lambda r: 1 + 2 * r), loss="hinge"),
    ],
}
OF_GIVEN_ROWS = (CrucialPairs,)  # their rows cannot be moved or repeated


def cases() -> list[Case]:
    return found(package, Criterion, EXAMPLES)


def _sample():
    """Scores, labels and whole weights, no two scores equal."""
    rng = np.random.default_rng(0)
    is_positive = rng.random(N_ROWS) < 0.4
    is_positive[:2] = True, False
    return rng.standard_normal(N_ROWS) + is_positive, is_positive, rng.integers(1, 4, N_ROWS).astype(float)


def _close(left, right, rtol):
    np.testing.assert_allclose(left, right, rtol=rtol, atol=rtol * np.abs(right).max())


def its_gradient_is_the_slope_of_its_value(criterion):
    s, y, w = _sample()
    value, gradient = criterion.value_and_gradient(s, y, w)
    step = 1e-5
    shifts = step * np.eye(len(s))
    slopes = [
        criterion.value_and_gradient(s + e, y, w)[0] - criterion.value_and_gradient(s - e, y, w)[0] for e in shifts
    ]
    rounding = 1e-14 * abs(value) / step
    np.testing.assert_allclose(
        np.array(slopes) / (2 * step), gradient, rtol=1e-4, atol=1e-5 * np.abs(gradient).max() + rounding
    )


def a_small_step_along_the_gradient_raises_it(criterion):
    s, y, w = _sample()
    value, gradient = criterion.value_and_gradient(s, y, w)
    assert gradient.any()
    assert criterion.value_and_gradient(s + 1e-4 * gradient / np.abs(gradient).max(), y, w)[0] > value


def it_prefers_the_right_order_to_the_wrong_one(criterion):
    if isinstance(criterion, OF_GIVEN_ROWS):
        return
    _, y, w = _sample()
    right = ROWS / N_ROWS + y
    assert criterion.value_and_gradient(right, y, w)[0] > criterion.value_and_gradient(-right, y, w)[0]


def moving_rows_moves_the_gradient(criterion):
    if isinstance(criterion, OF_GIVEN_ROWS):
        return
    s, y, w = _sample()
    order = np.random.default_rng(3).permutation(len(s))
    value, gradient = criterion.value_and_gradient(s, y, w)
    moved_value, moved = criterion.value_and_gradient(s[order], y[order], w[order])
    assert moved_value == pytest.approx(value, rel=1e-10)
    _close(moved, gradient[order], 1e-9)


def a_weight_is_a_number_of_equal_rows(criterion):
    if isinstance(criterion, OF_GIVEN_ROWS):
        return
    s, y, w = _sample()
    w[::7] = 0.0
    times = w.astype(int)
    value, gradient = criterion.value_and_gradient(s, y, w)
    repeated_value, repeated = criterion.value_and_gradient(s.repeat(times), y.repeat(times))
    assert value == pytest.approx(repeated_value, rel=1e-9)
    _close(gradient.repeat(times), repeated * w.repeat(times), 1e-8)
    assert not gradient[w == 0].any()


def chunks_of_rows_add_up_to_the_whole(criterion):
    if not criterion.is_chunked:
        return
    s, y, w = _sample()
    cuts = [0, 1, 1, 12, 14, 20, 27, N_ROWS]  # one row; none; and, in the order of the labels, one class only
    order = np.argsort(~y, kind="stable") if not isinstance(criterion, OF_GIVEN_ROWS) else ROWS
    s, y, w = s[order], y[order], w[order]
    for weight in (None, w):
        value, gradient = criterion.value_and_gradient(s, y, weight)
        parts = [slice(*cut) for cut in pairwise(cuts)]
        chunks = [Sample(s[part], y[part], None if weight is None else weight[part]) for part in parts]
        for whole in (criterion, criterion + 0.5 * criterion):
            factor = 1.0 if whole is criterion else 1.5
            for run in (values_and_gradients, _run_elsewhere):
                merged_value, merged = run(whole.rounds(), chunks)
                assert merged_value == pytest.approx(factor * value, rel=1e-10)
                _close(np.concatenate(merged), factor * gradient, 1e-10)


def _run_elsewhere(rounds, chunks):
    """As a cluster may: steps are pickled, some are repeated, and summaries added in another order."""
    firsts = np.cumsum([0, *(len(rows.scores) for rows in chunks)])
    chunks = [replace(rows, first=int(first)) for rows, first in zip(chunks, firsts, strict=False) if len(rows.scores)]
    kept, total = [None] * len(chunks), None
    while True:
        try:
            step = cloudpickle.dumps(rounds.send(total))
        except StopIteration as end:
            gradient = cloudpickle.dumps(end.value.gradient)
            pickle.loads(gradient)(chunks[0], kept[0])
            gradients = [pickle.loads(gradient)(rows, own) for rows, own in zip(chunks, kept, strict=True)]
            return end.value.value, gradients
        pickle.loads(step)(chunks[-1], kept[-1])
        done = [pickle.loads(step)(rows, own) for rows, own in zip(chunks, kept, strict=True)]
        total, kept = reduce(add, [summary for summary, _ in reversed(done)]), [own for _, own in done]


def sums_and_multiples_of_it_are_criteria(criterion):
    s, y, w = _sample()
    value, gradient = criterion.value_and_gradient(s, y, w)
    combined_value, combined = (criterion + 0.5 * criterion).value_and_gradient(s, y, w)
    assert combined_value == pytest.approx(1.5 * value)
    _close(combined, 1.5 * gradient, 1e-12)


def what_it_declares_of_scale_and_intercept_holds(criterion):
    s, y, w = _sample()
    value, gradient = criterion.value_and_gradient(s, y, w)
    stretched, shifted = (criterion.value_and_gradient(moved, y, w)[0] for moved in (3 * s, s + 1.0))
    assert criterion.is_scale_free == (stretched == pytest.approx(value, rel=1e-9))
    assert criterion.knows_intercept == (shifted != pytest.approx(value, rel=1e-9))
    if not criterion.knows_intercept:
        assert abs(gradient.sum()) < 1e-9 * np.abs(gradient).sum()


def one_that_rises_with_scale_does_where_all_pairs_are_right(criterion):
    if not criterion.rises_with_scale:
        return
    _, y, w = _sample()
    right = ROWS / N_ROWS + y
    values = [criterion.value_and_gradient(scale * right, y, w)[0] for scale in (2.0, 4.0, 8.0)]
    assert values[0] < values[1] < values[2]


def its_curvature_is_minus_the_second_derivative_and_never_negative(criterion):
    s, y, w = _sample()
    features = np.random.default_rng(1).standard_normal((N_ROWS, 3))
    _, gradient = criterion.value_and_gradient(s, y, w)
    if not criterion.has_curvature:
        with pytest.raises(InputError, match="curvature"):
            criterion.curvature(gradient, features)
        return

    def slopes(theta):
        return features.T @ criterion.value_and_gradient(s + features @ theta, y, w)[1]

    matrix = criterion.curvature(gradient, features)
    numeric = [(slopes(-e) - slopes(e)) / 2e-5 for e in 1e-5 * np.eye(3)]
    _close(matrix, numeric, 1e-5)
    assert np.linalg.eigvalsh(matrix).min() >= -1e-12 * np.abs(matrix).max()


def its_row_curvature_is_a_size_for_every_row(criterion):
    rows = Sample(*_sample())
    sizes = criterion.gradient_and_row_curvature(rows)[1]
    assert sizes.shape == rows.scores.shape
    assert np.isfinite(sizes).all()
    assert sizes.min() >= 0
