"""The ranking functions of scikit-learn, by their signatures, over podium.

A list with two labels goes to podium. What podium refuses by design goes on to scikit-learn: several classes or lists
at once, one class only, graded relevance. So the rest of a test that has both still runs; ``CALLS`` counts how often
podium answered, whether by a value or by an error.
"""

import numpy as np
from sklearn import metrics as sklearn_metrics
from sklearn.metrics import _ranking

from podium import metrics
from podium.roc import RocCurve

CALLS: list[str] = []


def is_one_list(y_true, y_score, sample_weight=None, most_classes=2):
    """Whether podium is asked: at least two labels, one score per row."""
    labels, scores = np.asarray(y_true), np.asarray(y_score)
    if labels.ndim != 1 or scores.ndim != 1:
        return False
    counts = np.ones(len(labels), dtype=bool) if sample_weight is None else np.asarray(sample_weight) > 0
    return 2 <= len(np.unique(labels[counts])) <= most_classes


def is_one_curve(y_true, y_score, sample_weight):
    """The same for curves, which scikit-learn has of two classes only."""
    return is_one_list(y_true, np.ravel(y_score), sample_weight, most_classes=9)


def answered(function, *args, **kwargs):
    CALLS.append(function.__name__)
    return function(*args, **kwargs)


def curve_of(y_true, y_score, sample_weight, pos_label):
    """The curve and the masses of both classes."""
    curve = answered(RocCurve.from_scores, y_true, y_score, sample_weight, pos_label)
    weight = np.ones(len(y_true)) if sample_weight is None else np.asarray(sample_weight)
    n_pos = weight[np.asarray(y_true) == (1 if pos_label is None else pos_label)].sum()
    return curve, n_pos, weight.sum() - n_pos


def thinned(is_turn, *parts):
    """The first and the last point, and those between them at which the line turns."""
    kept = np.flatnonzero(np.r_[True, is_turn, True]) if len(parts[0]) > 2 else slice(None)
    return tuple(part[kept] for part in parts)


def roc_curve(y_true, y_score, *, pos_label=None, sample_weight=None, drop_intermediate=True):
    if not is_one_curve(y_true, y_score, sample_weight):
        return _ranking.roc_curve(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, drop_intermediate=drop_intermediate
        )
    curve, _, _ = curve_of(y_true, y_score, sample_weight, pos_label)
    line = curve.fpr, curve.tpr, curve.thresholds
    if drop_intermediate:  # scikit-learn keeps the first threshold, too
        turns = np.any(np.abs(np.diff([curve.fpr[1:], curve.tpr[1:]], 2)) > 1e-12, axis=0)
        line = thinned(np.r_[True, turns], *line)
    return line


def confusion_matrix_at_thresholds(y_true, y_score, *, pos_label=None, sample_weight=None):
    if not is_one_curve(y_true, y_score, sample_weight):
        return _ranking.confusion_matrix_at_thresholds(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
        )
    curve, n_pos, n_neg = curve_of(y_true, y_score, sample_weight, pos_label)
    fps, tps = n_neg * curve.fpr[1:], n_pos * curve.tpr[1:]
    return n_neg - fps, fps, n_pos - tps, tps, curve.thresholds[1:]


def precision_recall_curve(y_true, y_score, *, pos_label=None, sample_weight=None, drop_intermediate=False):
    if not is_one_curve(y_true, y_score, sample_weight):
        return _ranking.precision_recall_curve(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, drop_intermediate=drop_intermediate
        )
    curve, n_pos, n_neg = curve_of(y_true, y_score, sample_weight, pos_label)
    fps, tps, recall, thresholds = n_neg * curve.fpr[1:], n_pos * curve.tpr[1:], curve.tpr[1:], curve.thresholds[1:]
    if drop_intermediate:
        steps = np.diff(tps)
        fps, tps, recall, thresholds = thinned(np.logical_or(steps[:-1], steps[1:]), fps, tps, recall, thresholds)
    precision = np.r_[(tps / (tps + fps))[::-1], 1.0]
    return precision, np.r_[recall[::-1], 0.0], thresholds[::-1]


def det_curve(y_true, y_score, pos_label=None, sample_weight=None, drop_intermediate=False):
    if np.ndim(y_true) != 1:
        return _ranking.det_curve(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, drop_intermediate=drop_intermediate
        )
    curve, _, _ = curve_of(y_true, y_score, sample_weight, pos_label)
    fpr, tpr, thresholds = curve.fpr, curve.tpr, curve.thresholds
    first, last = np.flatnonzero(fpr == 0)[-1], np.flatnonzero(tpr == 1)[0]
    fpr, tpr, thresholds = (part[first : last + 1] for part in (fpr, tpr, thresholds))
    if drop_intermediate:
        steps = np.diff(tpr)
        fpr, tpr, thresholds = thinned(np.logical_or(steps[:-1], steps[1:]), fpr, tpr, thresholds)
    return fpr[::-1], 1 - tpr[::-1], thresholds[::-1]


def roc_auc_score(y_true, y_score, *, sample_weight=None, max_fpr=None, **several):
    if several or not is_one_list(y_true, y_score, sample_weight):
        return _ranking.roc_auc_score(y_true, y_score, sample_weight=sample_weight, max_fpr=max_fpr, **several)
    if max_fpr is None or max_fpr == 1:
        return answered(metrics.auc, y_true, y_score, sample_weight=sample_weight)
    return answered(metrics.partial_auc, y_true, y_score, max_fpr, standardize="mcclish", sample_weight=sample_weight)


def average_precision_score(y_true, y_score, *, pos_label=1, sample_weight=None, **several):
    if several or not is_one_list(y_true, y_score, sample_weight):
        return _ranking.average_precision_score(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, **several
        )
    return answered(metrics.average_precision, y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)


def label_ranking_average_precision_score(y_true, y_score, *, sample_weight=None):
    """The mean over rows of the average precision of a row, which is 1 where all its labels are equal."""
    labels, scores = np.asarray(y_true), np.asarray(y_score)
    if labels.ndim != 2 or labels.shape != scores.shape:
        return _ranking.label_ranking_average_precision_score(y_true, y_score, sample_weight=sample_weight)
    rows = [
        answered(metrics.average_precision, y > 0, s) if len(np.unique(y)) == 2 else 1.0
        for y, s in zip(labels, scores, strict=True)
    ]
    return np.average(rows, weights=sample_weight)


def dcg_of_rows(y_true, y_score, k=None, log_base=2, ignore_ties=False, *, normalize=False):
    """The gain of every row, by podium where some relevance is above zero; of 0 and another, by both ways."""
    theirs = _ranking._ndcg_sample_scores if normalize else _ranking._dcg_sample_scores
    options = {} if normalize else {"log_base": log_base}
    gains = theirs(y_true, y_score, k=k, ignore_ties=ignore_ties, **options)
    for i, (y, s) in enumerate(zip(y_true, y_score, strict=True)):
        has_ties = len(np.unique(s)) < len(s)
        if len(np.unique(y)) == 2 and np.min(y) == 0 and not (ignore_ties and has_ties):
            gain = answered(metrics.dcg, y > 0, s, k, base=log_base, normalize=normalize)
            gains[i] = gain if normalize else gain * np.max(y)
        if np.min(y) >= 0 and np.max(y) > 0 and not (ignore_ties and has_ties):
            least = None if k is None else min(k, len(y))
            gain = answered(metrics.graded_dcg, y, s, least, base=log_base, normalize=normalize)
            assert len(np.unique(y)) > 2 or np.min(y) > 0 or np.isclose(gain, gains[i], rtol=1e-12)
            gains[i] = gain
    return gains


def ndcg_of_rows(y_true, y_score, k=None, ignore_ties=False):
    return dcg_of_rows(y_true, y_score, k, ignore_ties=ignore_ties, normalize=True)


def dcg_score(y_true, y_score, *, k=None, log_base=2, ignore_ties=False):
    return np.mean(dcg_of_rows(np.asarray(y_true), np.asarray(y_score), k, log_base, ignore_ties))


def ndcg_score(y_true, y_score, *, k=None, ignore_ties=False):
    labels = np.asarray(y_true)
    if labels.ndim != 2 or labels.min() < 0 or labels.shape[1] < 2:
        return _ranking.ndcg_score(y_true, y_score, k=k, ignore_ties=ignore_ties)
    return np.mean(ndcg_of_rows(labels, np.asarray(y_score), k, ignore_ties))


PUBLIC = {
    name: globals()[name]
    for name in (
        "average_precision_score",
        "confusion_matrix_at_thresholds",
        "dcg_score",
        "det_curve",
        "label_ranking_average_precision_score",
        "ndcg_score",
        "precision_recall_curve",
        "roc_auc_score",
        "roc_curve",
    )
    if hasattr(sklearn_metrics, name)
}
PRIVATE = {"_dcg_sample_scores": dcg_of_rows, "_ndcg_sample_scores": ndcg_of_rows}
