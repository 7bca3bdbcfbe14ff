"""What every bound keeps: more rows or a wider allowance make it smaller, more confidence makes it larger."""

from __future__ import annotations

import inspect
import math

from podium import bounds as package
from registry import Case

# Exported functions that are no bounds; every other one is.
OTHERS = {
    "auc_given_error_interval": "about all lists with so many errors, not about samples",
    "auc_given_errors": "about all lists with so many errors, not about samples",
    "count_rank_matrices": "a count, which grows with the sample",
    "count_sign_patterns": "a count, which grows with the sample",
    "judge": "about a bound",
    "log_covering_linear": "a count",
    "log_rank_shatter": "a count, which grows with the sample",
    "log_sign_patterns": "a count, which grows with the sample",
    "paper_supremum_tail": "as printed, near one at every size that is tried here",
    "polynomial_dimension": "a count",
    "rank_statistic_span": "a range, which does not shrink with the sample",
}
# A usual value of every parameter that a bound may have.
USUAL = {
    "auc": 0.8,
    "b1": 1.0,
    "confidence_level": 0.95,
    "deviation": lambda n_pos, n_neg: 1 / math.sqrt(min(n_pos, n_neg)),
    "epsilon": 0.1,
    "error_rate": 0.2,
    "k": 2,
    "log_shatter": 5.0,
    "log_shatter_neg": 5.0,
    "log_shatter_pos": 5.0,
    "n_functions": 10,
    "n_neg": 70,
    "n_pos": 30,
    "n_total": 100,
    "p": 1.0,
    "p1": 0.7,
    "p2": 0.7,
    "phi": "power:3",
    "positive_rate": 0.3,
    "vc_dimension": 3,
}


def cases() -> list[Case]:
    functions = {name: getattr(package, name) for name in package.__all__ if name not in OTHERS}
    return [Case(name, lambda f=f: f) for name, f in functions.items() if inspect.isfunction(f)]


def _parameters(bound):
    return inspect.signature(bound).parameters


def _value(bound, **changes):
    """The bound at the usual values but for the changes; an interval is as large as it is wide, a vacuous tail one."""
    parameters = _parameters(bound)
    needed = {name for name, each in parameters.items() if each.default is inspect.Parameter.empty}
    if unknown := needed - USUAL.keys():
        raise AssertionError(
            f"podium.bounds.{bound.__name__} cannot be tested: no value of {', '.join(sorted(unknown))} is known. "
            "Give its parameters the names of other bounds, or a usual value in tests/contracts/bounds.py."
        )
    usual = {name: USUAL[name] for name in needed}
    if "log_shatter" in usual and "n_pos" not in parameters:  # a function of the sizes where the size is what is sought
        usual["log_shatter"] = lambda *sizes: 5.0
    found = bound(**(usual | {name: value for name, value in changes.items() if name in parameters}))
    if isinstance(found, package.KlInterval):
        return found.high - found.low
    return min(found, 0.0) if "log_tail" in bound.__name__ else float(found)


def _at_size(bound, n_total):
    return _value(bound, n_pos=3 * n_total // 10, n_neg=7 * n_total // 10, n_total=n_total)


def it_is_about_a_sample(bound):
    assert {"n_pos", "n_total", "epsilon"} & _parameters(bound).keys()


def it_falls_as_the_sample_grows(bound):
    if {"n_pos", "n_total"} & _parameters(bound).keys():
        values = [_at_size(bound, n_total) for n_total in (100, 1_000, 10_000, 1_000_000)]
        assert math.isfinite(values[0])
        assert sorted(values, reverse=True) == values
        assert values[-1] < values[0] / 5  # down to nothing, not to some other number


def it_falls_as_more_deviation_is_allowed(bound):
    if "epsilon" in _parameters(bound):
        values = [_value(bound, epsilon=epsilon, n_pos=3_000, n_neg=7_000) for epsilon in (0.02, 0.1, 0.9)]
        assert sorted(values, reverse=True) == values
        assert values[-1] < values[0]


def it_grows_with_the_confidence(bound):
    if "confidence_level" in _parameters(bound):
        values = [_value(bound, confidence_level=level) for level in (0.5, 0.9, 0.999)]
        assert 0 < values[0] < values[1] < values[2]
