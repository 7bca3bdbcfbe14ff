"""The band of the ROC curve from its statement; imports nothing of ours."""

from __future__ import annotations

import itertools


def band_of_operating_points(is_positive, scores, a, b, a_neg, b_neg, t):
    """Limits at t of the lines through the corners of the rectangles at each threshold; at steps the wider one."""
    thresholds = sorted(set(scores), reverse=True)
    passed = [(0, 0)]
    for threshold in thresholds:
        above = [bool(label) for label, score in zip(is_positive, scores, strict=True) if score >= threshold]
        passed.append((sum(above), len(above) - sum(above)))
    lower = [(0.0, 0.0), *((b_neg[j + 1], a[k]) for k, j in passed)]
    upper = [*((a_neg[j], b[k + 1]) for k, j in passed), (1.0, 1.0)]
    return min(_heights(lower, t)), max(_heights(upper, t))


def _heights(points, t):
    """Heights at t of all segments that reach it."""
    for (x, y), (next_x, next_y) in itertools.pairwise(points):
        if x == t == next_x:
            yield from (y, next_y)
        elif x <= t <= next_x:
            yield y + (next_y - y) * (t - x) / (next_x - x)
