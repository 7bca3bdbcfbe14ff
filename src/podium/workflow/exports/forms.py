"""Which models have a form outside of Python."""

from __future__ import annotations

from typing import Any

from podium.exceptions import InputError
from podium.rankers import GradientBoostedRanker
from podium.rankers.trees.lightgbm_backend import LightgbmTrees


def is_lightgbm(ranker: Any) -> bool:
    """Whether its trees are LightGBM's, whose splits can be read."""
    return isinstance(ranker, GradientBoostedRanker) and all(isinstance(one, LightgbmTrees) for one in ranker.models_)


def no_form(form: str, ranker: Any) -> InputError:
    """A model that is more than a few expressions."""
    return InputError(
        f"Lines, LightGBM's trees and ranking trees can be {form}; this model is a {type(ranker).__name__}.",
        "fit with the model linear, trees or ranking-tree, or score with podium where the model file is.",
    )


def no_words(form: str, column: str) -> InputError:
    """A column of sentences."""
    return InputError(
        f"{form} has no words: {column!r} is free text, which the model reads word by word.",
        f"fit without it (exclude {column}).",
    )
