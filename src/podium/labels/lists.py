r"""A list whose scores are all known and whose labels are known for some rows: totals of labels, and their variance.

The measures of a list are functions of totals :math:`\sum_i a_i y_i` over *all* rows, with known worths
:math:`a_i` (the value of φ at the rank of the row, or whether it is among the first k): ranks in the pooled list do not
depend on labels. So what has to be estimated are totals of a finite population, by the difference estimator

.. math:: \sum_i a_i \tilde y_i, \qquad \tilde y_i = m_i + \frac{\delta_i}{\pi_i} (y_i - m_i),

where row i is labeled (:math:`\delta_i = 1`) with probability :math:`\pi_i` and :math:`m_i` predicts its label from
its score (Särndal, Swensson and Wretman 1992, chapter 6). It is unbiased whatever the predictions are; good ones make
it precise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logit, ndtri

from podium import _input
from podium._fast.order import groups_of_rows
from podium._types import Array, BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError, InputError
from podium.labels.chances import chance_of_label
from podium.labels.learned import Learner, line_out_of_fold, out_of_fold, share_of_second
from podium.labels.observed import Observed
from podium.ranks.pooled import TieGroups
from podium.rounds.rows import RowsLike, ties_of

_MOST_STRATA = 20  # distinct inclusion probabilities; of more, as many classes of similar ones are made
_FEWEST_DRAWN = 2  # labeled rows of a stratum, for a variance
_SURE = 0.01  # predictions of a second source are at least this far from 0 and 1: labels, too, have odds
_ASKED = 4096  # rows at most, to see whether a design goes by the score


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Where the rows of a list stand, in input order."""

    group: Array  # the tie group of every row, ascending
    upto: Array  # rows up to and including each group

    @classmethod
    def by(cls, scores: Array) -> RankedRows:
        _, group = groups_of_rows(scores)
        return cls(group, np.cumsum(np.bincount(group)))

    @property
    def n_rows(self) -> int:
        return len(self.group)

    @cached_property
    def below(self) -> Array:
        """Rows below each tie group."""
        return np.concatenate([[0], self.upto[:-1]])

    @cached_property
    def normal_scores(self) -> FloatArray:
        """The normal quantile of the mid-rank of every row: scores on a scale that no outlier stretches."""
        return np.asarray(ndtri((self.below + self.upto) / (2 * self.n_rows))[self.group])


@dataclass(frozen=True, eq=False)
class PartlyLabeled(RankedRows):
    """The rows of a list in input order: tie groups of the scores, labels where known, and inclusion probabilities."""

    is_labeled: BoolArray
    is_positive: BoolArray  # False where there is no label
    observed: Observed

    @classmethod
    def of(cls, observed: Observed, y_score: Any, pos_label: Any = None, sample_weight: Any = None) -> PartlyLabeled:
        """The list of observed labels and the scores of all its rows."""
        if sample_weight is not None:
            raise InputError("Observed labels carry the weights of their design; got sample_weight with them.")
        scores = _input.check_scores(y_score)
        if len(scores) != len(observed):
            raise InputError(
                f"Observed labels go with the scores of all rows of the list; got {len(observed):,} rows of labels and "
                f"{len(scores):,} scores.",
                "score the rows without a label, too.",
            )
        at = RankedRows.by(scores)
        return cls(at.group, at.upto, observed.is_labeled, observed.positives(pos_label), observed)

    @property
    def inclusion(self) -> FloatArray | None:
        return self.observed.inclusion

    def require_both_classes(self) -> None:
        known = self.is_positive[self.is_labeled]
        if known.all() or not known.any():
            raise DegenerateSampleError(
                f"An estimate needs labeled rows of both classes; all {len(known):,} labels are the same.",
                "label more rows, or leave out inclusion and odds_ratio for bounds.",
            )

    @cached_property
    def unlabeled_from_bottom(self) -> Array:
        """Rows without a label, by ascending score."""
        rows = np.flatnonzero(~self.is_labeled)
        return rows[np.argsort(self.group[rows], kind="stable")]


def tie_groups(y_true: RowsLike, y_score: Any, sample_weight: npt.ArrayLike | None, pos_label: Any) -> TieGroups:
    """Masses of both classes in every tie group: of labels, or as the difference estimator has it of observed ones."""
    if not isinstance(y_true, Observed) or not y_true.has_gaps:
        return ties_of(y_true, y_score, sample_weight, pos_label)
    design, rows = design_of(y_true, y_score, sample_weight, pos_label)
    return design.tie_groups(rows)


def design_of(
    observed: Observed, y_score: Any, sample_weight: npt.ArrayLike | None, pos_label: Any
) -> tuple[Design, PartlyLabeled]:
    """The design by which rows of a list were labeled, and the list."""
    rows = PartlyLabeled.of(observed, y_score, pos_label, sample_weight)
    if rows.inclusion is None:
        raise InputError(
            f"Labels of {int(rows.is_labeled.sum()):,} of {rows.n_rows:,} rows give no estimate for the whole list "
            "unless inclusion says how these rows were chosen.",
            "pass Observed(y, inclusion=...), or take the bounds of podium.inference.interval.",
        )
    return Design([rows]), rows


class Design:
    """How rows were chosen to be labeled, and the difference estimator that goes with it."""

    def __init__(self, lists: Sequence[PartlyLabeled]) -> None:
        """The same rows, listed by one scorer or by several."""
        rows = lists[0]
        if rows.inclusion is None:
            raise InputError("An estimate needs inclusion probabilities; got none.")
        self.rows, self.inclusion = rows, rows.inclusion
        rows.require_both_classes()
        self.stratum = _strata(rows.inclusion, rows.is_labeled)
        self.predicted, self.share = _predicted(lists, (1 - self.inclusion) * self.weight**2)

    @cached_property
    def weight(self) -> FloatArray:
        """1/π of the labeled rows, rescaled so that those of a stratum add up to its rows; 0 for other rows."""
        weight = np.where(self.rows.is_labeled, 1 / self.inclusion, 0.0)
        n_rows = np.bincount(self.stratum)
        return np.asarray(weight * (n_rows / np.bincount(self.stratum, weight))[self.stratum])

    @cached_property
    def residual(self) -> FloatArray:
        """Y − m where labeled, else 0."""
        return np.where(self.rows.is_labeled, self.rows.is_positive - self.predicted, 0.0)

    @cached_property
    def pseudo_labels(self) -> FloatArray:
        """ỹ of every row."""
        return self.predicted + self.weight * self.residual

    def tie_groups(self, rows: PartlyLabeled) -> TieGroups:
        """Totals of ỹ and of 1 − ỹ in the tie groups of a list of these rows; the values are their numbers."""
        pos = np.bincount(rows.group, self.pseudo_labels)
        return TieGroups(np.arange(len(pos), dtype=np.float64), pos, np.bincount(rows.group) - pos)

    @property
    def degrees_of_freedom(self) -> float:
        """Rows drawn at random, less one for each stratum."""
        drawn = self.rows.is_labeled & (self.inclusion < 1)
        return float(drawn.sum() - len(np.unique(self.stratum[drawn])))

    def covariance(self, slopes: FloatArray) -> FloatArray:
        r"""Covariance of estimates whose slopes in the label of every row are given, one estimate in each row.

        With residuals :math:`e_i = c_i (y_i - m_i)` of the labeled rows, less their mean in the stratum, it is
        :math:`\sum (1 - \pi_i) w_i^2 e_i e_i^\top`, times n/(n − 1) of each stratum. Where few positives were drawn
        the residuals say little: then what the predictions lead one to expect,
        :math:`\sum_i (1 - \pi_i) w_i m_i (1 - m_i) c_i c_i^\top` over all rows, is larger and takes its place.
        """
        drawn = np.flatnonzero(self.rows.is_labeled & (self.inclusion < 1))
        stratum, weight = self.stratum[drawn], self.weight[drawn]
        share = 1 - 1 / np.maximum(weight, 1.0)  # of the stratum that was not drawn
        count = np.bincount(stratum, minlength=self.stratum.max() + 1)
        mass = np.bincount(stratum, weight, minlength=len(count))
        residual = slopes[:, drawn] * self.residual[drawn]
        for row in residual:
            row -= (np.bincount(stratum, weight * row, minlength=len(count)) / np.maximum(mass, 1e-300))[stratum]
        factor = share * weight**2 * (count / np.maximum(count - 1, 1))[stratum]
        seen = (residual * factor) @ residual.T
        unsure = np.flatnonzero(self.inclusion < 1)
        chance = self.predicted[unsure] * (1 - self.predicted[unsure]) * (1 / self.inclusion[unsure] - 1)
        expected = (slopes[:, unsure] * chance) @ slopes[:, unsure].T
        scale = np.sqrt(np.maximum(np.diag(expected), np.diag(seen)))
        larger = expected if np.trace(expected) > np.trace(seen) else seen
        own = np.sqrt(np.diag(larger))
        factor = np.divide(scale, own, out=np.ones_like(scale), where=own > 0)
        return larger * np.outer(factor, factor)


def _strata(inclusion: FloatArray, is_labeled: BoolArray) -> Array:
    """Rows of one inclusion probability, or of similar ones, by number; each holds labeled rows.

    Rows that were sure to be labeled are a stratum of their own.
    """
    values, stratum = np.unique(inclusion, return_inverse=True)
    if len(values) > _MOST_STRATA:
        sure = values == 1
        cuts = np.quantile(inclusion[inclusion < 1], np.linspace(0, 1, _MOST_STRATA)[1:-1])
        stratum = np.where(sure, len(cuts) + 1, np.searchsorted(cuts, values))[stratum]
        stratum = np.unique(stratum, return_inverse=True)[1]
    has_sure = values[-1] == 1
    drawn = np.bincount(stratum[is_labeled], minlength=stratum.max() + 1)
    # Strata with too few labeled rows join their neighbor above, the last ones the one below.
    last = len(drawn) - has_sure
    if last > 0 and drawn[:last].sum() < _FEWEST_DRAWN:
        raise DegenerateSampleError(
            f"An estimate for the whole list needs at least {_FEWEST_DRAWN} labels of rows that were drawn at random; "
            f"got {drawn[:last].sum()}.",
            "draw more rows at random, or leave inclusion out for bounds.",
        )
    joined, number, held = np.zeros(len(drawn), dtype=np.intp), 0, 0
    for s in range(last):
        joined[s] = number
        held += drawn[s]
        if held >= _FEWEST_DRAWN and s + 1 < last and drawn[s + 1 : last].sum() >= _FEWEST_DRAWN:
            number, held = number + 1, 0
    if has_sure:
        joined[-1] = number + (last > 0)
    return joined[stratum]


def _predicted(lists: Sequence[PartlyLabeled], importance: FloatArray) -> tuple[FloatArray, float]:
    """The chance of a positive label of every row, and the share in it of a second source.

    It comes from the scores. Labeled rows are not weighted: given the score, whether a row was labeled says nothing of
    its label if the design went by the score. Where it went by something else, that speaks of the label, too: the
    probability of being labeled, or the columns from which it was learned. What is wrong after all, the residuals of
    the drawn rows set right.
    """
    rows, observed = lists[0], lists[0].observed
    X = np.column_stack([each.normal_scores for each in lists])
    learn: Learner = chance_of_label
    if observed.columns is not None:
        X, learn = np.column_stack([X, observed.columns]), out_of_fold
    elif not _by_score(rows):
        X = np.column_stack([X, np.log(rows.inclusion)])  # type: ignore[arg-type]  # only asked of designs
    known = rows.is_positive, rows.is_labeled
    alone = learn(X, *known)
    if observed.predicted is None:
        return alone, 0.0
    for each in lists:
        _refuse_own_predictions(each, observed.predicted)
    source = logit(np.clip(observed.predicted, _SURE, 1 - _SURE))
    helped = np.column_stack([X, source])
    share = share_of_second(line_out_of_fold(X, *known), line_out_of_fold(helped, *known), *known, importance)
    return alone + share * (learn(helped, *known) - alone), share


def _refuse_own_predictions(rows: PartlyLabeled, predicted: FloatArray) -> None:
    """A second source must know what the score does not."""
    for each in (predicted, -predicted):
        if (np.diff(each[np.lexsort((each, rows.group))]) >= 0).all():
            raise InputError(
                "Predicted labels must come from a second source; these rise, or fall, with the scores that are "
                "judged.",
                "leave predicted out: the scores are used anyway.",
            )


def _by_score(rows: PartlyLabeled) -> bool:
    """Whether rows of higher scores are never less likely to be labeled: asked of some thousand rows at most."""
    some = np.arange(0, rows.n_rows, rows.n_rows // _ASKED + 1)
    order = np.lexsort((rows.inclusion[some], rows.group[some]))  # type: ignore[index]  # only asked of designs
    return bool((np.diff(rows.inclusion[some][order]) >= 0).all())  # type: ignore[index]
