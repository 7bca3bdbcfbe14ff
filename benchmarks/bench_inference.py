"""Inference: any φ against np.sort, DeLong against ranks by SciPy, the bootstrap against a budget of seconds."""

from __future__ import annotations

import time

import numpy as np
from scipy.stats import rankdata
from timing import Row, seconds

from podium.inference import interval
from podium.labels import Observed

SPECS = (
    "mww",
    "power:3",
    "power:2.5",
    "smooth-top:0.9",
    "van-der-waerden",
    "logrank",
    "top:0.9",
    "early-recognition:20",
)


def rows() -> list[Row]:
    rng = np.random.default_rng(0)
    y = rng.random(10**6) < 0.5
    s = rng.standard_normal(10**6) + y
    sort, delong, by_ranks, *phis = seconds(
        lambda: np.sort(s),
        lambda: interval(y, s, method="delong"),
        lambda: delong_by_ranks(y, s),
        *(lambda spec=spec: interval(y, s, spec) for spec in SPECS),
    )
    table = [
        Row(f"interval({spec!r}), N = 10⁶", "np.sort", time_ / sort, "<= 0.8" if spec == "power:3" else "<= 2", "<= 10")
        for spec, time_ in zip(SPECS, phis, strict=True)
    ]
    table.append(Row("interval(method='delong'), N = 10⁶", "DeLong by rankdata", by_ranks / delong, ">= 12", ">= 10"))
    known = observed_designs(y, s, rng)
    calls = [lambda labels=labels: interval(labels, s) for labels in (y, *known.values())]
    plain, *by_design = seconds(*calls)
    table += [
        Row(f"interval(Observed), {name}, N = 10⁶", "all labeled", time_ / plain, "<= 1.5")
        for name, time_ in zip(known, by_design, strict=True)
    ]
    few, few_scores = y[: 10**4], s[: 10**4]
    interval(few, few_scores, method="bca", n_resamples=10)  # compile
    for spec in ("mww", "smooth-top:0.9"):
        start = time.process_time()
        interval(few, few_scores, spec, method="bca", n_resamples=2000)
        table.append(Row(f"bca({spec!r}), 2,000 resamples, N = 10⁴", "one second", time.process_time() - start, "<= 3"))
    return table


def observed_designs(y, s, rng):
    """Labels of the best 8 % and of a twentieth of the others; or by probabilities of their own."""
    designs = {
        "the top and an audit": np.where(s >= np.quantile(s, 0.92), 1.0, 0.05),
        "10⁶ probabilities": np.clip(1 / (1 + np.exp(3 - s)), 0.01, 1.0),
    }
    return {
        name: Observed(np.where(rng.random(len(y)) < inclusion, y, np.nan), inclusion)
        for name, inclusion in designs.items()
    }


def delong_by_ranks(y, s):
    """Sun and Xu's algorithm: three rankings."""
    pos, neg = s[y], s[~y]
    n, m = len(pos), len(neg)
    pooled = rankdata(np.concatenate([pos, neg]))
    v_pos = (pooled[:n] - rankdata(pos)) / m
    v_neg = 1 - (pooled[n:] - rankdata(neg)) / n
    return v_pos.mean(), np.sqrt(v_pos.var(ddof=1) / n + v_neg.var(ddof=1) / m)
