"""A model as one SELECT statement."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from podium import __version__, _input
from podium._results.escaping import sql_comment, sql_name, sql_text
from podium.exceptions import InputError
from podium.workflow.exports.cells import LARGEST
from podium.workflow.exports.expressions import Expression, expanded, in_order, n_leaves
from podium.workflow.exports.scores import scored

# Seconds since 1970, the one thing that databases agree on least.
_SECONDS = {
    "ansi": "FLOOR(EXTRACT(EPOCH FROM CAST({} AS TIMESTAMP)))",
    "sqlite": "STRFTIME('%s', {})",
}
_DOUBLE = "CAST({} AS DOUBLE PRECISION)"  # PostgreSQL takes constants for decimal numbers
_DEEPEST = 150  # operations within each other: databases stop at a thousand brackets
_MOST_LEAVES = 50_000  # of all trees: beyond, no database takes the text


def export_sql(model: Any, *, table: str = "new_rows", dialect: str = "ansi") -> str:
    """One SELECT statement that scores the rows of a table in a database, as the model would.

    Every ranker but stacks and networks can be written so: that of `fit`, of numbers, categories and dates; one fitted
    in Python; and one at the end of a scikit-learn pipeline of scalers, encoders, imputers and selections of columns.
    Free text cannot. Scores agree within 10⁻¹² (dates apart: 10⁻⁹, as cosines of databases differ). The columns of the
    table must have the types of their values: numbers (currency signs and decimal commas are for the import to read),
    truth values, text, and dates or times in UTC. What the model would refuse, such as a missing value for a line,
    gets no score.

    Parameters
    ----------
    model : TableModel, fitted ranker, Pipeline or path
        The model of a `FitResult`; a ranker, or a pipeline that ends in one, whose columns have the names of the data
        frame it was fitted to, or else are called x0, x1, …; or a file of these.
    table : str
        The name of the database's table, with its schema before a dot where it has one.
    dialect : {"ansi", "sqlite"}
        SQLite has functions of its own for dates. Else the statement is standard SQL with LN, FLOOR, SIN and COS, and
        EXTRACT(EPOCH …) for dates, as PostgreSQL (from version 12) and DuckDB know them. The word MATERIALIZED, without
        which these compute an expression wherever it is used, can be left out for databases that do not know it.

    Returns
    -------
    str
        The statement. Its result has the column that identifies rows, where the model knows one, and otherwise the
        columns that it reads; and ``score``.
    """
    _input.check_choice("dialect", dialect, tuple(_SECONDS))
    found = scored(model)
    kept = list(found.kinds) if found.id_column is None else [found.id_column]
    statement = _Statement(found.score, dialect, [*found.kinds, *kept])
    about = sql_comment(f"Scores for {found.positive}: larger is more likely.")
    return f"{about} Made by podium {__version__}.\n{statement.text(table, kept)}"


class _Statement:
    """Steps that each add columns for what later ones use more than once, and what the last one computes."""

    def __init__(self, score: Expression, dialect: str, columns: Sequence[str]) -> None:
        self._dialect = dialect
        self._prefix = "podium_"
        while any(name.casefold().startswith(self._prefix) for name in columns):
            self._prefix += "x"
        self.steps: list[list[str]] = [[]]
        self._texts: dict[int, str] = {}
        self._after: dict[int, int] = {}  # the step after which an expression can be computed
        self._depth: dict[int, int] = {}  # of what is written within each other
        self._cases: dict[int, str] = {}  # of a chain, without its beginning
        order = list(in_order(_plain(score, dialect)))
        uses = Counter(id(part) for one in order for part in one.parts)
        for number, one in enumerate(order):
            self._write(one, f"{self._prefix}{number}", uses[id(one)])
        self.score = self._texts[id(order[-1])]

    def text(self, table: str, kept: Sequence[str]) -> str:
        """The statement for a table, some of whose columns are kept beside the score."""
        names = [f"{self._prefix}rows", *(f"{self._prefix}step_{j}" for j in range(len(self.steps)))]
        columns = [f"{names[0]}.{sql_name(one)}" for one in kept]
        sources = [f"{'.'.join(map(sql_name, table.split('.')))} AS {names[0]}", *names[1:]]
        steps = []
        for j, step in enumerate(self.steps):
            shown = ",\n    ".join([*(columns if j == 0 else [f"{names[j]}.*"]), *step])
            steps.append(f"{names[j + 1]} AS MATERIALIZED (\n  SELECT {shown}\n  FROM {sources[j]}\n)")
        score = _DOUBLE.format(self.score)
        last = ",\n  ".join([*map(sql_name, kept), f"{score} AS {'score' if 'score' not in kept else 'score_'}"])
        return f"WITH {', '.join(steps)}\nSELECT {last}\nFROM {sources[-1]}"

    def _write(self, one: Expression, name: str, n_uses: int) -> None:
        self._after[id(one)] = step = max((self._after[id(part)] for part in one.parts), default=0)
        text = self._text(one, [self._texts[id(part)] for part in one.parts])
        is_leaf = one.operator in ("column", "lookup")
        self._depth[id(one)] = depth = 1 + max((self._depth[id(part)] for part in one.parts), default=0)
        is_wanted = n_uses > 1 or depth > _DEEPEST
        if is_leaf or (is_wanted and one.operator not in ("constant", "missing", "<=", ">", "and", "or")):
            self.steps += [[]] * (step == len(self.steps))
            self.steps[step] = [*self.steps[step], f"{text} AS {name}"]
            self._after[id(one)], self._depth[id(one)] = step + 1, 0
            self._cases.pop(id(one), None)
            text = name
        self._texts[id(one)] = text

    def _text(self, one: Expression, parts: list[str]) -> str:
        match one.operator:
            case "constant":
                return _number(one.value)
            case "column":
                return self._column(*one.value)
            case "lookup":
                return _DOUBLE.format(self._lookup(*one.value))
            case "missing":
                return f"{parts[0]} IS NULL"
            case "where":
                rest = self._cases.get(id(one.parts[2]), f"ELSE {parts[2]} END")
                self._cases[id(one)] = f"WHEN {parts[0]} THEN {parts[1]} {rest}"
                return f"CASE {self._cases[id(one)]}"
            case "sum":
                return _total(parts)
            case "median":
                return _median(parts)
            case "single":
                return _DOUBLE.format(f"CAST({parts[0]} AS REAL)")
            case "floor" | "ln" | "cos" | "sin" as function:
                return f"{function.upper()}({parts[0]})"
        return f"({parts[0]} {one.operator.upper()} {parts[1]})"

    def _source(self, name: str) -> str:
        return f"{self._prefix}rows.{sql_name(name)}"  # a name alone would be a text in SQLite, if there is no column

    def _column(self, name: str, kind: str) -> str:
        own = self._source(name)
        if kind == "truth":
            return _DOUBLE.format(f"CASE WHEN {own} THEN 1 WHEN NOT {own} THEN 0 END")
        own = _DOUBLE.format(_SECONDS[self._dialect].format(own) if kind == "date" else own)
        # Databases order NaN above infinity, or have none.
        return f"CASE WHEN ABS({own}) <= {_number(LARGEST)} THEN {own} END"

    def _lookup(self, name: str, categories: Sequence[str], numbers: Any, absent: float) -> str:
        *known, other = map(_number, numbers)
        own = f"CAST({self._source(name)} AS VARCHAR)"
        cases = [f"WHEN {sql_text(c)} THEN {v}" for c, v in zip(categories, known, strict=True) if v != other]
        found = f"CASE {own} {' '.join(cases)} ELSE {other} END" if cases else other
        is_other = _number(absent) == other
        return found if is_other else f"CASE WHEN {own} IS NULL THEN {_number(absent)} ELSE {found} END"


def _plain(score: Expression, dialect: str) -> Expression:
    """Without forests and interpolations, and in SQLite, whose numbers are all double, without single precision."""
    leaves = sum(sum(map(n_leaves, one.value)) for one in in_order(score) if one.operator == "forest")
    if leaves > _MOST_LEAVES:
        raise InputError(f"SQL of more than {_MOST_LEAVES:,} leaves is read by no database; the trees have {leaves:,}.")
    compound = {"forest", "interpolate", *(["single"] if dialect == "sqlite" else [])}
    plain: dict[int, Expression] = {}
    for one in in_order(score):
        same = Expression(one.operator, tuple(plain[id(part)] for part in one.parts), one.value)
        plain[id(one)] = expanded(same) if one.operator in compound else same
    return plain[id(score)]


def _median(terms: Sequence[str]) -> str:
    """The one in the middle, or the mean of the two there."""
    rows = " UNION ALL ".join(f"SELECT {term} AS podium_x" for term in terms)
    numbered = f"SELECT podium_x, ROW_NUMBER() OVER (ORDER BY podium_x) AS podium_n FROM ({rows}) AS podium_t"
    middle = f"{(len(terms) + 1) // 2} AND {len(terms) // 2 + 1}"
    return f"(SELECT AVG(podium_x) FROM ({numbered}) AS podium_u WHERE podium_n BETWEEN {middle})"


def _number(value: float) -> str:
    """A constant to the last digit; the exponent makes it a floating point number, not a decimal one."""
    if math.isnan(value):
        return "NULL"
    digits = repr(float(value))
    return digits if "e" in digits else f"{digits}e0"


def _total(terms: Sequence[str]) -> str:
    """A sum, in brackets by halves: databases limit how deep an expression is nested.

    >>> _total(["a", "b", "c"])
    '(a + (b + c))'
    """
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return f"({_total(terms[:half])} + {_total(terms[half:])})"
