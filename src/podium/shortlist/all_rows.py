"""A shortlist with few false positives for which every labeled row trains the scorer, and every negative judges it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium.exceptions import DegenerateSampleError, InputError
from podium.metrics.scorers import estimator_scores
from podium.shortlist.false_discovery import by_fdr
from podium.shortlist.result import Shortlist

_THEOREM = (
    "Conformal selection with the Benjamini–Hochberg procedure and a scorer that treats negatives and new rows alike "
    "(Marandon, Lei, Mary and Roquain, 2024)."
)
_ASSUMPTION = (
    "Labeled rows and new rows are independent draws from one population, and neither labels nor the list had a part "
    "in choosing the kind of scorer."
)


def by_fdr_of_all_rows(
    ranker: Any,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    X_new: npt.ArrayLike,
    *,
    fdr: float = 0.1,
    rng: int | np.random.Generator | None = 0,
    pos_label: Any = None,
) -> Shortlist:
    r"""Train a scorer on all labeled rows and select new rows such that few negatives are expected among them.

    No row is held out. The scorer learns to tell the labeled positives from all other rows, labeled negatives and *new
    rows* together in random order: it cannot know which of these are which, so a new row that is negative is as likely
    as any labeled negative to stand at any place among their scores. New rows are then selected by `by_fdr` with the
    labeled rows as its calibration rows. Of N labeled rows with n positives and m new ones with :math:`m_0` negatives,

    .. math:: \mathrm{FDR} \le q\, \mathrm{E}\Bigl[\frac{N + 1}{N - n + 1}\Bigr] \mathrm{E}\Bigl[\frac{m_0}{m}\Bigr]
       = q\, \{1 - (1 - \pi_0)^{N + 1}\} \le q

    at ``fdr`` = q, with :math:`\pi_0` the share of negatives in the population. The scorer is for this list alone:
    positives among the new rows count against it in training, which costs little unless the list is far longer than the
    labeled rows and rich in positives.

    Parameters
    ----------
    ranker : estimator
        Anything with ``fit(X, y)`` and ``decision_function`` or ``predict_proba``; it is cloned. It must not depend on
        anything but the rows it is given: no parameter may have been chosen by their labels.
    X, y : array-like
        Features and labels of the labeled rows.
    X_new : array-like
        Features of the list to select from.
    fdr : float
        The largest expected share of negatives among the selected rows, in (0, 1).
    rng : int or numpy.random.Generator, optional
        The seed or source of the random order.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    Shortlist
        The selected rows and their guarantee.

    References
    ----------
    Marandon, A., Lei, L., Mary, D. and Roquain, E. (2024). Adaptive novelty detection with false discovery rate
    guarantee. *The Annals of Statistics* 52, 157–183.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from podium.shortlist import by_fdr_of_all_rows
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(1500) < 0.3
    >>> X = rng.normal(size=(1500, 3)) + 1.5 * y[:, None]
    >>> by_fdr_of_all_rows(LogisticRegression(), X[:500], y[:500], X[500:])
    298 of 1,000 rows selected. The expected share of negatives among the selected rows is at most 10 %.
    """
    from sklearn.base import clone  # here: the other shortlists need no scikit-learn

    labels = _input.check_labels(y, pos_label)
    known, new = np.asarray(X), np.asarray(X_new)
    if known.ndim != 2 or new.ndim != 2 or len(known) != len(labels) or known.shape[1] != new.shape[1] or not len(new):
        raise InputError(
            f"X and X_new must be tables with the same columns, X with a row for each of the {len(labels):,} labels; "
            f"got shapes {known.shape} and {new.shape}."
        )
    if labels.all() or not labels.any():
        raise DegenerateSampleError("A scorer needs labeled rows of both classes; got one class.")
    others = np.concatenate([known[~labels], new])
    mixed = others[np.random.default_rng(rng).permutation(len(others))]
    rows = np.concatenate([known[labels], mixed])
    scorer = clone(ranker).fit(rows, (np.arange(len(rows)) < labels.sum()).astype(int))
    found = by_fdr(labels, estimator_scores(scorer, known), estimator_scores(scorer, new), fdr=fdr)
    return replace(
        found, threshold=None, method="conformal selection by all rows", theorem=_THEOREM, assumption=_ASSUMPTION
    )
