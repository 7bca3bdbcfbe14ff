"""How many hits to expect among the first k of the next list."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium.exceptions import InputError
from podium.inference.hits.fixed_composition import FixedComposition
from podium.inference.hits.new_draw import NewDraw, Prediction
from podium.inference.lists.influence import clusters_of
from podium.inference.observed import labels_note, refuse_options
from podium.labels import Observed, measures
from podium.labels.design import design_of
from podium.rounds.counted import CountedList
from podium.rounds.rows import RowsLike, refuse, whole_rows_of


@dataclass(frozen=True, repr=False, kw_only=True)
class PrecisionInterval(Result):
    """Hits among the first k rows of the next list: their expectation and a prediction interval.

    ``low`` and ``high`` are whole numbers of hits, both included; ``estimate`` may be fractional if the cutoff falls
    into a tie group or the next list has another length. Divide by k for the precision.

    Attributes
    ----------
    estimate : float
        The expected hits among the first k rows of the next list.
    low, high : int
        The limits of the prediction interval.
    standard_deviation : float
        The standard deviation of the hits in such lists.
    k : int
        How many rows are inspected.
    n_next : int
        The length of the next list.
    composition : str
        ``"random"`` if the number of positives in the next list is random, ``"fixed"`` if it is the same as here.
    prevalence : float
        The share of positives in the population of the next list, as given or as estimated from these rows.
    confidence_level : float
        The confidence level of the interval.
    n_pos, n_neg : int
        The numbers of positives and of negatives given.
    note : str
        A caveat; empty if no weakness is known.
    """

    estimate: float
    low: int
    high: int
    standard_deviation: float
    k: int
    n_next: int
    composition: str
    prevalence: float
    confidence_level: float
    n_pos: int
    n_neg: int
    note: str = ""

    def __repr__(self) -> str:
        expected = f"{self.estimate:.0f}" if self.estimate >= 10 else f"{self.estimate:.3g}"
        if self.composition == "fixed":
            which = f"a list with just as many positives, {wording.rows(self.n_pos, self.n_neg)}"
        else:
            which = f"a new list of {self.n_next:,} rows, about {wording.percent(self.prevalence)} positive"
        return wording.with_note(
            f"{expected} hits expected in the first {self.k:,}, {wording.level(self.confidence_level)} range "
            f"{self.low:,} to {self.high:,} for {which}",
            self.note,
        )


def precision_at_interval(
    y_true: RowsLike,
    y_score: npt.ArrayLike | None = None,
    *,
    k: int,
    composition: str = "random",
    n_next: int | None = None,
    prevalence: float | None = None,
    groups: npt.ArrayLike | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> PrecisionInterval:
    r"""Prediction interval for the hits among the first k rows of a future list.

    With ``composition="random"`` it covers the number H′ of positives among the first k of a new list of N′ rows, drawn
    from the same population as the N given rows and scored by the same scorer. The number of positives in that list is
    random.

    With H hits among the first :math:`K = kN/N'` rows here, :math:`\hat p = H/K` and q = k/N′, what a row contributes
    to the hits is 1{above the cut}·(y − c), c being the chance of a positive *at* the cut: a row more above it pushes
    another one out, which is a hit with probability c. So the hits of the next list, and their estimate kp̂, have the
    variances

    .. math:: \mathrm{Var}(H') = k \sigma^2(p), \qquad \mathrm{Var}(k \hat p) = \frac{N'}{N}\, k \sigma^2(p), \qquad
       \sigma^2(p) = p(1 - p) + (1 - q)(\hat p - \hat c)^2,

    and the interval holds every h that is not refuted with the precision pooled over both lists, as in the score
    test of two binomial samples (the joint-sampling interval of Krishnamoorthy and Peng, 2011, which is the case ĉ =
    p̂):

    .. math:: (|h - k\hat p| - \tfrac12)^2 \le z^2 \Bigl(1 + \frac{N'}{N}\Bigr) k\, \sigma^2(\tilde p), \qquad
       \tilde p = \frac{H + h}{K + k}.

    Pooling keeps it valid if all or none of the first rows are hits.

    The estimate is not kp̂ itself, which one row's label would turn where K is small, but k(H + 10p̄)/(K + 10): beside
    the K rows, ten of a chance that rises along the whole list (a logistic regression on the normal scores of the
    places; p̄ is its mean above the cut). It lies within the limits, and not below random order if the interval for
    the AUC lies above ½. Where one to three judged rows stand for the budget it is half as far off as kp̂ (the
    documentation has fifteen real tables).

    With ``composition="fixed"`` the next list has exactly as many positives and as many negatives as this one, which is
    rarely realistic; the range is narrower, and for a new draw it may be far too narrow.

    Parameters
    ----------
    y_true, y_score : array-like or Dask collection
        Labels and scores of rows that were not used to train or choose the scorer. In place of
        both, a function that returns chunks of them, or a :class:`podium.rounds.CountedList`.
    k : int
        How many rows of the next list are inspected.
    composition : {"random", "fixed"}
        Whether the number of positives in the next list is random or the same as here.
    n_next : int, optional
        Length of the next list; by default the number of scores.
    prevalence : float, optional
        Share of positives in the population of the next list, where that is known and not the share here: the rows
        given may then be positives and negatives sampled each by itself (a case-control sample). The positives and
        negatives themselves must be like those of the next list.
    groups : array-like, optional
        The cluster of every row, where rows of the same cluster (patient, household, batch) depend on each other. The
        variances are then multiplied by the design effect of the contributions above, at least 1; the next list is
        taken to have clusters like these.
    confidence_level : float
        Nominal probability that the hits of the future list are in the range.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    PrecisionInterval
        The hits to expect among the first k, and the range that holds them.

    Notes
    -----
    The range is for one k chosen beforehand; for all k at once see `hits_lower_bound`. Ties at the cut count by their
    mean over random orders. The documentation tabulates simulated coverage.

    References
    ----------
    Krishnamoorthy, K. and Peng, J. (2011). Improved closed-form prediction intervals for binomial and Poisson
    distributions. *Journal of Statistical Planning and Inference* 141, 1709–1718.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import precision_at_interval
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(1000) < 0.2
    >>> precision_at_interval(y, y + rng.normal(size=1000), k=50)
    33 hits expected in the first 50, 95 % range 22 to 43 for a new list of 1,000 rows, about 19 % positive
    """
    level = _input.check_fraction("confidence_level", confidence_level)
    _input.check_choice("composition", composition, ("random", "fixed"))
    if isinstance(y_true, Observed) and y_true.has_gaps:
        return _from_observed(y_true, y_score, k, n_next, level, pos_label, composition, prevalence, groups)
    rows = whole_rows_of(y_true, y_score, pos_label)
    if isinstance(rows, CountedList):
        refuse("precision_at_interval", groups=groups, fixed_composition=composition == "fixed")
        n_rows, n_pos = int(rows.n_total), int(rows.n_pos)
    else:
        n_rows, n_pos = len(rows.scores), int(rows.is_positive.sum())
    k, list_length, prevalence = check_next_list(k, n_next, prevalence, n_rows)
    if isinstance(rows, CountedList):
        prediction = NewDraw.of_groups(rows, prevalence).prediction(k, list_length, level)
    elif composition == "fixed":
        if n_next is not None or prevalence is not None or groups is not None:
            raise InputError(
                "composition='fixed' is for a list with the positives and negatives of this one; got n_next, "
                "prevalence or groups with it.",
                "leave composition at 'random' for any other list.",
            )
        prediction = FixedComposition.of(rows).prediction(k, level)
    else:
        clusters = None if groups is None else clusters_of(groups, None, n_rows)
        prediction = NewDraw.of(rows, prevalence, clusters).prediction(k, list_length, level)
    share = n_pos / n_rows if prevalence is None else prevalence
    return precision_interval(prediction, k, list_length, composition, share, level, n_pos, n_rows - n_pos)


def _from_observed(
    observed: Observed,
    y_score: Any,
    k: int,
    n_next: int | None,
    level: float,
    pos_label: Any,
    composition: str,
    prevalence: float | None,
    groups: npt.ArrayLike | None,
) -> PrecisionInterval:
    """The same from a list of which some rows have labels."""
    refuse_options(
        observed, composition=composition != "random", prevalence=prevalence is not None, groups=groups is not None
    )
    design, rows = design_of(observed, y_score, None, pos_label)
    k, length, _ = check_next_list(k, n_next, None, rows.n_rows)
    ties = design.tie_groups(rows)

    def missing(first: float) -> float:
        hits = measures.among_first(rows, first)
        return float(design.covariance(hits[None])[0, 0])

    draw = replace(NewDraw.of_groups(ties), missing=missing)
    n_pos = round(ties.n_pos)
    share = ties.n_pos / rows.n_rows
    found = draw.prediction(k, length, level)
    result = precision_interval(found, k, length, "random", share, level, n_pos, rows.n_rows - n_pos)
    return replace(result, note="; ".join(filter(None, [result.note, labels_note(design)])))


def check_next_list(k: int, n_next: int | None, prevalence: float | None, n_rows: int) -> tuple[int, int, float | None]:
    """How many rows of the next list are looked at, its length, and its share of positives where that is given."""
    length = n_rows if n_next is None else _input.check_integer("n_next", n_next, 1)
    k = _input.check_integer("k", k, 1, length, f"the list has {length} rows.")
    if prevalence is not None:
        prevalence = _input.check_fraction("prevalence", prevalence)
    return k, length, prevalence


def precision_interval(
    prediction: Prediction,
    k: int,
    n_next: int,
    composition: str,
    prevalence: float,
    level: float,
    n_pos: int,
    n_neg: int,
) -> PrecisionInterval:
    """What was predicted, with what it is for."""
    return PrecisionInterval(
        estimate=prediction.estimate,
        low=prediction.low,
        high=prediction.high,
        standard_deviation=prediction.standard_deviation,
        k=k,
        n_next=n_next,
        composition=composition,
        prevalence=prevalence,
        confidence_level=level,
        n_pos=n_pos,
        n_neg=n_neg,
        note=note_of(k * (n_pos + n_neg) / n_next),
    )


def note_of(rows: float) -> str:
    """What to keep in mind where so few of the rows given stand for the first rows of the next list."""
    if rows >= 1:
        return ""
    return "less than one of the rows given stands for the first rows of the next list: next to nothing is known"
