"""Bootstrap and permutation of rank sums: every draw in one compiled loop.

NumPy's generator is passed in, so a seed means the same in every process.
"""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


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
