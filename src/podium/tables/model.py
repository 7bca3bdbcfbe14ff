"""A trained model with all it needs to score a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from podium._results.doubts import KINDS, OPTIONS, Doubt, removed
from podium._results.wording import quoted
from podium._threads import one_thread
from podium._types import Array, BoolArray, FloatArray
from podium.columns.encode import Encoder
from podium.metrics.scorers import estimator_scores
from podium.rankers.calibration.curves import Calibration
from podium.rankers.fingerprints import Fingerprints
from podium.tables.files.read import to_table
from podium.tables.formats.date import DateFormat
from podium.tables.formats.number import NumberFormat
from podium.tables.formats.recognize import Format
from podium.tables.formats.text import TextFormat
from podium.tables.formats.words import ISO
from podium.tables.profile import ColumnProfile
from podium.tables.rows import as_frame, encoded, is_rows

_LONGEST = 40  # characters of words that fit into a headline
_UNRESOLVED = Doubt("stated", "The evaluation of the model had warnings: until they are resolved, nothing is promised.")
_BLOCK = 20_000  # rows encoded and scored at a time, so that little memory is needed beside the table


@dataclass
class TableModel:
    """The model of a table: encoder and ranker, what they were trained for, and on what.

    ``calibration``: labels and scores of the rows held out, in the order of the scores, and how much each counts;
    neither values nor names. They are those of the ranker ``judged``, where ``ranker`` was then fitted to all rows:
    see `as_judged`.
    ``expected``: labels and scores of rows on the scale of ``ranker`` where that was fitted to all rows, each score by
    a model that did not see the row: what hits and chances to expect of lists that ``ranker`` makes.
    ``formats``: how columns were written, by name; ``profile``: what they were like in the training rows.
    ``fingerprints``: by which rows of the training are recognized; ``typical``: made-up rows that stand for them.

    Attributes
    ----------
    encoder : Encoder
        Turns rows of a table into numbers.
    ranker : Ranker
        Turns these into scores.
    phi : str
        The specification of the φ that it was chosen by.
    label, positive : str
        The column of the label, and the value that means positive.
    id_column : str or None
        The column that names rows.
    facts : dict
        What was asked for, versions and seed.
    formats : dict
        How the columns were written, by name.
    profile : dict
        What every column looked like in training, to compare new lists with.
    calibration : tuple of arrays or None
        Labels and scores of rows held out, in the order of the scores.
    calibration_weight : array or None
        The weights of these rows; None where each counts once.
    calibration_list : array or None
        The list of each of these rows, where every period has a list of its own; else None.
    expected : tuple of arrays or None
        Labels and scores on the scale of ``ranker``, in the order of the scores, where it was fitted to all rows.
    judged : Ranker or None
        The ranker as it was judged, where ``ranker`` was then fitted to all rows.
    fingerprints : Fingerprints or None
        The first bits of a hash of training rows.
    typical : array or None
        A few made-up rows, encoded, that stand for those of the training: reasons are differences from them.
    """

    encoder: Encoder
    ranker: Any
    phi: str
    label: str
    positive: str
    id_column: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    formats: dict[str, Format] = field(default_factory=dict)
    profile: dict[str, ColumnProfile] = field(default_factory=dict)
    calibration: tuple[BoolArray, FloatArray] | None = None
    calibration_weight: FloatArray | None = None
    judged: Any = None
    fingerprints: Fingerprints | None = None
    typical: FloatArray | None = None
    calibration_list: Array | None = None
    expected: tuple[BoolArray, FloatArray] | None = None

    @property
    def outcome(self) -> str | None:
        """What a hit is, in the words of the label; None if the positive value is a number, or the words are long."""
        words = f"{self.label} = {self.positive}"
        return words if any(map(str.isalpha, self.positive)) and len(words) <= _LONGEST else None

    @property
    def kinds(self) -> dict[str, str]:
        """Names of the columns needed, with what they hold."""
        return self.encoder.kinds

    @property
    def known(self) -> dict[str, Format]:
        """How the columns needed were written in training."""
        plain: dict[str, Format] = {
            "number": NumberFormat(),
            "date": DateFormat(ISO),
            "text": TextFormat(),
            "words": TextFormat(),
        }
        return {name: self.formats.get(name, plain[kind]) for name, kind in self.kinds.items()}

    def calibrate(
        self,
        is_positive: BoolArray,
        scores: FloatArray,
        weight: FloatArray | None = None,
        list_of: Array | None = None,
    ) -> None:
        """Keep labels, scores and weights of rows held out, by which later lists are judged.

        Parameters
        ----------
        is_positive : array of bool
            Labels of rows held out.
        scores : array
            The scores of these rows.
        weight : array or None
            Their weights; None where every row counts once.
        list_of : array of int or None
            The list of each, numbered from 0; None where all are in one list.
        """
        order = np.argsort(scores, kind="stable")
        self.calibration = is_positive[order], scores[order]
        self.calibration_weight = None if weight is None else weight[order]
        self.calibration_list = None if list_of is None else np.unique(list_of[order], return_inverse=True)[1]

    def expect(self, is_positive: BoolArray, scores: FloatArray) -> None:
        """Keep labels and scores of rows on the scale of the ranker that was fitted to them all, later.

        Parameters
        ----------
        is_positive : array of bool
            Labels of the rows.
        scores : array
            Scores by models that did not see them; weights are those of `calibrate`, in whose order these are then.
        """
        order = np.argsort(scores, kind="stable")
        self.expected = is_positive[order], scores[order]

    @property
    def outlook(self) -> tuple[BoolArray, FloatArray] | None:
        """Labels and scores that say what to expect of lists: of the ranker's own scale, else of the one judged."""
        return self.calibration if self.expected is None else self.expected

    @property
    def foretelling(self) -> TableModel:
        """The model whose scores ``outlook`` holds."""
        return self.as_judged() if self.expected is None else self

    def chances(self) -> Calibration | None:
        """From scores of `foretelling` to chances of a positive, by rows not seen; None where none are kept."""
        if self.outlook is None:
            return None
        is_positive, scores = self.outlook
        if is_positive.all() or not is_positive.any():
            return None
        return Calibration.fit(scores, is_positive, self.calibration_weight)

    def as_judged(self) -> TableModel:
        """The model whose scores ``calibration`` holds: what these guarantee, they guarantee for it alone."""
        return self if self.judged is None else replace(self, ranker=self.judged, judged=None, expected=None)

    def check(self, names: Sequence[str]) -> list[str]:
        """Refuse a table that lacks columns; sentences about harmless differences.

        Parameters
        ----------
        names : sequence of str
            The columns that the table has.

        Returns
        -------
        list of str
            Sentences about harmless differences; empty where there are none.
        """
        notes = self.encoder.check(names)
        named = (*self.kinds, self.label, self.id_column, *map(self.facts.get, ("time", "per")))
        others = [name for name in names if name not in named]
        return [*([f"Columns that the model does not use: {quoted(others)}."] if others else []), *notes]

    def dependence(self) -> list[str]:
        """A sentence where the rows held out were no independent draws, as promises from them suppose; else none."""
        meanings = {"time": "follow each other in", "group": "belong together by", "weight": "were drawn by"}
        ties = [f"{words} {self.facts[name]!r}" for name, words in meanings.items() if name in self.facts]
        if not ties:
            return []
        return [f"What is promised supposes independent rows, but these {' and '.join(ties)}: it may not hold."]

    def budget_of(self, n_rows: int) -> int | None:
        """How many rows of a list will be inspected, by the budget given when the model was fitted; None without one.

        Parameters
        ----------
        n_rows : int
            The length of the list.
        """
        if "fraction" in self.facts:
            return max(1, round(self.facts["fraction"] * n_rows))
        return min(self.facts["budget"], n_rows) if "budget" in self.facts else None

    def doubts(self) -> list[Doubt]:
        """Doubts that stood when the model was evaluated, as its page showed them; empty if there was none."""
        found = [
            Doubt(str(kind) if kind in KINDS else "stated", str(said)) for kind, said in self.facts.get("doubts", ())
        ]
        return found + ([_UNRESOLVED] if self.facts.get("warned", False) else [])

    @property
    def options(self) -> list[str]:
        """How held-out rows are tied together or weighted; lists by period differ by all that ties their rows."""
        return ["every"] if "every" in self.facts else [name for name in OPTIONS if name in self.facts]

    def holds(self, statement: str) -> bool:
        """Whether the held-out rows allow a statement about a new list.

        Parameters
        ----------
        statement : str
            One of `podium._results.doubts.STATEMENTS`.
        """
        return statement not in removed(self.doubts(), self.options)

    def rehearse(self) -> None:
        """Score a made-up table, which shows whether the parts of a model from a file fit together."""
        from podium.tables import rehearsal  # which is about this class

        rehearsal.rehearse(self)

    def recognizes(self, frame: pd.DataFrame) -> bool:
        """Whether rows of its training are among these.

        Parameters
        ----------
        frame : pandas.DataFrame
            The columns, as `to_table` reads them.

        Returns
        -------
        bool
            Whether any of the rows is one of those trained on.
        """
        X = self.encoder.encode(frame)
        known = self.fingerprints, getattr(self.ranker, "_training_fingerprints", None)
        return any(each is not None and each.recognize(X) for each in known)

    def scores(self, frame: pd.DataFrame) -> FloatArray:
        """The score of every row; larger is more positive.

        Parameters
        ----------
        frame : pandas.DataFrame
            The columns, as `to_table` reads them.

        Returns
        -------
        ndarray
            One score per row.
        """
        blocks = [frame.iloc[start : start + _BLOCK] for start in range(0, len(frame), _BLOCK)]
        return np.concatenate([np.zeros(0), *(self.scores_of(self.encoder.encode(block)) for block in blocks)])

    def score_rows(self, rows: Any) -> FloatArray:
        """The scores of a few rows, such as a service is asked for: those of `scores`, without its table.

        Parameters
        ----------
        rows : list of dict, or table
            A dict by the names of the columns for every row, such as JSON gives it: numbers, text, truth values, dates
            in ISO 8601, None where a value is missing. Keys that the model does not need are ignored; one that a row
            lacks is a missing value, unless all rows lack it. Values in other forms are read as `podium.workflow.score`
            reads them. Or a pandas, polars or Arrow table, or a file.

        Returns
        -------
        ndarray
            One score per row; larger is more positive.
        """
        if is_rows(rows):
            X = encoded(self.encoder.columns, self.known, rows)
            if X is not None:
                return self.scores_of(X)
            rows = as_frame(list(self.kinds), rows)
        return self.scores(to_table(rows, known=self.known).frame)

    def scores_of(self, X: FloatArray) -> FloatArray:
        """The same for rows that are encoded already; on one thread, as sums depend on their number to the last bit.

        Parameters
        ----------
        X : array
            Rows as the encoder gives them.
        """
        with one_thread():
            return estimator_scores(self.ranker, X)
