"""Tables of a function of the rank, filled between nodes."""

from __future__ import annotations

from podium._fast.compiled import compiled


@compiled
def fill_between_nodes(heights, weights, table):
    """Fill ``table``, a stretch of places for every six heights in a row, by the six rows of ``weights``.

    A loop rather than a product of matrices: that would wake the threads of the linear algebra library.
    """
    n_places = weights.shape[1]
    w0, w1, w2, w3, w4, w5 = weights[0], weights[1], weights[2], weights[3], weights[4], weights[5]
    for k in range(len(heights) - 5):
        h0, h1, h2 = heights[k], heights[k + 1], heights[k + 2]
        h3, h4, h5 = heights[k + 3], heights[k + 4], heights[k + 5]
        stretch = table[k * n_places : (k + 1) * n_places]
        for i in range(n_places):
            stretch[i] = h0 * w0[i] + h1 * w1[i] + h2 * w2[i] + h3 * w3[i] + h4 * w4[i] + h5 * w5[i]
