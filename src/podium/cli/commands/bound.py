"""``podium bound``: every bound of podium.bounds by its name."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Annotated, Any

import typer

from podium import bounds
from podium.cli import options
from podium.cli.render import say, show_json
from podium.exceptions import InputError

HELP = """Example: podium bound auc_deviation n_pos=150 n_neg=150 confidence_level=0.95
"""
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(bounds, name) for name in bounds.__all__ if inspect.isfunction(getattr(bounds, name))
}


def complete(incomplete: str) -> list[str]:
    """Names with this prefix, for shell completion."""
    return [name for name in FUNCTIONS if name.startswith(incomplete)]


def run(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The name of the bound.", autocompletion=complete)
    ] = None,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="ARGUMENTS", help="Its arguments, as name=value.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Parse, evaluate, print."""
    if name is None:
        _list(as_json)
        return
    options.one_of("The bound", name, tuple(FUNCTIONS))
    given = dict(_argument(text) for text in arguments or ())
    functions = [p for p, kind in FUNCTIONS[name].__annotations__.items() if "Callable" in kind or kind == "Deviation"]
    if functions:
        raise InputError(
            f"{name} needs a function, {functions[0]}, which cannot be passed on the command line.",
            f"call podium.bounds.{name} from Python.",
        )
    try:
        inspect.signature(FUNCTIONS[name]).bind(**given)
    except TypeError as error:
        usage = " ".join(f"{p}=…" for p in inspect.signature(FUNCTIONS[name]).parameters)
        raise InputError(f"{name} cannot be evaluated: {error}.", f"podium bound {name} {usage}") from None
    value = FUNCTIONS[name](**given)
    show_json({"bound": name, "arguments": given, "value": value}) if as_json else say(str(value))


def _list(as_json: bool) -> None:
    """Each bound with its arguments and summary on lines of their own: names can be copied, none is folded."""
    described = {f"{known} {' '.join(inspect.signature(f).parameters)}": _summary(f) for known, f in FUNCTIONS.items()}
    if as_json:
        show_json(described)
        return
    for call, summary in described.items():
        known, _, arguments = call.partition(" ")
        say(known)
        say(*textwrap.wrap(f"arguments: {arguments}", 78, initial_indent="    ", subsequent_indent="        "))
        say(*textwrap.wrap(summary, 78, initial_indent="    ", subsequent_indent="    "))


def _summary(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]


def _argument(text: str) -> tuple[str, Any]:
    name, equals, word = text.partition("=")
    if not equals:
        raise InputError(f"Pass arguments of a bound as name=value; got {text!r}.", "for instance n_pos=150.")
    for kind in (int, float):
        try:
            return name, kind(word)
        except ValueError:
            continue
    return name, {"true": True, "false": False, "none": None}.get(word.lower(), word)
