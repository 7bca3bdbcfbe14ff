"""How many orders a class of scorers can give to a sample: sign patterns of linear forms, rank-shatter coefficients."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from podium import _input
from podium._types import FloatArray
from podium.bounds import arguments

_DIMENSION_HINT = "dimension is the number of features, or of their monomials."


def count_sign_patterns(d: int, n_forms: int) -> int:
    r"""Sign patterns in {−1, 0, 1}^M that M linear forms on R^d can show, at most, exactly (n_central).

    .. math:: 1 + 2 \sum_{j=1}^{d} \binom{M}{d - j} \sum_{i < j} \binom{M - d + j - 1}{i} \quad (M > d), \qquad
       3^M \quad (M \le d)

    The faces of M hyperplanes through the origin in general position. A05, Lemmas 4.10 and 4.12 count the faces of
    hyperplanes that need not pass through the origin and bound them by (2eM/d)^d: too many, and false for M below
    about d/4.

    Parameters
    ----------
    d : int
        The dimension of the space on which the forms are defined: the number of features.
    n_forms : int
        The number M of linear forms: for disjoint pairs of observations, the number of pairs.

    Returns
    -------
    int
        The largest number of sign patterns.

    Examples
    --------
    >>> from podium.bounds import count_sign_patterns
    >>> count_sign_patterns(1, 100), count_sign_patterns(2, 100), count_sign_patterns(3, 3), count_sign_patterns(3, 4)
    (3, 401, 27, 51)
    """
    d, n_forms = _forms(d, n_forms)
    if n_forms <= d:
        return 3**n_forms
    # Both factors step by step: a binomial anew for every j would cost d² large multiplications.
    free = n_forms - d
    faces, regions, fresh = 0, 1, 1  # regions: Σ_{i<j} C(M−d+j−1, i) for the current j; fresh: C(M−d+j−1, j)
    choices = math.comb(n_forms, d - 1)  # C(M, d−j)
    for j in range(1, d + 1):
        faces += choices * regions
        fresh = fresh * (free + j - 1) // j
        regions = 2 * regions + fresh  # Pascal's rule
        choices = choices * (d - j) // (n_forms - d + j + 1)
    return 1 + 2 * faces


def log_sign_patterns(d: int, n_forms: int) -> float:
    """Natural logarithm of :func:`count_sign_patterns`, in O(d) where its digits would be too many.

    Parameters
    ----------
    d : int
        The dimension of the space on which the forms are defined: the number of features.
    n_forms : int
        The number M of linear forms: for disjoint pairs of observations, the number of pairs.

    Returns
    -------
    float
        The natural logarithm of the largest number of sign patterns.

    Examples
    --------
    >>> from podium.bounds import log_sign_patterns
    >>> round(log_sign_patterns(15, 10**7), 2)
    210.86
    """
    d, n_forms = _forms(d, n_forms)
    if n_forms <= d:
        return n_forms * math.log(3)
    step = np.arange(1.0, d)
    choices = _running_log((n_forms + 1 - step) / step)[::-1]  # ln C(M, d−j) for j = 1, …, d
    fresh = _running_log((n_forms - d - 1 + step) / step)  # ln C(M−d+j−1, j) for j = 0, …, d−1
    # The regions r_j obey r_{j+1} = 2 r_j + fresh_j, so that r_j / 2^j is a running sum.
    halvings = np.log(2) * np.arange(1, d + 1)
    regions = np.logaddexp.accumulate(fresh - halvings) + halvings
    return float(np.logaddexp(0.0, np.log(2) + np.logaddexp.reduce(choices + regions)))


def _running_log(factors: FloatArray) -> FloatArray:
    """Logarithms of 1 and of the running products."""
    return np.concatenate([[0.0], np.cumsum(np.log(factors))])


def _forms(d: int, n_forms: int) -> tuple[int, int]:
    hint = "each pair of observations is one form."
    return _input.check_integer("d", d, 1, hint=_DIMENSION_HINT), _input.check_integer("n_forms", n_forms, 1, hint=hint)


def polynomial_dimension(d: int, q: int) -> int:
    r"""Monomials of degree 1 to q in d features: C(d, q) = binom(d + q, q) − 1 (A05, Equation 23).

    A polynomial scorer of degree q is a linear scorer of these (the constant does not rank).

    Parameters
    ----------
    d : int
        The number of features.
    q : int
        The degree of the polynomial.

    Returns
    -------
    int
        The number of monomials, without the constant.

    Examples
    --------
    >>> from podium.bounds import polynomial_dimension
    >>> polynomial_dimension(15, 1), polynomial_dimension(15, 2)
    (15, 135)
    """
    d, q = _input.check_integer("d", d, 1, hint=_DIMENSION_HINT), _input.check_integer("q", q, 1)
    return math.comb(d + q, q) - 1


def log_rank_shatter(
    n_pos: int,
    n_neg: int,
    dimension: int,
    *,
    degree: int = 1,
    method: Literal["agarwal", "central"] = "agarwal",
) -> float:
    r"""Natural logarithm of a bound on r(F, n, m): in how many ways scorers can order n positives against m negatives.

    F are the linear scorers of ``dimension`` features, or the polynomial ones up to ``degree``; C is their number of
    coefficients (:func:`polynomial_dimension`), M = nm the number of pairs.

    ``"agarwal"``: r ≤ (2eM/C)^C (A05, Theorems 4.11 and 4.13), which is false for M < C, so that never more, and in
    that case exactly, 3^M is returned. ``"central"``: r ≤ :func:`count_sign_patterns` (C, M), smaller and always true.

    The uniform bounds ask for twice the sample: ``log_rank_shatter(2 * n_pos, 2 * n_neg, dimension)``.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives that are ordered; the uniform bounds ask for twice the sample.
    dimension : int
        The number of features.
    degree : int
        The degree of the polynomial scorers; 1 for linear ones.
    method : {"agarwal", "central"}
        Which count is used: the printed one, or the smaller one that is always true.

    Returns
    -------
    float
        The natural logarithm of the bound on the number of orders.

    Examples
    --------
    >>> from podium.bounds import log_rank_shatter
    >>> round(log_rank_shatter(300, 300, 15), 2), round(log_rank_shatter(300, 300, 15, method="central"), 2)
    (155.89, 144.91)
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    coefficients = polynomial_dimension(_input.check_integer("dimension", dimension, 1, hint=_DIMENSION_HINT), degree)
    pairs = n_pos * n_neg
    if _input.check_choice("method", method, ("agarwal", "central")) == "central":
        return log_sign_patterns(coefficients, pairs)
    everything = pairs * math.log(3)
    if pairs < coefficients:
        return everything
    return min(everything, coefficients * (1 + math.log(2 * pairs / coefficients)))


def count_rank_matrices(m: int, n: int) -> int:
    r"""Number ψ(m, n) of bipartite rank matrices, exactly: no class of scorers can order m against n in more ways.

    A rank matrix says of each pair whether the first outranks, ties with or falls below the second (A05, Theorem 4.3,
    which characterizes these matrices without counting them). Read from the bottom up, a weak order is a word of
    blocks: a (of the first kind only), b (of the second only), c (both, tied). Two adjacent a's, or b's, may be merged
    without changing a pair; words without them are in one-to-one correspondence with rank matrices. The number w(p, q)
    of such words in which p blocks hold the first kind and q the second has

    .. math:: \sum_{p,q} w(p, q) s^p t^q = \frac{1}{1 - \frac{s}{1+s} - \frac{t}{1+t} - st}
       = \frac{(1 + s)(1 + t)}{1 - 2st - s^2 t - s t^2 - s^2 t^2}

    and ψ(m, n) = Σ w(p, q)·onto(m, p)·onto(n, q), where onto(m, p) is the number of ways to fill p blocks with m items.
    O(mn + m² + n²) additions of integers, where listing the matrices takes 3^(mn).

    Parameters
    ----------
    m, n : int
        The numbers of items of the first and of the second kind.

    Returns
    -------
    int
        The number ψ(m, n).

    Examples
    --------
    >>> from podium.bounds import count_rank_matrices
    >>> [count_rank_matrices(*size) for size in [(1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (3, 3)]]
    [3, 9, 51, 27, 261, 2067]
    """
    m, n = _input.check_integer("m", m, 1), _input.check_integer("n", n, 1)
    words = _words(m, n)
    fill_m, fill_n = _onto(m), _onto(n)
    return sum(fill_m[p] * sum(fill_n[q] * count for q, count in enumerate(words[p])) for p in range(m + 1))


def _words(m: int, n: int) -> list[list[int]]:
    """w(p, q) for p ≤ m, q ≤ n, by the recurrence that the denominator spells."""
    table = [[0] * (n + 1) for _ in range(m + 1)]

    def at(p: int, q: int) -> int:
        return table[p][q] if p >= 0 and q >= 0 else 0

    for p in range(m + 1):
        for q in range(n + 1):
            start = p <= 1 and q <= 1
            table[p][q] = start + 2 * at(p - 1, q - 1) + at(p - 2, q - 1) + at(p - 1, q - 2) + at(p - 2, q - 2)
    return table


def _onto(items: int) -> list[int]:
    """Ways to put the items into p labeled blocks, none empty, for p = 0, …, items."""
    ways = [1]
    for size in range(1, items + 1):
        padded = [*ways, 0]
        ways = [0, *(p * (padded[p] + padded[p - 1]) for p in range(1, size + 1))]
    return ways
