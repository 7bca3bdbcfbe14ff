"""The measures of the fields as their authors print them, of labels in order from the top of a list."""

import itertools
import math

import numpy as np


def orders(y, s):
    """All lists that the scores allow: rows that tie, in every order."""
    groups = [[bool(label) for label, score in zip(y, s, strict=True) if score == value] for value in sorted(set(s))]
    for chosen in itertools.product(*(itertools.permutations(group) for group in reversed(groups))):
        yield list(itertools.chain(*chosen))


def in_the_mean(formula, y, s, *numbers):
    """The mean of a formula over the orders of rows that tie."""
    return float(np.mean([formula(top, *numbers) for top in orders(y, s)]))


def gini(top):
    """(concordant − discordant pairs) over all pairs: Somers' D."""
    pairs = [(i < j) - (i > j) for i, a in enumerate(top) for j, b in enumerate(top) if a and not b]
    return sum(pairs) / len(pairs)


def enrichment(top, share):
    """Hits among the first share over those of random order (Halgren et al. 2004; RDKit's CalcEnrichment)."""
    k = math.ceil(round(share * len(top), 9))
    return sum(top[:k]) / k / (sum(top) / len(top))


def relative_enrichment(top, share):
    k = math.ceil(round(share * len(top), 9))
    return sum(top[:k]) / min(k, sum(top))


def rie(top, alpha):
    """Sheridan et al. (2001): the mean exponential weight of the positives over that of all positions."""
    n_rows = len(top)
    mean = (1 - math.exp(-alpha)) / (math.exp(alpha / n_rows) - 1) / n_rows
    return sum(math.exp(-alpha * r / n_rows) for r, hit in enumerate(top, start=1) if hit) / sum(top) / mean


def bedroc(top, alpha):
    """Truchon and Bayly (2007), equation 36: RIE between its extremes in closed form."""
    share = sum(top) / len(top)
    most = (1 - math.exp(-alpha * share)) / (share * (1 - math.exp(-alpha)))
    least = (1 - math.exp(alpha * share)) / (share * (1 - math.exp(alpha)))
    return (rie(top, alpha) - least) / (most - least)


def capture(top, k):
    return sum(top[:k]) / sum(top)


def hits(top, k):
    return sum(top[:k])


def lift(top, k):
    return sum(top[:k]) / k * len(top) / sum(top)


def erf(top, k):
    """Relevant records found among the first k, less those of random order, over all relevant ones."""
    return (sum(top[:k]) - sum(top) * k / len(top)) / sum(top)


def atd(top):
    """The mean number of records read until a relevant one is found."""
    return np.mean([place for place, hit in enumerate(top, start=1) if hit])


def elusion(top, k):
    return sum(top[k:]) / (len(top) - k)


def wss(top, recall):
    """Cohen et al. (2006): (TN + FN)/N − (1 − r) where reading from the top first reaches the recall r."""
    found = list(itertools.accumulate(top))
    read = next(k for k, n in enumerate(found, start=1) if n >= recall * found[-1] - 1e-9)
    return (len(top) - read) / len(top) - (1 - recall)


def specificity_at(top, recall):
    found = list(itertools.accumulate(top))
    read = next(k for k, n in enumerate(found, start=1) if n >= recall * found[-1] - 1e-9)
    return 1 - (read - found[read - 1]) / (len(top) - sum(top))


def ks(y, s):
    """The largest difference between the distribution functions of the classes."""
    y, s = np.asarray(y, dtype=bool), np.asarray(s)
    return max(abs(np.mean(s[y] <= t) - np.mean(s[~y] <= t)) for t in s)


def information_value(y, bin_of):
    """Σ (p − q) ln(p/q) over bins (Siddiqi 2006)."""
    y, bin_of = np.asarray(y, dtype=bool), np.asarray(bin_of)
    total = 0.0
    for each in set(bin_of.tolist()):
        p, q = np.mean(bin_of[y] == each), np.mean(bin_of[~y] == each)
        total += (p - q) * math.log(p / q)
    return total


def at_cut(y, s, cut):
    """TP, FP, TN and FN of calling a score of the cut or more positive."""
    counts = dict.fromkeys(("TP", "FP", "TN", "FN"), 0)
    for label, score in zip(y, s, strict=True):
        counts[("TP" if label else "FP") if score >= cut else ("FN" if label else "TN")] += 1
    return counts
