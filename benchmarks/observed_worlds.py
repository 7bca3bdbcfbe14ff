"""Lists whose labels are all known to the simulation, designs by which some are shown, and competitors by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from podium.inference.observed import DesignEstimate, measure_of
from podium.labels import Observed
from podium.labels.design import design_of
from podium.labels.lists import PartlyLabeled

Z = 1.959964
N_ROWS, N_TOP, N_MONTHS = 5000, 400, 6
MEASURES = ("auc", "power:3", "smooth-top:0.9", "recall-at:200", "recall-at:400", "recall-at:1000", "prevalence")
WORLDS = {"smooth": (-3.2, 1.0, 0.0), "hidden kind": (-4.1, 1.45, 0.015)}
TRUE, SCORED = np.array([0.9, 0.8, 0.6, 0.4, 0.3, 0.3]), np.array([0.5, 0.8, 0.7, 0.5, 0.3, 0.0])
DESIGNS = (
    "top + 1 % audit",
    "top + 2 % audit",
    "top + 5 % audit",
    "stratified audit",
    "threshold by month",
    "two columns, known",
    "two columns, learned",
)


@dataclass(frozen=True)
class List:
    """A list of 5,000 rows, about 9 % positive, whose score knows five of six columns at wrong weights."""

    X: np.ndarray
    scores: np.ndarray
    y: np.ndarray
    month: np.ndarray

    @classmethod
    def draw(cls, world, rng, n_rows=N_ROWS):
        """The chance of a positive rises with all columns; of a hidden kind, it is the same wherever they stand."""
        start, slope, hidden = WORLDS[world]
        X = rng.standard_normal((n_rows, 6))
        chance = expit(start + slope * X @ TRUE)
        y = rng.random(n_rows) < chance + hidden * (1 - chance)
        return cls(X, X @ SCORED, y.astype(float), rng.integers(0, N_MONTHS, n_rows))

    @cached_property
    def measures(self):
        rows = PartlyLabeled.of(Observed(self.y), self.scores)
        return {name: measure_of(rows, name) for name in MEASURES}

    def truth(self):
        return {name: measure.at(self.y) for name, measure in self.measures.items()}


def inclusion_of(design, rows, top=N_TOP):
    """The probability of each row to be labeled."""
    place = np.argsort(np.argsort(-rows.scores))
    if design.startswith("top"):
        return np.where(place < top, 1.0, float(design.split()[2]) / 100)
    if design == "stratified audit":
        steps = np.searchsorted([1000, 2000, 3500], place, side="right")
        return np.where(place < top, 1.0, np.array([0.08, 0.04, 0.02, 0.01])[steps])
    if design == "threshold by month":
        above = np.quantile(rows.scores, np.linspace(0.97, 0.87, N_MONTHS))[rows.month]
        return np.where(rows.scores >= above, 1.0, 0.03)
    return np.clip(expit(-3.1 + 0.8 * rows.X[:, 0] + 0.6 * rows.X[:, 1]), 0.01, 1.0)


# Competitors: what each puts in place of the labels of all rows, and the variance of a sum of it with slopes c.


def begg_greenes_by_classes(rows, labeled, inclusion, n_classes=10):
    """The share of positives among the labeled rows of a class of the score, for its rows without a label."""
    order = np.argsort(np.argsort(rows.scores))
    kind = order * n_classes // len(order)
    for each in range(n_classes - 1):  # a class with fewer than five labels joins the one above
        if (labeled & (kind == each)).sum() < 5:
            kind[kind == each] = each + 1
    n = np.maximum(np.bincount(kind, labeled), 1)
    rate = (np.bincount(kind, labeled * rows.y) / n)[kind]

    def variance(slopes):
        free = np.where(labeled, 0.0, slopes)
        spread = rate * (1 - rate)
        sums = np.bincount(kind, free)
        per_class = np.bincount(kind, spread) / np.maximum(np.bincount(kind), 1)
        return (free**2 * spread).sum() + (sums**2 * per_class / n).sum()

    return np.where(labeled, rows.y, rate), variance


def begg_greenes_logistic(rows, labeled, inclusion):
    """The same with a logistic regression on the score, fitted to the labeled rows."""
    X = np.column_stack([np.ones(len(rows.y)), rows.scores])
    chance = fitted(X[:, 1:], rows.y, labeled)
    inverse = np.linalg.inv((X[labeled] * (chance * (1 - chance))[labeled, None]).T @ X[labeled])

    def variance(slopes):
        free = np.where(labeled, 0.0, slopes)
        toward = (free * chance * (1 - chance)) @ X
        return (free**2 * chance * (1 - chance)).sum() + toward @ inverse @ toward

    return np.where(labeled, rows.y, chance), variance


def inverse_weighting(rows, labeled, inclusion):
    """Labels over their probability of being seen, scaled to the rows (Hájek)."""
    weight = np.where(labeled, 1 / inclusion, 0.0)
    weight *= len(rows.y) / weight.sum()
    labels = weight * rows.y

    def variance(slopes):
        residual = slopes * rows.y - weight @ (slopes * rows.y) / weight.sum()
        return float(((1 - inclusion) * weight**2) @ residual**2)

    return labels, variance


def augmented(rows, labeled, inclusion):
    """The difference estimator: a logistic prediction from score and columns, plus its errors over the probability."""
    chance = fitted(np.column_stack([rows.scores, rows.X]), rows.y, labeled)
    error = np.where(labeled, (rows.y - chance) / inclusion, 0.0)
    return chance + error, lambda slopes: float((1 - inclusion) @ (slopes * error) ** 2)


COMPETITORS = {
    "Begg–Greenes, classes": begg_greenes_by_classes,
    "Begg–Greenes, logistic": begg_greenes_logistic,
    "IPW": inverse_weighting,
    "AIPW, Wald": augmented,
}


def wald_limits(competitor, rows, labeled, inclusion):
    """Of every measure: limits, the estimate, and its standard error."""
    labels, variance = COMPETITORS[competitor](rows, labeled, inclusion)
    found = {}
    for name, measure in rows.measures.items():
        value = measure.at(labels)
        error = np.sqrt(max(variance(measure.slopes(labels)), 1e-18))
        found[name] = max(value - Z * error, 0.0), min(value + Z * error, 1.0), value, error
    return found


def podium_limits(rows, labeled, measures=MEASURES, **known):
    """The same of `podium.inference.interval`, which learns what is common to the measures only once here."""
    design, listed = design_of(Observed(np.where(labeled, rows.y, np.nan), **known), rows.scores, None, None)
    estimates = [DesignEstimate.of(design, listed, measure_of(listed, name)) for name in measures]
    limits = [estimate.limits(0.95) for estimate in estimates]
    return {e.name: (at.low, at.high, e.value, at.standard_error) for e, at in zip(estimates, limits, strict=True)}


def fitted(X, target, among):
    """The chance of a logistic regression."""
    line = LogisticRegression(C=1e3, solver="newton-cholesky").fit(X[among], target[among])
    return line.predict_proba(X)[:, 1]
