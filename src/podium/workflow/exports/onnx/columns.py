"""What is made of the columns of a table, as operators of a graph: one result for each column of the matrix."""

from __future__ import annotations

import math
from typing import Any

from podium.tables.columns.date import CYCLES, DAY, WEEKEND, DateColumn, GapColumn
from podium.tables.columns.number import STRAIGHT, NumberColumn
from podium.tables.columns.text import TextColumn
from podium.workflow.exports.forms import no_words
from podium.workflow.exports.onnx.graph import Graph


def outputs_of(graph: Graph, column: Any) -> list[str]:
    """In the order of the column's own outputs; blocks of several columns are one result."""
    if isinstance(column, NumberColumn):
        return _number(graph, column, _finite(graph, column.name))
    if isinstance(column, TextColumn):
        return [_text(graph, column)]
    if isinstance(column, DateColumn):
        return _date(graph, column)
    if isinstance(column, GapColumn):
        gap = graph.op("Sub", _seconds(graph, column.end), _seconds(graph, column.start))
        return _number(graph, column.days, graph.op("Div", gap, DAY))
    raise no_words("ONNX", column.name)


def _finite(graph: Graph, value: str) -> str:
    """Infinite numbers count as missing."""
    return graph.op("Where", graph.op("IsInf", value), math.nan, value)


def _seconds(graph: Graph, column: str) -> str:
    return graph.op("Floor", _finite(graph, column))


def _number(graph: Graph, column: NumberColumn, value: str) -> list[str]:
    """In robust standard deviations, logarithmic beyond three of them; the median where it is missing, and a mark."""
    missing = graph.op("IsNaN", value)
    known = graph.op("Where", missing, column.centre, value)
    z = graph.op("Div", graph.op("Sub", known, column.centre), column.scale)
    beyond = graph.op("Max", graph.op("Sub", graph.op("Abs", z), STRAIGHT), 0.0)
    drawn_in = graph.op("Mul", graph.op("Sign", z), graph.op("Log", graph.op("Add", beyond, 1.0)))
    tamed = graph.op("Add", graph.op("Clip", z, -STRAIGHT, STRAIGHT), drawn_in)
    return [tamed, _mark(graph, missing)] if column.marks_missing else [tamed]


def _text(graph: Graph, column: TextColumn) -> str:
    """The row of values that belongs to the text; the last one for all others."""
    codes = list(range(len(column.categories)))
    code = graph.ml_op(
        "LabelEncoder", column.name, keys_strings=column.categories, values_int64s=codes, default_int64=len(codes)
    )
    return graph.op("Gather", column.values, graph.op("Squeeze", code, [1]), axis=0)


def _date(graph: Graph, column: DateColumn) -> list[str]:
    seconds = _seconds(graph, column.name)
    missing = graph.op("IsNaN", seconds)
    results = _number(graph, column.level, seconds)
    for cycle in column.cycles:
        angle = graph.op("Div", graph.op("Mul", seconds, 2 * math.pi), CYCLES[cycle])
        results += [graph.op("Where", missing, 0.0, graph.op(function, angle)) for function in ("Cos", "Sin")]
        if cycle == "week":
            day = graph.op("Add", graph.op("Floor", graph.op("Div", seconds, DAY)), 3.0)
            weeks = graph.op("Floor", graph.op("Div", day, 7.0))
            weekday = graph.op("Sub", day, graph.op("Mul", weeks, 7.0))
            results.append(_mark(graph, graph.op("GreaterOrEqual", weekday, float(WEEKEND))))
    return results


def _mark(graph: Graph, condition: str) -> str:
    return graph.op("Where", condition, 1.0, 0.0)
