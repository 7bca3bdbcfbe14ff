"""Score made-up rows with a loaded model, so that parts that do not match show before it meets real rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from podium.exceptions import InputError

_MADE_UP = np.array([[1.0], [2.0], [3.0]])  # numbers that any step takes: some want positive ones, or codes
_FEW = 10_000  # columns, of which all rows are scored
_MOST, _MOST_SPARSE = 1 << 22, 1 << 24  # columns: a row has no more memory than a small file may take


def rehearse(model: Any) -> Any:
    """The model, once it has scored made-up rows; ValueError, or what else wrong parts lead to."""
    try:
        if hasattr(model, "rehearse"):
            model.rehearse()
        elif hasattr(model, "n_features_in_"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _score(model)
    except InputError as error:
        raise ValueError(str(error)) from None
    return model


def _score(model: Any) -> None:
    from scipy import sparse
    from sklearn.utils import get_tags

    from podium.metrics.scorers import estimator_scores  # here: a line is read without scikit-learn

    tags, n_columns = get_tags(model).input_tags, model.n_features_in_
    _require(
        type(n_columns) is int and 0 < n_columns <= (_MOST_SPARSE if tags.sparse else _MOST), "a number of columns"
    )
    rows: Any = np.tile(_MADE_UP, n_columns) if n_columns <= _FEW else None
    if rows is None:
        rows = sparse.csr_array((1, n_columns)) if tags.sparse else np.ones((1, n_columns))
    n_rows = rows.shape[0]
    _require(estimator_scores(model, rows).shape == (n_rows,), "a score for every row")
    if hasattr(model, "predict"):
        _require(np.shape(model.predict(rows)) == (n_rows,), "a class for every row")
    if hasattr(model, "predict_proba"):
        chances = model.predict_proba(rows)
        _require(chances.shape == (n_rows, len(model.classes_)), "the chance of every class")
        _require(bool(((chances >= 0) & (chances <= 1)).all()), "chances from 0 to 1")


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"a model needs {what}")
