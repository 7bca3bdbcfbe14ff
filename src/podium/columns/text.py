"""A column of text: one output per value, or one for the share of positives among rows of that value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from podium._types import BoolArray, FloatArray
from podium.columns.number import FEWEST_ROWS, rounded

if TYPE_CHECKING:
    import pandas as pd
    from scipy import sparse

MOST_ONE_HOT = 12  # values; beyond, columns would be many and mostly zero
_PRIOR_ROWS = 20.0  # by which the share of positives of a value is drawn to that of all
_FOLDS = 5

Codes = npt.NDArray[np.intp]


@dataclass
class TextColumn:
    """Row ``values[code]`` for the value of that code; the last row is for unknown, rare and missing ones."""

    name: str
    categories: list[str]
    values: FloatArray
    uses_labels: bool

    def __post_init__(self) -> None:
        n_values = len(self.categories)
        shape = (n_values + 1, 1 if self.uses_labels else n_values)
        if self.values.shape != shape or len(set(self.categories)) < n_values:
            raise ValueError(f"a column of text needs numbers for {n_values} different values")
        if not self.uses_labels and n_values > MOST_ONE_HOT:
            raise ValueError(f"a column of text has an output each for {MOST_ONE_HOT} values at most")

    @classmethod
    def fit(cls, column: pd.Series[Any], is_positive: BoolArray | None) -> TextColumn:
        """Without labels only frequent values are told apart, by one output each."""
        counts = column.astype(str)[column.notna()].value_counts()
        categories = sorted(counts.index[counts >= FEWEST_ROWS])
        uses_labels = is_positive is not None and len(categories) > MOST_ONE_HOT
        if uses_labels and is_positive is not None:
            values = shares(_codes(column, categories), is_positive, len(categories))
        else:
            categories = sorted(counts.index[:MOST_ONE_HOT].intersection(categories))
            values = np.eye(len(categories) + 1)[:, :-1]
        return cls(str(column.name), categories, values, uses_labels)

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns of a table that it is made from."""
        return (self.name,)

    @property
    def outputs(self) -> list[str]:
        return [self.name] if self.uses_labels else [f"{self.name} = {value}" for value in self.categories]

    def take(self, frame: pd.DataFrame | Mapping[str, pd.Series[Any]]) -> pd.Series[Any]:
        """Its column of a table."""
        return frame[self.name]

    def encode(self, column: pd.Series[Any], out: FloatArray) -> None:
        """Write the outputs into the columns of ``out``."""
        out[:] = self.values[self.codes(column)]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {value: place for place, value in enumerate(self.categories)}

    def of_cells(self, word: str | None) -> list[float]:
        """The outputs of one word, or of none."""
        row: list[float] = self.values[-1 if word is None else self._places.get(word, -1)].tolist()
        return row

    def codes(self, column: pd.Series[Any]) -> Codes:
        """The row of ``values`` that belongs to each value of the column."""
        return _codes(column, self.categories)


def _codes(column: pd.Series[Any], categories: list[str]) -> Codes:
    """Positions among the categories; −1, the last row of a table of values, for any other."""
    import pandas as pd

    known = pd.Index(categories, dtype=object)
    return known.get_indexer(pd.Index(column.astype(str), dtype=object))


def cross_fitted_shares(codes: Codes, is_positive: BoolArray, n_values: int, rng: np.random.Generator) -> FloatArray:
    """For the rows of a fold, shares from the other folds: no row is described by its own label."""
    fold = rng.integers(_FOLDS, size=len(codes))
    found = np.empty((len(codes), 1))
    for k in range(_FOLDS):
        rest = fold != k
        found[~rest] = shares(codes[rest], is_positive[rest], n_values)[codes[~rest]]
    return found


def shares(codes: Codes, is_positive: BoolArray, n_values: int) -> FloatArray:
    """Shares of positives by value, drawn to the share of all; the last row is that of rows of no known value."""
    slots = np.where(codes < 0, n_values, codes)
    rows = np.bincount(slots, minlength=n_values + 1)
    hits = np.bincount(slots, weights=is_positive, minlength=n_values + 1)
    return rounded((hits + _PRIOR_ROWS * is_positive.mean()) / (rows + _PRIOR_ROWS))[:, None]


_MOST_WORDS = 3000
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
        from sklearn.decomposition import TruncatedSVD  # here: half a second to import
        from sklearn.feature_extraction.text import CountVectorizer

        counter = CountVectorizer(min_df=FEWEST_ROWS, max_features=_MOST_WORDS)
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
        from sklearn.feature_extraction.text import CountVectorizer

        counts = CountVectorizer(vocabulary=self.vocabulary).transform(column.fillna("").astype(str))
        out[:] = _weighed(counts, self.rarity) @ self.directions


def is_free_text(column: pd.Series[Any]) -> bool:
    """Whether values are sentences: several words each, hardly any value twice."""
    known = column.dropna().astype(str)
    some = known.iloc[:2000]
    return len(some) > 0 and some.nunique() > 0.5 * len(some) and some.str.count(r"\w\s+\w").mean() >= 2


def _weighed(counts: sparse.csr_matrix, rarity: FloatArray) -> sparse.csr_matrix:
    from scipy import sparse
    from sklearn.preprocessing import normalize

    weights = sparse.csr_matrix(counts, dtype=np.float64, copy=True)
    weights.data = 1 + np.log(weights.data)
    weights.data *= rarity[weights.indices]
    return normalize(weights, copy=False)
