"""Everything that keeps a contract, found by itself: what a package exports is tested without being named here."""

from __future__ import annotations

from podium import phi as phi_
from podium.phi import Custom, Dcg, Phi, Power, SmoothTopShare, for_budget


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
