"""A shortlist with few false positives: conformal selection."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.order import ascending
from podium._results import wording
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.shortlist.result import EXCHANGEABLE, Shortlist, calibration, new_scores

_THEOREM = "Conformal selection with the Benjamini–Hochberg procedure (Jin and Candès, 2023)."
_WEIGHTED = (
    "Weighted conformal p-values with the Benjamini–Hochberg procedure (Jin and Candès, 2025): for large samples only."
)
_SHIFTED = (
    "New rows differ from calibration rows by their features alone, and the weights are proportional to the ratio of "
    "both densities; no calibration row had a part in making or choosing the scorer."
)
_NOT_COVERED = (
    "The share in this one list, which varies around its expectation, most where few rows are chosen; and which of the "
    "chosen rows are false."
)


def by_fdr(
    y_cal: npt.ArrayLike,
    s_cal: npt.ArrayLike,
    s_new: npt.ArrayLike,
    *,
    fdr: float = 0.1,
    weights: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    tie_break: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    randomize: bool = False,
    rng: int | np.random.Generator | None = None,
    pos_label: Any = None,
) -> Shortlist:
    r"""Select rows of a list such that the expected share of negatives among them is at most ``fdr``.

    The p-value of a new row with score :math:`s_j`, of n calibration rows, is

    .. math:: p_j = \frac{1 + \#\{i : y_i = 0,\; s_i \ge s_j\}}{n + 1} ,

    and rows are selected by the procedure of Benjamini and Hochberg: the k smallest p-values, with the largest k for
    which the k-th is at most ``fdr`` · k / m, for m new rows. n counts all calibration rows, not only negatives, so the
    share of positives need not be known. With weights w,

    .. math:: p_j = \frac{w_j + \sum_i w_i 1\{y_i = 0,\; s_i \ge s_j\}}{w_j + \sum_i w_i} .

    Parameters
    ----------
    y_cal, s_cal : array-like
        Labels and scores of the calibration rows, which were not used to train the scorer.
    s_new : array-like
        Scores of the list to select from, by the same scorer.
    fdr : float
        The largest expected share of negatives among the selected rows, in (0, 1).
    weights : pair of array-like, optional
        Weights of the calibration rows and of the new rows, proportional to the density ratio of features between the
        new list and the calibration sample. The guarantee is then asymptotic.
    tie_break : pair of array-like, optional
        Second scores of the calibration rows and of the new rows: they order rows whose first scores are equal, so that
        more may be selected.
    randomize : bool
        Whether to break the ties left between a new row and calibration negatives at random. More rows are selected if
        scores tie, but rows with equal scores may be treated differently.
    rng : int or numpy.random.Generator, optional
        The seed or source of the random numbers for ``randomize``.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    Shortlist
        The selected rows and their guarantee.

    Notes
    -----
    Ties count against the new row, unless they are broken at random.

    References
    ----------
    Jin, Y. and Candès, E. J. (2023). Selection by prediction with conformal p-values. *Journal of Machine Learning
    Research* 24(244).

    Jin, Y. and Candès, E. J. (2025). Model-free selective inference under covariate shift via weighted conformal
    p-values. *Biometrika*.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.shortlist import by_fdr
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.3
    >>> s = 3 * y + rng.normal(size=2000)
    >>> by_fdr(y[:1000], s[:1000], s[1000:], fdr=0.1)
    340 of 1,000 rows selected. The expected share of negatives among the selected rows is at most 10 %.
    """
    q = _input.check_fraction("fdr", fdr)
    pos, neg = calibration(y_cal, s_cal, pos_label)
    scores = new_scores(s_new)
    assert scores is not None
    _input.check_choice("randomize", randomize, (True, False))
    listed = scores
    if tie_break is not None:
        s_cal, scores = _ranks(s_cal, scores, *_pair("tie_break", tie_break, "second scores"))
        pos, neg = calibration(y_cal, s_cal, pos_label)
    if weights is None and not randomize:
        chosen = _above_a_negative(neg, len(pos) + len(neg), scores, q)
    else:
        source = np.random.default_rng(rng) if randomize else None
        if weights is None:
            pvalues = _pvalues(neg, len(pos) + len(neg), scores, source)
        else:
            pvalues = _weighted_pvalues(y_cal, s_cal, scores, weights, source, pos_label)
        chosen = _benjamini_hochberg(pvalues, q)
    by_score = weights is None and tie_break is None and not randomize
    threshold = float(np.min(listed[chosen], initial=np.inf)) if by_score else None
    return _result(chosen, threshold, q, weights is not None, len(pos), len(neg))


def _pair(name: str, values: Any, what: str) -> tuple[npt.ArrayLike, npt.ArrayLike]:
    if not isinstance(values, tuple | list) or len(values) != 2:
        raise InputError(
            f"{name} must be a pair, {what} of the calibration rows and of the new rows; got {type(values).__name__}.",
            f"{name}=(of_calibration_rows, of_new_rows).",
        )
    return values[0], values[1]


def _ranks(
    s_cal: npt.ArrayLike, s_new: FloatArray, t_cal: npt.ArrayLike, t_new: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Places of all rows by the first score and, where it is equal, by the second; equal where both are."""
    first = [_input.check_scores(s_cal), s_new]
    second = [_input.check_scores(each, "tie_break") for each in (t_cal, t_new)]
    for a, b, rows in zip(first, second, ("calibration", "new"), strict=True):
        if len(a) != len(b):
            raise InputError(f"tie_break must have one value for each of the {len(a):,} {rows} rows; got {len(b):,}.")
    s, t = (np.concatenate(each).astype(np.float64) for each in (first, second))
    order = np.lexsort((t, s))
    differs = np.append(0, (np.diff(s[order]) > 0) | (np.diff(t[order]) > 0))
    places = np.empty(len(s))
    places[order] = np.cumsum(differs)
    return places[: len(first[0])], places[len(first[0]) :]


def _above_a_negative(neg: FloatArray, n: int, scores: FloatArray, q: float) -> BoolArray:
    """Benjamini–Hochberg without a p-value in sight: all rows above one calibration negative, the last that may be.

    Rows with at most c negatives at or above them are those above the (c + 1)-th best negative; K_c of them are chosen
    for the largest c with (c + 1)/(n + 1) ≤ q K_c / m.
    """
    m = len(scores)
    most = min(len(neg), int(q * (n + 1)))  # c + 1 is at most this, whatever K_c
    best = neg[::-1][: most + 1]
    if most < len(neg):
        scores_in_question = ascending(scores[scores > best[-1]])
    else:
        best, scores_in_question = np.append(best, -np.inf), ascending(scores)
    above = len(scores_in_question) - np.searchsorted(scores_in_question, best, side="right")
    rank = np.arange(1, len(best) + 1)
    possible = np.flatnonzero(_at_most(rank / (n + 1), q * above / m) & (above > 0))
    return scores > best[possible[-1]] if len(possible) else np.zeros(m, dtype=np.bool_)


def _pvalues(neg: FloatArray, n: int, scores: FloatArray, rng: np.random.Generator | None) -> FloatArray:
    """Conformal p-values; ties broken by independent uniform numbers where asked for."""
    above = len(neg) - np.searchsorted(neg, scores, side="right")
    tied = len(neg) - np.searchsorted(neg, scores, side="left") - above
    share = 1.0 if rng is None else 1 - rng.random(len(scores))
    return (above + share * (1 + tied)) / (n + 1)


def _weighted_pvalues(
    y_cal: npt.ArrayLike,
    s_cal: npt.ArrayLike,
    scores: FloatArray,
    weights: tuple[npt.ArrayLike, npt.ArrayLike],
    rng: np.random.Generator | None,
    pos_label: Any,
) -> FloatArray:
    w_cal, w_new = _pair("weights", weights, "those")
    is_positive, cal = _input.check_labels(y_cal, pos_label), _input.check_scores(s_cal)
    w_cal = _input.check_weights(w_cal, len(cal))
    w_new = _input.check_weights(w_new, len(scores))
    order = np.argsort(cal[~is_positive], kind="stable")
    neg = cal[~is_positive][order].astype(np.float64)
    from_top = np.append(np.cumsum(w_cal[~is_positive][order][::-1])[::-1], 0.0)
    above = from_top[np.searchsorted(neg, scores, side="right")]
    reached = from_top[np.searchsorted(neg, scores, side="left")]
    share = 1.0 if rng is None else 1 - rng.random(len(scores))
    return (above + share * (w_new + reached - above)) / (w_cal.sum() + w_new)


def _benjamini_hochberg(pvalues: FloatArray, q: float) -> BoolArray:
    m = len(pvalues)
    ordered = ascending(pvalues)
    passed = np.flatnonzero(_at_most(ordered, q * np.arange(1, m + 1) / m))
    return pvalues <= ordered[passed[-1]] if len(passed) else np.zeros(m, dtype=np.bool_)


def _at_most(a: FloatArray, b: FloatArray) -> BoolArray:
    """Whether a ≤ b, where both are fractions that may be equal but for rounding."""
    return np.asarray(a <= b * (1 + 1e-12))


def _result(chosen: BoolArray, threshold: float | None, q: float, weighted: bool, n_pos: int, n_neg: int) -> Shortlist:
    expectation = f"The expected share of negatives among the selected rows is at most {wording.level(q)}"
    return Shortlist(
        threshold=threshold,
        chosen=chosen,
        guarantee=f"{expectation}, approximately, for large samples." if weighted else f"{expectation}.",
        method="weighted conformal selection" if weighted else "conformal selection",
        theorem=_WEIGHTED if weighted else _THEOREM,
        assumption=_SHIFTED if weighted else EXCHANGEABLE,
        not_covered=_NOT_COVERED,
        confidence_level=None,
        attained_level=None,
        n_pos=n_pos,
        n_neg=n_neg,
    )
