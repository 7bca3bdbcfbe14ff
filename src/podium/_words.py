"""The words of the fields: one table of measures, for the documentation and for every door that takes a name."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PAGE = "the page 'Your word → ours' of the documentation lists all names."


@dataclass(frozen=True)
class Word:
    """One row of the table ``words.csv``."""

    name: str
    form: str  # as it is written, with numbers
    also: tuple[str, ...]
    shown: str
    field: str
    definition: str
    source: str
    trains: str  # the criterion to train with; empty if there is none
    beware: str


@cache
def words() -> dict[str, Word]:
    """The table by name."""
    with Path(__file__).with_name("words.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="|", quoting=csv.QUOTE_NONE))[1:]
    return {name: Word(name, form, tuple(also.split(", ")) if also else (), *rest) for name, form, also, *rest in rows}


@cache
def _names() -> dict[str, str]:
    names = {other: word.name for word in words().values() for other in (*word.also, word.name)}
    return {name.replace("_", "-"): meant for name, meant in names.items()}


def spelled(spec: str) -> tuple[str, list[str]]:
    """Name and numbers of a specification; a word of the table by its own name.

    >>> spelled("Precision@100"), spelled("EF:1%"), spelled("power:3")
    (('precision-at', ['100']), ('enrichment', ['1%']), ('power', ['3']))
    """
    name, *numbers = spec.strip().lower().replace("@", ":").split(":")
    plain = name.strip().replace("_", "-")
    return _names().get(plain, plain), [number.strip() for number in numbers]


def shown(spec: str) -> str | None:
    """A measure as people write it; None for what the table does not have.

    >>> shown("gini"), shown("recall-at:1000"), shown("lift-at:0.1"), shown("bedroc:20"), shown("power:3")
    ('Gini', 'recall at 1,000', 'lift at 10 %', 'BEDROC (α = 20)', None)
    """
    negated = spec.startswith("neg-")
    name, numbers = spelled(spec.removeprefix("neg-"))
    if name not in words():
        return None
    text = words()[name].shown
    for number in numbers:
        cut = f"{100 * float(number):.4g} %" if "." in number else f"{int(float(number)):,}"
        text = text.replace("{cut}", cut, 1) if "{cut}" in text else text.replace("{}", f"{float(number):.4g}", 1)
    return f"less {text}" if negated else text
