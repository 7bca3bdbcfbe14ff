"""Shortlists drawn again and again from populations whose truth is known, for `coverage_shortlist`.

Negatives are standard normal, positives shifted so that the AUC is as given, labels independent with the given share of
positives; ``ties`` rounds scores to multiples of a half. Rates of a cut are then known exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from podium import shortlist
from podium.exceptions import DegenerateSampleError

FDR, RECALL, FPR, PRECISION, LEVEL = 0.1, 0.9, 0.1, 0.6, 0.95
SHARES, AUCS, SIZES, LISTS = (0.01, 0.1, 0.5), (0.6, 0.8, 0.95), (200, 2000), (100, 10_000)


@dataclass(frozen=True)
class Population:
    """Rows whose label is positive with probability ``share`` and whose scores are normal, or rounded to halves."""

    share: float
    auc: float
    ties: bool

    @property
    def shift(self) -> float:
        return float(np.sqrt(2) * norm.ppf(self.auc))

    def draw(self, rng, n):
        y = rng.random(n) < self.share
        s = rng.standard_normal(n) + self.shift * y
        return y, np.round(2 * s) / 2 if self.ties else s

    def calibration(self, rng, n):
        """Rows with both labels: others are no calibration sample."""
        while True:
            y, s = self.draw(rng, n)
            if 0 < y.sum() < n:
                return y, s

    def rates(self, threshold):
        """TPR and FPR of a cut."""
        edge = np.ceil(2 * np.asarray(threshold)) / 2 - 0.25 if self.ties else np.asarray(threshold)
        return norm.sf(edge - self.shift), norm.sf(edge)

    def precision(self, threshold):
        tpr, fpr = self.rates(threshold)
        return self.share * tpr / (self.share * tpr + (1 - self.share) * fpr)

    @cache  # noqa: B019  (a few populations in one run)
    def oracle_tpr(self):
        """Power of the lowest cut whose precision is 1 − FDR; zero where none is among scores one may meet."""
        if self.ties:
            cuts = np.arange(-6, 12, 0.5)
            allowed = self.precision(cuts) >= 1 - FDR
            return float(self.rates(cuts[allowed][0])[0]) if allowed.any() else 0.0
        if self.precision(-6) >= 1 - FDR:
            return 1.0
        return float(self.rates(brentq(lambda t: self.precision(t) - 1 + FDR, -6, 37))[0])

    def __str__(self):
        return f"{100 * self.share:g} % positive, AUC {self.auc:g}{', ties' if self.ties else ''}"


POPULATIONS = [Population(*each) for each in product(SHARES, AUCS, (False, True))]


def false_discoveries(population, n, m, n_draws, seed=0):
    """Realized FDR with its standard error, and the share of positives chosen."""
    rng = np.random.default_rng([seed, n, m, POPULATIONS.index(population)])
    shares, power = np.zeros(n_draws), np.full(n_draws, np.nan)
    for i in range(n_draws):
        y, s = population.calibration(rng, n)
        y_new, s_new = population.draw(rng, m)
        chosen = shortlist.by_fdr(y, s, s_new, fdr=FDR).chosen
        shares[i] = (chosen & ~y_new).sum() / max(1, chosen.sum())
        if y_new.any():
            power[i] = (chosen & y_new).sum() / y_new.sum()
    return shares.mean(), shares.std() / np.sqrt(n_draws), np.nanmean(power)


def failures(population, n, n_draws, seed=0, randomize=False):
    """How often each promise was broken, among all samples; and how often no cut could be promised."""
    rng = np.random.default_rng([seed, n, POPULATIONS.index(population) if population in POPULATIONS else 99])
    broken = dict.fromkeys(("recall", "fpr", "precision"), 0.0)
    silent, exact = dict.fromkeys(broken, 0.0), dict.fromkeys(("recall", "fpr"), 0.0)
    for _ in range(n_draws):
        y, s = population.calibration(rng, n)
        for name, find, options in (
            ("recall", shortlist.by_recall, {"recall": RECALL}),
            ("fpr", shortlist.by_fpr, {"fpr": FPR}),
            ("precision", shortlist.by_precision, {"precision": PRECISION}),
        ):
            try:
                found = find(y, s, confidence_level=LEVEL, randomize=randomize, rng=rng, **options)
            except DegenerateSampleError:
                silent[name] += 1
                continue
            if name in exact:
                exact[name] += 1 - found.attained_level
            tpr, fpr = population.rates(found.threshold)
            if name == "precision" and np.isposinf(found.threshold):
                silent[name] += 1
                continue
            kept = {"recall": tpr >= RECALL, "fpr": fpr <= FPR}
            broken[name] += not kept.get(name, population.precision(found.threshold) > PRECISION)
    return tuple({key: value / n_draws for key, value in each.items()} for each in (broken, silent, exact))


def false_claims(n_total, n_read, found, missed, n_draws, seed=0):
    """How often a false recall was claimed, at one look and ever at a look every 25 rows; and rows read for a claim."""
    rng = np.random.default_rng([seed, n_total, missed])
    rest = np.arange(n_total - n_read) < missed
    read = np.arange(n_read) < found
    once, ever, stopped = 0, 0, []
    for _ in range(n_draws):
        order = rng.permutation(rest)
        half = len(order) // 4
        claim = shortlist.recall_reached(read, order[:half], n_total, recall=RECALL, looks="once")
        once += claim.recall_low > (found + order[:half].sum()) / (found + missed) + 1e-12
        first, false = len(order), False
        for drawn in range(25, len(order) + 1, 25):
            claim = shortlist.recall_reached(read, order[:drawn], n_total, recall=RECALL)
            false |= claim.recall_low > (found + order[:drawn].sum()) / (found + missed) + 1e-12
            first = min(first, drawn) if claim.reached else first
        ever += false
        stopped.append(first)
    return once / n_draws, ever / n_draws, float(np.median(stopped))
