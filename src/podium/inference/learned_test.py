"""A two-sample test in any dimension: learn a score on one half, rank-test it on the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._types import FloatArray
from podium.exceptions import DegenerateSampleError
from podium.inference.rank_tests import rank_test
from podium.metrics import auc
from podium.metrics.scorers import estimator_scores
from podium.phi import Phi


@dataclass(frozen=True, kw_only=True, repr=False)
class LearnedTest(Result):
    """A rank test of learned scores; ``auc`` measures how well they separate the held-out halves.

    Attributes
    ----------
    statistic : float
        W_φ of the held-out scores of X.
    zscore : float
        Distance of W_φ from its null mean, in standard errors.
    pvalue : float
        The p-value of the test.
    auc : float
        The AUC of the held-out scores, X against Y.
    method : str
        The method of the rank test.
    phi : str
        The specification of φ; ``"auc"`` for φ(u) = u.
    n_train, n_test : int
        Numbers of training and of test rows.
    """

    statistic: float
    zscore: float
    pvalue: float
    auc: float
    method: str
    phi: str
    n_train: int
    n_test: int

    def __repr__(self) -> str:
        return (
            f"held-out AUC {self.auc:.3f}, z = {wording.minus(f'{self.zscore:.2f}')}, {wording.pvalue(self.pvalue)} "
            f"({self.method} rank test, {wording.specification(self.phi)} scores), learned on {self.n_train:,} rows, "
            f"tested on {self.n_test:,}"
        )


def learned_two_sample_test(
    X: Any,
    Y: Any,
    estimator: Any = None,
    phi: Phi | str = "auc",
    *,
    split: float = 0.5,
    method: str = "auto",
    n_resamples: int = 9999,
    rng: Any = None,
) -> LearnedTest:
    """Test whether two samples of rows come from one distribution (CV08, §4).

    A share ``split`` of either sample trains a scorer to rank rows of X above rows of Y; `rank_test` then tests on the
    rest whether X scores higher. For any scorer, held-out scores are exchangeable if the distributions agree, so the
    level is that of the rank test; the power depends on the scorer, and on φ, which can focus on the top.

    Parameters
    ----------
    X, Y : array-like of shape (rows, features)
        The two samples.
    estimator : estimator, optional
        The scorer, with ``fit(X, y)`` and ``decision_function`` or ``predict_proba``; it is cloned. By default logistic
        regression on standardized features, which detects differences of means.
    phi : Phi or str
        The score-generating function φ of the rank test; see `podium.phi`.
    split : float
        The share of rows for training, in (0, 1).
    method : {"auto", "asymptotic", "permutation", "exact"}
        The method for the p-value, as in `rank_test`; the alternative is that X scores higher.
    n_resamples : int
        The number of random splits for ``method="permutation"``.
    rng : numpy.random.Generator or int, optional
        The generator of the split and of permutations, or its seed.

    Returns
    -------
    LearnedTest
        The rank test of the held-out scores, and their AUC.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import learned_two_sample_test
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.standard_normal((80, 3)) + [0.8, 0, 0], rng.standard_normal((60, 3))
    >>> learned_two_sample_test(X, Y, rng=0)
    held-out AUC 0.65..., z = 2.1..., p = 0.01... (exact rank test, auc scores), learned on 70 rows, tested on 70
    """
    from sklearn.base import clone  # here: scikit-learn loads pandas where it is installed, intervals need not
    from sklearn.utils import check_array

    split = _input.check_fraction("split", split)
    first, second = check_array(X, input_name="X"), check_array(Y, input_name="Y")
    generator = np.random.default_rng(rng)
    learn, test = zip(*(_halves(rows, split, generator) for rows in (first, second)), strict=True)
    model = _default_ranker() if estimator is None else clone(estimator)
    labels = np.repeat([1, 0], [len(rows) for rows in learn])
    model.fit(np.concatenate(learn), labels)
    x, y = (estimator_scores(model, rows) for rows in test)
    test_result = rank_test(x, y, phi, alternative="greater", method=method, n_resamples=n_resamples, rng=generator)
    accuracy = auc(np.repeat([1, 0], [len(x), len(y)]), np.concatenate([x, y]))
    return LearnedTest(
        statistic=test_result.statistic,
        zscore=test_result.zscore,
        pvalue=test_result.pvalue,
        auc=accuracy,
        method=test_result.method,
        phi=test_result.phi,
        n_train=len(labels),
        n_test=len(x) + len(y),
    )


def _halves(rows: FloatArray, split: float, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    cut = round(split * len(rows))
    if not 0 < cut < len(rows):
        raise DegenerateSampleError(
            f"Both samples need rows for training and for testing; got {len(rows)} rows and split={split:g}.",
            "use more rows, or a split nearer to 0.5.",
        )
    order = rng.permutation(len(rows))
    return rows[order[:cut]], rows[order[cut:]]


def _default_ranker() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression())
