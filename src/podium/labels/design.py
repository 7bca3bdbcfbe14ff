r"""How rows came to have labels, and the estimate for all rows that goes with it.

The measures of a list are functions of totals :math:`\sum_i a_i y_i` over *all* rows, with known worths
:math:`a_i` (the value of φ at the rank of the row, or whether it is among the first k): ranks in the pooled list do not
depend on labels. So what has to be estimated are totals of a finite population, by the difference estimator

.. math:: \sum_i a_i \tilde y_i, \qquad \tilde y_i = m_i + \frac{\delta_i}{\pi_i} (y_i - m_i),

where row i is labeled (:math:`\delta_i = 1`) with probability :math:`\pi_i` and :math:`m_i` predicts its label
(Särndal, Swensson and Wretman 1992, chapter 6). It is unbiased whatever the predictions are; good ones make it precise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logit

from podium._types import FloatArray
from podium.exceptions import InputError
from podium.labels.chances import chance_of_label
from podium.labels.learned import line_out_of_fold, out_of_fold, share_of_second
from podium.labels.lists import PartlyLabeled
from podium.labels.observed import Observed
from podium.ranks.pooled import TieGroups
from podium.rounds.rows import RowsLike, ties_of

_SURE = 0.01  # predictions of a second source are at least this far from 0 and 1: labels, too, have odds


def tie_groups(y_true: RowsLike, y_score: Any, sample_weight: npt.ArrayLike | None, pos_label: Any) -> TieGroups:
    """Masses of both classes in every tie group: of labels, or as the difference estimator has it of observed ones."""
    if not isinstance(y_true, Observed) or not y_true.has_gaps:
        return ties_of(y_true, y_score, sample_weight, pos_label)
    if y_true.horizon is not None:
        return TieGroups.of(y_true.horizon.sample(y_score, sample_weight, pos_label))
    design, rows = design_of(y_true, y_score, sample_weight, pos_label)
    return design.tie_groups(rows)


def design_of(
    observed: Observed, y_score: Any, sample_weight: npt.ArrayLike | None, pos_label: Any, by_row: bool = True
) -> tuple[Design, PartlyLabeled]:
    """The design by which rows of a list were labeled, and the list."""
    if observed.inclusion is None:
        raise InputError(
            f"Labels of {int(observed.is_labeled.sum()):,} of {len(observed):,} rows give no estimate for the whole "
            "list unless inclusion says how these rows were chosen.",
            "pass Observed(y, inclusion=...), or take the bounds of podium.inference.interval.",
        )
    rows = PartlyLabeled.of(observed, y_score, pos_label, sample_weight, by_row)
    return Design([rows]), rows


class Design:
    """How rows were chosen to be labeled, and the difference estimator that goes with it."""

    def __init__(self, lists: Sequence[PartlyLabeled]) -> None:
        """The same rows, listed by one scorer or by several."""
        rows = lists[0]
        if rows.inclusion is None:
            raise InputError("An estimate needs inclusion probabilities; got none.")
        rows.require_both_classes()
        self.rows, self.inclusion, self.stratum = rows, rows.inclusion, rows.stratum
        self.predicted, self.share = _predicted(lists, (1 - self.inclusion) * self.weight**2)

    @cached_property
    def weight(self) -> FloatArray:
        """1/π of the labeled rows, rescaled so that those of a stratum add up to its rows; 0 for other rows."""
        weight = np.where(self.rows.is_labeled, 1 / self.inclusion, 0.0)
        n_rows = np.bincount(self.stratum, self.rows.count)
        return np.asarray(weight * (n_rows / np.bincount(self.stratum, weight))[self.stratum])

    @cached_property
    def residual(self) -> FloatArray:
        """Y − m where labeled, else 0."""
        return np.where(self.rows.is_labeled, self.rows.is_positive - self.predicted, 0.0)

    @cached_property
    def pseudo_labels(self) -> FloatArray:
        """ỹ of every entry: of all its rows together."""
        return self.rows.count * self.predicted + self.weight * self.residual

    def tie_groups(self, rows: PartlyLabeled) -> TieGroups:
        """Totals of ỹ and of 1 − ỹ in the tie groups of a list of these rows; the values are their numbers."""
        pos = np.bincount(rows.group, self.pseudo_labels)
        return TieGroups(np.arange(len(pos), dtype=np.float64), pos, np.bincount(rows.group, rows.count) - pos)

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
        chance = self.predicted[unsure] * (1 - self.predicted[unsure]) * self.rows.count[unsure]
        reached = self.inclusion[unsure]  # of labels that are to come, only some may have
        reached = reached * (self.rows.is_labeled[unsure].sum() / (reached @ self.rows.count[unsure]))
        chance *= np.maximum(1 / reached, 1.0) - 1
        expected = (slopes[:, unsure] * chance) @ slopes[:, unsure].T
        scale = np.sqrt(np.maximum(np.diag(expected), np.diag(seen)))
        larger = expected if np.trace(expected) > np.trace(seen) else seen
        own = np.sqrt(np.diag(larger))
        factor = np.divide(scale, own, out=np.ones_like(scale), where=own > 0)
        return larger * np.outer(factor, factor)


def _predicted(lists: Sequence[PartlyLabeled], importance: FloatArray) -> tuple[FloatArray, float]:
    r"""The chance :math:`m + \lambda (m' - m)` of a positive label of every row, and λ.

    m comes from the scores, by a regression on all labeled rows. They are not weighted: given the score, whether a row
    was labeled says nothing of its label if the design went by the score. Where it went by something else, that speaks
    of the label, too: the probability of being labeled, or the columns from which it was learned. m′ knows more,
    columns beside a known design or a second source, and is cross-fitted; it counts as far as it makes residuals of the
    labeled rows smaller.
    """
    rows, observed = lists[0], lists[0].observed
    X = np.column_stack([each.normal_scores for each in lists])
    if observed.learns_inclusion:
        X = np.column_stack([X, observed.columns])  # type: ignore[list-item]
    elif not rows.by_score:
        X = np.column_stack([X, np.log(rows.kind_inclusion)])  # type: ignore[arg-type]
    further = [] if observed.columns is None or observed.learns_inclusion else [observed.columns]
    if observed.predicted is not None:
        for each in lists:
            _refuse_own_predictions(each, observed.predicted)
        further.append(logit(np.clip(observed.predicted, _SURE, 1 - _SURE)))
    known = rows.is_positive, rows.is_labeled
    if observed.learns_inclusion:
        plain = out_of_fold(X, *known)
    else:
        by_kind = (np.bincount(rows.kind, each, minlength=len(X)) for each in known)
        plain = chance_of_label(X, *by_kind)[rows.kind]
    if not further:
        return plain, 0.0
    unseen = plain if observed.learns_inclusion else line_out_of_fold(X, *known)
    learn = line_out_of_fold if observed.columns is None else out_of_fold
    helped = learn(np.column_stack([X, *further]), *known)
    share = share_of_second(unseen, helped, *known, importance)
    return plain + share * (helped - plain), share


def _refuse_own_predictions(rows: PartlyLabeled, predicted: FloatArray) -> None:
    """A second source must know what the score does not."""
    for each in (predicted, -predicted):
        if (np.diff(each[np.lexsort((each, rows.group))]) >= 0).all():
            raise InputError(
                "Predicted labels must come from a second source; these rise, or fall, with the scores that are "
                "judged.",
                "leave predicted out: the scores are used anyway.",
            )
