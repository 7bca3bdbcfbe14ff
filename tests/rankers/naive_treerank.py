"""Oracles of ranking trees: every subset that one column can tell apart, every subtree. Imports nothing of ours."""

from __future__ import annotations

import itertools

import numpy as np


def subsets(X, categorical):
    """Masks of all subsets of rows by a threshold or a set of categories of one column, missing on either side."""
    for j in range(X.shape[1]):
        values, missing = X[:, j], np.isnan(X[:, j])
        known = np.unique(values[~missing])
        if j in categorical:
            chosen = [np.isin(values, some) for k in range(len(known) + 1) for some in itertools.combinations(known, k)]
        else:
            chosen = [values <= cut for cut in known]
        for inside in chosen:
            for mask in (inside & ~missing, inside | missing):
                if 0 < mask.sum() < len(mask):
                    yield mask
                    yield ~mask


def tpr_less_fpr(inside, is_positive, weight):
    """TPR − FPR of a subset."""
    pos, neg = weight * is_positive, weight * ~is_positive
    return pos[inside].sum() / pos.sum() - neg[inside].sum() / neg.sum()


def subtrees(cell, upper, lower):
    """All sets of cut cells that are subtrees with the same root."""
    if upper[cell] < 0:
        return [frozenset()]
    below = itertools.product(subtrees(upper[cell], upper, lower), subtrees(lower[cell], upper, lower))
    return [frozenset(), *(frozenset({cell}) | a | b for a, b in below)]
