"""Scores of rows by models that did not see them, on the scale of the model that is delivered."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy
from sklearn.base import clone

from podium._threads import one_thread
from podium._types import Array, FloatArray
from podium.metrics.scorers import estimator_scores
from podium.rankers.calibration.location_scale import LocationScale
from podium.rankers.folds import Folds
from podium.selection.candidates import seconds_of
from podium.selection.dependence import Split
from podium.selection.search import Choice
from podium.tables import TableModel, TrainingRows
from podium.workflow.stages.encode import HeldOutRows
from podium.workflow.stages.train import followed_by, train


@dataclass(frozen=True, eq=False)
class Delivered:
    """The model fitted to all rows, which has scored them all: those trained on first, then those held out.

    Its scores of these rows are too good, for it has learned from them, but they say what its scale is.
    """

    scores: FloatArray
    weight: FloatArray | None

    @classmethod
    def of(cls, model: TableModel, rows: TrainingRows, held_out: HeldOutRows) -> Delivered:
        return cls(np.concatenate([model.scores_of(rows.X), model.scores_of(held_out.X)]), rows.weight)

    def place(self, learned: FloatArray, judged: FloatArray, at: Array) -> FloatArray:
        """Scores ``judged`` by another model, moved and scaled as takes those that it ``learned`` from to those here.

        ``at`` are the rows that it learned from, of all: both models' scores of these are too good in the same way.
        (To match their quantiles as well selected up to 44 % too many rows where trees had hardly anything to learn.)
        """
        weight = None if self.weight is None else self.weight[at]
        here, there = LocationScale.of(learned, weight), LocationScale.of(self.scores[at], weight)
        return here.moved_to(there, judged)


def is_worth_its_time(choice: Choice, rows: TrainingRows, time_limit: float) -> bool:
    """Whether the models without a fold take no longer than the limit, as the choice and the final model do not."""
    if rows.fold is None:
        return False
    n_folds = int(rows.fold.max()) + 1
    return n_folds * seconds_of(choice.name, *rows.X.shape) <= time_limit


def cross_fitted(
    choice: Choice, rows: TrainingRows, held_out: HeldOutRows, judged: FloatArray, delivered: Delivered, seed: int
) -> FloatArray:
    """The score of every row, those trained on first, by a model fitted without its fold; of the last fold ``judged``.

    What kind of model judges a fold was chosen by validation on the others. Scores of two models cannot be compared,
    their places can: each fold is a list of its own, and the first rows of all are the first of each, in the same
    share. So a row has the score that stands, among all scores on the delivered model's scale, where the row stands in
    its fold.

    Parameters
    ----------
    choice : Choice
        What was chosen by the training rows, and by each of their folds.
    rows, held_out : TrainingRows, HeldOutRows
        All rows; those held out are a fold by themselves.
    judged : array
        Scores of the rows held out by the model that learned from the others, on the scale of the delivered one.
    delivered : Delivered
        The scale.
    seed : int
        Of the shares by which texts are described.
    """
    together = followed_by(rows, held_out)
    assert rows.fold is not None
    n_folds = int(rows.fold.max()) + 1
    fold = np.append(rows.fold, np.full(len(held_out.X), n_folds))
    scores, is_alike = np.empty(len(fold)), np.ones(len(fold), dtype=np.bool_)
    scores[fold == n_folds] = judged
    rng = np.random.default_rng(seed)
    for k in range(n_folds):
        part = Split(np.flatnonzero(fold != k), np.flatnonzero(fold == k))
        own = choice.without(k) if k < choice.n_splits else choice
        X, unseen = together.parted(part, rng)
        learned = TrainingRows(
            X, together.is_positive[part.training], {}, dependence=together.dependence.at(part.training)
        )
        ranker, _ = train(replace(own, ranker=clone(own.ranker)), learned)
        with one_thread():
            found, before = estimator_scores(ranker, unseen), estimator_scores(ranker, X)
        scores[part.held_out] = delivered.place(before, found, part.training)
        is_alike[part.held_out] = own.name == choice.name
    return by_place(scores, fold, np.sort(scores[is_alike]))


def by_place(scores: FloatArray, fold: Folds, scale: FloatArray) -> FloatArray:
    r"""To every row the value of the ascending ``scale`` at its place in its own fold; ties share a place.

    The place of a row of rank r among the n of fold k, of K, is :math:`(r - 1 + (k + 1/2)/K)/n`: rows of one rank in
    several folds follow each other.
    """
    n_folds = int(fold.max()) + 1
    place = np.empty(len(scores))
    for k in range(n_folds):
        own = np.flatnonzero(fold == k)
        place[own] = (scipy.stats.rankdata(scores[own]) - 1 + (k + 0.5) / n_folds) / len(own)
    return np.interp(place, (np.arange(len(scale)) + 0.5) / len(scale), scale)
