"""From a short specification such as "power:3" to a criterion."""

from __future__ import annotations

from collections.abc import Callable

from podium import _input
from podium._words import spelled
from podium._words import words as words_of_fields
from podium.criteria.base import Criterion
from podium.criteria.likelihood import DensityRatio, LogLoss
from podium.criteria.push.criterion import BottomPush, IRPush, PNormPush
from podium.criteria.push.partial_auc import SmoothPartialAuc
from podium.criteria.rank_statistic.criterion import RankStatistic
from podium.exceptions import InputError, InputTypeError
from podium.phi.classical import Phi
from podium.phi.spec import UNDERSTOOD as PHI_UNDERSTOOD
from podium.phi.spec import is_phi_name

# name: (from the words after the colons to a criterion, an example); any other name is that of a φ
_BY_NAME: dict[str, tuple[Callable[..., Criterion], str]] = {
    "logloss": (LogLoss, "logloss"),
    "density-ratio": (DensityRatio, "density-ratio"),
    "push": (lambda p, loss="exponential": PNormPush(float(p), loss.replace("-", "_")), "push:4:logistic"),
    "bottom": (lambda p, loss="exponential": BottomPush(float(p), loss.replace("-", "_")), "bottom:2"),
    "ir-push": (IRPush, "ir-push"),
    "partial-auc": (lambda max_fpr: SmoothPartialAuc(float(max_fpr)), "partial-auc:0.05"),
}


def _by_share(cut: str) -> str:
    share = float(cut.removesuffix("%")) / (100 if cut.endswith("%") else 1)
    if not 0 < share < 1:
        raise InputError(
            f"As a criterion this measure takes a share of the list; got {cut}.", "for instance 10%, or 0.1."
        )
    return f"smooth-top:{1 - share:.12g}"


# Measures of the fields that have a criterion to climb; of the others the table of words names one.
_OF_WORD: dict[str, Callable[..., str]] = {
    **dict.fromkeys(("gini", "atd"), lambda: "auc"),
    **dict.fromkeys(("bedroc", "rie"), lambda alpha="20": f"early-recognition:{alpha}"),
    **dict.fromkeys(
        ("enrichment", "relative-enrichment", "capture-at", "recall-at", "precision-at", "lift-at", "erf"), _by_share
    ),
    **dict.fromkeys(("roc-enrichment", "tpr-at-fpr"), lambda rate: f"partial-auc:{rate}"),
    "ndcg": lambda: "dcg",
    "log-auc": lambda low="0.001", high="0.1": f"partial-auc:{high}",
}


def resolve(spec: Criterion | Phi | str) -> Criterion:
    """A criterion from an instance or a specification; a φ means its smoothed rank statistic.

    Parameters
    ----------
    spec : Criterion, Phi or str
        What to maximize: a criterion, a φ, or the text for one, such as ``"push:4"`` or ``"power:3"``; or a measure
        that one of them climbs, such as ``"gini"`` or ``"capture@10%"``.

    Returns
    -------
    Criterion
        The criterion specified.

    Examples
    --------
    >>> from podium.criteria import resolve
    >>> resolve("power:3").phi
    Power(q=3.0)
    >>> resolve("push:4")
    PNormPush(p=4.0, loss='exponential', tol=1e-06)
    """
    if isinstance(spec, Criterion):
        return spec
    if isinstance(spec, Phi):
        return RankStatistic(spec)
    examples = (*PHI_UNDERSTOOD, *(example for _, example in _BY_NAME.values()))
    choices = f"choose from {', '.join(examples)}, or an object of podium.criteria or podium.phi."
    if not isinstance(spec, str):
        raise InputTypeError(f"criterion must be a specification or a criterion; got {spec!r}.", choices)
    name, *words = spec.strip().lower().split(":")
    if is_phi_name(name):
        return RankStatistic(spec)
    measure, numbers = spelled(spec)
    if name not in _BY_NAME and measure in words_of_fields():
        name, *words = _climbed(spec, measure, numbers).split(":")
        if is_phi_name(name):
            return RankStatistic(":".join([name, *words]))
    if name not in _BY_NAME:
        near = _input.nearest(name, [example.partition(":")[0] for example in examples])
        meant = next((example for example in examples if near and example.partition(":")[0] == near), None)
        hint = choices if meant is None else f"{choices.removesuffix('.')}; did you mean {meant}?"
        raise InputError(f"criterion must be a known specification; got {spec!r}.", hint)
    build, example = _BY_NAME[name]
    try:
        return build(*words)
    except InputError:
        raise  # it says more than we can
    except (TypeError, ValueError):
        raise InputError(f"{spec!r} is not of the form {example!r}.", choices) from None


def _climbed(spec: str, measure: str, numbers: list[str]) -> str:
    """The criterion that climbs a measure."""
    word = words_of_fields()[measure]
    try:
        return _OF_WORD[measure](*numbers)
    except KeyError:
        near = (
            f"{word.trains!r} comes near."
            if word.trains
            else "choose by it instead: early_stopping, a search's metric."
        )
        raise InputError(f"No criterion climbs {spec!r}.", near) from None
    except TypeError:
        raise InputError(f"{spec!r} is not of the form {word.form!r}.") from None
