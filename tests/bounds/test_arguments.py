"""What holds for all bounds: monotone, sample sizes that suffice, vacuous bounds said so, bad arguments refused."""

from __future__ import annotations

import inspect
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium import bounds
from podium.exceptions import InputError, InputTypeError

SIZE = st.integers(1, 10**7)
SMALL = st.integers(1, 60)
OPEN = st.floats(1e-6, 1 - 1e-6)
LOG_COUNT = st.floats(0, 1e4)
COUNT = st.integers(1, 1000)


def omega_deviation(n_pos, n_neg, confidence_level):
    """The deviation of W_φ at φ = u on the scale of the AUC."""
    deviation = bounds.rank_statistic_deviation(n_pos, n_neg, "auc", confidence_level=confidence_level)
    return deviation / bounds.rank_statistic_span(n_pos, n_neg, "auc")


# Each bound with how it moves as each argument grows: +1 up, −1 down, 0 not monotone by nature.
SIZES = {"n_pos": (SIZE, -1), "n_neg": (SIZE, -1)}
EPSILON, LEVEL, RATE, AUC = (
    {"epsilon": (OPEN, -1)},
    {"confidence_level": (OPEN, 1)},
    {"positive_rate": (OPEN, 0)},
    {"auc": (OPEN, 0)},
)
FUNCTIONS_OF_A_CLASS, SHATTER = {"n_functions": (SIZE, 1)}, {"log_shatter": (LOG_COUNT, 1)}
NORM = (st.floats(0, 9), 1)
MONOTONE = [
    (bounds.auc_tail, SIZES | EPSILON),
    (bounds.auc_deviation, SIZES | LEVEL),
    (bounds.auc_sample_size, EPSILON | LEVEL | RATE),
    (bounds.auc_finite_class_tail, SIZES | FUNCTIONS_OF_A_CLASS | EPSILON),
    (bounds.auc_finite_class_deviation, SIZES | FUNCTIONS_OF_A_CLASS | LEVEL),
    (bounds.auc_finite_class_sample_size, EPSILON | LEVEL | RATE | FUNCTIONS_OF_A_CLASS),
    (bounds.auc_variance, AUC | {"p1": (OPEN, 1), "p2": (OPEN, 1), "n_pos": (SIZE, 0), "n_neg": (SIZE, 0)}),
    (bounds.auc_variance_max, AUC | SIZES),
    (bounds.auc_chebyshev, AUC | SIZES | LEVEL),
    (bounds.auc_normal, AUC | SIZES | LEVEL),
    (bounds.auc_chebyshev_sample_size, AUC | EPSILON | LEVEL | RATE),
    (bounds.auc_normal_sample_size, AUC | EPSILON | LEVEL | RATE),
    (bounds.kl_sample_size, AUC | EPSILON | LEVEL | RATE),
    (bounds.auc_uniform_log_tail, SIZES | SHATTER | EPSILON),
    (bounds.auc_uniform_deviation, SIZES | SHATTER | LEVEL),
    (bounds.auc_penalty, SIZES | SHATTER | {"k": (COUNT, 1)}),
    (bounds.freund_deviation, SIZES | {"log_shatter_pos": (LOG_COUNT, 1), "log_shatter_neg": (LOG_COUNT, 1)} | LEVEL),
    (bounds.log_rank_shatter, {"n_pos": (SIZE, 1), "n_neg": (SIZE, 1), "dimension": (COUNT, 1)}),
    (bounds.log_sign_patterns, {"d": (COUNT, 1), "n_forms": (SIZE, 1)}),
    (bounds.count_sign_patterns, {"d": (SMALL, 1), "n_forms": (COUNT, 1)}),
    (bounds.count_rank_matrices, {"m": (st.integers(1, 20), 1), "n": (st.integers(1, 20), 1)}),
    (bounds.polynomial_dimension, {"d": (SMALL, 1), "q": (SMALL, 1)}),
    (bounds.push_log_tail, {"n_pos": (SIZE, -1), "n_neg": (SIZE, 0), "p": (st.floats(1, 64), 1)} | EPSILON),
    (
        bounds.log_covering_linear,
        {"radius": (OPEN, -1), "dimension": (COUNT, 1), "weight_norm": NORM, "feature_norm": NORM},
    ),
    (omega_deviation, {"n_pos": (SMALL, -1), "n_neg": (SMALL, -1)} | LEVEL),
]
METHODS = {
    "auc_deviation": ("mcdiarmid", "hoeffding"),
    "auc_sample_size": ("mcdiarmid", "hoeffding"),
    "auc_uniform_deviation": ("agarwal", "sharp"),
    "log_rank_shatter": ("agarwal", "central"),
    "push_log_tail": ("rudin", "sharp"),
}
CASES = [
    pytest.param(function, arguments, {"method": method} if method else {}, id=f"{function.__name__}-{method}")
    for function, arguments in MONOTONE
    for method in METHODS.get(function.__name__, (None,))
]


@pytest.mark.parametrize(("function", "arguments", "options"), CASES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_bounds_are_monotone_in_every_argument(function, arguments, options, data):
    values = {name: data.draw(strategy, label=name) for name, (strategy, _) in arguments.items()}
    moved = data.draw(st.sampled_from([name for name, (_, direction) in arguments.items() if direction]), label="moved")
    strategy, direction = arguments[moved]
    other = values | {moved: data.draw(strategy, label="other")}
    low, high = sorted((values, other), key=lambda chosen: chosen[moved])
    difference = direction * (function(**high, **options) - function(**low, **options))
    assert difference >= -1e-9 * abs(function(**low, **options))


@settings(max_examples=60, deadline=None)
@given(auc=st.floats(0, 1), n_pos=SIZE, n_neg=SIZE, more=SIZE, level=OPEN, other=OPEN)
def test_kl_intervals_shrink_with_the_sample_and_grow_with_confidence(auc, n_pos, n_neg, more, level, other):
    wide = bounds.kl_interval(auc, n_pos, n_neg, confidence_level=max(level, other))
    narrow = bounds.kl_interval(auc, n_pos + more, n_neg, confidence_level=min(level, other))
    assert wide.low <= narrow.low + 1e-9
    assert narrow.high <= wide.high + 1e-9


@settings(max_examples=40, deadline=None)
@given(level=OPEN, other=OPEN, log_shatter=LOG_COUNT, larger=LOG_COUNT, k=COUNT, later=COUNT)
def test_bounds_on_rank_statistics_are_monotone_in_confidence_and_class(level, other, log_shatter, larger, k, later):
    size = (9, 14, "power:3")
    narrow, wide = (
        bounds.rank_statistic_deviation(*size, confidence_level=chosen) for chosen in sorted((level, other))
    )
    assert narrow <= wide
    simple, rich = sorted((log_shatter, larger))
    assert bounds.rank_statistic_uniform_deviation(*size, simple) <= bounds.rank_statistic_uniform_deviation(
        *size, rich
    )
    first, last = sorted((k, later))
    assert bounds.rank_statistic_penalty(*size, simple, first) <= bounds.rank_statistic_penalty(*size, rich, last)
    assert bounds.paper_penalty(99, first, 3, 0.4, "auc", 1.0) <= bounds.paper_penalty(99, last, 3, 0.4, "auc", 1.0)


@settings(max_examples=60, deadline=None)
@given(epsilon=st.floats(0.01, 0.9), level=st.floats(0.5, 0.999), rate=st.floats(0.05, 0.95))
def test_closed_sample_sizes_agree_with_the_search(epsilon, level, rate):
    pairs = [
        (
            bounds.auc_sample_size(epsilon, rate, confidence_level=level),
            lambda n, m: bounds.auc_deviation(n, m, confidence_level=level),
        ),
        (
            bounds.auc_sample_size(epsilon, rate, confidence_level=level, method="hoeffding"),
            lambda n, m: bounds.auc_deviation(n, m, confidence_level=level, method="hoeffding"),
        ),
        (
            bounds.auc_finite_class_sample_size(epsilon, rate, 7, confidence_level=level),
            lambda n, m: bounds.auc_finite_class_deviation(n, m, 7, confidence_level=level),
        ),
        (
            bounds.auc_chebyshev_sample_size(0.7, epsilon, rate, confidence_level=level),
            lambda n, m: bounds.auc_chebyshev(0.7, n, m, confidence_level=level),
        ),
        (
            bounds.auc_normal_sample_size(0.7, epsilon, rate, confidence_level=level),
            lambda n, m: bounds.auc_normal(0.7, n, m, confidence_level=level),
        ),
    ]
    rounding = 1 / min(rate, 1 - rate)  # a whole number of positives costs at most this many observations
    for closed, deviation in pairs:
        searched = bounds.sample_size(deviation, epsilon, rate)
        assert closed - rounding <= searched <= max(closed, 1 / min(rate, 1 - rate)) + rounding + 1


def test_a_vacuous_bound_is_said_to_be_so_with_the_size_it_needs():
    def fifteen_features(n_pos, n_neg):
        return bounds.auc_uniform_deviation(
            n_pos, n_neg, bounds.log_sign_patterns(15, min(n_pos, n_neg)), method="sharp"
        )

    verdict = bounds.judge(fifteen_features, 150, 150)
    assert verdict.vacuous
    assert (
        fifteen_features(verdict.needed // 2, verdict.needed // 2)
        < 1
        <= fifteen_features(verdict.needed // 2 - 1, verdict.needed // 2 - 1)
    )
    assert (
        str(verdict)
        == f"vacuous at 150 positives and 150 negatives (±1.001 on a 0–1 scale); it needs N ≥ {verdict.needed}"
    )


def test_a_bound_that_says_something_is_not_called_vacuous():
    verdict = bounds.judge(bounds.auc_deviation, 150, 150)
    assert not verdict.vacuous
    assert str(verdict) == "±0.1568 on a 0–1 scale at 150 positives and 150 negatives; it says something from N = 8 on"


def test_a_bound_that_never_reaches_epsilon_is_refused_with_a_sentence():
    with pytest.raises(InputError, match=r"must reach 0\.5 for some N up to 1,000,000,000,000,000"):
        bounds.sample_size(lambda n, m: 1.0, 0.5, 0.5)


GOOD = {
    "n_pos": 20, "n_neg": 30, "epsilon": 0.2, "positive_rate": 0.4, "n_functions": 5, "auc": 0.8, "p1": 0.7,
    "p2": 0.7, "log_shatter": 3.0, "log_shatter_pos": 3.0, "log_shatter_neg": 3.0, "dimension": 2, "d": 2,
    "q": 2, "n_forms": 5, "m": 2, "n": 2, "p": 2.0, "radius": 0.1, "weight_norm": 1.0, "feature_norm": 1.0,
    "phi": "power:3", "k": 2, "n_total": 50, "vc_dimension": 3, "b1": 1.0, "n_errors": 7, "error_rate": 0.1,
    "fewest": 3, "most": 9, "deviation": lambda n, m: 1 / (n + m),
}  # fmt: skip
BAD = {
    "n_pos": (0, -3, 2.5, "many"), "n_neg": (0, math.inf), "epsilon": (0, -0.1, math.nan),
    "confidence_level": (0, 1, 1.5, None),
    "positive_rate": (0, 1, 2), "n_functions": (0, 1.5), "auc": (-0.1, 1.1), "p1": (2,), "p2": (-1,), "p": (0.5,),
    "log_shatter": (-1, math.nan), "log_shatter_pos": (-1,), "log_shatter_neg": (-1,), "dimension": (0,), "d": (0, 1.5),
    "q": (0,), "n_forms": (0,), "m": (0,), "n": (0,), "radius": (0,), "weight_norm": (-1,), "feature_norm": (-1,),
    "phi": ("nonsense", 3), "k": (0,), "n_total": (0, 2.5), "vc_dimension": (0,), "b1": (-1,),
    "n_errors": (-1, 51, 2.5), "error_rate": (-0.1, 1.1, math.nan),
    "fewest": (-1, 2.5, 10), "most": (2, 51, 4.5),
}  # fmt: skip
FUNCTIONS = [getattr(bounds, name) for name in bounds.__all__ if inspect.isfunction(getattr(bounds, name))]


def arguments_of(function):
    required = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    chosen = {name: GOOD[name] for name in required}
    if "confidence_level" in inspect.signature(function).parameters:
        chosen["confidence_level"] = 0.95
    if function.__name__.endswith("sample_size") and "log_shatter" in chosen:
        chosen["log_shatter"] = lambda *sizes: 3.0
    return chosen


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_bad_arguments_get_a_sentence(function):
    good = arguments_of(function)
    function(**good)
    for name in good.keys() & BAD.keys():
        if callable(good[name]):
            continue
        for bad in BAD[name]:
            with pytest.raises((InputError, InputTypeError), match=r"must|needs"):
                function(**good | {name: bad})


@pytest.mark.parametrize(
    "function", [bounds.auc_deviation, bounds.auc_uniform_deviation, bounds.log_rank_shatter, bounds.push_log_tail]
)
def test_an_unknown_method_is_answered_with_the_known_ones(function):
    with pytest.raises(InputError, match="method must be one of"):
        function(**arguments_of(function), method="magic")


@pytest.mark.parametrize(
    ("phi", "hint"), [("logrank", "power:3"), ("top:0.9", "smooth-top:0.9"), ("median", "logistic")]
)
def test_an_unbounded_phi_is_refused_where_the_bound_needs_a_bounded_one(phi, hint):
    with pytest.raises(InputError, match=rf"bounded derivative; got {phi}.\nHint: .*{hint}"):
        bounds.rank_statistic_bias(20, 20, phi)
    with pytest.raises(InputError, match=r"bounded φ' and φ''.*\nHint: rank_statistic_penalty"):
        bounds.paper_penalty(40, 1, 2, 0.5, phi, b1=1.0)


def test_a_confidence_level_outside_its_range_is_answered_with_what_it_means():
    with pytest.raises(InputError, match=r"confidence_level must be in \(0, 1\); got 95.\nHint: .*for instance 0\.95"):
        bounds.auc_deviation(10, 10, confidence_level=95)
