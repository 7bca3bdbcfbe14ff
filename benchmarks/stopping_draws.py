"""Lists to review, drawn again and again, and how far each rule reads them, for `coverage_cuts`.

A list is (labels in ranked order, chances given). Positives are drawn independently of each other given the scores.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.stats import norm

from podium.shortlist import recall_in_order, recall_reached

N, STEP, RECALL = 2000, 40, 0.95
SWITCHES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)


def by_chance(curve, rng, given=None):
    """Rows with these chances, falling down the list; what is given is calibrated unless told."""
    chances = np.clip(curve, 1e-6, 1 - 1e-6)
    return rng.random(N) < chances, chances if given is None else given


def classes(auc, share, rng, power=1.0, hidden=0.0, where=None):
    """Normal scores; the chances are those of the scores, their odds to a power, with some positives moved down."""
    shift = np.sqrt(2) * norm.ppf(auc)
    y = rng.random(N) < share
    s = rng.normal(size=N) + shift * y
    if hidden:
        moved = y & (rng.random(N) < hidden)
        s[moved] = where(rng, moved.sum())
    order = np.argsort(-s)
    odds = share / (1 - share) * np.exp(shift * s[order] - shift**2 / 2)
    chances = odds**power / (1 + odds**power)
    return y[order], np.clip(chances, 1e-6, 1 - 1e-6)


TOP = np.arange(N) / N
SHAPES = {
    "AUC .95, 2 %": partial(classes, 0.95, 0.02),
    "AUC .95, 5 %": partial(classes, 0.95, 0.05),
    "AUC .95, 10 %": partial(classes, 0.95, 0.1),
    "AUC .95, 20 %": partial(classes, 0.95, 0.2),
    "AUC .95, 10 %, chances too even": partial(classes, 0.95, 0.1, power=0.5),
    "AUC .95, 20 %, chances too even": partial(classes, 0.95, 0.2, power=0.5),
    "AUC .8, 10 %": partial(classes, 0.8, 0.1),
    "no order, 5 %": partial(by_chance, np.full(N, 0.05)),
    "a step: 50 % of a fifth, 1 % below": partial(by_chance, np.where(TOP < 0.2, 0.5, 0.01)),
    "a long tail": partial(by_chance, 0.02 / (TOP + 0.02)),
    "broken: a tenth of the positives last": partial(
        classes, 0.95, 0.1, hidden=0.1, where=lambda rng, n: -4 - rng.random(n)
    ),
    "broken: a tenth of the positives anywhere": partial(
        classes, 0.95, 0.1, hidden=0.1, where=lambda rng, n: rng.normal(size=n)
    ),
    "broken: a cluster far down": partial(
        classes, 0.95, 0.1, hidden=0.1, where=lambda rng, n: -0.8 + 0.05 * rng.normal(size=n)
    ),
    "broken: chances too steep": partial(classes, 0.95, 0.1, power=1.5),
}


def first_claim(ask):
    """Rows read until the claim, asking after every ``STEP``: ask(r) says whether the recall is claimed."""
    return next((r for r in range(0, N, STEP) if ask(r)), N)


def planned(y, rng):
    """In order until the plan says to draw, then at random: rows read, and the labels in that order."""
    for r in range(0, N, STEP):
        claim = recall_in_order(y[:r], N)
        if claim.reached:
            return r, y
        if claim.plan.startswith("Few"):
            order = np.concatenate([y[:r], rng.permutation(y[r:])])
            rest = range(r + STEP, N, STEP)
            reached = (k for k in rest if recall_in_order(order[:r], N, y_sampled=order[r:k]).reached)
            return next(reached, N), order
    return N, y


def reviewed(shape, n_lists, seed=0):
    """Cells of the page and mean shares read: in order, with the plan, with chances, by `recall_reached`."""
    right, read, drawn, least = [], [], [], []
    for i in range(n_lists):
        rng = np.random.default_rng([seed, i])
        y, chances = shape(rng)
        if not y.any():
            continue
        orders = [y, y, y]
        stops = [first_claim(lambda r: recall_in_order(y[:r], N).reached)]
        planned_stop, orders[1] = planned(y, rng)
        stops.append(planned_stop)
        stops.append(first_claim(lambda r: recall_in_order(y[:r], N, chances=chances).reached))
        right.append([order[:r].sum() >= RECALL * y.sum() for order, r in zip(orders, stops, strict=True)])
        read.append(np.array(stops) / N)
        each = []
        for switch in SWITCHES:
            a = int(switch * N)
            below = rng.permutation(y[a:])
            claims = (r for r in range(0, N - a, STEP) if recall_reached(y[:a], below[:r], N).reached)
            each.append((a + next(claims, N - a)) / N)
        drawn.append(each)
        least.append((np.argmax(np.cumsum(y) >= RECALL * y.sum()) + 1) / N)
    shares = [*np.mean(read, axis=0), np.mean(drawn, axis=0).min()]
    cells = [f"{value:.3f}" for value in (*np.mean(right, axis=0), *shares, np.mean(least))]
    return cells, shares
