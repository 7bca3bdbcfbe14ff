"""A long list with few labels: where the labeled rows stand, and how many of the others stand in each stretch of it."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def stretches(rows, ordered, code, n_stretches, n_strata):
    """Labeled rows by ascending score, with the rows below their tie group and up to it, and their stretch.

    A tie group belongs to the stretch in which it begins. And how many rows without a label each stretch holds of every
    stratum, and where it begins and ends; it ends at 0 if no group begins there. The ``code`` of a row is its stratum,
    and ``n_strata`` more if it is labeled.
    """
    n = rows.size
    n_labeled = 0
    for i in range(n):
        n_labeled += code[i] >= n_strata
    labeled = np.empty(n_labeled, np.int64)
    below, upto, of_row = np.empty(n_labeled, np.int64), np.empty(n_labeled, np.int64), np.empty(n_labeled, np.int64)
    count = np.zeros((n_stretches, n_strata), np.int64)
    begins, ends = np.zeros(n_stretches, np.int64), np.zeros(n_stretches, np.int64)
    begin, k = 0, 0
    while begin < n:
        end = begin + 1
        while end < n and ordered[end] == ordered[begin]:
            end += 1
        at = begin * n_stretches // n
        if ends[at] == 0:
            begins[at] = begin
        ends[at] = end
        for i in range(begin, end):
            row = rows[i]
            if code[row] >= n_strata:
                labeled[k], below[k], upto[k], of_row[k] = row, begin, end, at
                k += 1
            else:
                count[at, code[row]] += 1
        begin = end
    return labeled, below, upto, of_row, count, begins, ends
