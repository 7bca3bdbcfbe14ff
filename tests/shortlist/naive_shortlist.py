"""Oracles of shortlists: the definitions by loops over everything. Imports nothing of ours."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import ceil, comb, prod

from scipy.stats import beta, betabinom, norm


def conformal_selection(y, s, s_new, fdr):
    """Jin and Candès (2023) with Benjamini–Hochberg, in exact fractions; which rows are chosen."""
    n, m, fdr = len(y), len(s_new), Fraction(str(fdr))
    p = [Fraction(1 + sum(not a and b >= t for a, b in zip(y, s, strict=True)), n + 1) for t in s_new]
    last = max((k for k in range(1, m + 1) if sorted(p)[k - 1] <= fdr * k / m), default=0)
    return [bool(last) and value <= sorted(p)[last - 1] for value in p]


def weighted_pvalues(y, s, w, s_new, w_new):
    total = sum(w)
    return [
        (v + sum(c for a, b, c in zip(y, s, w, strict=True) if not a and b >= t)) / (v + total)
        for t, v in zip(s_new, w_new, strict=True)
    ]


def recall_threshold(pos, recall, level):
    """The k-th smallest positive with the largest k that keeps the recall, or None."""
    n = len(pos)
    possible = [k for k in range(1, n + 1) if beta.sf(recall, n + 1 - k, k) >= level]
    return sorted(pos)[possible[-1] - 1] if possible else None


def fpr_threshold(neg, fpr, level):
    """Rows above this one are chosen: the k-th largest negative with the largest k that holds, or None."""
    n = len(neg)
    possible = [k for k in range(1, n + 1) if beta.cdf(fpr, k, n + 1 - k) >= level]
    return sorted(neg)[-possible[-1]] if possible else None


def binomial_tail(k, n, p):
    return sum(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))


def rows_above(s, t):
    return [i for i, value in enumerate(s) if value > t]


def refuted_once(size, positives, drawn, hits, miss):
    """Whether P(Hypergeometric ≤ hits) ≤ miss, by counting samples."""
    total = comb(size, drawn)
    ways = sum(comb(positives, j) * comb(size - positives, drawn - j) for j in range(min(hits, drawn) + 1))
    return Fraction(ways, total) <= Fraction(str(miss))


def refuted_ever(border):
    """With a look after every row: whether prior over posterior of the number of positives reaches 1/miss."""

    def refuted(size, positives, drawn, hits, miss):
        a = 0.5
        b = max(1.0, a * (2 * size / max(border, 1.0) - 1))
        prior = betabinom.pmf(positives, size, a, b)
        posterior = betabinom.pmf(positives - hits, size - drawn, a + hits, b + drawn - hits)
        return prior >= posterior / miss

    return refuted


def benjamini_hochberg(pvalues, fdr):
    m = len(pvalues)
    last = max((k for k in range(1, m + 1) if sorted(pvalues)[k - 1] <= fdr * k / m), default=0)
    return [bool(last) and p <= sorted(pvalues)[last - 1] for p in pvalues]


def precision_cut(y, s, precision, level, growth=1.1, n_starts=4):
    """Rows above the last cut that is settled with all before it; rows that tie with the next are left out.

    A cut is settled by its own test, with half of the error, or by that of a fresh start below, which share the rest;
    by its own alone, with all of the error, where no start is below.
    """
    n, miss = len(y), Fraction(1) - Fraction(str(level))
    first = next(k for k in range(1, n + 1) if binomial_tail(ceil(k * (1 + precision) / 2), k, precision) <= 1 - level)
    places = [first]
    while places[-1] < n:
        places.append(min(n, max(places[-1] + 1, int(places[-1] * growth))))
    n_starts = min(n_starts, next(i for i in range(n) if first * 2 ** (i + 1) > n))
    aims = [first * (n / first) ** (i / (n_starts + 1)) for i in range(1, n_starts + 1)]
    starts = {next(k for k in places if k >= aim) for aim in aims} - {first}
    tests = []
    for k in places:
        rows = rows_above(s, sorted(s, reverse=True)[k] if k < n else -float("inf"))
        if len(rows) >= first:
            tests.append((k, rows, binomial_tail(sum(bool(y[i]) for i in rows), len(rows), precision)))
    chosen = []
    for at, (_, rows, tail) in enumerate(tests):
        later = [other for k, _, other in tests[at + 1 :] if k in starts]
        own = tail <= (miss / 2 if later else miss)
        if not own and not any(other <= miss / 2 / len(later) for other in later):
            break
        chosen = rows
    return chosen


def profit_limits(y, s, gain, cost, z):
    """(threshold, profit per row, lower and upper limit) of every cut, from Clopper and Pearson's at the normal z."""
    n, found = len(y), [(float("inf"), 0.0, 0.0, 0.0)]

    def share(k, tail):
        return k / n, beta.ppf(tail, k, n - k + 1) if k else 0.0, beta.isf(tail, k + 1, n - k) if k < n else 1.0

    for t, quantile in zip(sorted(set(s), reverse=True), z[1:], strict=True):
        hits, false = (sum(b >= t and bool(a) is label for a, b in zip(y, s, strict=True)) for label in (True, False))
        (p, p_low, p_high), (q, q_low, q_high) = (share(k, norm.sf(quantile)) for k in (hits, false))
        r = -((p * q / ((1 - p) * (1 - q))) ** 0.5) if (1 - p) * (1 - q) else 0.0
        value = [(gain - cost) * each for each in (p, p_low, p_high)], [cost * each for each in (q, q_low, q_high)]
        below, above = value[0][0] - value[0][1], value[1][2] - value[1][0]
        low = (below**2 + above**2 - 2 * r * below * above) ** 0.5
        below, above = value[1][0] - value[1][1], value[0][2] - value[0][0]
        high = (below**2 + above**2 - 2 * r * below * above) ** 0.5
        profit = value[0][0] - value[1][0]
        found.append((t, profit, profit - low, profit + high))
    return found


def profit_of_rows(y, s, gain, cost):
    """What every row pays at every cut, none selected first."""
    cuts = [float("inf"), *sorted(set(s), reverse=True)]
    return [[(gain * bool(a) - cost) * (b >= t) for a, b in zip(y, s, strict=True)] for t in cuts]


def profit_widths(pays, means):
    """Relative widths: 1 up to one standard error of the difference behind the best, then a quarter more for each."""
    n, best = len(pays[0]), max(range(len(means)), key=lambda one: means[one])
    widths = []
    for one, mean in enumerate(means):
        behind = means[best] - mean
        differ = [a - b for a, b in zip(pays[best], pays[one], strict=True)]
        variance = sum(d * d for d in differ) / n - behind**2
        error = (max(variance, 1e-12 * sum(v * v for v in pays[-1]) / n) / n) ** 0.5
        widths.append(min(2.0, max(1.0, 1 + (behind / error - 1) / 4)))
    return widths


def largest_ratio(n, m, offset):
    """Mean over all orders of n black and m white balls of the largest ratio of the whites before the j-th black one
    to what is expected, j + offset, j = 1, …, n + 1."""
    ratios = []
    for black in combinations(range(n + m), n):
        ends = [*black, n + m]
        ratios.append(max((end - j) * (n + 1) / m / (j + 1 + offset) for j, end in enumerate(ends)))
    return sum(ratios) / len(ratios)


def stated_shares(y, s, s_new, inflation, offset):
    """(threshold, rows, stated share of negatives) of every cut of a list, the highest first."""
    n, m, found = len(y), len(s_new), []
    for t in sorted(set(s_new), reverse=True):
        k = sum(value >= t for value in s_new)
        c = sum(not a and b >= t for a, b in zip(y, s, strict=True))
        found.append((t, k, inflation * m / k * (c + 1 + offset) / (n + 1)))
    return found


def chance_of_the_first(odds, n_pos):
    """The chance that the first of independent rows is positive, given how many are; by all sets of positives."""
    weights = {True: 0.0, False: 0.0}
    for chosen in combinations(range(len(odds)), n_pos):
        weights[0 in chosen] += prod(odds[i] for i in chosen)
    return weights[True] / (weights[True] + weights[False])


def wealth(y, bets, odds, total):
    """The wealth of bets on rows in order, by the formula; None once there are fewer rows than positives."""
    value, left = 1.0, total
    for i, (label, bet) in enumerate(zip(y, bets, strict=False)):
        below = odds[i + 1 :]
        if left > len(below):
            chance = 1.0
        else:
            ratio = left * len(below) * odds[i] / ((len(below) - left + 1) * sum(below))
            chance = ratio / (1 + ratio)
        value *= 1 + bet * (chance - label)
        left -= label
        if left > len(below):
            return None
    return value
