"""The training rows as numbers, described by labels of other rows only."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from podium._types import BoolArray, FloatArray
from podium.columns.encode import EncodedRows, Encoder
from podium.columns.number import FEWEST_ROWS
from podium.columns.text import Codes, cross_fitted_shares, shares
from podium.rankers.folds import Folds
from podium.selection.dependence import INDEPENDENT, Dependence, Split

_TYPICAL = 16  # rows that stand for all
_LOOKED_AT = 5000  # rows that these are made from


@dataclass(frozen=True)
class TrainingRows:
    """The training rows as numbers, with their labels and what is needed to encode a part of them by itself.

    Attributes
    ----------
    X : array
        The rows as numbers.
    is_positive : array of bool
        Whether each of the rows is positive.
    by_share : dict
        For every column of shares of positives, by its position: the codes of its text, and how many there are.
    weight : array or None
        The weight of every row; None where every row counts once.
    dependence : Dependence
        What says which rows belong together or come later.
    fold : array or None
        The fold of every row, where these are left out in turn.
    codes_of_others : dict
        As ``by_share``, the codes of the rows that were encoded with these and are not learned from.
    """

    X: FloatArray
    is_positive: BoolArray
    by_share: dict[int, tuple[Codes, int]] = field(default_factory=dict)
    weight: FloatArray | None = None
    dependence: Dependence = INDEPENDENT
    fold: Folds | None = None
    codes_of_others: dict[int, Codes] = field(default_factory=dict)

    @classmethod
    def of(cls, encoded: EncodedRows) -> TrainingRows:
        """Rows as the encoder made them from a table.

        Parameters
        ----------
        encoded : EncodedRows
            What :meth:`Encoder.training_rows` returns.
        """
        return cls(encoded.X, encoded.is_positive, encoded.by_share, codes_of_others=encoded.codes_of_others)

    def followed_by(
        self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None, dependence: Dependence
    ) -> TrainingRows:
        """These rows and others after them.

        Parameters
        ----------
        X : ndarray
            The encoded others.
        is_positive : ndarray of bool
            Which of them are positive.
        weight : ndarray or None
            Their weights; None for rows of equal weight.
        dependence : Dependence
            How they depend on each other.

        Returns
        -------
        TrainingRows
            All of them.
        """
        return replace(
            self,
            X=np.concatenate([self.X, X]),
            is_positive=np.concatenate([self.is_positive, is_positive]),
            by_share={
                at: (np.append(self.by_share[at][0], codes), self.by_share[at][1])
                for at, codes in self.codes_of_others.items()
            },
            weight=None if self.weight is None or weight is None else np.concatenate([self.weight, weight]),
            dependence=self.dependence.followed_by(dependence),
            fold=None,
            codes_of_others={},
        )

    def splits(self, share: float, repeats: int, rng: np.random.Generator) -> list[Split]:
        """Splits to compare candidates by: each fold left out, of many rows two of them; without folds, at random.

        Parameters
        ----------
        share : float
            The share of the rows in the second part of each, where there are no folds.
        repeats : int
            How many there are, two at least with folds.
        rng : numpy.random.Generator
            Orders the rows of each part.

        Returns
        -------
        list of Split
            Rows to learn from and rows to validate on.
        """
        if self.fold is None:
            return self.dependence.splits(self.is_positive, share, repeats, rng)
        n_folds = int(self.fold.max()) + 1
        parts = [(np.flatnonzero(self.fold != k), np.flatnonzero(self.fold == k)) for k in range(n_folds)]
        return [Split(rng.permutation(rest), rng.permutation(out)) for rest, out in parts[: max(repeats, 2)]]

    def parted(self, part: Split, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Matrices of two parts; no label of the second has a share in either, as none of a new row would.

        Parameters
        ----------
        part : Split
            Which rows to learn from, and which are held out.
        rng : Generator
            Draws the folds by which shares are learned.
        """
        first, second = self.X[part.training], self.X[part.held_out]
        y = self.is_positive[part.training]
        for at, (codes, n_values) in self.by_share.items():
            known = codes[part.training]
            first[:, [at]] = cross_fitted_shares(known, y, n_values, rng)
            second[:, [at]] = shares(known, y, n_values)[codes[part.held_out]]
        return first, second

    def typical(self, encoder: Encoder, rng: np.random.Generator) -> FloatArray:
        """A few made-up rows that stand for all: every column by itself is spread as in these rows.

        A column is sorted and cut into parts of equal size, whose means go to the rows in random order. So none of them
        is a row of the training, and their mean is that of the training rows.

        Parameters
        ----------
        encoder : Encoder
            Knows which columns of the matrix belong together.
        rng : Generator
            Draws the order.
        """
        X = self.X[:: -(-len(self.X) // _LOOKED_AT)]
        n_parts = max(min(_TYPICAL, len(X) // FEWEST_ROWS), 1)
        made = encoder.blank(n_parts)
        for (_, block), (_, out) in zip(encoder.parts(X), encoder.parts(made), strict=True):
            parts = np.array_split(block[np.lexsort(block.T)], n_parts)
            out[rng.permutation(n_parts)] = [part.mean(axis=0) for part in parts]
        return made
