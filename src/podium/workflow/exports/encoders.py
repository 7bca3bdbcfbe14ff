"""What the encoders of a table make of its columns, as expressions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.columns.date import CYCLES, DAY, PLACES, WEEKEND, DateColumn, GapColumn
from podium.columns.number import STRAIGHT, NumberColumn
from podium.columns.text import TextColumn
from podium.exceptions import InputError
from podium.workflow.exports.expressions import Expression, cos, floor, ln, lookup, missing, sin, where


def numbers_of(encoders: Sequence[Any], sources: Mapping[str, Expression]) -> list[Expression]:
    """In the order of their outputs, from columns of numbers and of dates by name; text is looked up by its own."""
    return [each for one in encoders for each in _numbers(one, sources)]


def _numbers(one: Any, sources: Mapping[str, Expression]) -> Iterator[Expression]:
    if isinstance(one, NumberColumn):
        yield from _number(one, sources[one.name])
    elif isinstance(one, TextColumn):
        yield from (lookup(one.name, one.categories, values) for values in one.values.T)
    elif isinstance(one, GapColumn):
        yield from _number(one.days, (sources[one.end] - sources[one.start]) / DAY)
    elif isinstance(one, DateColumn):
        yield from _date(one, sources[one.name])
    else:
        raise InputError(
            f"Words cannot be exported: {one.name!r} is free text, which the model reads word by word.",
            f"fit without it (exclude {one.name}).",
        )


def _number(one: NumberColumn, x: Expression) -> Iterator[Expression]:
    """In robust standard deviations, logarithmic beyond three of them; the median where it is missing, and a mark."""
    z = (where(missing(x), one.centre, x) - one.centre) / one.scale
    low = (ln((z * -1.0 - STRAIGHT) + 1.0) + STRAIGHT) * -1.0
    tamed = where(z > STRAIGHT, ln((z - STRAIGHT) + 1.0) + STRAIGHT, where(z <= -STRAIGHT, low, z))
    yield _rounded(tamed, one.step) if one.step else tamed
    if one.marks_missing:
        yield where(missing(x), 1.0, 0.0)


def _date(one: DateColumn, seconds: Expression) -> Iterator[Expression]:
    if one.cycles and not one.level.step:
        raise InputError(
            f"An export needs dates that are the same numbers everywhere; those of {one.name!r} were encoded by an "
            "earlier version, and differ between systems.",
            "fit the model again.",
        )
    yield from _number(one.level, seconds)
    for cycle in one.cycles:
        place = seconds - floor(seconds / CYCLES[cycle]) * CYCLES[cycle]
        angle = place * (2 * math.pi) / CYCLES[cycle]
        yield from (where(missing(seconds), 0.0, _rounded(wave(angle), PLACES)) for wave in (cos, sin))
        if cycle == "week":
            yield where((place > WEEKEND[0] - 1) & (place <= WEEKEND[1] - 1), 1.0, 0.0)


def _rounded(x: Expression, step: float) -> Expression:
    """To a multiple of a step; steps are powers of two, so that only one operation rounds."""
    return floor(x * (1 / step) + 0.5) * step
