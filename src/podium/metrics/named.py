"""Metrics by name: the one place where a name such as ``"precision@100"`` or ``"gini"`` becomes a number.

Metrics, scorers, intervals, comparisons, boosting, early stopping and searches all ask here, so that a name means the
same number everywhere. Many measures are another one read on another scale (a :class:`Reading`): Gini is 2·AUC − 1,
lift the recall over the share of rows. Only the other one needs a formula and limits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from podium import _input
from podium._words import PAGE, spelled, words
from podium.exceptions import InputError
from podium.labels.design import tie_groups
from podium.metrics import area, cuts, discounted, linear, push, top
from podium.phi import Dcg, EarlyRecognition, Mww, Phi, resolve
from podium.phi.spec import UNDERSTOOD, is_phi_name

_SMALL = 0.1  # α times the share of positives, beyond which BEDROC depends on the share: Truchon and Bayly's condition


@dataclass(frozen=True)
class Reading:
    """A measure as a monotone function of another one, whose limits and slopes follow from those of the other."""

    of: Phi | str
    to: Callable[[float], float]
    slope: Callable[[float], float]
    note: str = ""

    def limits(self, low: float, high: float) -> tuple[float, float]:
        """The limits of this measure from those of the other one."""
        ends = self.to(low), self.to(high)
        return min(ends), max(ends)


def _line(of: Phi | str, slope: float, start: float = 0.0, note: str = "") -> Reading:
    return Reading(of, lambda value: start + slope * value, lambda _: slope, note)


# What each measure is of a list with n positives and m negatives: a reading of another one, with its numbers.


def _rows(cut: float, n_total: float) -> int:
    """The first rows that a cut means: so many, or a share of them rounded up."""
    # 0.07 * 100 is 7, although the float is above
    return cut if isinstance(cut, int) else max(1, int(np.ceil(cut * n_total * (1 - 1e-12))))


def _of_recall(scale: Callable[[float, float, int], tuple[float, float]]) -> Callable[..., Reading]:
    """A line in the recall among the first k rows, from its slope and start for n positives of N rows."""

    def reading(n: float, m: float, cut: float) -> Reading:
        k = _rows(cut, n + m)
        slope, start = scale(n, n + m, k)
        return _line(f"recall-at:{k}", slope, start)

    return reading


def _recall(n: float, m: float, cut: float) -> Reading | None:
    return None if isinstance(cut, int) else _line(f"recall-at:{_rows(cut, n + m)}", 1.0)


def _inspected(n: float, m: float, cut: float) -> Reading:
    k = _rows(cut, n + m)
    return Reading(
        f"precision-at:{k}",
        lambda precision: 1 / precision if precision > 0 else np.inf,
        lambda precision: -1 / precision**2 if precision > 0 else -np.inf,
    )


def _early(n: float, m: float, alpha: float) -> tuple[EarlyRecognition, str]:
    n_total = n + m
    note = ""
    if alpha * n / n_total > _SMALL:
        note = f"α times the share of positives is {alpha * n / n_total:.2g}, not small: it depends much on that share"
    return EarlyRecognition(alpha * (n_total + 1) / n_total), note


def _bedroc(n: float, m: float, alpha: float) -> Reading:
    phi, note = _early(n, m, alpha)
    return _line(phi, 1.0, 0.0, note)


def _rie(n: float, m: float, alpha: float) -> Reading:
    phi, note = _early(n, m, alpha)
    low, high = linear.extremes(n, m, phi)
    by_chance = n * -np.expm1(-alpha) / np.expm1(alpha / (n + m)) / (n + m)  # the mean weight of a position, n times
    return _line(phi, (high - low) / by_chance, low / by_chance, note)


def _ndcg(n: float, m: float, k: float | None = None) -> Reading:
    phi = Dcg(None if k is None else int(k))
    low, high = linear.extremes(n, m, phi.bind(n + m))
    return _line(phi, 1 - low / high, low / high)


def _wss(n: float, m: float, recall: float) -> Reading:
    missed = n - np.ceil(recall * n * (1 - 1e-12))
    return _line(f"specificity-at-tpr:{recall:.12g}", m / (n + m), missed / (n + m) - (1 - recall))


def _partial_auc(n: float, m: float, max_fpr: float) -> Reading | None:
    return _line(Mww(), 1.0) if max_fpr == 1 else None


# What a number after the name may be.


def _share(word: str) -> float:
    value = float(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
    share = value / 100 if value > 1 else value
    if not 0 < share <= 1:
        raise ValueError
    return share


def _cut(word: str) -> float:
    """So many rows, or a share of them."""
    if word.isdigit() and int(word) >= 1:
        return int(word)
    share = _share(word)
    if share == 1 or not ("%" in word or "." in word):
        raise ValueError
    return share


@dataclass(frozen=True)
class Entry:
    """What a name stands for: numbers it takes, its value, and what it is a reading of."""

    numbers: tuple[Callable[[str], float], ...] = ()
    default: tuple[float, ...] | None = ()  # None: the numbers must be given
    value: Callable[..., float] | None = None  # of (y_true, y_score, *numbers); None: by its reading
    reading: Callable[..., Reading | None] | None = None
    smaller_is_better: bool = False


def _at(metric: Callable[..., float]) -> Callable[..., float]:
    def value(y_true: Any, y_score: Any, cut: float, **options: Any) -> float:
        where = {"k": cut} if isinstance(cut, int) else {"fraction": cut}
        return metric(y_true, y_score, **where, **options)

    return value


def _first_rows(scale: Callable[[float, float, int], tuple[float, float]], **more: Any) -> Entry:
    return Entry((_cut,), None, reading=_of_recall(scale), **more)


MEASURES: dict[str, Entry] = {
    "partial-auc": Entry((_share,), (1.0,), area.partial_auc, _partial_auc),
    "log-auc": Entry((_share, _share), (0.001, 0.1), area.log_auc),
    "tpr-at-fpr": Entry((_share,), None, area.tpr_at_fpr),
    "specificity-at-tpr": Entry((_share,), None, area.specificity_at_tpr),
    "roc-enrichment": Entry((_share,), None, reading=lambda n, m, fpr: _line(f"tpr-at-fpr:{fpr:.12g}", 1 / fpr)),
    "gini": Entry(reading=lambda n, m: _line(Mww(), 2.0, -1.0)),
    "atd": Entry(reading=lambda n, m: _line(Mww(), -m, m + (n + 1) / 2), smaller_is_better=True),
    "ks": Entry(value=cuts.ks),
    "iv": Entry((int,), (10,), cuts.information_value),
    **{name: Entry((float,), None, partial(cuts.rate, name)) for name in cuts.RATES},
    "average-precision": Entry(value=top.average_precision),
    "average-reciprocal-rank": Entry(value=discounted.average_reciprocal_rank),
    "ndcg": Entry((int,), (), partial(discounted.dcg, normalize=True), _ndcg),
    "bedroc": Entry((float,), (20.0,), linear.bedroc, _bedroc),
    "rie": Entry((float,), (20.0,), reading=_rie),
    "push-risk": Entry((float,), (), partial(push.push_risk, normalize=True), smaller_is_better=True),
    "recall-at": Entry((_cut,), None, _at(top.recall_at), _recall),
    "capture-at": _first_rows(lambda n, n_total, k: (1.0, 0.0)),
    "precision-at": _first_rows(lambda n, n_total, k: (n / k, 0.0), value=_at(top.precision_at)),
    "lift-at": _first_rows(lambda n, n_total, k: (n_total / k, 0.0), value=_at(top.lift_at)),
    "hits-at": _first_rows(lambda n, n_total, k: (n, 0.0)),
    "enrichment": _first_rows(lambda n, n_total, k: (n_total / k, 0.0)),
    "relative-enrichment": _first_rows(lambda n, n_total, k: (n / min(n, k), 0.0)),
    "erf": _first_rows(lambda n, n_total, k: (1.0, -k / n_total)),
    "elusion": _first_rows(
        lambda n, n_total, k: (-n / max(n_total - k, 1), n / max(n_total - k, 1)), smaller_is_better=True
    ),
    "nni": Entry((_cut,), None, reading=_inspected, smaller_is_better=True),
    "wss": Entry((_share,), None, reading=_wss),
}


# From a name to all that.


@dataclass(frozen=True)
class Named:
    """A metric by its name, with its numbers; or a φ, whose metric is ω_φ."""

    name: str
    numbers: tuple[float, ...] = ()
    is_negated: bool = False
    phi: Phi | None = None

    def __str__(self) -> str:
        if self.phi is not None:
            return ("neg-" if self.is_negated else "") + str(self.phi)
        return ("neg-" if self.is_negated else "") + ":".join([self.name, *(f"{each:.12g}" for each in self.numbers)])

    @property
    def larger_is_better(self) -> bool:
        return self.is_negated == (self.phi is None and MEASURES[self.name].smaller_is_better)

    def reading(self, n_pos: float, n_neg: float) -> Reading | None:
        """What the measure is a reading of, in a list of so many positives and negatives; None where it has its own."""
        if self.is_negated:
            return _line(str(Named(self.name, self.numbers)) if self.phi is None else self.phi, -1.0)
        reading = None if self.phi is not None else MEASURES[self.name].reading
        return None if reading is None else reading(n_pos, n_neg, *self.numbers)


def named(spec: Phi | str) -> Named:
    """The metric that a specification means."""
    if not isinstance(spec, str):
        return Named("rank-statistic", phi=resolve(spec))
    is_negated = spec.strip().lower().startswith(("neg-", "neg_"))
    name, given = spelled(spec.strip()[4:] if is_negated else spec)
    if is_phi_name(name):
        return Named("rank-statistic", is_negated=is_negated, phi=resolve(":".join([name, *given])))
    if name not in MEASURES:
        raise _unknown(spec, name)
    measure, form = MEASURES[name], words()[name].form
    try:
        if len(given) not in (0, len(measure.numbers)):
            raise ValueError
        numbers = tuple(convert(word) for convert, word in zip(measure.numbers, given, strict=False))
    except ValueError:
        raise InputError(f"{spec!r} is not of the form {form!r}.") from None
    if not numbers and measure.default is None:
        raise InputError(f"{spec!r} needs a number.", f"for instance {form!r}.")
    return Named(name, numbers or measure.default or (), is_negated)


def _unknown(spec: str, name: str) -> InputError:
    known = {name: name for name in MEASURES}
    known |= {other.replace("_", "-"): word.name for word in words().values() for other in word.also}
    known |= {example.partition(":")[0]: example for example in UNDERSTOOD}
    near = _input.nearest(name, known)
    if near is None:
        hint = f"choose from {', '.join([*UNDERSTOOD, *(words()[name].form for name in MEASURES)])}; {PAGE}"
    else:
        meant = known[near]
        hint = f"did you mean {words()[meant].form if meant in words() else meant}? {PAGE[0].upper()}{PAGE[1:]}"
    return InputError(f"A metric must be known by its name; got {spec!r}.", hint)


def metric(spec: Phi | str) -> Callable[..., float]:
    """The metric with a name such as ``"precision@100"`` or ``"gini"``; a φ such as ``"power:3"`` means ω_φ.

    A name means the same number here, in scorers, in `podium.inference.interval` and in boosting. Of some measures,
    such as ``"push-risk:4"``, less is better: ``"neg-push-risk:4"`` is the same with its sign reversed, which scorers
    and early stopping ask for.

    Parameters
    ----------
    spec : Phi or str
        A φ, or the name of a metric such as ``"partial-auc:0.05"`` (the area divided by its width), ``"precision@100"``
        or ``"wss@95"``; the documentation lists all.

    Returns
    -------
    callable
        A function of ``(y_true, y_score)`` that also takes ``sample_weight`` and ``pos_label``.

    Examples
    --------
    >>> from podium.metrics import metric
    >>> metric("precision@2")([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    >>> metric("gini")([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    found = named(spec)
    if found.phi is not None and not found.is_negated:
        return partial(linear.rank_statistic, phi=found.phi)
    return partial(_value, found)


def gain(spec: Phi | str) -> Callable[..., float]:
    """:func:`metric`, which must be larger for better lists."""
    found = named(spec)
    if not found.larger_is_better:
        other = str(found).removeprefix("neg-") if found.is_negated else f"neg-{found}"
        raise InputError(f"Scores are chosen by what is larger for better lists; got {spec!r}.", f"use {other!r}.")
    return metric(spec)


def _value(
    found: Named, y_true: Any, y_score: Any = None, *, sample_weight: Any = None, pos_label: Any = None
) -> float:
    options = {"sample_weight": sample_weight, "pos_label": pos_label}
    direct = None if found.is_negated or found.phi is not None else MEASURES[found.name].value
    if direct is not None:
        return direct(y_true, y_score, *found.numbers, **options)
    ties = tie_groups(y_true, y_score, sample_weight, pos_label)
    reading = found.reading(ties.n_pos, ties.n_neg)
    assert reading is not None
    return float(reading.to(metric(reading.of)(y_true, y_score, **options)))
