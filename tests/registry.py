"""Everything that keeps a contract, found by itself: what a package exports is tested without being named here."""

from __future__ import annotations

import re

import numpy as np

from podium import phi as phi_
from podium.criteria import (
    BottomPush,
    Criterion,
    CrucialPairs,
    CustomPrice,
    ExponentialPrice,
    IRPush,
    PNormPush,
    Push,
    SmoothPartialAuc,
)
from podium.phi import Custom, Dcg, Phi, Power, SmoothTopShare, for_budget


def title(thing: object) -> str:
    """Its name in a test, the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(thing))


def _exported(module, base):
    named = [getattr(module, name) for name in module.__all__]
    return [cls for cls in named if isinstance(cls, type) and issubclass(cls, base) and cls is not base]


def all_phi(n_total: int = 50) -> list[Phi]:
    """Every φ with its defaults, bound to a length, and some with other parameters."""
    defaults = [cls() for cls in _exported(phi_, Phi) if cls is not Custom]
    others = [
        Custom(lambda u: u**2, lambda u: 2 * u),
        Power(2.5),
        Power(8),
        SmoothTopShare(0.5, 30, 70),
        Dcg(10),
        for_budget(5, 100),
    ]
    return [phi.bind(n_total) for phi in [*defaults, *others]]


LOSSES = ("exponential", "logistic", "hinge", "squared_hinge")


def all_pushes() -> list[Criterion]:
    """Every push over all pairs, with each loss and several prices."""
    return [
        *(PNormPush(p, loss, tol=1e-10) for p in (1, 4, 64, np.inf) for loss in LOSSES),
        *(BottomPush(2, loss, tol=1e-10) for loss in LOSSES),
        IRPush(),
        Push(ExponentialPrice(), "hinge"),
        Push(CustomPrice(lambda r: r + r**2, lambda r: 1 + 2 * r), "logistic", tol=1e-10),
        SmoothPartialAuc(0.3, 0.5, tol=1e-10),
    ]


def all_crucial_pairs(n_rows: int) -> list[Criterion]:
    """Pushes over some pairs of so many rows."""
    rows = np.arange(n_rows)
    return [
        *(CrucialPairs(groups=rows % 3, p=2, loss=loss, tol=1e-10) for loss in LOSSES),
        *(CrucialPairs(relevance=rows // 8, p=2, loss=loss, tol=1e-10) for loss in LOSSES),
        *(CrucialPairs(pairs=np.column_stack([rows[:-3], rows[3:]]), p=2, loss=loss) for loss in LOSSES),
    ]
