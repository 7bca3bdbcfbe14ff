"""The loss inside compiled steps and functional transforms: the same derivatives, or a sentence."""

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from podium.exceptions import InputError  # noqa: E402
from podium.neural import CriterionLoss  # noqa: E402


def step(criterion="power:3"):
    """A network, its loss as a function of parameters, and the derivatives that plain autograd has."""
    torch.manual_seed(0)
    network, X = torch.nn.Linear(3, 1), torch.randn(40, 3)
    y, loss = X[:, 0] > 0.3, CriterionLoss(criterion)
    loss(network(X), y).backward()
    wanted = {name: value.grad.clone() for name, value in network.named_parameters()}
    network.zero_grad()
    return network, lambda own: loss(torch.func.functional_call(network, own, (X,)), y), wanted


@pytest.mark.parametrize("criterion", ["auc", "power:3", "push:4"])
def test_functional_gradients_are_those_of_autograd(criterion):
    network, value, wanted = step(criterion)
    parameters = {name: each.detach() for name, each in network.named_parameters()}
    found = torch.func.grad(value)(parameters)
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)


def test_a_compiled_step_breaks_its_graph_at_the_loss():
    network, value, wanted = step()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # torch's own, of torch.jit
        warnings.filterwarnings("ignore", "The .grad attribute of a Tensor that is not a leaf")  # its compiler looks
        compiled = torch.compile(value, backend="eager")
        compiled(dict(network.named_parameters())).backward()
    assert all(torch.allclose(each.grad, wanted[name]) for name, each in network.named_parameters())
    torch.compiler.reset()


def test_second_derivatives_are_refused_not_zero():
    y = torch.tensor(np.arange(20) % 3 == 0)
    loss, scores = CriterionLoss("auc"), torch.randn(20)
    with pytest.raises(InputError, match="first derivatives only"):
        torch.func.grad(lambda s: torch.func.grad(lambda u: loss(u, y))(s).square().sum())(scores)
    known = scores.requires_grad_()
    (gradient,) = torch.autograd.grad(loss(known, y), known, create_graph=True)
    with pytest.raises(InputError, match="first derivatives only"):
        gradient.square().sum().backward()
