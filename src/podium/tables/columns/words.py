"""A column of free text: which words each row has, drawn together to a few numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from podium._types import FloatArray

_MOST_WORDS = 3000
_FEWEST_ROWS = 5  # that a word is in; so no word of a model file is one row's alone
_TOPICS = 24


@dataclass
class WordsColumn:
    """Counts of words, rare ones weighing more (TF-IDF), projected to the directions in which rows differ most.

    A row x of counts becomes z/‖z‖, z_j = (1 + log x_j)(1 + log(N/n_j)), times ``directions``; n_j of N training rows
    have the word j. Rows without any known word, missing ones too, are 0 everywhere.
    """

    name: str
    vocabulary: list[str]
    rarity: FloatArray
    directions: FloatArray

    def __post_init__(self) -> None:
        n_words, words = len(self.vocabulary), set(self.vocabulary)
        if self.rarity.shape != (n_words,) or self.directions.ndim != 2 or len(self.directions) != n_words:
            raise ValueError(f"a column of words needs numbers for {n_words} words")
        if self.directions.shape[1] > _TOPICS or len(words) < n_words or not n_words:
            raise ValueError(f"a column of words needs different words and at most {_TOPICS} outputs")

    @classmethod
    def fit(cls, column: pd.Series[Any]) -> WordsColumn | None:
        """None where hardly any word is in several rows."""
        counter = CountVectorizer(min_df=_FEWEST_ROWS, max_features=_MOST_WORDS)
        try:
            counts = counter.fit_transform(column.fillna("").astype(str))
        except ValueError:  # no word is left
            return None
        n_words = counts.shape[1]
        if n_words < 2:
            return None
        rows_with = np.asarray((counts > 0).sum(axis=0)).ravel()
        rarity = 1 + np.log(len(column) / rows_with)
        topics = TruncatedSVD(min(_TOPICS, n_words - 1), random_state=0).fit(_weighed(counts, rarity))
        words = [str(word) for word in counter.get_feature_names_out()]
        return cls(str(column.name), words, rarity, topics.components_.T.copy())

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns of a table that it is made from."""
        return (self.name,)

    @property
    def outputs(self) -> list[str]:
        return [f"words of {self.name} ({j})" for j in range(1, self.directions.shape[1] + 1)]

    def take(self, frame: pd.DataFrame | Mapping[str, pd.Series[Any]]) -> pd.Series[Any]:
        """Its column of a table."""
        return frame[self.name]

    def encode(self, column: pd.Series[Any], out: FloatArray) -> None:
        """Write the outputs into the columns of ``out``."""
        counts = CountVectorizer(vocabulary=self.vocabulary).transform(column.fillna("").astype(str))
        out[:] = _weighed(counts, self.rarity) @ self.directions


def is_free_text(column: pd.Series[Any]) -> bool:
    """Whether values are sentences: several words each, hardly any value twice."""
    known = column.dropna().astype(str)
    some = known.iloc[:2000]
    return len(some) > 0 and some.nunique() > 0.5 * len(some) and some.str.count(r"\w\s+\w").mean() >= 2


def _weighed(counts: sparse.csr_matrix, rarity: FloatArray) -> sparse.csr_matrix:
    weights = sparse.csr_matrix(counts, dtype=np.float64, copy=True)
    weights.data = 1 + np.log(weights.data)
    weights.data *= rarity[weights.indices]
    return normalize(weights, copy=False)
