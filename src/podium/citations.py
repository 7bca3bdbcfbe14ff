"""Which papers an object rests on: those that its docstring names, as BibTeX."""

from __future__ import annotations

import inspect
import re
from functools import cache
from importlib.resources import files
from typing import Any

from podium import __version__, criteria

# Between the first author and the year of "DeLong, DeLong and Clarke-Pearson (1988)" stand names or a title, no year.
_UP_TO_THE_YEAR = r"\b(?:(?!\b(?:19|20)\d\d\b)[^;]){0,200}?\b"


def cite(obj: Any = None) -> str:
    """BibTeX of Podium and of the papers that an object rests on, as far as its docstring names them.

    Parameters
    ----------
    obj : object, optional
        A function, a class or an instance of Podium: a ranker brings the papers of its criterion, too, and a result
        those of its theorem and its method. Without it, Podium alone.

    Returns
    -------
    str
        BibTeX entries, Podium's own first.

    Examples
    --------
    >>> import podium
    >>> [line for line in podium.cite(podium.BoostedRanker("push:4")).splitlines() if line.startswith("@")]
    ['@software{podium,', '@article{R09,']
    """
    said = "\n".join(_words(obj)) if obj is not None else ""
    named = [entry for key, (mark, entry) in _bibliography().items() if key != "podium" and re.search(mark, said)]
    own = _bibliography()["podium"][1].replace("VERSION", __version__)
    return "\n\n".join([own, *named]) + "\n"


def _words(obj: Any) -> list[str]:
    """What is said of an object and of what it is made of."""
    kind = obj if inspect.isclass(obj) or inspect.isroutine(obj) or inspect.ismodule(obj) else type(obj)
    said = [each.__doc__ or "" for each in (inspect.getmro(kind) if inspect.isclass(kind) else (kind,))]
    if kind is obj:
        return said
    said += [value for name in ("theorem", "method") if isinstance(value := getattr(obj, name, None), str)]
    criterion = getattr(obj, "criterion", None)
    if criterion is not None:
        criterion = criteria.resolve(criterion)
        said += _words(criterion) + _words(getattr(criterion, "phi", None) or criterion)
    return said


@cache
def _bibliography() -> dict[str, tuple[str, str]]:
    """By key: how docstrings name the paper (its key, or first author and year), and the entry."""
    text = files("podium").joinpath("references.bib").read_text(encoding="utf-8")
    entries = {}
    for entry in text.strip().split("\n\n"):
        key = entry[entry.index("{") + 1 : entry.index(",")]
        author, year = (re.search(rf"{field} = {{+([^,}}]+)", entry) for field in ("author", "year"))
        assert author is not None
        assert year is not None
        name = rf"\b{key}\b" if key.isupper() else rf"\b{author[1]}{_UP_TO_THE_YEAR}{year[1]}\b"
        entries[key] = name, entry
    return entries


__all__ = ["cite"]
