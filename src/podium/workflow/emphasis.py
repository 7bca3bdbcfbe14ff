"""Which part of the list matters: said by a φ, a budget, or a share of the list."""

from __future__ import annotations

from podium import _input
from podium.exceptions import InputError
from podium.phi import Phi, for_budget, resolve


def emphasis(
    phi: Phi | str | None, budget: int | None, population: int | None, fraction: float | None, n_rows: int
) -> tuple[Phi, int | None]:
    """The φ of a specification, a budget of K out of N, or a share of the list; and the budget in rows, if any."""
    if sum(option is not None for option in (phi, budget, fraction)) > 1:
        raise InputError("Which part of the list matters is said once; got several of phi, budget and fraction.")
    if population is not None and budget is None:
        raise InputError("population says out of how many rows a budget is; got no budget.")
    if fraction is not None:
        fraction = _input.check_number("fraction", fraction, 0, 1, open_low=True)
        budget = max(1, round(fraction * n_rows))
    if budget is not None:
        _input.check_integer(
            "budget", budget, 1, population or n_rows, "the budget cannot exceed the length of the list."
        )
        return for_budget(budget, population or n_rows), budget
    return resolve("auc" if phi is None else phi), None


def emphasized(budget: int | None, fraction: float | None) -> dict[str, float]:
    """What a model file keeps of it, so that lists are about as many rows as was said: `TableModel.budget_of`."""
    if fraction is not None:
        return {"fraction": float(fraction)}
    return {} if budget is None else {"budget": int(budget)}
