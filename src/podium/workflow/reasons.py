"""Columns beside the scores of a ranked list: the probability of a positive, and reasons for each score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from podium import rankers
from podium._progress import report_progress
from podium._types import Array, FloatArray
from podium.exceptions import DegenerateSampleError
from podium.tables import Encoder, TableModel
from podium.tables.effects import short

CHANCES = ("probability", "probability_low", "probability_high")
REASON = "reason_"  # and its number: the strongest is 1


class Chances:
    """Probabilities of a positive, from the model whose scores they were calibrated on.

    That is the final one, unless the model's file is of a time when only scores of the evaluated one were kept.
    """

    def __init__(self, model: TableModel) -> None:
        self._model, self._foretelling = model, model.foretelling
        self._curve = model.chances() if model.holds("probability") else None

    def columns(self, frame: pd.DataFrame, scores: FloatArray) -> dict[str, FloatArray]:
        """Probability and its 95 % limits for rows with these scores of the final model; empty where none hold."""
        if self._curve is None:
            return {}
        own = scores if self._foretelling is self._model else self._foretelling.scores(frame)
        return dict(zip(CHANCES, (self._curve(own), *self._curve.limits(own)), strict=True))


def with_reasons(
    model: TableModel, frames: Iterable[pd.DataFrame], ranked: pd.DataFrame, n_reasons: int, numbers: Array
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The list with columns reason_1, …, and the contribution of each column to the score of each listed row.

    The table is read a second time: ``numbers`` are those of the listed rows in it.
    """
    first, found = 0, []
    for frame in frames:
        own = np.arange(first, first := first + len(frame))
        kept = np.isin(own, numbers)
        found.append(frame.loc[kept, list(model.kinds)].set_axis(own[kept]))
    rows = pd.concat(found).loc[numbers].set_axis(ranked.index)
    parts = contributions(model, rows)
    quoted = rows[[name for name, kind in model.kinds.items() if kind != "words"]]  # sentences are told by their column
    return pd.concat([ranked, in_words(parts, quoted, n_reasons)], axis=1), parts


def contributions(model: TableModel, frame: pd.DataFrame) -> pd.DataFrame:
    r"""One column per column of the table, and ``"base"``: each row sums to its score.

    Contributions are relative to the training rows, whatever other rows the list has, even for a single row.

    - Linear models: the exact difference from the mean of the training rows.
    - Trees: SHAP values relative to the training rows, computed by the library.
    - Other models: values of a typical row are replaced by the row's own, one column at a time in random order; the
      change of the score is the contribution of that column. The mean over several orders, each from another typical
      row, estimates the Shapley value, and in every order the contributions add up to the score exactly.
    """
    X = model.encoder.encode(frame)
    ranker = model.ranker
    if isinstance(ranker, rankers.GradientBoostedRanker):
        shares = ranker.contributions(X)
        return _table(model.encoder, shares[:, :-1], shares[:, -1] - ranker.threshold_, frame.index)
    if model.typical is None:
        raise DegenerateSampleError("Reasons need typical training rows; got a model without any.", "train it again.")
    if isinstance(ranker, rankers.LinearRanker):
        return _table(model.encoder, *_of_line(ranker, X, model.typical), frame.index)
    return _by_exchange(model, X, model.typical, frame.index)


def _of_line(ranker: Any, X: FloatArray, typical: FloatArray) -> tuple[FloatArray, FloatArray]:
    usual = np.asarray(ranker._scaled(typical)).mean(axis=0)
    parts = (np.asarray(ranker._scaled(X)) - usual) * ranker.coef_
    return parts, np.full(len(X), usual @ ranker.coef_ - ranker.threshold_)


def _table(encoder: Encoder, parts: FloatArray, base: FloatArray, index: Any) -> pd.DataFrame:
    """Contributions summed over the features of each column."""
    columns = {column.name: block.sum(axis=1) for column, block in encoder.parts(parts)}
    return pd.DataFrame({**columns, "base": base}, index=index)


def _by_exchange(model: TableModel, X: FloatArray, typical: FloatArray, index: Any) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    columns = model.encoder.columns
    ends = np.cumsum([0, *(len(column.outputs) for column in columns)])
    total, base = np.zeros((len(X), len(columns))), np.zeros(len(X))
    for done, start in enumerate(typical):
        report_progress(done / len(typical))
        mixed = np.repeat(start[None], len(X), axis=0)
        before = model.scores_of(mixed)
        base += before / len(typical)
        for j in rng.permutation(len(columns)):
            mixed[:, ends[j] : ends[j + 1]] = X[:, ends[j] : ends[j + 1]]
            after = model.scores_of(mixed)
            total[:, j] += (after - before) / len(typical)
            before = after
    return pd.DataFrame({**{c.name: total[:, j] for j, c in enumerate(columns)}, "base": base}, index=index)


def in_words(parts: pd.DataFrame, frame: pd.DataFrame, n_reasons: int) -> pd.DataFrame:
    """The columns with the largest contributions, such as ``late_payments = 3 (+0.81)``; reason_1 is the largest.

    Columns that contribute nothing are left empty.
    """
    names = [str(name) for name in parts.columns if name != "base"]
    values = parts[names].to_numpy()
    strongest = np.argsort(-np.abs(values), axis=1, kind="stable")[:, :n_reasons]
    words = [[_reason(names[j], frame, i, values[i, j]) for j in row] for i, row in enumerate(strongest)]
    return pd.DataFrame(words, columns=[f"{REASON}{k + 1}" for k in range(strongest.shape[1])], index=frame.index)


def _reason(name: str, frame: pd.DataFrame, row: int, value: float) -> str:
    if not value:
        return ""
    own: Any = frame[name].iat[row] if name in frame else None
    shown = "missing" if own is None or pd.isna(own) else short(own)
    return f"{name} = {shown} ({value:+.2g})" if name in frame else f"{name} ({value:+.2g})"
