"""Arguments that every bound shares, checked once."""

from __future__ import annotations

from typing import Any

from podium import _input


def counts(n_pos: Any, n_neg: Any) -> tuple[int, int]:
    """At least one observation of each class."""
    hint = "a bound on a ranking needs at least one positive and one negative."
    return _input.check_integer("n_pos", n_pos, 1, hint=hint), _input.check_integer("n_neg", n_neg, 1, hint=hint)


def confidence(confidence_level: Any) -> float:
    """The confidence level, in (0, 1)."""
    hint = "confidence_level is the probability that the bound holds, for instance 0.95."
    return _inside("confidence_level", confidence_level, 1, hint)


def failure_probability(confidence_level: Any) -> float:
    """δ = 1 − confidence_level, in (0, 1)."""
    return 1 - confidence(confidence_level)


def deviation(epsilon: Any) -> float:
    """ε > 0."""
    return _inside("epsilon", epsilon, float("inf"), "epsilon is how far the estimate may be off, for instance 0.1.")


def positive_share(positive_rate: Any) -> float:
    """The share of positives, in (0, 1)."""
    hint = "positive_rate is the share of positives among all observations, n_pos / (n_pos + n_neg)."
    return _inside("positive_rate", positive_rate, 1, hint)


def log_count(name: str, value: Any) -> float:
    """The natural logarithm of a count, so not negative."""
    return _hinted(name, value, "pass the natural logarithm of the count, which is 0 for a single scorer.", low=0)


def accuracy(auc: Any) -> float:
    """An AUC in [0, 1]."""
    return _hinted("auc", auc, "an AUC is the share of pairs in the right order; 0.5 is the worst case.", 0, 1)


def _inside(name: str, value: Any, high: float, hint: str) -> float:
    return _hinted(name, value, hint, 0, high, open_low=True, open_high=True)


def _hinted(name: str, value: Any, hint: str, low: float, high: float = float("inf"), **ends: bool) -> float:
    return _input.check_number(name, value, low, high, **ends, hint=hint)
