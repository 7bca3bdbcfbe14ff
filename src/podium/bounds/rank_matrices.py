"""How many ways there are at all to order positives against negatives."""

from __future__ import annotations

from podium import _input


def count_rank_matrices(m: int, n: int) -> int:
    r"""Number ψ(m, n) of bipartite rank matrices, exactly: no class of scorers can order m against n in more ways.

    A rank matrix says of each pair whether the first outranks, ties with or falls below the second (A05, Theorem 4.3,
    which characterises these matrices without counting them). Read from the bottom up, a weak order is a word of
    blocks: a (of the first kind only), b (of the second only), c (both, tied). Two adjacent a's, or b's, may be merged
    without changing a pair; words without them are in one-to-one correspondence with rank matrices. The number w(p, q)
    of such words in which p blocks hold the first kind and q the second has

    .. math:: \sum_{p,q} w(p, q) s^p t^q = \frac{1}{1 - \frac{s}{1+s} - \frac{t}{1+t} - st}
       = \frac{(1 + s)(1 + t)}{1 - 2st - s^2 t - s t^2 - s^2 t^2}

    and ψ(m, n) = Σ w(p, q)·onto(m, p)·onto(n, q), where onto(m, p) is the number of ways to fill p blocks with m items.
    O(mn + m² + n²) additions of integers, where listing the matrices takes 3^(mn).

    >>> [count_rank_matrices(*size) for size in [(1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (3, 3)]]
    [3, 9, 51, 27, 261, 2067]
    """
    m, n = _input.integer("m", m, 1), _input.integer("n", n, 1)
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
    """Ways to put the items into p labelled blocks, none empty, for p = 0, …, items."""
    ways = [1]
    for size in range(1, items + 1):
        padded = [*ways, 0]
        ways = [0, *(p * (padded[p] + padded[p - 1]) for p in range(1, size + 1))]
    return ways
