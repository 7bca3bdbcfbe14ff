"""Sums over all pairs of ascending points, exact, in linear time: exponential and polynomial kernels."""

from __future__ import annotations

import math

import numpy as np

from podium._fast.compiled import compiled, compiled_reduction


@compiled
def merge_ties(values, order, weight, totals):
    """Ascending values with each tie written once, in place, and the weight of each in ``totals``; how many they are.

    ``weight`` is by row, ``order`` the row of each value; None where all weigh one.
    """
    n_distinct = 0
    for i in range(values.size):
        w = 1.0 if weight is None else weight[order[i]]
        if n_distinct > 0 and values[n_distinct - 1] == values[i]:
            totals[n_distinct - 1] += w
        else:
            values[n_distinct], totals[n_distinct] = values[i], w
            n_distinct += 1
    return n_distinct


@compiled
def mark_new_cells(values, width, is_new):
    """Which of ascending values are the first of their cell."""
    before = -np.inf
    for i in range(values.size):
        cell = np.rint(values[i] / width)  # also where ½ is below the last digit
        is_new[i] = cell != before
        before = cell


@compiled_reduction
def stretch(points, origin, pull, density, weight, field, total):
    """Σ (z − origin)(pull·density − weight·field/total)."""
    result = 0.0
    for i in range(points.size):
        result += (points[i] - origin) * (pull[i] * density[i] - weight[i] / total * field[i])
    return result


@compiled
def decaying_sums(decay, weight):
    """Σ_{l<i} w_l exp(−(z_i − z_l)/h) for every i, from ``decay[i]`` = exp(−(z_{i+1} − z_i)/h)."""
    sums = np.empty(weight.size)
    total = 0.0
    for i in range(weight.size):
        sums[i] = total
        if i < decay.size:
            total = (total + weight[i]) * decay[i]
    return sums


@compiled
def laplace_sums(points, weight, bandwidth):
    """Σ_l w_l κ((z_i − z_l)/h) and Σ_l w_l κ'((z_i − z_l)/h) for κ'(t) = e^(−|t|)/2: rows to the left, then right."""
    n = points.size
    sums, slopes = np.empty(n), np.empty(n)
    near = below = 0.0
    for i in range(n):
        if i > 0:
            near = (near + weight[i - 1]) * math.exp((points[i - 1] - points[i]) / bandwidth)
        sums[i] = below + 0.5 * weight[i] - 0.5 * near
        slopes[i] = 0.5 * (near + weight[i])
        below += weight[i]
    near = 0.0
    for i in range(n - 2, -1, -1):
        near = (near + weight[i + 1]) * math.exp((points[i] - points[i + 1]) / bandwidth)
        sums[i] += 0.5 * near
        slopes[i] += 0.5 * near
    return sums, slopes


@compiled
def polynomial_sums(points, weight, bandwidth, width, primitive):
    """Σ_l w_l κ((z_i − z_l)/h) and Σ_l w_l κ'((z_i − z_l)/h) for a κ that is a polynomial on [−1, 1], then constant.

    The points are grouped in cells of ``width`` ≤ h, a power of two, so that places in cells are exact. A window
    (z_i − h, z_i + h) is a run of cells, the first and the last in part; the part is a prefix of its cell's moments, or
    what remains of them. Moments are about the cell's center in units of h, so that nothing large cancels, and κ is
    shifted there: O(N·q²).
    """
    n, q = points.size, primitive.size
    ids = points / width
    for i in range(n):
        ids[i] = np.floor(ids[i] + 0.5) if abs(ids[i]) < 2.0**50 else ids[i]  # beyond, ½ is below the last digit
    starts, cell_of = _runs(ids)
    n_cells = starts.size - 1
    moments = np.zeros((n_cells, q))
    for i in range(n):
        _add(moments[cell_of[i]], weight[i], (points[i] - ids[i] * width) / bandwidth)

    sums, slopes = np.empty(n), np.empty(n)
    before_left, before_right = np.zeros(q), np.zeros(q)  # moments of the cell of left (right), before left (right)
    left, right, passed = 0, 0, 0.0
    part, taylor = np.empty(q), np.empty(q)
    for i in range(n):
        while points[i] - points[left] >= bandwidth:
            passed += weight[left]
            _add(before_left, weight[left], (points[left] - ids[left] * width) / bandwidth)
            left += 1
            if left == starts[cell_of[left]]:
                before_left[:] = 0.0
        while right < n and points[right] - points[i] < bandwidth:
            if right == starts[cell_of[right]]:
                before_right[:] = 0.0
            _add(before_right, weight[right], (points[right] - ids[right] * width) / bandwidth)
            right += 1
        total, slope = passed, 0.0
        for cell in range(cell_of[left], cell_of[right - 1] + 1):
            last = cell == cell_of[right - 1]
            for b in range(q):
                part[b] = before_right[b] if last else moments[cell, b]
                if cell == cell_of[left]:
                    part[b] -= before_left[b]
            _shifted(primitive, (points[i] - ids[starts[cell]] * width) / bandwidth, taylor)
            sign = 1.0
            for b in range(q):
                total += sign * taylor[b] * part[b]
                if b + 1 < q:
                    slope += sign * (b + 1) * taylor[b + 1] * part[b]
                sign = -sign
        sums[i], slopes[i] = total, slope
    return sums, slopes


@compiled
def _runs(ids):
    """Where runs of equal ids start (and the end), and the run of each position."""
    run_of = np.empty(ids.size, np.int64)
    starts = np.empty(ids.size + 1, np.int64)
    n_runs = 0
    for i in range(ids.size):
        if i == 0 or ids[i] != ids[i - 1]:
            starts[n_runs] = i
            n_runs += 1
        run_of[i] = n_runs - 1
    starts[n_runs] = ids.size
    return starts[: n_runs + 1].copy(), run_of


@compiled
def _add(moments, weight, place):
    term = weight
    for b in range(moments.size):
        moments[b] += term
        term *= place


@compiled
def _shifted(polynomial, origin, taylor):
    """Taylor coefficients of a polynomial about ``origin``, by repeated synthetic division."""
    taylor[:] = polynomial
    for k in range(polynomial.size - 1):
        for j in range(polynomial.size - 2, k - 1, -1):
            taylor[j] += origin * taylor[j + 1]
