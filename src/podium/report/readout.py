"""What the slider shows, the headline, and the summary: the same rows in words and in figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from podium.report.budgets import Row
from podium.report.figures import Figure
from podium.report.findings import Findings
from podium.report.wording import count, ranged, score, share, times


def headline_of(found: Findings) -> str:
    """The answer in one sentence."""
    row = found.budget
    hits = count(row.hits)
    return (
        f"Among the top {row.budget:,} of {found.ranked.population:,} expect {hits} hit{'' if hits == '1' else 's'} "
        f"({row.low:,}–{row.high:,}); random order: {count(row.random_hits)}"
    )


def readout(row: Row, population: int) -> dict[str, str]:
    """One row as the page shows it; the keys are those of the fields in the page."""

    def estimate_and_range(of: Callable[[float], float], words: Callable[[float], str]) -> tuple[str, str]:
        return words(of(row.hits)), ranged(words(of(row.low)), words(of(row.high)))

    shown = {
        "hits": estimate_and_range(lambda hits: hits, count),
        "precision": estimate_and_range(row.per_budget, share),
        "recall": estimate_and_range(row.per_positive, share),
        "lift": estimate_and_range(row.per_random, times),
    }
    texts = {name: estimate for name, (estimate, _) in shown.items()}
    texts |= {f"{name}-range": limits for name, (_, limits) in shown.items()}
    return texts | {
        "budget": f"{row.budget:,}",
        "share": share(row.budget / population),
        "threshold": score(row.threshold),
        "random": count(row.random_hits),
    }


def lookup(found: Findings, figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Per step of the slider: texts, and where the markers go."""
    return [
        {
            "text": readout(row, found.ranked.population),
            "marker": {figure.name: figure.markers[step] for figure in figures},
        }
        for step, row in enumerate(found.rows)
    ]


def summary_of(found: Findings, headline: str) -> dict[str, Any]:
    """Plain values for a file."""
    return {
        "headline": headline,
        "n_rows": found.ranked.n_rows,
        "n_positives": found.ranked.n_pos,
        "population": found.ranked.population,
        "confidence_level": found.ranked.level,
        "budget": _figures(found.budget),
        "budgets": [_figures(row) for row in found.rows],
        "statistics": [result.to_dict() for _, result in found.statistics],
        "certificates": [result.to_dict() for result in found.certificates],
        "candidates": [
            {
                "name": one.name,
                "quality": one.quality.to_dict(),
                "best_less_this": None if one.best_less_this is None else one.best_less_this.to_dict(),
            }
            for one in found.candidates
        ],
    }


def _figures(row: Row) -> dict[str, float]:
    figures = {"k": row.budget, "random_hits": row.random_hits, "threshold": row.threshold}
    kinds: dict[str, Callable[[float], float]] = {
        "hits": float,
        "precision": row.per_budget,
        "recall": row.per_positive,
        "lift": row.per_random,
    }
    for name, of in kinds.items():
        figures |= {name: of(row.hits), f"{name}_low": of(row.low), f"{name}_high": of(row.high)}
    return figures
