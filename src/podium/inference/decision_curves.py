"""Net benefit at every threshold probability, with a simultaneous band; of one scorer or of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.order import by_class
from podium._results import wording
from podium._results.result import Result
from podium._types import Array, FloatArray, Sample
from podium.exceptions import InputError
from podium.inference.decision_differences import DecisionComparison, NetBenefitDifference, Rules, largest_deviation


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class DecisionCurve(Result):
    """Net benefit of acting on the rows above each threshold probability.

    Attributes
    ----------
    threshold : ndarray
        The threshold probabilities.
    net_benefit : ndarray
        Net benefit there, in true positives per row.
    low, high : ndarray
        Its simultaneous band.
    act_on_all : ndarray
        Net benefit of acting on every row; that of acting on none is 0.
    avoided : ndarray
        Interventions avoided per row against acting on every row, less those due that were missed at (1 − t)/t each.
    avoided_low, avoided_high : ndarray
        Its simultaneous band.
    prevalence : float
        The share of positives, as given or as in the rows.
    confidence_level : float
        Approximate probability that the whole curve is inside its band.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    """

    threshold: FloatArray
    net_benefit: FloatArray
    low: FloatArray
    high: FloatArray
    act_on_all: FloatArray
    avoided: FloatArray
    avoided_low: FloatArray
    avoided_high: FloatArray
    prevalence: float
    confidence_level: float
    n_pos: int
    n_neg: int

    @property
    def label(self) -> str:
        """A short description of the band, used as its label in plots."""
        return f"{wording.level(self.confidence_level)} simultaneous band"

    def __repr__(self) -> str:
        better = self.threshold[self.low > np.maximum(self.act_on_all, 0)]
        useful = (
            f"surely better than acting on all or none at thresholds from {better[0]:.3g} to {better[-1]:.3g}"
            if len(better)
            else "nowhere surely better than acting on all or none"
        )
        at = int(np.argmin(np.abs(self.threshold - self.prevalence)))
        per_100 = (100 * each[at] for each in (self.avoided, self.avoided_low, self.avoided_high))
        avoided = wording.minus("{:.0f} ({:.0f} to {:.0f})".format(*per_100))
        return (
            f"Decision curve at {len(self.threshold):,} thresholds, {self.label}, {useful}; at "
            f"{self.threshold[at]:.3g} {avoided} interventions avoided per 100 rows, "
            f"{wording.rows(self.n_pos, self.n_neg)}"
        )


@overload
def decision_curve(
    y_true: npt.ArrayLike,
    y_prob: Mapping[str, npt.ArrayLike],
    *,
    thresholds: npt.ArrayLike | None = ...,
    prevalence: float | None = ...,
    confidence_level: float = ...,
    rng: np.random.Generator | int | None = ...,
    pos_label: Any = ...,
) -> DecisionComparison: ...
@overload
def decision_curve(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    thresholds: npt.ArrayLike | None = ...,
    prevalence: float | None = ...,
    confidence_level: float = ...,
    rng: np.random.Generator | int | None = ...,
    pos_label: Any = ...,
) -> DecisionCurve: ...
def decision_curve(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike | Mapping[str, npt.ArrayLike],
    *,
    thresholds: npt.ArrayLike | None = None,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
    rng: np.random.Generator | int | None = 0,
    pos_label: Any = None,
) -> DecisionCurve | DecisionComparison:
    r"""Net benefit of acting on rows above a threshold probability (Vickers and Elkin, 2006), with a band.

    Acting from a probability t on implies that one true positive is worth (1 − t)/t false ones. In units of true
    positives per row this gives

    .. math:: \mathrm{NB}(t) = \pi\,\mathrm{TPR}(t) - (1 - \pi)\,\mathrm{FPR}(t)\,w_t, \qquad w_t = \frac{t}{1 - t},

    against :math:`\pi - (1 - \pi) w_t` for acting on all and 0 for acting on none. It is a mean over the rows, so for
    :math:`t \le u` its covariance is

    .. math:: \frac{\pi\,\mathrm{TPR}(u) + (1 - \pi)\,\mathrm{FPR}(u)\, w_t w_u
       - \mathrm{NB}(t)\,\mathrm{NB}(u)}{N}.

    The band is the curve plus and minus a multiple of its standard error; the multiple is the quantile of the largest
    deviation of a normal vector with these correlations, by simulation. Rates in the standard errors have two rows
    added on either side (Agresti and Coull, 1998), so that none is taken as known. A count of few true positives leans
    upwards: with q the multiple and p the share of rows that are true positives, half of Wilson's shift,
    :math:`q^2 (1 - 2p) / (4 (N + q^2))`, is added to the upper line. Without it the band covered .90 with ten positives
    among 200 rows.

    The interventions avoided are what the curve gains on acting on all, in units of negatives left alone (Vickers
    and others 2008), :math:`\{\mathrm{NB}(t) - \pi + (1 - \pi) w_t\} / w_t`. They, and differences between scorers,
    are means over the rows on which the two rules differ, :math:`d_i(t) = \pm 1`; two more such rows of each class
    are added in the standard errors, and missed positives lean as those found do. Of P pairs of scorers each has a
    band at the level 1 − (1 − ``confidence_level``)/P. In 300 tables each of 100 to 2,000 rows, 5 to 50 % positive,
    at 19 thresholds or one, bands of differences covered .953 to .997 and those of interventions avoided .933 to
    .977.

    Parameters
    ----------
    y_true, y_prob : array-like
        Labels and *probabilities* of the positive class, for independent rows that were not used to train the model;
        of several scorers a mapping of names to probabilities.
    thresholds : array-like, optional
        Threshold probabilities in (0, 1), ascending; by default .01, .02, …, .99. With a single one the band is the
        interval for the net benefit there.
    prevalence : float, optional
        Share of positives in the target population, if known and different from the share here, for instance when
        positives and negatives were sampled separately.
    confidence_level : float
        Nominal probability that the band contains the net benefit at all thresholds.
    rng : numpy.random.Generator, int or None
        Generator or seed for the simulated quantile; by default a fixed seed, so results are reproducible.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    DecisionCurve or DecisionComparison
        The curve and its band; of several scorers the curves and the differences of all pairs.

    Notes
    -----
    Rows at the threshold are acted on; ties need no further rule. The probabilities need not be calibrated: the curve
    shows the benefit of acting on them as they are.

    References
    ----------
    Vickers, A. J. and Elkin, E. B. (2006). Decision curve analysis: a novel method for evaluating prediction models.
    *Medical Decision Making* 26, 565–574.

    Vickers, A. J., Cronin, A. M., Elkin, E. B. and Gonen, M. (2008). Extensions to decision curve analysis, a novel
    method for evaluating diagnostic tests, prediction models and molecular markers. *BMC Medical Informatics and
    Decision Making* 8, 53.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import decision_curve
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < p
    >>> decision_curve(y, p)
    Decision curve at 99 thresholds, 95 % simultaneous band, surely better than ...
    >>> decision_curve(y, {"new": p, "old": np.sqrt(p)})
    Net benefit of new against old (95 % band): surely larger at thresholds from ...
    """
    level = _input.check_fraction("confidence_level", confidence_level)
    t = np.arange(1, 100) / 100 if thresholds is None else _thresholds(thresholds)
    share = None if prevalence is None else _input.check_fraction("prevalence", prevalence)
    if not isinstance(y_prob, Mapping):
        return _curve(_checked(y_true, y_prob, pos_label), t, share, level, np.random.default_rng(rng))
    if len(y_prob) < 2:
        raise InputError(f"A comparison needs two scorers; got {len(y_prob)}.", "pass probabilities by name.")
    samples = {name: _checked(y_true, one, pos_label) for name, one in y_prob.items()}
    curves = {name: _curve(one, t, share, level, np.random.default_rng(rng)) for name, one in samples.items()}
    pairs = list(combinations(samples, 2))
    each_level = 1 - (1 - level) / len(pairs)
    differences = []
    for a, b in pairs:
        rules = _rules(samples[a], _acts(samples[b], t), t, share)
        difference, low, high = _band(rules, each_level, np.random.default_rng(rng))
        differences.append(
            NetBenefitDifference(
                names=(a, b), threshold=t, difference=difference, low=low, high=high, confidence_level=level
            )
        )
    return DecisionComparison(curves=curves, differences=tuple(differences))


def _checked(y_true: npt.ArrayLike, y_prob: npt.ArrayLike, pos_label: Any) -> Sample:
    sample = _input.check_sample(y_true, y_prob, pos_label=pos_label)
    if sample.scores.min() < 0 or sample.scores.max() > 1:
        raise InputError(
            f"y_prob must be probabilities in [0, 1]; got {sample.scores.min():g} to {sample.scores.max():g}.",
            "calibrate the scores first: a threshold probability means nothing on another scale.",
        )
    return sample


def _curve(sample: Sample, t: FloatArray, share: float | None, level: float, rng: np.random.Generator) -> DecisionCurve:
    tpr, fpr, n_pos, n_neg = _rates(sample, t)
    pi, odds = n_pos / (n_pos + n_neg) if share is None else share, t / (1 - t)
    benefit = pi * tpr - (1 - pi) * fpr * odds
    smooth = (n_pos * tpr + 2) / (n_pos + 4), (n_neg * fpr + 2) / (n_neg + 4)
    covariance = _covariance(*smooth, odds, pi, n_pos, n_neg, known_prevalence=share is not None)
    error = np.sqrt(np.diag(covariance))
    quantile = largest_deviation(covariance, level, rng)
    # What true positives are counted among: all rows, or the positives where their share is known.
    counted, worth = (n_pos + n_neg, 1.0) if share is None else (n_pos, pi)
    everywhere = np.full(len(sample.scores), len(t))
    avoided, fewest, most = _band(_rules(sample, everywhere, t, share), level, rng)

    def lean(rate: FloatArray) -> FloatArray:
        """Half of Wilson's shift of few positives, found or missed."""
        return worth * quantile**2 * np.maximum(1 - 2 * rate * pi / worth, 0.0) / (4 * (counted + quantile**2))

    return DecisionCurve(
        threshold=t,
        net_benefit=benefit,
        low=benefit - quantile * error,
        high=benefit + quantile * error + lean(tpr),
        act_on_all=pi - (1 - pi) * odds,
        avoided=avoided / odds,
        avoided_low=(fewest - lean(1 - tpr)) / odds,
        avoided_high=most / odds,
        prevalence=pi,
        confidence_level=level,
        n_pos=n_pos,
        n_neg=n_neg,
    )


def _acts(sample: Sample, t: FloatArray) -> Array:
    """At how many of the thresholds each row is acted on."""
    return np.searchsorted(t, sample.scores, side="right")


def _rules(sample: Sample, other: Array, t: FloatArray, share: float | None) -> Rules:
    return Rules(_acts(sample, t), other, sample.is_positive, t / (1 - t), share)


def _band(rules: Rules, level: float, rng: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The difference of two rules, and its band."""
    difference, covariance = rules.difference()
    reach = largest_deviation(covariance, level, rng) * np.sqrt(np.diag(covariance))
    return difference, difference - reach, difference + reach


def _thresholds(thresholds: npt.ArrayLike) -> FloatArray:
    t = np.asarray(_input.check_scores(thresholds, "thresholds"), dtype=np.float64)
    if (t <= 0).any() or (t >= 1).any() or (np.diff(t) <= 0).any():
        raise InputError(f"thresholds must be ascending and in (0, 1); got {thresholds!r}.")
    return t


def _rates(sample: Sample, t: FloatArray) -> tuple[FloatArray, FloatArray, int, int]:
    """True and false positive rate of the rows at or above each threshold, and the sizes of the classes."""
    pos, neg = by_class(sample.scores, sample.is_positive)
    tpr, fpr = (1 - np.searchsorted(scores, t, side="left") / len(scores) for scores in (pos, neg))
    return tpr, fpr, len(pos), len(neg)


def _covariance(
    tpr: FloatArray, fpr: FloatArray, odds: FloatArray, pi: float, n_pos: int, n_neg: int, *, known_prevalence: bool
) -> FloatArray:
    """Of the net benefits; both rates fall with the threshold, so the larger threshold of two has the smaller rate."""
    both_pos, both_neg = np.minimum.outer(tpr, tpr), np.minimum.outer(fpr, fpr) * np.outer(odds, odds)
    if known_prevalence:
        of_pos = pi**2 * (both_pos - np.outer(tpr, tpr)) / n_pos
        return of_pos + (1 - pi) ** 2 * (both_neg - np.outer(fpr * odds, fpr * odds)) / n_neg
    benefit = pi * tpr - (1 - pi) * fpr * odds
    return (pi * both_pos + (1 - pi) * both_neg - np.outer(benefit, benefit)) / (n_pos + n_neg)
