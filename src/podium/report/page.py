"""From findings to one HTML file."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from podium import _input
from podium._files import write_file
from podium._results.doubts import STATEMENTS, Doubt, left_out
from podium._results.escaping import markdown
from podium._results.result import plain
from podium._results.wording import percent
from podium._shares import counted
from podium._types import BoolArray, Sample
from podium.exceptions import InputError
from podium.inference.calibration_curves import band_of
from podium.inference.lists.influence import clusters_of
from podium.phi import Phi
from podium.phi.spec import phi_in_words
from podium.rankers import Segments
from podium.report import beside, wording
from podium.report.budgets import cuts
from podium.report.choosing import of_next_list
from podium.report.figures import (
    MOST_SHOWN,
    effects_of,
    figures,
    lists_figure,
    reliability_figure,
    shape_figure,
    shown_value,
)
from podium.report.findings import Findings, Judged, findings
from podium.report.first_screen import Dots, first_rows
from podium.report.readout import headline_of, lookup, readout, sentence_of, summary_of

PAGES = jinja2.Environment(
    loader=jinja2.PackageLoader("podium.report", "templates"),
    autoescape=jinja2.select_autoescape(["html"]),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_FILTERS = [
    *("count", "times", "score", "omega", "slope", "difference", "difference_of_hits", "p_value"),
    *("phi_briefly", "statistic_of", "ranged"),
]
PAGES.filters.update({name: getattr(wording, name) for name in _FILTERS})
# Style and script are no templates: as they stand.
PAGES.globals["verbatim"] = lambda name: Markup(
    (files("podium.report") / "templates" / name).read_text(encoding="utf-8").rstrip()
)
PAGES.filters.update(percent=percent, phi_in_words=phi_in_words, markdown=markdown)


@dataclass(frozen=True, repr=False)
class Report:
    """A report.

    Attributes
    ----------
    html : str
        The whole page; it loads no external resources.
    headline : str
        Its first sentence.
    summary : dict
        The figures behind it, plain Python values ready for JSON.
    markdown : str
        The same figures as text, to mail or to keep beside code; empty for pages without a text version.
    """

    html: str
    headline: str
    summary: dict[str, Any]
    markdown: str = ""

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file. An existing file is replaced only once the new one is complete.

        Parameters
        ----------
        path : str or path
            The file to write or replace.

        Returns
        -------
        pathlib.Path
            The file that was written.
        """
        target = Path(path)
        write_file(target, self.html)
        return target

    def _repr_html_(self) -> str:
        """Inline in a notebook, in a frame of its own: neither style touches the other."""
        return (
            f'<iframe title="{escape(self.headline)}" srcdoc="{escape(self.html)}" sandbox="allow-scripts" '
            'style="width: 100%; height: 800px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Report({self.headline})"


def build(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    phi: Phi | str = "auc",
    budget: int | None = None,
    population: int | None = None,
    prevalence: float | None = None,
    title: str | None = None,
    about: Sequence[str] = (),
    outcome: str | None = None,
    candidates: Mapping[str, npt.ArrayLike] | None = None,
    effects: Sequence[tuple[str, float, float, float]] | None = None,
    effect_unit: str | None = None,
    importance: Sequence[tuple[str, float, float, float]] = (),
    shapes: Sequence[tuple[str, Sequence[Any], Sequence[float]]] = (),
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    time: npt.ArrayLike | None = None,
    lists: tuple[str, npt.ArrayLike] | None = None,
    fixed: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    warnings: Sequence[str | Doubt] = (),
    label_counts: str = "",
    baseline: tuple[str, npt.ArrayLike] | None = None,
    slices: Mapping[str, npt.ArrayLike] | None = None,
    segments: Segments | None = None,
    data_notes: Iterable[str] = (),
    provenance: Mapping[str, Any] | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> Report:
    """One self-contained HTML page on a ranked list: what to expect, and with what uncertainty.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores of rows that were not used to train or choose the scorer.
    phi : Phi or str
        Which part of the list matters; see `podium.phi`.
    budget : int, optional
        How many rows of the list can be inspected; by default a tenth.
    population : int, optional
        Length of the list the budget applies to; by default the number of scores.
    prevalence : float, optional
        Share of positives in the population the list is drawn from, if known and different from the share here, for
        instance when positives and negatives were sampled separately. Hits, precision, recall, lift, gain and budgets
        are then for that share; statistics of the whole list, such as the AUC, are for the given rows.
    title : str, optional
        Heading of the page.
    about : sequence of str
        Short remarks on the evaluation, shown at the top: the date, the data, the model, how rows were held out.
    outcome : str, optional
        What a hit is, in the words of the label, such as "churn = yes", for the headline.
    candidates : mapping of str to array-like, optional
        Scores of other scorers for the same rows, for comparison.
    effects : sequence of (str, float, float, float), optional
        Feature, its effect on the score, and lower and upper limit; NaN for unknown limits.
    effect_unit : str, optional
        The unit of these effects, such as "percent of the list".
    importance : sequence of (str, float, float, float)
        Column, the fall of the AUC when its values are permuted, and lower and upper limit; NaN for unknown limits.
    shapes : sequence of (str, sequence, sequence of float)
        Column, some of its values, and the mean place in the list (100 is the top) of rows that have them.
    sample_weight : array-like, optional
        Row weights, up to a factor, as in surveys.
    groups : array-like, optional
        The unit (patient, household) of each row, if units have several rows; ranges then refer to new units.
    time : array-like, optional
        The timestamp of each row, as dates or numbers: the page then has a section by period, and its ranges account
        for changes between periods.
    lists : (str, array-like), optional
        Where a list is made anew every period: how often, such as "a day", and the list of each row, such as its date.
        The budget and all figures are then for one list, rows are compared by their places in their own list, and
        ranges account for all differences between lists.
    fixed : (array-like of bool, array-like), optional
        Where ``y_score`` is of several models, each of which judges the rows that it did not see: which rows one of
        them judges, and its own scores of these. Guarantees and the comparison of candidates, whose scores are then
        of these rows only, refer to it.
    warnings : sequence of str
        Doubts about the rows or the scorer, shown above the headline: ranges, intervals and guarantees are left out
        while there are any. With weights, groups or times nothing is guaranteed.
    label_counts : str
        How many rows have which label, in a sentence shown below the headline.
    baseline : (str, array-like), optional
        Name and values of the score in use today, for the same rows: hits at the budget are compared.
    slices : mapping of str to array-like, optional
        Columns for whose values the page shows AUC, share selected and hits at the budget separately.
    segments : Segments, optional
        The segments of a ranking tree on these rows, from :meth:`podium.TreeRanker.segments`, for a section on risk
        groups.
    data_notes : iterable of str
        Sentences on how the data were processed.
    provenance : mapping, optional
        How to reproduce the page: command, seed, versions, and anything else worth recording.
    confidence_level : float
        Confidence level of every interval, band and certificate.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    Report
        The page as HTML, the same figures as text, and as plain Python values.

    Examples
    --------
    >>> from podium.report import build
    >>> report = build([0, 0, 1, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], budget=4)
    >>> report.headline
    'Among the top 4 of 8 expect 2.7 hits (0–4; only 4 judged rows stand for these); random order: 2'
    """
    level = _input.check_fraction("confidence_level", confidence_level)
    judged = _judged(y_true, y_score, sample_weight, groups, time, lists, fixed, warnings, pos_label)
    sorted_effects, needed = effects_of(effects or ()), sorted(effects_of(importance), key=lambda one: -one.effect)
    results = findings(judged, phi, budget, population, prevalence, candidates or {}, level)
    headline = headline_of(results, outcome)
    ranked, k = results.ranked, results.budget.budget
    besides: dict[str, Any] = {
        "baseline": None if baseline is None else beside.against(ranked, k, ranked.clusters, *baseline),
        "slices": beside.slices(ranked, k, ranked.clusters, slices) if slices else [],
    }
    if besides["baseline"] is not None and not results.holds("comparison"):
        besides["baseline"] = besides["baseline"].without_limits()
    if not results.holds("interval"):
        besides["slices"] = [one.without_limits() for one in besides["slices"]]
        needed = [replace(one, low=math.nan, high=math.nan) for one in needed]
        if segments is not None:
            n_pos = segments.positives
            segments = Segments.counted(segments.rules, n_pos, segments.rows - n_pos, None)
    shown = {
        **_shown(results),
        **besides,
        **_calibration(results, besides["slices"], slices or {}),
        "headline": headline,
        "label_counts": label_counts,
        "left_out": left_out(results.doubts, [name for name in STATEMENTS if name != "list"]),
        "sentence": sentence_of(results, headline, about),
        "title": title or "Ranking report",
        "about": about,
        "effects": sorted_effects[:MOST_SHOWN],
        "effect_unit": effect_unit,
        "n_effects": len(sorted_effects),
        "importance": needed[:MOST_SHOWN],
        "n_importance": len(needed),
        "shapes": [shape_figure(*one) for one in shapes],
        "segments": segments,
        "data_notes": list(data_notes),
        "provenance": origin(provenance or {}),
    }
    html, markdown = (PAGES.get_template(name).render(shown) for name in ("report.html", "report.md"))
    more = {
        **besides,
        "first_rows": shown["first_rows"],
        "path": None if shown["path"] is None else shown["path"].summary,
        "calibration": dict(shown["calibrated"]),
        "importance": [one.figures for one in needed],
        "shapes": [
            {"name": name, "values": list(map(shown_value, values)), "places": at} for name, values, at in shapes
        ],
    }
    figures_behind = summary_of(results, headline) | plain(more)
    return Report(html, headline, figures_behind, markdown)


def _calibration(
    results: Findings, shown: Sequence[beside.Slices], columns: Mapping[str, npt.ArrayLike]
) -> dict[str, Any]:
    """Whether probabilities hold: the picture, and where rows are independent intercept, slope and a band."""
    said = results.reliability
    if said is None:
        return {"reliability": None, "calibrated": [], "curve": None}
    if not results.is_independent or np.ptp(said.of_rows) == 0:
        return {"reliability": reliability_figure(said), "calibrated": [], "curve": None}
    band = band_of(said.of_rows, results.ranked.sample.is_positive, results.ranked.level)
    calibrated = beside.calibrated(results.ranked, said.of_rows, shown, columns)
    return {"reliability": reliability_figure(said, band), "calibrated": calibrated, "curve": repr(band)}


def _judged(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None,
    groups: npt.ArrayLike | None,
    time: npt.ArrayLike | None,
    lists: tuple[str, npt.ArrayLike] | None,
    fixed: tuple[npt.ArrayLike, npt.ArrayLike] | None,
    warnings: Sequence[str | Doubt],
    pos_label: Any,
) -> Judged:
    """Rows checked; weights sum to the number of independent rows that they are worth, (Σw)²/Σw² (Kish)."""
    sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
    n_rows = len(sample.scores)
    if sample_weight is not None:
        weight = _input.check_weights(sample_weight, n_rows)
        if not (weight > 0).all():
            raise InputError("Weights must be above 0; got some that are not.", "omit these rows.")
        sample = replace(sample, weight=counted(weight, n_rows))
    moments = None if time is None else np.asarray(time)
    if moments is not None and (moments.shape != (n_rows,) or moments.dtype.kind not in "iufM"):
        raise InputError(f"time must hold a date or a number for each of the {n_rows:,} rows; got {moments!r}.")
    if lists is not None and sample_weight is not None:
        raise InputError("Hits of a list are counted in rows; got weights with lists.", "omit one of them.")
    of_fixed, own = (None, None) if fixed is None else _fixed(sample, *fixed)
    return Judged(
        sample=sample,
        of_fixed=of_fixed,
        fixed=own,
        clusters=None if groups is None else clusters_of(groups, None, n_rows),
        time=moments,
        lists=None if lists is None else (lists[0], clusters_of(lists[1], None, n_rows, "lists")),
        doubts=[Doubt("stated", one) if isinstance(one, str) else one for one in warnings],
    )


def _fixed(sample: Sample, rows: npt.ArrayLike, scores: npt.ArrayLike) -> tuple[BoolArray, Sample]:
    """The rows that one model judges, and its own scores of them."""
    of_fixed, own = np.asarray(rows), _input.check_scores(scores, "fixed")
    if of_fixed.dtype != np.bool_ or of_fixed.shape != sample.is_positive.shape or len(own) != of_fixed.sum():
        raise InputError(
            f"fixed must say of each of the {len(sample.scores):,} rows whether it is meant, and have a score for each "
            f"that is; got {len(own):,} scores."
        )
    return of_fixed, replace(sample.subset(of_fixed), scores=own)


def _shown(results: Findings) -> dict[str, Any]:
    """What the template shows of the findings."""
    drawn = figures(results.ranked, results.band, results.rows, results.budget, results.scores)
    readouts = [readout(row) for row in results.rows]
    dots = [Dots.of(row, words) for row, words in zip(results.rows, readouts, strict=True)]
    start = results.rows.index(results.budget)
    return {
        "results": results,
        "figures": {figure.name: figure for figure in drawn},
        "dots": dots[start],
        "first_rows": first_rows(results.ranked, results.reliability is not None),
        "by_list": None if results.ranked.lists is None else lists_figure(results.ranked.lists, results.budget),
        "start": start,
        "listed": [i for i, row in enumerate(results.rows) if row == results.budget or _is_round(row.budget)],
        "readouts": readouts,
        "lookup": [step | {"dots": one._asdict()} for step, one in zip(lookup(results, drawn), dots, strict=True)],
        "cuts": cuts(results.ranked) if results.holds("cut") else [],
        "path": of_next_list(results.ranked, results.budget.budget) if results.holds("cut") else None,
    }


def _is_round(budget: int) -> bool:
    """Whether a budget is 1, 2 or 5 times a power of ten: few enough for a table."""
    return str(budget).rstrip("0") in ("1", "2", "5")


def origin(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """As given; the versions are known here, too."""
    from podium import persist  # here: scikit-learn takes half a second to import

    return {"versions": persist.versions()} | dict(provenance)
