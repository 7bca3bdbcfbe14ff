"""φ at every rank of a list, also of a very long one."""

from __future__ import annotations

import numpy as np

from podium._fast import lists
from podium._types import FloatArray
from podium.phi import Phi

_STEP = 32  # ranks from one node to the next
_NODES = 6  # of the interpolating polynomial, three on either side
_LONG = 1 << 15  # shorter lists are cheap to evaluate
_TOLERANCE = 1e-13  # of the range of φ


def score_table(phi: Phi, size: int) -> FloatArray:
    """φ(j/size) for j = 0, …, size, except the ends: they are 0, because φ may be infinite there and no rank is.

    A long table is evaluated at every 16th rank: half of these are nodes of a polynomial of degree 5 between them, the
    other half tell where it is off by more than 1e-13 of the range (jumps, kinks, poles); there φ itself is evaluated.
    """
    table = np.zeros(size + 1)
    if size < _LONG:
        table[1:-1] = phi.value(np.arange(1, size) / size)
        return table
    nodes = np.arange(_STEP, size - _STEP // 2, _STEP)
    heights = phi.value(nodes / size)
    centers = phi.value((nodes[2:-3] + _STEP // 2) / size)
    first, last = nodes[2], nodes[-3]
    between = table[first:last].reshape(-1, _STEP)
    lists.fill_between_nodes(heights, _WEIGHTS, table[first:last])
    wrong = ~(np.abs(between[:, _STEP // 2] - centers) <= _TOLERANCE * (heights[-1] - heights[0]))
    # A window reaches over two intervals on either side of its own, so what is wrong there may be wrong here.
    wrong = np.convolve(wrong, np.ones(_NODES - 1), mode="same") > 0
    ranks = np.concatenate(
        [
            np.arange(1, first),
            (first + np.flatnonzero(wrong)[:, None] * _STEP + np.arange(_STEP)).ravel(),
            np.arange(last, size),
        ]
    )
    table[ranks] = phi.value(ranks / size)
    return table


def _lagrange_weights() -> FloatArray:
    """Row k: the k-th basis polynomial of the nodes −2, …, 3 at the places 0, 1/32, …, 31/32."""
    nodes = np.arange(_NODES) - (_NODES // 2 - 1.0)
    places = np.arange(_STEP) / _STEP
    return np.array(
        [np.prod([(places - other) / (node - other) for other in nodes if other != node], axis=0) for node in nodes]
    )


_WEIGHTS = _lagrange_weights()
