"""Random draws inside compiled loops, and probabilities by recursion over ordered draws."""

from __future__ import annotations

import math

import numpy as np

from podium._fast.compiled import compiled

# SplitMix64 (Steele, Lea and Flood, 2014): consecutive keys become numbers without visible pattern.


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


@compiled
def splitmix(keys, start, n_times):
    """Each key, shifted by ``start`` and mixed so many times."""
    out = np.empty(keys.size, np.uint64)
    for i in range(keys.size):
        z = keys[i] + start
        for time in range(n_times):
            if time:
                z += GOLDEN
            z = (z ^ (z >> _30)) * _FIRST
            z = (z ^ (z >> _27)) * _SECOND
            z = z ^ (z >> _31)
        out[i] = z
    return out


# Bootstrap and permutation of rank sums: every draw in one compiled loop.
#
# NumPy's generator is passed in, so a seed means the same in every process.


@compiled
def draw_counts(rng, counts, cumulated, guide, n_draws):
    """Draw ``n_draws`` units with replacement, group g in proportion to its mass; count them by group.

    ``guide[j]`` is the group in which the j-th unit of mass begins: the search from there takes a step or none.
    """
    counts[:] = 0
    total = cumulated[-1]
    for _ in range(n_draws):
        u = rng.random() * total
        g = guide[int(u)]
        while cumulated[g] <= u:
            g += 1
        counts[g] += 1


@compiled
def bootstrap_sums(rng, n_resamples, pos, neg, n_pos, n_neg, cumulated_scores):
    """Rank sums of the positives in samples drawn from each class: O(N) each.

    ``pos`` and ``neg`` are pairs (cumulated mass, guide); ``cumulated_scores[r]`` is
    the sum of the scores of the ranks up to r. Rows that tie, as copies of a row do, share the mean of their ranks.
    """
    n_groups = len(pos[0])
    pos_counts = np.empty(n_groups, np.int64)
    neg_counts = np.empty(n_groups, np.int64)
    sums = np.empty(n_resamples)
    for b in range(n_resamples):
        draw_counts(rng, pos_counts, pos[0], pos[1], n_pos)
        draw_counts(rng, neg_counts, neg[0], neg[1], n_neg)
        total = 0.0
        below = 0
        for g in range(n_groups):
            tied = pos_counts[g] + neg_counts[g]
            if pos_counts[g] > 0:
                total += pos_counts[g] * (cumulated_scores[below + tied] - cumulated_scores[below]) / tied
            below += tied
        sums[b] = total
    return sums


@compiled
def permutation_sums(rng, n_resamples, scores, n_drawn):
    """Sums of ``n_drawn`` scores drawn without replacement; ``scores`` is shuffled in place."""
    sums = np.empty(n_resamples)
    for b in range(n_resamples):
        total = 0.0
        for i in range(n_drawn):
            j = i + int(rng.random() * (len(scores) - i))
            scores[i], scores[j] = scores[j], scores[i]
            total += scores[i]
        sums[b] = total
    return sums


# Does a sorted uniform sample stay between two boundaries? The Poisson-bridge recursion, exact.
#
# Given that a Poisson process of rate n has n points on [0, 1], they are n sorted uniforms U_(1) < … < U_(n). So carry
# the distribution of the number of points so far from boundary point to boundary point: convolve it with Poisson(n·dt),
# cut the counts that break a boundary, and at the end divide by the probability of n points. O(n·w·k) with w the counts
# that are possible at a time (about √n) and k the terms of a Poisson distribution between neighbors (about 15).


# Counts and Poisson terms below this share of the largest are dropped: far below what a sum of doubles can show.
_NO_TERM = 1e-20


@compiled
def _poisson_terms(mean, most, term):
    """Write the terms mean^d/d!, d = 0, 1, …, that count, at most up to d = most; how many they are."""
    n_terms = 1
    term[0] = 1.0
    largest = 1.0
    while n_terms <= most:
        term[n_terms] = term[n_terms - 1] * mean / n_terms
        largest = max(largest, term[n_terms])
        n_terms += 1
        if n_terms > mean and term[n_terms - 1] < _NO_TERM * largest:
            break
    return n_terms


@compiled
def log_stay_probability(low, high):
    """Logarithm of P(low_i ≤ U_(i) ≤ high_i for all i), both boundaries ascending, of the same length n, in [0, 1]."""
    n = len(low)
    state = np.zeros(n + 1)  # state[c]: probability of c points so far, up to a factor exp(log_scale)
    fresh = np.zeros(n + 1)
    term = np.empty(n + 1)
    state[0] = 1.0
    first = last = 0  # the counts of positive probability
    i = j = 0  # boundary points passed: i of low, j of high
    here = 0.0
    log_scale = 0.0
    while i < n or j < n:
        # At low_i at most i points (from 0) may have come; at high_j at least j + 1.
        from_low = i < n and (j >= n or low[i] <= high[j])
        there = low[i] if from_low else high[j]
        most = i if from_low else min(i, n)
        least = j if from_low else j + 1
        step = n * (there - here)
        if step > 0:
            n_terms = _poisson_terms(step, most - first, term)
            for c in range(max(first, least), most + 1):
                total = 0.0
                for d in range(max(0, c - last), min(n_terms, c - first + 1)):
                    total += state[c - d] * term[d]
                fresh[c] = total
            last = most
            state, fresh = fresh, state
            log_scale -= step
        first, last = max(first, least), min(last, most)
        if first > last:
            return -np.inf
        top = 0.0
        for c in range(first, last + 1):
            top = max(top, state[c])
        if top == 0.0:
            return -np.inf
        while state[first] < _NO_TERM * top:
            first += 1
        while state[last] < _NO_TERM * top:
            last -= 1
        for c in range(first, last + 1):
            state[c] /= top
        log_scale += math.log(top)
        here = there
        if from_low:
            i += 1
        else:
            j += 1
    # From the last boundary point to 1: exactly the missing points.
    rest = n * (1.0 - here)
    total = 0.0
    for c in range(first, last + 1):
        missing = n - c
        if rest > 0:
            total += state[c] * math.exp(missing * math.log(rest) - math.lgamma(missing + 1.0))
        elif missing == 0:
            total += state[c]
    return math.log(total) + log_scale - rest - (n * math.log(n) - n - math.lgamma(n + 1.0))


# Samples drawn from an ROC curve: all that a rank method sees of scores is how many positives pass each negative.
#
# In units of their own distributions the negatives are uniforms V and the positives uniforms W, and a positive stands
# above a negative where W < R(V), R being the curve. Sorted uniforms come from exponential spacings, without a sort:
# O(n + m) a draw.


@compiled
def positives_above(fpr, tpr, n_pos, n_neg, n_draws, nodes, rng):
    """Row by row the number of positives above the j-th negative from the top, for the j (from 0) in ``nodes``."""
    result = np.empty((n_draws, len(nodes)), np.int64)
    for draw in range(n_draws):
        result[draw] = _draw(fpr, tpr, n_pos, n_neg, rng)[nodes]
    return result


@compiled
def nested_levels(fpr, tpr, n_draws, pos_low, pos_high, at_neg_low, at_neg_high, rng):
    """Of each draw, the last of the nested bands, from the widest on, that still holds the whole curve.

    Row l of ``pos_low`` and ``pos_high`` are the limits of band l by number of positives; ``at_neg_low`` and
    ``at_neg_high`` the curve at its limits by negative.
    """
    n_levels, n_neg = at_neg_low.shape
    n_pos = pos_low.shape[1] - 2
    result = np.empty(n_draws, np.int64)
    for draw in range(n_draws):
        above = _draw(fpr, tpr, n_pos, n_neg, rng)
        holds, fails = 0, n_levels  # the widest is taken to hold: it is the guaranteed one
        while fails - holds > 1:
            level = (holds + fails) // 2
            inside = True
            for j in range(n_neg):
                k = above[j]
                if at_neg_low[level, j] > pos_high[level, k + 1] or at_neg_high[level, j] < pos_low[level, k]:
                    inside = False
                    break
            if inside:
                holds = level
            else:
                fails = level
        result[draw] = holds
    return result


@compiled
def _draw(fpr, tpr, n_pos, n_neg, rng):
    v = _sorted_uniforms(n_neg, rng)
    w = _sorted_uniforms(n_pos, rng)
    above = np.empty(n_neg, np.int64)
    segment = k = 0
    for j in range(n_neg):
        while fpr[segment + 1] < v[j]:
            segment += 1
        rise = (tpr[segment + 1] - tpr[segment]) / (fpr[segment + 1] - fpr[segment])
        height = tpr[segment] + rise * (v[j] - fpr[segment])
        while k < n_pos and w[k] < height:
            k += 1
        above[j] = k
    return above


@compiled
def _sorted_uniforms(size, rng):
    result = np.empty(size)
    total = 0.0
    for i in range(size):
        total += rng.standard_exponential()
        result[i] = total
    total += rng.standard_exponential()
    return result / total


# Two lists of exchangeable rows merged into one, best first: all orders of the n labeled and m others are as likely.
#
# The number V_c of others before the (c + 1)-th labeled row is at most v exactly where, of the first c + v + 1 rows of
# the merged list, more than c are labeled: a hypergeometric tail. Its law is beta-binomial(m, c + 1, n − c).


_NO_WAY = 1e-18  # probability of a place on the way, below which it is not followed further


@compiled
def upper_limits(n, m, tail):
    """For c = 0, …, n − 1 the least v with P(V_c > v) ≤ tail. O(n + m): limits ascend, so one walk finds them all."""
    limits = np.empty(n, np.int64)
    v = 0
    # P(X ≤ c) and P(X = c) for the number X of labeled rows among the first c + v + 1; here c = v = 0.
    at_c = m / (n + m)
    at_most = at_c
    for c in range(n):
        drawn = c + v + 1
        while v < m and at_most > tail:
            # One row more: labeled with probability (n − c)/(rest) where c are labeled already.
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
            )  # c + 1 of one row more: an other after c + 1, or labeled after c
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
        # Others come before the next labeled row, as many as the limit allows.
        arrived = 0.0
        most = limits[c]
        v = first
        end = last
        while v <= most:
            here = (state[v] if v <= last else 0.0) + arrived
            if v > last and here < _NO_WAY:
                break
            rest = n - c + m - v
            arrived = here * (m - v) / rest
            state[v] = here * (n - c) / rest
            end = v
            v += 1
        last = end
        while first < last and state[first] < _NO_WAY:
            first += 1
    total = 0.0
    for v in range(first, last + 1):
        total += state[v]
    return total
