"""Bands and partial areas by their definition. Imports nothing of ours."""

from __future__ import annotations

import math

from naive import classes


def stay_probability(low, high):
    """P(low_i ≤ U_(i) ≤ high_i for all i) by Steck's determinant, in rational numbers: exact."""
    from fractions import Fraction

    n = len(low)
    low, high = [Fraction(float(v)) for v in low], [Fraction(float(v)) for v in high]
    # n! det[(high_i − low_j)₊^(j−i+1) / (j−i+1)!], 0 below the subdiagonal, 1 on it (Steck, 1971).
    a = [
        [
            Fraction(0) if j < i - 1 else max(high[i] - low[j], Fraction(0)) ** (j - i + 1) / math.factorial(j - i + 1)
            for j in range(n)
        ]
        for i in range(n)
    ]
    det = Fraction(1)
    for c in range(n):
        pivot = next((r for r in range(c, n) if a[r][c] != 0), None)
        if pivot is None:
            return 0.0
        if pivot != c:
            a[c], a[pivot] = a[pivot], a[c]
            det = -det
        det *= a[c][c]
        for r in range(c + 1, n):
            if a[r][c] != 0:
                f = a[r][c] / a[c][c]
                a[r] = [x - f * y for x, y in zip(a[r], a[c], strict=True)]
    return float(det * math.factorial(n))


def rectangle_band(is_positive, scores, a, b, a_neg, b_neg, t):
    """Limits of the ROC curve at t, straight from the statement; a[i], b[i] with i = 0, …, n + 1."""
    pos, neg = classes(is_positive, scores)
    pos, neg = [s for s, _ in pos], sorted((s for s, _ in neg), reverse=True)
    low, high = 0.0, 1.0
    for j, y in enumerate(neg, start=1):
        if t > b_neg[j]:
            low = max(low, a[sum(x > y for x in pos)])
        if t < a_neg[j]:
            high = min(high, b[sum(x >= y for x in pos) + 1])
    return low, high


def partial_area_contributions(is_positive, scores, t):
    """What each positive and each negative contributes to the area up to t; no ties."""
    pos, neg = classes(is_positive, scores)
    pos, neg = [s for s, _ in pos], sorted((s for s, _ in neg), reverse=True)
    m = len(neg)
    top = [min(1.0, max(0.0, t * m - j)) for j in range(m)]  # how much of the j-th best negative is inside
    cut = neg[min(int(t * m), m - 1)]
    at_t = 1.0 if t * m >= m else sum(x > cut for x in pos) / len(pos)
    of_pos = [sum(w for y, w in zip(neg, top, strict=True) if x > y) / m for x in pos]
    of_neg = [w * (sum(x > y for x in pos) / len(pos) - at_t) for y, w in zip(neg, top, strict=True)]
    return of_pos, of_neg
