"""The first stage of a fit: columns made comparable, and a plug-in rule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from podium._types import FloatArray
from podium.models import LinearModel, QuadraticModel
from podium.phi import Phi
from podium.rankers.lines.columns import Columns, NormalScores
from podium.rankers.lines.plug_in import PlugIn
from podium.rankers.lines.rows import Rows

# Rows that plug-in and metric need: they are a start, a yardstick and an anchor whose pull vanishes with more rows.
FEW = 10_000
_PER_COLUMN = 200


class Family(ABC):
    """What lines and quadrics do differently."""

    model: LinearModel | QuadraticModel

    @abstractmethod
    def plug_in(self, rows: Rows, features: Any, phi: Phi) -> PlugIn:
        """The plug-in rule, on the features of standardised rows."""

    @abstractmethod
    def model_rows(self, X: Any, columns: Columns) -> Any:
        """Rows as the model scores them."""

    @abstractmethod
    def embedding(self, columns: Columns) -> FloatArray:
        """The map from weights on the features of standardised rows to the parameter of the model."""

    @abstractmethod
    def check_start(self, start: Any, n_columns: int) -> FloatArray:
        """A start as users give it, checked."""

    @abstractmethod
    def given_start(self, start: FloatArray, columns: Columns) -> FloatArray:
        """Weights on the features of standardised rows, from a start that the user gave."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """Rows as the model scores them, and what is known before any criterion is climbed."""

    family: Family
    columns: Columns
    quantiles: NormalScores | None  # of the columns as given, where they are scaled by them
    rows: Rows
    sub: Rows  # the subsample that plug-in and metric are taken from; all rows if they are few
    standardized: Rows  # the same with standardised columns
    features: Any  # of the standardised subsample
    plug_in: PlugIn
    embedding: FloatArray

    @property
    def n_features(self) -> int:
        return len(self.plug_in.direction)

    @property
    def plug_in_theta(self) -> FloatArray:
        """The plug-in rule as a parameter of the model."""
        return self.embedding @ self.plug_in.direction


def prepare(rows: Rows, scaling: str | None, family: Family, phi: Phi, rng: np.random.RandomState) -> Prepared:
    """Scale the columns, and find the plug-in rule on at most 10,000 rows, or 200 per column."""
    quantiles = NormalScores.fit(rows.X, rows.weight) if scaling == "quantile" else None
    if quantiles is not None:
        rows = replace(rows, X=quantiles.transform(rows.X))
    sub = rows.subsample(max(FEW, _PER_COLUMN * rows.X.shape[1]), rng)
    columns = Columns.fit(sub.X, sub.weight, rows.X, standardize=scaling is not None)
    standardized = replace(sub, X=columns.standardize(sub.X))
    features = family.model.features(standardized.X)
    scored = replace(rows, X=family.model_rows(rows.X, columns))
    return Prepared(
        family=family,
        columns=columns,
        quantiles=quantiles,
        rows=scored,
        sub=scored if sub is rows else replace(sub, X=family.model_rows(sub.X, columns)),
        standardized=standardized,
        features=features,
        plug_in=family.plug_in(standardized, features, phi),
        embedding=family.embedding(columns),
    )
