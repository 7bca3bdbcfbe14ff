"""Measures of a list on Dask: those of `podium.metrics`, of all rows."""

from __future__ import annotations

from typing import Any

from podium import _input
from podium.chunks import CollectForPush, Limits
from podium.distributed.lists import count_list, exact_enough
from podium.distributed.partitions import Partitions
from podium.exceptions import InputError
from podium.phi import Phi
from podium.roc import RocCurve


def auc(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    memory: float | None = None,
    tol: float = 0.0,
) -> float:
    """Area under the ROC curve of all partitions together, as :func:`podium.metrics.auc`; not a mean of local ones.

    Parameters
    ----------
    y_true, y_score : Dask array or series
        Labels and scores in the same partitions; larger scores are more positive.
    sample_weight : Dask array or series, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used on the client and on each worker; a quarter of what is left here unless given.
    tol : float
        The error that is allowed: at 0 the value is exact. It is an error where memory does not suffice for it.

    Returns
    -------
    float
        The AUC, in [0, 1].
    """
    counted = count_list(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, memory=memory, tol=tol)
    return exact_enough(counted, tol).auc()


def rank_statistic(
    y_true: Any,
    y_score: Any,
    phi: Phi | str = "auc",
    *,
    scale: str = "omega",
    ties: str = "average",
    sample_weight: Any = None,
    pos_label: Any = None,
    memory: float | None = None,
    tol: float = 0.0,
) -> float:
    """Two-sample linear rank statistic of all partitions together, as :func:`podium.metrics.rank_statistic`.

    Parameters
    ----------
    y_true, y_score : Dask array or series
        Labels and scores in the same partitions; larger scores are more positive.
    phi : Phi or str
        Which part of the list matters; see `podium.phi`.
    scale : {"omega", "mean", "sum"}
        ω_φ on the scale from 0 to 1, W_φ/n, or W_φ.
    ties : {"average"}
        Rows that tie are worth the mean of φ over the ranks of their group.
    sample_weight : Dask array or series, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used on the client and on each worker; a quarter of what is left here unless given.
    tol : float
        The error of ω_φ that is allowed: at 0 the value is exact.

    Returns
    -------
    float
        ω_φ, W_φ/n or W_φ, by ``scale``.
    """
    _input.check_choice("ties", ties, ("average",))
    counted = count_list(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, memory=memory)
    return exact_enough(counted, tol, phi).rank_statistic(phi, scale=scale)


def roc_curve(
    y_true: Any, y_score: Any, *, sample_weight: Any = None, pos_label: Any = None, memory: float | None = None
) -> RocCurve:
    """The ROC curve of all partitions together; where rows of one class follow each other, one segment may be for all.

    Parameters
    ----------
    y_true, y_score : Dask array or series
        Labels and scores in the same partitions; larger scores are more positive.
    sample_weight : Dask array or series, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used on the client and on each worker; a quarter of what is left here unless given.

    Returns
    -------
    RocCurve
        The curve; where memory did not suffice, with straight segments between points that are on it.
    """
    return count_list(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, memory=memory).roc_curve()


def partial_auc(
    y_true: Any,
    y_score: Any,
    max_fpr: float | None = None,
    *,
    min_fpr: float = 0.0,
    min_tpr: float | None = None,
    max_tpr: float | None = None,
    standardize: str | None = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    memory: float | None = None,
    tol: float = 0.0,
) -> float:
    """Area under a part of the ROC curve of all partitions together, as :func:`podium.metrics.partial_auc`.

    Parameters
    ----------
    y_true, y_score : Dask array or series
        Labels and scores in the same partitions; larger scores are more positive.
    max_fpr, min_fpr : float, default 1 and 0
        The range of false positive rates.
    min_tpr, max_tpr : float, optional
        A range of true positive rates instead, whose area lies to the right of the curve.
    standardize : {None, "mean", "mcclish"}
        How the area is put on a common scale.
    sample_weight : Dask array or series, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used on the client and on each worker; a quarter of what is left here unless given.
    tol : float
        The error of the whole area that is allowed: at 0 the value is exact.

    Returns
    -------
    float
        The area, standardized if asked for.
    """
    counted = count_list(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, memory=memory, tol=tol)
    return exact_enough(counted, tol).partial_auc(
        max_fpr, min_fpr=min_fpr, min_tpr=min_tpr, max_tpr=max_tpr, standardize=standardize
    )


def precision_at(
    y_true: Any,
    y_score: Any,
    k: int | None = None,
    *,
    fraction: float | None = None,
    prevalence: float | None = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    memory: float | None = None,
) -> float:
    """Share of positives among the first rows of all partitions together, as :func:`podium.metrics.precision_at`.

    Parameters
    ----------
    y_true, y_score : Dask array or series
        Labels and scores in the same partitions; larger scores are more positive.
    k : int, optional
        How many rows from the top are looked at; either this or ``fraction``.
    fraction : float, optional
        The share of the list that is looked at, in (0, 1]; either this or ``k``.
    prevalence : float, optional
        Share of positives in the list to speak of, where it is not the share here.
    sample_weight : Dask array or series, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used on the client and on each worker; a quarter of what is left here unless given.

    Returns
    -------
    float
        The share of positives, in [0, 1].
    """
    counted = count_list(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, memory=memory)
    options: dict[str, Any] = {"k": k, "fraction": fraction, "prevalence": prevalence}
    worst, best = (counted.in_order(positives_first=first).precision_at(**options) for first in (True, False))
    if worst != best:
        raise InputError(
            f"Memory does not suffice for the exact value, which lies between {worst:.9g} and {best:.9g}.",
            "pass memory=...",
        )
    return counted.precision_at(**options)


def push_risk(
    y_true: Any,
    y_score: Any,
    p: float = 1.0,
    loss: str = "zero_one",
    *,
    margin: float = 0.0,
    price: Any = None,
    normalize: bool = False,
    log: bool = False,
    sample_weight: Any = None,
    pos_label: Any = None,
    memory: float | None = None,
) -> float:
    """P-Norm Push risk of all partitions together, as :func:`podium.metrics.push_risk`, in two passes.

    Parameters
    ----------
    y_true, y_score : Dask array or series
        Labels and scores in the same partitions; larger scores are more positive. All positives must fit into memory.
    p : float
        The power p, at least 1.
    loss : {"zero_one", "exponential", "logistic", "hinge", "squared_hinge"}
        The loss of a margin.
    margin : float
        With ``"zero_one"``, the margin below which a positive does not stand clearly above a negative.
    price : callable, optional
        The price g in the place of the power p, from an array of sums of losses to what each costs.
    normalize : bool
        Whether to return the p-norm of averages instead.
    log : bool
        Whether to return the natural logarithm of the result.
    sample_weight : Dask array or series, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used on the client and on each worker; a quarter of what is left here unless given.

    Returns
    -------
    float
        The risk; smaller is better.
    """
    partitions = Partitions.of(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    limits = Limits() if memory is None else Limits(memory=memory)
    first = CollectForPush(
        p=p, loss=loss, margin=margin, price=price, normalize=normalize, log=log, pos_label=pos_label, limits=limits
    )
    second = first.finish(partitions.map_reduce(first.summarize))
    return second.finish(partitions.map_reduce(second.summarize))
