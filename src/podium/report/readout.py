"""The texts of the slider, the headline, and the summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from podium._results.result import plain
from podium._results.wording import percent
from podium.report.budgets import Row
from podium.report.figures import Figure
from podium.report.findings import Findings
from podium.report.wording import count, hits_in_words, ranged, score, times

_FEW = 10  # judged rows that stand for the budget: with fewer the sentence says so


def expectation(row: Row, outcome: str | None, *, has_range: bool = True, each: str = "") -> str:
    """The expected hits and their range, with a remark where few judged rows stand for them."""
    expected, low, high = row.hits
    said = [f"{low:,}–{high:,}"] if has_range and row.has_range else []
    if row.stand_for < _FEW:
        n = count(row.stand_for)
        said.append(f"only {n} judged row{' stands' if n == '1' else 's stand'} for these")
    return hits_in_words(expected, outcome, each) + (f" ({'; '.join(said)})" if said else "")


def headline_of(results: Findings, outcome: str | None) -> str:
    """The answer in one sentence."""
    row = results.budget
    each, length = results.ranked.each, f"{results.ranked.population:,}"
    return (
        f"Among the top {row.budget:,} of {f'about {length} {each}' if each else length} expect "
        f"{expectation(row, outcome, each=each)}; random order: {count(row.random_hits)}"
    )


def sentence_of(results: Findings, headline: str, about: Sequence[str]) -> str:
    """The answer to share, with its basis and the number of doubts."""
    basis = about or [f"evaluated on {results.ranked.n_rows:,} rows that the scorer had not seen"]
    n_doubts = len(results.doubts)
    cautions = [f"{n_doubts} doubt{'' if n_doubts == 1 else 's'} in the report"] if n_doubts else []
    ranges = [f"{100 * results.ranked.level:g} % range"] if results.budget.has_range else []
    return f"{headline} ({'; '.join([*ranges, *basis, *cautions])})."


def readout(row: Row) -> dict[str, str]:
    """One row as the page shows it; the keys are those of the fields in the page."""
    texts = {
        "budget": f"{row.budget:,}",
        "share": percent(row.share),
        "threshold": score(row.threshold),
        "selected": "" if row.selected is None else ranged(*(f"{n:,}" for n in row.selected)),
        "random": count(row.random_hits),
        "guaranteed": "–" if row.guaranteed is None else f"{row.guaranteed:,}",
    }
    kinds = {"hits": count, "precision": percent, "recall": percent, "lift": times}
    for (name, words), (value, low, high) in zip(kinds.items(), _ranges(row).values(), strict=True):
        texts[name] = words(value)
        texts[f"{name}-range"] = ranged(words(low), words(high)) if row.has_range else ""
    return texts


def _ranges(row: Row) -> dict[str, tuple[float, float, float]]:
    return {"hits": row.hits, "precision": row.precision, "recall": row.recall, "lift": row.lift}


def lookup(results: Findings, figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Per step of the slider: texts, and where the markers go."""
    return [
        {
            "text": readout(row),
            "marker": {figure.name: figure.markers[step] for figure in figures},
        }
        for step, row in enumerate(results.rows)
    ]


def summary_of(results: Findings, headline: str) -> dict[str, Any]:
    """Plain values for a file."""
    return {
        "headline": headline,
        "n_rows": results.ranked.n_rows,
        "n_positives": results.ranked.n_pos,
        "population": results.ranked.population,
        "prevalence": results.ranked.positive_share,
        "confidence_level": results.ranked.level,
        "budget": _figures(results.budget),
        "budgets": [_figures(row) for row in results.rows],
        "statistics": [result.to_dict() for _, result in results.statistics],
        "certificates": [result.to_dict() for result in results.certificates],
        "doubts": [one.to_dict() for one in results.doubts],
        "calibration_error": None if results.reliability is None else results.reliability.expected_error,
        "distinct_units": None if results.distinct is None else plain(vars(results.distinct)),
        "lists": None if results.ranked.lists is None else results.ranked.lists.n_lists,
        "periods": [plain(period) for period in results.periods],
        "candidates": [
            {
                "name": one.name,
                "quality": one.quality.to_dict(),
                "best_less_this": None if one.best_less_this is None else one.best_less_this.to_dict(),
            }
            for one in results.candidates
        ],
    }


def _figures(row: Row) -> dict[str, float | None]:
    figures: dict[str, float | None] = {
        "k": row.budget,
        "random_hits": row.random_hits,
        "threshold": row.threshold,
        "selected_low": None if row.selected is None else row.selected[0],
        "selected_high": None if row.selected is None else row.selected[1],
        "hits_guaranteed": row.guaranteed,
    }
    for name, (value, low, high) in _ranges(row).items():
        figures |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return {name: plain(value) for name, value in figures.items()}
