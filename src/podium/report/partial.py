"""The page of a list of which only some rows have a label: what was labeled, and what that says of the whole list."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from markupsafe import Markup

from podium import inference
from podium._results import wording
from podium._results.doubts import Doubt, left_out, removed
from podium._results.result import plain
from podium._types import Array, FloatArray, Sample
from podium.inference import HitsPerPeriod, HitsPerPeriodBounds, PrecisionInterval
from podium.inference.hits.per_period import PeriodLists
from podium.inference.planning.looks import Known, Looks
from podium.labels import Observed
from podium.labels.chances import chance_of_label
from podium.labels.lists import PartlyLabeled
from podium.phi import Phi, resolve
from podium.phi.spec import phi_in_words
from podium.report.axes import Axes, Axis
from podium.report.budgets import budget_of
from podium.report.figures import MOST_SHOWN, Figure, effects_of
from podium.report.page import PAGES, Report, origin
from podium.report.wording import count, hits_in_words, ranged, share_on_axis

_LONGEST = 100_000  # rows of a list for which looks are planned
_FEW, _MANY = 10, 1_000  # looks that a person would plan
_Hits = PrecisionInterval | HitsPerPeriod | HitsPerPeriodBounds
_BINS = 50  # of the list, from its first row to its last


def build_partial(
    labels: Observed,
    scores: FloatArray,
    *,
    phi: Phi,
    budget: int | None,
    population: int | None,
    lists: tuple[str, Array] | None = None,
    title: str,
    about: Sequence[str] = (),
    outcome: str | None = None,
    effects: Sequence[tuple[str, float, float, float]] = (),
    effect_unit: str | None = None,
    warnings: Sequence[Doubt] = (),
    label_counts: str = "",
    data_notes: Sequence[str] = (),
    provenance: Mapping[str, Any] | None = None,
    confidence_level: float = 0.95,
) -> Report:
    """Estimates of the whole list where inclusion probabilities are known, else bounds, and no estimate anywhere.

    Of several ``lists``, "a day" and that of every row, rows count by their place in their own.
    """
    n_rows, several = len(scores), None
    if lists is None:
        population = population or n_rows
        k = budget_of(budget, population)
        here = max(1, round(k * n_rows / population))  # as large a share of these rows
    else:
        several = PeriodLists.of(Sample(scores, labels.positives()), lists[1])
        population = several.length
        k = budget_of(budget, population)
        here = int(np.minimum(k, np.bincount(lists[1])).sum())
    by_row, scores = scores, scores if several is None else several.by_place(scores)
    asked = dict.fromkeys([str(phi), "auc", "power:3", "prevalence", f"precision-at:{here}", f"recall-at:{here}"])
    known = [inference.interval(labels, scores, metric=one, confidence_level=confidence_level) for one in asked]
    hits: _Hits | None = None
    if lists is not None:
        hits = inference.hits_per_period(labels, by_row, lists[1], k=k, confidence_level=confidence_level)
    elif labels.inclusion is not None:
        hits = inference.precision_at_interval(
            labels, scores, k=k, n_next=population, confidence_level=confidence_level
        )
    effective = warnings if labels.inclusion is not None else ()  # bounds hold whatever the doubts
    known, hits = _limited(known, hits, removed(effective))
    if hits is not None:
        headline = _headline(hits, population, "" if lists is None else lists[0], outcome)
    else:
        low, high = (f"{round(here * getattr(known[-2], end)):,}" for end in ("low", "high"))
        top = f"Of the top {here:,} of the {n_rows:,} held-out rows"
        headline = f"{top} {ranged(low, high)} are hits: only selected rows have a label"
    n_labeled, n_pos = int(labels.is_labeled.sum()), int(labels.positives().sum())
    shown = {
        "title": title,
        "about": about,
        "headline": headline,
        "doubts": warnings,
        "label_counts": label_counts,
        "counts": (n_rows, n_labeled, n_pos),
        "is_estimated": labels.inclusion is not None,
        "has_range": hits is not None and not math.isnan(hits.low),
        "left_out": left_out(effective, ("range", "interval")),
        "n_lists": None if several is None else several.n_lists,
        "level": wording.level(confidence_level),
        "known": [
            (phi_in_words(resolve(phi)) if "top:" in one.phi else wording.statistic(one.phi), one) for one in known
        ],
        "strip": strip(labels, scores),
        "audit": audit(labels, scores, k, population, confidence_level),
        "effects": effects_of(effects)[:MOST_SHOWN],
        "effect_unit": effect_unit,
        "data_notes": list(data_notes),
        "provenance": origin(provenance or {}),
    }
    html, markdown = (PAGES.get_template(f"partial.{ending}").render(shown) for ending in ("html", "md"))
    more = {} if several is None else {"lists": several.n_lists}
    summary = {"headline": headline, "n_rows": n_rows, "n_labeled": n_labeled, "n_positives": n_pos, **more}
    summary |= {"population": population, "confidence_level": confidence_level, **_figures(hits)}
    summary |= {name: [one.to_dict() for one in each] for name, each in (("whole_list", known), ("doubts", warnings))}
    return Report(html, headline, summary, markdown)


def _limited(known: list[Any], hits: _Hits | None, gone: Collection[str]) -> tuple[list[Any], _Hits | None]:
    """Without the limits that doubts remove."""
    nothing: Any = dict.fromkeys(("low", "high"), math.nan)
    return (
        [replace(one, **nothing) if "interval" in gone else one for one in known],
        replace(hits, **nothing) if hits is not None and "range" in gone else hits,
    )


def _headline(hits: _Hits, length: int, each: str, outcome: str | None) -> str:
    """The answer in one sentence, where there is one; with several lists it is for one "a day"."""
    among = f"Among the top {hits.k:,} of {f'about {length:,} {each}' if each else f'{length:,}'}"
    if isinstance(hits, HitsPerPeriodBounds):
        mean, reach = ranged(*(count(end) for end in hits.mean)), f"{hits.low:,}–{hits.high:,}"
        return f"{among} {mean} are hits on average ({reach} in the next): only selected rows have a label"
    reach = "" if math.isnan(hits.low) else f" ({hits.low:,}–{hits.high:,})"
    random = hits.random_hits if isinstance(hits, HitsPerPeriod) else hits.k * hits.prevalence
    return f"{among} expect {hits_in_words(hits.estimate, outcome, each)}{reach}; random order: {count(random)}"


def _figures(hits: _Hits | None) -> dict[str, Any]:
    """Of the hits; their budget as the page of a list that is labeled throughout has it."""
    if hits is None:
        return {}
    if isinstance(hits, HitsPerPeriodBounds):
        return {"hits": hits.to_dict()}
    budget = {"k": hits.k, "hits": hits.estimate, "hits_low": hits.low, "hits_high": hits.high}
    return {"hits": hits.to_dict(), "budget": plain(budget)}


def audit(labels: Observed, scores: FloatArray, k: int, population: int, level: float) -> list[tuple[Known, Known]]:
    """What looks below the top of such a list would make known: recall in its top, and AUC.

    Its rows are taken to be positive with the chance that labeled rows of their score have.
    """
    rows = PartlyLabeled.of(labels, scores)
    if len(set(rows.is_positive[rows.is_labeled])) < 2 or k >= population:
        return []
    population = min(population, _LONGEST)
    place = np.arange(population) * len(scores) // population
    chances = np.sort(chance_of_label(rows.normal_scores[:, None], rows.is_positive, rows.is_labeled))[::-1][place]
    plans = [Looks(-place, chances, k, aim, level) for aim in ("recall", "auc")] if k < population else []
    return [
        (one, other)
        for one, other in zip(*(plan.course() for plan in plans), strict=True)
        if _FEW <= one.looks <= _MANY
    ]


def strip(labels: Observed, scores: FloatArray) -> Figure:
    """The list from its first row to its last: which share has a label, and which share was found positive."""
    order = np.argsort(-scores, kind="stable")
    edges = np.linspace(0, len(order), min(_BINS, len(order)) + 1).astype(np.intp)
    share, found = (_means(marks[order], edges) for marks in (labels.is_labeled, labels.positives()))
    x = np.repeat(edges / len(order), 2)[1:-1]
    axes = Axes(
        Axis(0, 1, "Place in the list, best first", share_on_axis), Axis(0, 1, "Share of the rows there", share_on_axis)
    )
    drawing = [
        axes.frame(),
        axes.area(x, np.zeros(len(x)), np.repeat(share, 2), "band"),
        axes.line(x, np.repeat(found, 2), "positives"),
    ]
    first, last = (float(part.mean()) for part in np.array_split(share, [max(1, len(share) // 10)]))
    description = (
        f"Of the first tenth of the list {wording.percent(first)} have a label, of all others {wording.percent(last)}."
    )
    legend = [("band", "Labeled"), ("positives", "Labeled and positive")]
    return Figure("strip", "From the first row of the list to its last", description, Markup("").join(drawing), legend)


def _means(marks: Array, edges: Array) -> FloatArray:
    return np.asarray(np.add.reduceat(marks.astype(float), edges[:-1]) / np.diff(edges))
