"""The page of a shortlist: what was asked, what is guaranteed, the cut in a picture, the first rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd

from podium._results.wording import percent
from podium._types import BoolArray, FloatArray
from podium.plots import ScoreDisplay
from podium.report.choosing import of_list
from podium.report.figures import scores_figure
from podium.report.page import PAGES, Report, origin
from podium.shortlist import Shortlist
from podium.workflow.list_page import below, columns_of

_SHOWN = 20  # rows on the page
_ASKED = {
    "fdr": "As many rows as possible, among which at most {fdr:g} % negatives are expected",
    "recall": "As few rows as possible that hold at least {recall:g} % of all positives",
    "fpr": "As many rows as possible that hold at most {fpr:g} % of all negatives",
    "precision": "As many rows as possible of which at least {precision:g} % are positive",
    "rows": "The first {rows:,} rows, wherever one stops after looking",
    "cost": "The rows that pay: a selected positive gains {gain:g}, every selected row costs {cost:g}",
}


def in_words(by: str, find: Any, options: Mapping[str, float]) -> str:
    """What was asked of a shortlist, with rates as per cent; those not given have the default of the function."""
    if by in ("cost", "rows"):
        return _ASKED[by].format(**options)
    rates = {by: signature(find).parameters[by].default, **options}
    return _ASKED[by].format(**{name: 100 * value for name, value in rates.items()})


def shortlist_page(
    cut: Shortlist,
    first: pd.DataFrame,
    calibration: tuple[BoolArray, FloatArray],
    scores: FloatArray,
    *,
    asked: str,
    outcome: str,
    has_path: bool,
    doubts: Sequence[str],
    notes: Sequence[str],
    about: Sequence[str],
    provenance: Mapping[str, Any],
) -> Report:
    """One self-contained HTML page.

    ``calibration`` are labels and scores of the rows by which the cut was found, ``scores`` those of the rows selected
    from, in the order of ``cut.chosen``; ``first`` are selected rows, best first. With ``has_path`` a slider goes along
    other cuts.
    """
    assert cut.chosen is not None
    is_positive, judged = calibration
    n_chosen = int(cut.chosen.sum())
    headline = f"{n_chosen:,} of {len(scores):,} rows selected ({percent(n_chosen / len(scores))})"
    lowest = float(scores[cut.chosen].min()) if n_chosen else np.inf
    at = lowest if cut.threshold is None or np.isneginf(cut.threshold) else cut.threshold
    picture, shares = None, {}
    if np.isfinite(at):
        ends = np.quantile(judged, [0.001, 0.999])  # a few far scores would leave one bar of the histogram
        inside = np.clip(judged, min(ends[0], at), max(ends[1], at))
        picture = scores_figure(ScoreDisplay.from_scores(is_positive, inside, n_bins=50), [at], "The cut")
        shares = {
            "positives": percent(float((judged[is_positive] >= at).mean())),
            "negatives": percent(float((judged[~is_positive] >= at).mean())),
        }
    html = PAGES.get_template("shortlist.html").render(
        headline=headline,
        title=f"Shortlist: {outcome}",
        about=about,
        asked=asked,
        cut=cut,
        picture=picture,
        shares=shares,
        n_judged=len(judged),
        n_rows=len(scores),
        path=of_list(calibration, scores, len(scores), n_chosen) if has_path else None,
        columns=columns_of(first.head(_SHOWN)) if n_chosen else [],
        below=below(first.head(_SHOWN)),
        doubts=doubts,
        notes=notes,
        provenance=origin(provenance),
    )
    return Report(html, headline, {"headline": headline, "asked": asked, "guarantee": cut.guarantee})
