"""Boosting of weak rankers by its definition. Imports nothing of ours."""

from __future__ import annotations

import itertools

import numpy as np
from scipy import optimize


def figure_2(H, is_positive, p, n_rounds):
    """R09's Figure 2 with its pair matrix, as printed but for the |·| that its argmax needs; λ and the j_t taken."""
    pos, neg = np.flatnonzero(is_positive), np.flatnonzero(~np.asarray(is_positive))
    M = (H[pos][:, None, :] - H[neg][None, :, :]).reshape(-1, H.shape[1])  # M[ik, j] = h_j(x_i) − h_j(x̃_k)
    d = np.full(len(M), 1 / len(M))
    coefficients, taken = np.zeros(H.shape[1]), []
    for _ in range(n_rounds):
        d_tilde = (d.reshape(len(pos), -1) * d.reshape(len(pos), -1).sum(axis=0) ** (p - 1)).ravel()
        j = int(np.argmax(np.abs(d_tilde @ M)))

        def slope(alpha, d=d, m=M[:, j]):  # the right-hand side of (1), divided by the power of its largest term
            terms = (d * np.exp(-alpha * m)).reshape(len(pos), -1)
            inner = terms.sum(axis=0)
            return float(((inner / inner.max()) ** (p - 1)) @ (terms * m.reshape(len(pos), -1)).sum(axis=0))

        sign = 1.0 if slope(0.0) > 0 else -1.0
        far = sign
        while slope(far) * sign > 0:
            far *= 2
        alpha = optimize.brentq(slope, 0.0, far, xtol=1e-12)
        coefficients[j] += alpha
        taken.append(j)
        d = d * np.exp(-alpha * M[:, j])
        d /= d.sum()
    return coefficients, taken


def rankboost(X, is_positive, n_rounds):
    """RankBoost (Freund et al., 2003) over all thresholds, its third method with α = ½ ln((1 + r)/(1 − r)) replaced by
    the exact ½ ln(W₊/W₋) of binary weak rankers, by double loops over pairs."""
    pos, neg = np.flatnonzero(is_positive), np.flatnonzero(~np.asarray(is_positive))
    weak = []
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        weak += [(j, (a + b) / 2) for a, b in itertools.pairwise(values)]
    D = np.full((len(pos), len(neg)), 1 / (len(pos) * len(neg)))
    rounds = []
    for _ in range(n_rounds):
        margins = [np.subtract.outer((X[pos, j] > t) * 1.0, (X[neg, j] > t) * 1.0) for j, t in weak]
        best = int(np.argmax([abs((D * m).sum()) for m in margins]))
        m = margins[best]
        alpha = 0.5 * np.log(D[m == 1].sum() / D[m == -1].sum())
        D = D * np.exp(-alpha * m)
        D /= D.sum()
        rounds.append((*weak[best], alpha))
    return rounds
