"""The loss is minus the criterion, with its gradient, on any dtype, with memory, and over processes."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from contracts import criteria as contract  # noqa: E402
from podium.criteria import CrucialPairs  # noqa: E402
from podium.exceptions import InputError  # noqa: E402
from podium.neural import CriterionLoss  # noqa: E402
from podium.neural.loss import _Loss  # noqa: E402

CASES = [pytest.param(case.make, id=case.name) for case in contract.cases()]
SPECS = [
    "auc",
    "power:3",
    "smooth-top:0.9",
    "push:4",
    "push:4:logistic",
    "ir-push",
    "bottom:2",
    "partial-auc:0.3",
    "logloss",
]


def sample(n=30, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    y[:2] = True, False
    return rng.standard_normal(n) + y, y, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("make", CASES)
@pytest.mark.parametrize(("dtype", "tol"), [(torch.float64, 1e-12), (torch.float32, 1e-6)])
def test_value_and_gradient_are_those_of_the_criterion(make, dtype, tol):
    criterion = make()
    s, y, w = sample()
    scores = torch.tensor(s, dtype=dtype, requires_grad=True)
    weights = None if isinstance(criterion, CrucialPairs) else torch.tensor(w)
    value, gradient = criterion.value_and_gradient(
        scores.detach().double().numpy(), y, weights if weights is None else w
    )
    loss = CriterionLoss(criterion)(scores, torch.tensor(y), weights)
    loss.backward()
    assert loss.dtype == scores.grad.dtype == dtype
    assert -loss.item() == pytest.approx(value, rel=tol, abs=tol)
    np.testing.assert_allclose(-scores.grad.numpy(), gradient, rtol=tol, atol=tol * np.abs(gradient).max())


@pytest.mark.parametrize("spec", SPECS)
def test_gradcheck(spec):
    s, y, w = sample(12)
    loss, labels, weights = CriterionLoss(spec), torch.tensor(y), torch.tensor(w)
    scores = torch.tensor(s, requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: _Loss.apply(t, labels, weights, loss)[0], (scores,), eps=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_and_columns_and_other_labels(dtype):
    s, y, _ = sample()
    exact = torch.tensor(s, dtype=dtype)
    scores = exact.clone().reshape(-1, 1).requires_grad_()
    loss = CriterionLoss("auc")(scores, torch.tensor(np.where(y, 1, -1)))
    loss.backward()
    reference = exact.double().requires_grad_()
    CriterionLoss("auc")(reference, torch.tensor(y)).backward()
    assert loss.dtype == torch.float32
    assert scores.grad.dtype == dtype
    torch.testing.assert_close(scores.grad.reshape(-1).double(), reference.grad, rtol=0.01, atol=1e-6)


def test_under_autocast():
    s, y, _ = sample()
    layer, rows = torch.nn.Linear(2, 1), torch.tensor(np.column_stack([s, s**2]), dtype=torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = layer(rows)
        loss = CriterionLoss("power:3")(scores, torch.tensor(y))
    loss.backward()
    assert scores.dtype == torch.bfloat16
    assert loss.dtype == layer.weight.grad.dtype == torch.float32
    assert layer.weight.grad.abs().sum() > 0


def test_what_is_remembered_enters_as_constants():
    s, y, w = sample(40)
    loss = CriterionLoss("push:2", memory=25)
    first, second = torch.tensor(s[:20]), torch.tensor(s[20:], requires_grad=True)
    loss(first, torch.tensor(y[:20]), torch.tensor(w[:20]))
    value = loss(second, torch.tensor(y[20:]), torch.tensor(w[20:]))
    value.backward()
    order = [*range(20, 40), *range(20)]
    expected, gradient = loss.criterion.value_and_gradient(s[order], y[order], w[order])
    assert -value.item() == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(-second.grad.numpy(), gradient[:20], rtol=1e-12)
    assert len(loss._recent.scores) == 25
    np.testing.assert_array_equal(loss._recent.scores, s[order][:25])  # the latest ones stay
    loss.eval()
    loss(first, torch.tensor(y[:20]))
    np.testing.assert_array_equal(loss._recent.scores, s[order][:25])
    loss.forget()
    assert len(loss._recent.scores) == 0


def test_one_class_says_nothing_about_an_order():
    scores = torch.randn(5, requires_grad=True)
    loss = CriterionLoss("auc")(scores, torch.ones(5))
    loss.backward()
    assert loss.item() == 0
    assert not scores.grad.any()


def test_what_a_loss_refuses():
    with pytest.raises(InputError, match="got 3 scores, 2 labels and 3 weights"):
        CriterionLoss("auc")(torch.zeros(3), torch.ones(2), torch.ones(3))
    with pytest.raises(InputError):
        CriterionLoss("auc")(torch.tensor([1.0, np.nan]), torch.tensor([0, 1]))


def test_a_plain_loop_learns():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    X = torch.tensor(rng.standard_normal((400, 3)), dtype=torch.float32)
    y = (X[:, 0] * X[:, 1] > 0.3).float()
    network = torch.nn.Sequential(torch.nn.Linear(3, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    optimizer, loss = torch.optim.Adam(network.parameters(), 0.02), CriterionLoss("auc")
    values = []
    for _ in range(150):
        optimizer.zero_grad()
        value = loss(network(X), y)
        value.backward()
        optimizer.step()
        values.append(value.item())
    assert values[-1] < values[0] - 0.2
