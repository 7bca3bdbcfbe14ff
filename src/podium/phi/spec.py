"""From a short specification such as "power:3" or a budget to a φ, and from a φ to plain words."""

from __future__ import annotations

from collections.abc import Callable

from podium import _input
from podium._results.wording import percent, specification
from podium._words import spelled
from podium._words import words as table_of_words
from podium.exceptions import InputError, InputTypeError
from podium.phi.classical import Logistic, Logrank, Median, Mww, Phi, Power, Savage, VanDerWaerden
from podium.phi.top import Dcg, EarlyRecognition, SmoothTopShare, TopShare, for_budget

# name: (constructor, type of its numeric arguments, how many of them it takes at least and at most, an example)
_BY_NAME: dict[str, tuple[Callable[..., Phi], type, int, int, str]] = {
    "auc": (Mww, float, 0, 0, "auc"),
    "mww": (Mww, float, 0, 0, "mww"),
    "power": (Power, float, 1, 1, "power:3"),
    "top": (TopShare, float, 1, 1, "top:0.9"),
    "smooth-top": (SmoothTopShare, float, 1, 3, "smooth-top:0.9"),
    "dcg": (Dcg, int, 0, 1, "dcg:10"),
    "logistic": (Logistic, float, 0, 0, "logistic"),
    "logrank": (Logrank, float, 0, 0, "logrank"),
    "savage": (Savage, float, 0, 0, "savage"),
    "van-der-waerden": (VanDerWaerden, float, 0, 0, "van-der-waerden"),
    "median": (Median, float, 0, 0, "median"),
    "early-recognition": (EarlyRecognition, float, 1, 1, "early-recognition:20"),
}

UNDERSTOOD = tuple(example for *_, example in _BY_NAME.values())


def is_phi_name(name: str) -> bool:
    """Whether a specification with this word before its first colon means a φ."""
    return name in _BY_NAME


def resolve(spec: Phi | str) -> Phi:
    """A φ from an instance or a specification.

    Parameters
    ----------
    spec : Phi or str
        A φ, which is returned as it is, or a specification: a name and its numbers, separated by colons.

    Returns
    -------
    Phi
        The φ that is meant.

    Examples
    --------
    >>> from podium.phi import resolve
    >>> resolve("power:3")
    Power(q=3.0)
    >>> resolve("auc")
    Mww()
    """
    if isinstance(spec, Phi):
        return spec
    if not isinstance(spec, str):
        raise InputTypeError(
            f"φ must be a specification or an object of podium.phi; got {spec!r}.",
            "wrap a function of your own: podium.phi.Custom(function).",
        )
    name, *words = spec.strip().lower().split(":")
    choices = f"choose from {', '.join(UNDERSTOOD)}, or an object of podium.phi."
    word = table_of_words().get(spelled(spec)[0])
    if name not in _BY_NAME and word is not None:
        near_by = f"its nearest φ is {word.trains!r}; " if is_phi_name(word.trains.partition(":")[0]) else ""
        raise InputError(
            f"A φ is needed; {spec!r} is a measure of a list: {word.definition}.",
            f"{near_by}interval, compare, metrics.metric and scorers take it by name.",
        )
    if name not in _BY_NAME:
        near = _input.nearest(name, _BY_NAME)
        hint = choices if near is None else f"{choices.removesuffix('.')}; did you mean {_BY_NAME[near][-1]}?"
        raise InputError(f"φ must be a known specification; got {spec!r}.", hint)
    constructor, kind, least, most, example = _BY_NAME[name]
    try:
        arguments = [kind(word) for word in words]
    except ValueError:
        arguments = None
    if arguments is None or not least <= len(arguments) <= most:
        raise InputError(f"{spec!r} is not of the form {example!r}.", choices)
    return constructor(*arguments)


def phi_in_words(phi: Phi) -> str:
    """What a φ emphasizes."""
    match phi:
        case Mww():
            return "AUC: every pair of a positive and a negative counts the same"
        case Power():
            return f"Towards the top: a rank counts as its power {phi.q:g}"
        case TopShare():
            return f"Only the top {percent(1 - phi.u0)} of the list counts"
        case SmoothTopShare():
            return f"The top {percent(1 - phi.u0)} of the list counts, with a soft edge"
        case EarlyRecognition():
            return f"Early recognition: weight falls by e every {percent(1 / phi.alpha)} of the list"
        case Dcg():
            return "Discounted cumulative gain" + (f" of the first {phi.k:,}" if phi.k else "")
    return "φ as chosen"


def standing_in_words(phi: Phi) -> str:
    """What the mean of a φ over the ranks of new positives among other negatives is called, from 0 to 1 at the top.

    >>> standing_in_words(Mww()), standing_in_words(SmoothTopShare(0.9833)), standing_in_words(Power(3))
    ('standing of positives', 'standing of positives (top 1.7 % counts)', 'standing of positives (power 3)')
    """
    match phi:
        case _ if phi.is_affine:
            return "standing of positives"
        case Power():
            stress = f"power {phi.q:g}"
        case TopShare() | SmoothTopShare():
            stress = f"top {percent(1 - phi.u0)} counts"
        case EarlyRecognition():
            stress = f"top {percent(1 / phi.alpha)} counts most"
        case Median():
            stress = "upper half counts"
        case _:
            stress = specification(str(phi))
    return f"standing of positives ({stress})"


def emphasis(
    phi: Phi | str | None, budget: int | None, population: int | None, fraction: float | None, n_rows: int
) -> tuple[Phi, int | None]:
    """The φ of a specification, a budget of K out of N, or a share of the list; and the budget in rows, if any."""
    if sum(option is not None for option in (phi, budget, fraction)) > 1:
        raise InputError(
            "Which part of the list matters is said once; got several of phi, budget and fraction.", "choose one."
        )
    if population is not None and budget is None:
        raise InputError("population says out of how many rows a budget is; got no budget.")
    if fraction is not None:
        fraction = _input.check_number("fraction", fraction, 0, 1, open_low=True)
        budget = max(1, round(fraction * n_rows))
    if budget is not None:
        is_none = isinstance(budget, (int, float)) and budget < 1
        hint = "a budget is how many rows of the list you can inspect, at least one; without one all of it counts."
        longest = "the budget cannot exceed the length of the list."
        _input.check_integer("budget", budget, 1, population or n_rows, hint if is_none else longest)
        return for_budget(budget, population or n_rows), budget
    return resolve("auc" if phi is None else phi), None
