"""Two lists of exchangeable rows merged into one, best first: all orders of the n labeled and m others are as likely.

The number V_c of others before the (c + 1)-th labeled row is at most v exactly where, of the first c + v + 1 rows of
the merged list, more than c are labeled: a hypergeometric tail. Its law is beta-binomial(m, c + 1, n − c).
"""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled

NEGLIGIBLE = 1e-18  # probability of a place on the way, below which it is not followed further


@compiled
def upper_limits(n, m, tail):
    """For c = 0, …, n − 1 the least v with P(V_c > v) ≤ tail. O(n + m): limits ascend, so one walk finds them all."""
    limits = np.empty(n, np.int64)
    v = 0
    # P(X ≤ c) and P(X = c) for the number X of labelled rows among the first c + v + 1; here c = v = 0.
    at_c = m / (n + m)
    at_most = at_c
    for c in range(n):
        drawn = c + v + 1
        while v < m and at_most > tail:
            # One row more: labelled with probability (n − c)/(rest) where c are labelled already.
            rest = n + m - drawn
            at_most -= at_c * (n - c) / rest
            at_c *= (drawn + 1) / (drawn + 1 - c) * (m - drawn + c) / rest
            drawn += 1
            v += 1
        if v == m or at_most < 0:
            at_most = max(at_most, 0.0)
        limits[c] = v
        if v == m:
            limits[c:] = m
            break
        if c + 1 < n:
            # From P(X ≤ c) of `drawn` rows to P(X ≤ c + 1) of one row more.
            rest = n + m - drawn
            stays = at_c * (n - c) / rest  # from c to c + 1
            next_c = at_c * (drawn - c) / (c + 1) * (n - c) / (m - drawn + c + 1)  # P(X = c + 1) of `drawn` rows
            after = (
                next_c * (m - drawn + c + 1) / rest + stays
            )  # c + 1 of one row more: an other after c + 1, or labelled after c
            at_most = at_most + next_c * (m - drawn + c + 1) / rest
            at_c = after
    return limits


@compiled
def stay_probability(n, m, limits):
    """P(V_c ≤ limits_c for all c), the limits ascending: the way through the merged list, row by row, exact.

    ``state[v]`` is the probability of passing the place at which c labeled rows and v others have come. O(n·w) with
    w the others that are possible at a time.
    """
    state = np.zeros(m + 2)
    state[0] = 1.0
    first = 0  # the fewest others that matter
    last = 0  # the most that the row before could have
    for c in range(n):
        # Others come before the next labelled row, as many as the limit allows.
        arrived = 0.0
        most = limits[c]
        v = first
        end = last
        while v <= most:
            here = (state[v] if v <= last else 0.0) + arrived
            if v > last and here < NEGLIGIBLE:
                break
            rest = n - c + m - v
            arrived = here * (m - v) / rest
            state[v] = here * (n - c) / rest
            end = v
            v += 1
        last = end
        while first < last and state[first] < NEGLIGIBLE:
            first += 1
    total = 0.0
    for v in range(first, last + 1):
        total += state[v]
    return total
