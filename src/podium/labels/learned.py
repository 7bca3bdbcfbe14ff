r"""Chances learned from columns: of being labeled, and of a positive label; each row by models that have not seen it.

If rows were chosen by columns of the table, and by nothing else that bears on the label, the estimate for the whole
list holds if either of the two is learned well (Robins, Rotnitzky and Zhao 1994); with both cross-fitted, errors of
either count only as their product (Chernozhukov et al. 2018). With the score as the only column it is the correction of
Begg and Greenes (1983).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.labels.chances import chance_of_label

_N_FOLDS = 5
_FEWEST = 200  # rows of a class, for trees: with fewer the line is better nearly always
_LEAST_LIKELY = 5  # the fifth of the rows that were least likely to be labeled must hold labels

Learner = Callable[[FloatArray, BoolArray, BoolArray], FloatArray]  # of columns, labels, and which are known


def learned_inclusion(columns: FloatArray, is_labeled: BoolArray) -> FloatArray:
    """The probability with which each row was to be labeled, where rows of every kind could be."""
    everyone = np.ones(len(is_labeled), dtype=np.bool_)
    inclusion = np.clip(out_of_fold(columns, is_labeled, everyone), 1e-9, 1 - 1e-9)
    tail = np.argsort(inclusion, kind="stable")[: len(inclusion) // _LEAST_LIKELY]
    n_labeled, n_expected = int(is_labeled[tail].sum()), inclusion[tail[: len(tail) // 2]].sum()
    if n_labeled < 1 or n_expected < 1:
        raise InputError(
            "Learned inclusion needs labels of rows of every kind; of the fifth of the rows that was least likely to "
            f"be labeled by these columns, {n_labeled} of {len(tail):,} are, and of its lower half {n_expected:.2g} "
            "could be expected.",
            "label some rows at random and pass inclusion=, or leave columns out for bounds.",
        )
    return inclusion


def out_of_fold(X: FloatArray, target: BoolArray, among: BoolArray) -> FloatArray:
    """The chance of every row, by the better of two learners that are given the rows ``among`` them.

    Those rows have it from models that were not given their fold, the others the mean over all models; better is the
    one with the smaller log-loss out of fold.
    """
    fold = _folds(target, among)
    learners = (chance_of_label, _by_trees) if _smaller_class(target[among]) >= _FEWEST else (chance_of_label,)
    chances = [_cross_fitted(learner, X, target, among, fold) for learner in learners]
    return min(chances, key=lambda chance: _log_loss(chance[among], target[among]))


def line_out_of_fold(X: FloatArray, target: BoolArray, among: BoolArray) -> FloatArray:
    """The chance of every row by logistic regression alone."""
    return _cross_fitted(chance_of_label, X, target, among, _folds(target, among))


def share_of_second(
    alone: FloatArray, helped: FloatArray, target: BoolArray, among: BoolArray, importance: FloatArray
) -> float:
    r"""λ in [0, 1] that makes :math:`\sum w_i \{y_i - m_i - \lambda (m_i' - m_i)\}^2` of the labeled rows smallest."""
    weight = np.where(among, importance, 0.0)
    change = helped - alone
    scale = float(weight @ change**2)
    return float(np.clip(weight @ (change * (target - alone)) / scale, 0.0, 1.0)) if scale > 0 else 0.0


def _cross_fitted(learner: Learner, X: FloatArray, target: BoolArray, among: BoolArray, fold: FloatArray) -> FloatArray:
    chance = np.zeros(len(X))
    for k in range(_N_FOLDS):
        by_others = learner(X, target, among & (fold != k))
        chance += np.where(among, (fold == k) * by_others, by_others / _N_FOLDS)
    return chance


def _folds(target: BoolArray, among: BoolArray) -> FloatArray:
    """Positives, and then negatives, take turns in an order that is random and always the same."""
    order = np.random.default_rng(0).permutation(np.flatnonzero(among))
    order = order[np.argsort(target[order], kind="stable")]
    fold = np.full(len(target), -1.0)
    fold[order] = np.arange(len(order)) % _N_FOLDS
    return fold


def _by_trees(X: FloatArray, target: BoolArray, among: BoolArray) -> FloatArray:
    from sklearn.ensemble import HistGradientBoostingClassifier  # only here, and it takes half a second to import

    trees = HistGradientBoostingClassifier(
        max_iter=30, learning_rate=0.2, max_leaf_nodes=8, early_stopping=False, random_state=0
    )
    return np.asarray(trees.fit(X[among], target[among]).predict_proba(X)[:, 1])


def _smaller_class(target: BoolArray) -> int:
    return int(min(target.sum(), len(target) - target.sum()))


def _log_loss(chance: FloatArray, target: BoolArray) -> float:
    given = np.clip(np.where(target, chance, 1 - chance), 1e-12, 1.0)
    return -float(np.log(given).mean())
