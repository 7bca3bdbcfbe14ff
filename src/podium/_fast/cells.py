"""Sums over all pairs in linear time: moments per cell, tables from cell to cell, a polynomial per cell.

The axis is cut into cells [(c − ½)δ, (c + ½)δ), c whole. A value t lies at x = t/δ − c ∈ [−½, ½) of its cell.
Σ_l w_l g((t − s_l)/h) ≈ Σ_a x^a Σ_cells Σ_b T[c − c', b, a] M[c', b], with the moments M[c', b] = Σ_l w_l x_l^b of
cell c'. δ is a power of two, so that x and c are exact. Moments and evaluation cost O(N·q), tables O(cells·reach·q²).
"""

from __future__ import annotations

import math

import numpy as np

from podium._fast.compiled import compiled

_BLOCK = 256  # rows located at once: this part vectorises, adding to cells does not


@compiled
def _locate(values, start, per_width, first, cells, places):
    """The cell of each row of a block, counted from ``first``, and the place inside it; how many rows."""
    n_rows = min(_BLOCK, values.size - start)
    for i in range(n_rows):
        t = values[start + i] * per_width
        cell = math.floor(t + 0.5)
        cells[i], places[i] = np.uint32(np.int32(cell - first)), t - cell
    return n_rows


def _loops(q):
    """The loops for q moments; q is fixed when they compile, so that they unroll."""

    @compiled
    def add_moments(values, weight, per_width, first, moments):
        """moments[c − first, b] += w x^b for every row; ``weight`` is None where all weigh one."""
        cells, places = np.empty(_BLOCK, np.uint32), np.empty(_BLOCK)
        for start in range(0, values.size, _BLOCK):
            n_rows = _locate(values, start, per_width, first, cells, places)
            for i in range(n_rows):
                term = 1.0 if weight is None else weight[start + i]
                for b in range(q):
                    moments[cells[i], b] += term
                    term *= places[i]

    @compiled
    def evaluate(values, per_width, first, lower, upper, at_lower, at_upper):
        """Two polynomials per cell at every row; coefficients of rising powers."""
        cells, places = np.empty(_BLOCK, np.uint32), np.empty(_BLOCK)
        for start in range(0, values.size, _BLOCK):
            n_rows = _locate(values, start, per_width, first, cells, places)
            for i in range(n_rows):
                a, b = lower[cells[i], q - 1], upper[cells[i], q - 1]
                for k in range(q - 2, -1, -1):
                    a = a * places[i] + lower[cells[i], k]
                    b = b * places[i] + upper[cells[i], k]
                at_lower[start + i], at_upper[start + i] = a, b

    @compiled
    def subtract(values, weight, per_width, first, coefficients, out):
        """Subtract w · polynomial from ``out``, at every row."""
        cells, places = np.empty(_BLOCK, np.uint32), np.empty(_BLOCK)
        for start in range(0, values.size, _BLOCK):
            n_rows = _locate(values, start, per_width, first, cells, places)
            for i in range(n_rows):
                a = coefficients[cells[i], q - 1]
                for k in range(q - 2, -1, -1):
                    a = a * places[i] + coefficients[cells[i], k]
                out[start + i] -= a if weight is None else a * weight[start + i]

    return add_moments, evaluate, subtract


LOOPS = {q: _loops(q) for q in (4, 8)}


@compiled
def local_polynomials(ids, moments, table, first, coefficients):
    """Coefficients of the cells ``ids[first:]``, as many as there are rows to fill; returns the mass left of each.

    ``ids`` are ascending; ``table[d + reach, b]`` are the coefficients that moment b of a cell d further left adds.
    """
    reach = table.shape[0] // 2
    below = np.empty(coefficients.shape[0])
    left, right, passed = 0, 0, 0.0
    for k in range(coefficients.shape[0]):
        here = ids[first + k]
        while ids[left] < here - reach:
            passed += moments[left, 0]
            left += 1
        while right < ids.size and ids[right] <= here + reach:
            right += 1
        below[k] = passed
        row = coefficients[k]
        row[:] = 0.0
        for j in range(left, right):
            if moments[j, 0] == 0.0:
                continue  # an empty cell
            offset = int(here - ids[j]) + reach
            for b in range(moments.shape[1]):
                moment = moments[j, b]
                for a in range(row.size):
                    row[a] += moment * table[offset, b, a]
    return below
