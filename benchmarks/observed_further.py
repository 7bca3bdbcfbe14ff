"""Where no design is known, bounds; where a second source predicts labels, its gain: cells of coverage_observed."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from observed_worlds import DESIGNS, MEASURES, List, inclusion_of, podium_limits
from scipy.special import expit, ndtri
from scipy.stats import rankdata

from podium import inference
from podium.labels import Observed

# Bounds.

GAMMA = 2.0
SELECTIONS = ("top alone", *DESIGNS[:-1])
TILTS = ((1, 1), (-1, -1), (1, -1), (-1, 1))  # exponents of Γ above and below the middle of the list, in turn


def bounds_of_one_list(selection, draw):
    """Bounds of each kind and the truth: rows without a label have odds Γ times higher or lower than labeled ones."""
    rng = np.random.default_rng([draw, SELECTIONS.index(selection)])
    rows = List.draw("smooth", rng)
    inclusion = inclusion_of(DESIGNS[0] if selection == "top alone" else selection, rows)
    labeled = inclusion == 1 if selection == "top alone" else rng.random(len(rows.y)) < inclusion
    place = ndtri(rankdata(rows.scores) / (len(rows.scores) + 1))
    odds = np.exp(-3.3 + 1.5 * place)
    tilt = np.where(place > 0, *TILTS[draw % len(TILTS)])
    shifted = np.where(labeled, odds, odds * GAMMA**tilt)
    rows = replace(rows, y=(rng.random(len(odds)) < shifted / (1 + shifted)).astype(float))
    shown = np.where(labeled, rows.y, np.nan)
    statements = {
        "certain": Observed(shown),
        "odds ratio 2, by labels": Observed(shown, odds_ratio=GAMMA),
        "odds ratio 2, by predictions": Observed(shown, odds_ratio=GAMMA, predicted=odds / (1 + odds)),
    }
    found = {}
    for (kind, observed), name in product(statements.items(), MEASURES):
        found[kind, name] = inference.interval(observed, rows.scores, **argument(name))
    return found, rows.truth()


def bounds_cell(selection, n_draws):
    held = {}
    for draw in range(n_draws):
        found, truth = bounds_of_one_list(selection, draw)
        for (kind, name), known in found.items():
            inside = known.low - 1e-9 <= truth[name] <= known.high + 1e-9
            held.setdefault((kind, name), []).append((inside, known.high - known.low))
    for (kind, name), draws in held.items():
        inside, width = np.array(draws).T
        yield {"kind": kind, "measure": name, "draws": n_draws, "coverage": inside.mean(), "width": np.median(width)}


def argument(name):
    return {"metric": name} if "-at:" in name or name == "prevalence" else {"phi": name}


# A second source.

N_LABELS, N_LISTED, FEWER = 400, 4000, 1.8
SOURCES = {  # share of positives, sensitivity, specificity
    "2 %, .90/.98": (0.02, 0.90, 0.98),
    "2 %, .90/.998": (0.02, 0.90, 0.998),
    "10 %, .90/.98": (0.10, 0.90, 0.98),
    "10 %, .90/.998": (0.10, 0.90, 0.998),
    "5 %, .70/.95": (0.05, 0.70, 0.95),
    "10 %, a coin": (0.10, 0.50, 0.50),
    "10 %, its own score and noise": (0.10, None, None),
}
HELPED = ("auc", "power:3", "recall-at:400", "prevalence")


def second_source_of_one_list(source, draw):
    """Limits without, with, with fewer labels, and Wald's of the share of positives; and the truth."""
    share, sensitivity, specificity = SOURCES[source]
    rng = np.random.default_rng([draw, list(SOURCES).index(source)])
    y = (rng.random(N_LISTED) < share).astype(float)
    scores = rng.standard_normal(N_LISTED) + 1.3 * y
    rows = List(np.zeros((N_LISTED, 0)), scores, y, np.zeros(N_LISTED))
    if sensitivity is None:
        predicted = expit(scores + 0.3 * rng.standard_normal(N_LISTED) - 2)
    else:
        predicted = (rng.random(N_LISTED) < np.where(y == 1, sensitivity, 1 - specificity)).astype(float)
    chosen = rng.permutation(N_LISTED)
    labeled, fewer = (np.isin(np.arange(N_LISTED), chosen[: round(n)]) for n in (N_LABELS, N_LABELS / FEWER))
    inclusion = np.full(N_LISTED, N_LABELS / N_LISTED)
    found = {
        "without": podium_limits(rows, labeled, HELPED, inclusion=inclusion),
        "with": podium_limits(rows, labeled, HELPED, inclusion=inclusion, predicted=predicted),
    }
    if y[fewer].any():
        found["fewer"] = podium_limits(rows, fewer, HELPED, inclusion=inclusion / FEWER, predicted=predicted)
    error = (y - predicted)[labeled]
    center, reach = predicted.mean() + error.mean(), 1.959964 * error.std(ddof=1) / np.sqrt(N_LABELS)
    found["Wald"] = {"prevalence": (center - reach, center + reach, center, reach)}
    return found, {name: measure.at(y) for name, measure in rows.measures.items()}


def second_source_cell(source, n_draws):
    held = {}
    for draw in range(n_draws):
        found, truth = second_source_of_one_list(source, draw)
        for way, of_measure in found.items():
            for name, (low, high, *_) in of_measure.items():
                inside = low - 1e-9 <= truth[name] <= high + 1e-9
                held.setdefault((way, name), []).append((inside, high - low))
    for (way, name), draws in held.items():
        inside, width = np.array(draws).T
        yield {"way": way, "measure": name, "draws": n_draws, "coverage": inside.mean(), "width": np.median(width)}
