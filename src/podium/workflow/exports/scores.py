"""A model as expressions: what it reads, and the score that it makes of it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from podium import persist
from podium.columns.encode import Encoder
from podium.tables import TableModel
from podium.tables.formats.text import TruthFormat
from podium.workflow.exports.cells import Number, Source
from podium.workflow.exports.encoders import numbers_of
from podium.workflow.exports.expressions import Expression, column
from podium.workflow.exports.rankers import score_of


@dataclass(frozen=True)
class Scored:
    """A score, the columns that it is computed from with what they hold, that of identifiers, and what is positive."""

    score: Expression
    kinds: dict[str, str]
    id_column: str | None
    positive: str


def scored(model: Any) -> Scored:
    """The model of a table, a fitted ranker, a pipeline that ends in one, or a file of one."""
    if isinstance(model, str | os.PathLike):
        model = persist.load(model)
    if not isinstance(model, TableModel):
        return _of_estimator(model)
    truths = {name for name, known in model.known.items() if isinstance(known, TruthFormat)}
    numbers = _encoded(model.encoder, model.kinds, truths)
    about = f"{model.label} = {model.positive}"
    return Scored(score_of(model.ranker, numbers), model.kinds, model.id_column, about)


def _encoded(encoder: Encoder, kinds: Mapping[str, str], truths: Collection[str] = ()) -> list[Number]:
    sources = {
        name: column(name, "truth" if name in truths else kind)
        for name, kind in kinds.items()
        if kind in ("number", "date")
    }
    return [Number(x) for x in numbers_of(encoder.columns, sources)]


def _of_estimator(estimator: Any) -> Scored:
    """By the names of the columns that it was fitted to, else x0, x1, …; those that it does not read are left out."""
    check_is_fitted(estimator)
    about = f"class {estimator.classes_[-1]}"
    if (encoder := getattr(estimator, "_encoder", None)) is not None:
        return Scored(score_of(estimator, _encoded(encoder, encoder.kinds)), encoder.kinds, None, about)
    names = getattr(estimator, "feature_names_in_", None)
    names = [f"x{j}" for j in range(estimator.n_features_in_)] if names is None else list(map(str, names))
    kinds: dict[str, str] = {}
    score = score_of(estimator, [Source(name, kinds) for name in names])
    read = {name: kinds[name] for name in names if name in kinds}
    return Scored(score, read or dict.fromkeys(names, "number"), None, about)
