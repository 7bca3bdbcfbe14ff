"""The first stage of a fit: scale the columns and compute a plug-in rule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from podium._types import FloatArray
from podium.models import LinearModel, QuadraticModel
from podium.phi import Phi
from podium.rankers.lines.columns import Columns, NormalScores
from podium.rankers.lines.plug_in import PlugIn, is_wide
from podium.rankers.lines.rows import Rows, RowSource

# Rows that plug-in and metric need: they are a start, a yardstick and an anchor whose pull vanishes with more rows.
FEW = 10_000
_PER_COLUMN = 200


class Family(ABC):
    """Operations that differ between linear and quadratic rules."""

    model: LinearModel | QuadraticModel
    chooses_columns = False  # whether columns to which the plug-in rule gives no weight drop out

    @abstractmethod
    def plug_in(self, rows: Rows, columns: Columns, phi: Phi) -> PlugIn:
        """The plug-in rule, on the features of standardized rows."""

    @abstractmethod
    def model_rows(self, X: Any, columns: Columns) -> Any:
        """Rows as the model scores them."""

    @abstractmethod
    def embedding(self, columns: Columns) -> Any:
        """The map from weights on the features of standardized rows to the parameter of the model."""

    @abstractmethod
    def check_start(self, start: Any, n_columns: int) -> FloatArray:
        """A start as users give it, checked."""

    @abstractmethod
    def given_start(self, start: FloatArray, columns: Columns) -> FloatArray:
        """Weights on the features of standardized rows, from a start that the user gave."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PreparedRows:
    """Rows as the model scores them, and what is known before any criterion is climbed."""

    family: Family
    columns: Columns
    quantiles: NormalScores | None  # of the columns as given, where they are scaled by them
    rows: RowSource
    sub: Rows  # the subsample that plug-in and metric are taken from; all rows if they are few
    standardized: Rows  # the same with standardized columns
    plug_in: PlugIn
    embedding: Any

    @property
    def n_features(self) -> int:
        return len(self.plug_in.direction)

    @property
    def is_wide(self) -> bool:
        """Whether features are too many for matrices of features by features."""
        return is_wide(self.family.model, self.standardized)

    @property
    def features(self) -> Any:
        """Of the standardized subsample."""
        return self.family.model.features(self.standardized.X)

    def scores(self, weights: FloatArray) -> FloatArray:
        """Of the subsample, by weights on the features of standardized rows."""
        return self.family.model.scores(self.standardized.X, weights)

    @property
    def uses_no_column(self) -> bool:
        """Whether a rule that chooses columns chose none."""
        return self.family.chooses_columns and not self.plug_in.direction.any()

    def on_used_columns(self) -> PreparedRows:
        """Only with the columns to which the plug-in rule gives weight; as it is where that is none."""
        used = np.flatnonzero(self.plug_in.direction)
        if len(used) == 0:
            return self
        columns = self.columns.only(used)
        return replace(
            self,
            columns=columns,
            standardized=replace(self.standardized, X=self.standardized.X[:, used]),
            plug_in=replace(self.plug_in, direction=self.plug_in.direction[used]),
            embedding=self.family.embedding(columns),
        )

    @property
    def plug_in_theta(self) -> FloatArray:
        """The plug-in rule as a parameter of the model."""
        return self.embedding @ self.plug_in.direction


def subsample_size(n_columns: int) -> int:
    """How many rows plug-in and metric are taken from at most."""
    return max(FEW, _PER_COLUMN * n_columns)


def prepare(rows: RowSource, scaling: str | None, family: Family, phi: Phi, rng: np.random.RandomState) -> PreparedRows:
    """Scale the columns, and find the plug-in rule: of dense rows, on at most 10,000, or 200 per column."""
    quantiles = None
    if scaling == "quantile" and isinstance(rows, Rows):
        quantiles = NormalScores.fit(rows.X, rows.weight)
        rows = rows.mapped(quantiles.transform)
    sub = rows.subsample(subsample_size(rows.shape[1]) if rows.is_dense else rows.shape[0], rng)
    if sub.shape[0] == rows.shape[0]:
        rows = sub  # all of them are here
    columns = Columns.fit(sub, rows, standardize=scaling is not None)
    standardized = sub.mapped(columns.standardize)
    in_model = partial(family.model_rows, columns=columns)
    scored = rows.mapped(in_model)
    prepared = PreparedRows(
        family=family,
        columns=columns,
        quantiles=quantiles,
        rows=scored,
        sub=scored if isinstance(scored, Rows) and sub is rows else sub.mapped(in_model),
        standardized=standardized,
        plug_in=family.plug_in(standardized, columns, phi),
        embedding=family.embedding(columns),
    )
    return prepared.on_used_columns() if family.chooses_columns else prepared
