"""From a short specification such as "power:3" to a φ."""

from __future__ import annotations

from collections.abc import Callable

from podium import _input
from podium.exceptions import InputError, InputTypeError
from podium.phi.base import Phi
from podium.phi.classical import Logistic, Logrank, Median, Mww, Savage, VanDerWaerden
from podium.phi.dcg import Dcg
from podium.phi.top import EarlyRecognition, Power, SmoothTopShare, TopShare

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
