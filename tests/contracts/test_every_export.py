"""Every contract for everything exported."""

import pytest

from contracts import KINDS, contracts_of

CASES = [
    pytest.param(contract, case.make, id=f"{kind.__name__.split('.')[-1]}-{case.name}-{contract.__name__}")
    for kind in KINDS
    for case in kind.cases()
    for contract in contracts_of(kind)
]


@pytest.mark.parametrize(("contract", "make"), CASES)
def test_it_keeps_its_contract(contract, make):
    contract(make())
