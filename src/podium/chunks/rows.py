"""The door for chunks: some rows of a list, which may be of one class or none at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium import _input
from podium._types import Sample
from podium.exceptions import InputError, InputTypeError


def check_chunk(y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any, where: str) -> tuple[Sample, list[Any]]:
    """The rows of positive weight, and the labels that occur; ``where`` begins the sentence of a refusal.

    Any label but ``pos_label`` is a negative one: that there are two in all can be seen where all chunks are.
    """
    try:
        return _checked(y_true, y_score, sample_weight, pos_label)
    except (InputError, InputTypeError) as error:
        if not where:
            raise
        message = str(error).partition("\nHint: ")[0]
        raise type(error)(f"{where}: {message}", error.hint) from None


def _checked(y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any) -> tuple[Sample, list[Any]]:
    columns = [column for column in (y_true, y_score, sample_weight) if column is not None]
    if all(np.shape(column) == (0,) for column in columns):
        return Sample(np.zeros(0), np.zeros(0, np.bool_), None if sample_weight is None else np.zeros(0)), []
    scores = _input.check_scores(y_score)
    labels = _input.column_of(y_true, "y_true")
    present = [False, True] if labels.dtype == np.bool_ else _input.labels_of(labels)
    is_positive = _input.check_labels(labels) if pos_label is None else np.asarray(labels == pos_label, np.bool_)
    if len(scores) != len(is_positive):
        raise InputError(
            f"y_true and y_score must have the same length; got {len(is_positive)} labels and {len(scores)} scores.",
            "each score belongs to the label at the same position.",
        )
    if sample_weight is None:
        return Sample(scores, is_positive), present
    weight = _input.check_weights(sample_weight, len(scores), may_be_zero=True)
    return Sample(scores, is_positive, weight).subset(weight > 0), present
