"""Intervals, comparisons and bands of a list on Dask: those of `podium.inference`, of all rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podium.chunks import Compare, Products
from podium.distributed.lists import count_list, exact_enough
from podium.distributed.partitions import Partitions
from podium.exceptions import InputError
from podium.inference import Comparison, Comparisons, Interval, RocBand
from podium.phi import Phi


def interval(
    y_true: Any,
    y_score: Any,
    phi: Phi | str = "auc",
    *,
    confidence_level: float = 0.95,
    method: str = "auto",
    scale: str = "omega",
    n_resamples: int = 2000,
    rng: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    memory: float | None = None,
    tol: float = 0.0,
    **others: Any,
) -> Interval:
    """Confidence interval of ω_φ of all partitions together, as :func:`podium.inference.interval`.

    Parameters
    ----------
    y_true, y_score : Dask array or series
        Labels and scores in the same partitions; larger scores are more positive.
    phi : Phi or str
        Which part of the list matters; see `podium.phi`.
    confidence_level : float
        The nominal coverage of the two-sided interval.
    method : str
        How the limits are found.
    scale : {"omega", "mean", "sum"}
        Whether the interval is for ω_φ, for W_φ/n or for W_φ.
    n_resamples : int
        The number of bootstrap samples.
    rng : numpy.random.Generator or int, optional
        The generator of bootstrap samples, or its seed.
    sample_weight : Dask array or series, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used on the client and on each worker; a quarter of what is left here unless given.
    tol : float
        The error of ω_φ that is allowed: at 0 the estimate is exact.
    **others
        Nothing: metrics and groups are for rows in one array.

    Returns
    -------
    Interval
        The interval. Rows of one class between two of the other are taken not to tie with each other.
    """
    _refuse("interval", others)
    counted = count_list(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, memory=memory)
    return exact_enough(counted, tol, phi).interval(
        phi, confidence_level=confidence_level, method=method, scale=scale, n_resamples=n_resamples, rng=rng
    )


def roc_band(
    y_true: Any, y_score: Any, *, pos_label: Any = None, memory: float | None = None, **options: Any
) -> RocBand:
    """A band for the ROC curve of all partitions together, as :func:`podium.inference.roc_band`.

    Parameters
    ----------
    y_true, y_score : Dask array or series
        Labels and scores in the same partitions; larger scores are more positive.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used on the client and on each worker; a quarter of what is left here unless given.
    **options
        ``confidence_level``, ``method``, ``side``, ``n_resamples`` and ``rng`` of that function.

    Returns
    -------
    RocBand
        The band, and what may be said of it.
    """
    return exact_enough(count_list(y_true, y_score, pos_label=pos_label, memory=memory), 0.0).roc_band(**options)


def compare(
    y_true: Any,
    score_a: Any,
    score_b: Any = None,
    phi: Phi | str = "auc",
    *,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    sample_weight: Any = None,
    pos_label: Any = None,
    memory: float | None = None,
    **others: Any,
) -> Comparison | Comparisons:
    """Difference of ω_φ between scorers of the same rows, as :func:`podium.inference.compare`, paired.

    Each scorer's list is counted; one more pass over all of them finds how their influence values vary together.

    Parameters
    ----------
    y_true : Dask array or series
        The labels of the rows.
    score_a, score_b : Dask array or series
        The scores by the two scorers. Or ``score_a`` alone: a mapping of names to the scores of several scorers.
    phi : Phi or str
        Which part of the list matters; see `podium.phi`.
    alternative : {"two-sided", "greater", "less"}
        What the test is against.
    confidence_level : float
        The nominal coverage of the interval for the difference.
    sample_weight : Dask array or series, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used on the client and on each worker; a quarter of what is left here unless given.
    **others
        Nothing: metrics, groups, strata and unpaired lists are for rows in one array.

    Returns
    -------
    Comparison or Comparisons
        The comparison of two scorers, or of all pairs of more.
    """
    _refuse("compare", {name: value for name, value in others.items() if (name, value) != ("paired", True)})
    if score_b is None and not isinstance(score_a, Mapping):
        raise InputError(
            "A comparison needs two scorers; got one.", "pass score_b, or several scorers by name as a dictionary."
        )
    scores = dict(score_a) if score_b is None else {"a": score_a, "b": score_b}
    lists = {
        name: count_list(y_true, each, sample_weight=sample_weight, pos_label=pos_label, memory=memory)
        for name, each in scores.items()
    }
    step = Compare(
        lists=lists, phi=phi, alternative=alternative, confidence_level=confidence_level, pos_label=pos_label
    )
    columns = {f"scores of {name}": each for name, each in scores.items()}
    partitions = Partitions.of(y_true=y_true, **columns, sample_weight=sample_weight)
    return step.finish(partitions.map_reduce(_ByName(step, tuple(scores))))


@dataclass(frozen=True, eq=False)
class _ByName:
    """The comparing pass for columns of scores that come one after the other, and a last one of weights if any."""

    step: Compare
    names: tuple[str, ...]

    def __call__(self, y_true: Any, *columns: Any, where: str) -> Products:
        scores, weights = columns[: len(self.names)], columns[len(self.names) :]
        return self.step.summarize(y_true, dict(zip(self.names, scores, strict=True)), *weights, where=where)


def _refuse(name: str, options: dict[str, Any]) -> None:
    given = [option for option, value in options.items() if value is not None and value is not False]
    if given:
        raise InputError(
            f"{name} on Dask collections takes no {given[0]}.",
            f"podium.inference.{name} of arrays in memory does: compute() the columns first.",
        )
