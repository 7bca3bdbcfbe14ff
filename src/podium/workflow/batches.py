"""Scores of batches of a table, for engines that send a function to their workers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from podium import persist
from podium.exceptions import InputError
from podium.tables import TableModel
from podium.workflow.score import as_model


@dataclass(frozen=True)
class BatchScorer:
    """A function of a batch of rows that a process can be sent: it holds the bytes of a model.

    Attributes
    ----------
    content : bytes
        The model, as `podium.persist.dumps` writes it.
    keep : tuple of str
        The columns that stand before the score.
    """

    content: bytes
    keep: tuple[str, ...]

    def __call__(self, batch: pd.DataFrame) -> pd.DataFrame:
        """The kept columns and ``score``; for Ray's ``map_batches`` and Dask's ``map_partitions``."""
        missing = [name for name in self.keep if name not in batch.columns]
        if missing:
            raise InputError(f"Columns to keep must be in the table; there is no {missing[0]!r}.")
        model = _model(self.content)
        read = batch[[name for name in model.kinds if name in batch.columns]]
        scores = model.score_rows(read) if len(batch) else np.zeros(0)
        return batch[list(self.keep)].assign(score=scores)

    def each(self, batches: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """The same of every batch, one after the other; for Spark's ``mapInPandas``.

        Parameters
        ----------
        batches : iterable of pandas.DataFrame
            The rows that a worker has.

        Returns
        -------
        iterator of pandas.DataFrame
            Kept columns and scores of each batch.
        """
        yield from map(self, batches)

    def __repr__(self) -> str:
        return f"BatchScorer(a model of {len(self.content):,} bytes, keep={self.keep})"


@lru_cache(maxsize=8)
def _model(content: bytes) -> Any:
    """Read once in every process."""
    return persist.loads(content)


def batch_scorer(model: TableModel | str | os.PathLike[str], *, keep: Sequence[str] | None = None) -> BatchScorer:
    """What scores batches of rows on the workers of Spark, Ray or Dask, to the scores that `score` gives.

    Formats that only several rows tell, such as 03/04/2019, are those of the training; where a batch has others, they
    are made out by that batch alone.

    Parameters
    ----------
    model : TableModel or path
        The model of a `FitResult`, or a file that `fit` wrote.
    keep : sequence of str, optional
        The columns to put before the score; by default the one that identifies rows, if the model knows it.

    Returns
    -------
    BatchScorer
        A function from a pandas table to one of the columns kept and ``score``, which can be pickled.

    Examples
    --------
    >>> import pandas as pd
    >>> from podium import workflow
    >>> table = pd.DataFrame({"id": range(400), "amount": [k * 7 % 90 for k in range(400)]})
    >>> labeled = table.assign(late=table["amount"] % 80 > 40)
    >>> fitted = workflow.fit(labeled, label="late", id_column="id", model="linear")
    >>> workflow.batch_scorer(fitted.model)(table[:3]).columns.tolist()
    ['id', 'score']
    """
    scorer = as_model(model)
    if keep is None:
        keep = () if scorer.id_column is None else (scorer.id_column,)
    if "score" in keep:
        raise InputError("A column to keep must not be called 'score', as that of the scores is.", "rename it first.")
    return BatchScorer(persist.dumps(scorer), tuple(keep))
