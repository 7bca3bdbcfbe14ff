"""The main job: learn from a table which rows belong on top, and evaluate the result on held-out rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from podium import _input, persist, report
from podium._files import claim, write
from podium._results.result import Result, plain, to_json
from podium.phi import Phi
from podium.phi.spec import emphasis
from podium.report import Report
from podium.report.partial import build_partial
from podium.selection.candidates import MODELS
from podium.selection.search import Choice
from podium.tables import TableModel, is_path, shapes
from podium.tables.effects import Effect
from podium.tables.files.csv import to_csv
from podium.tables.files.source import is_streamed, memory_to_use
from podium.tables.listing import ranked_list
from podium.workflow.stages.judge import Evaluation, JudgedRows, judge
from podium.workflow.stages.leaks import doubts_of, outstanding_columns
from podium.workflow.stages.observed import JudgedPartly
from podium.workflow.stages.prepare import Prepared, prepare
from podium.workflow.stages.roles import INCLUSION, Roles
from podium.workflow.stages.split import HELD_OUT
from podium.workflow.stages.train import about_delivery, about_rows, is_worse, is_worth_refitting
from podium.workflow.streaming.prepare import prepare_stream

FILES = ("model.podium", "report.html", "report.md", "metrics.json", "scores.csv")


@dataclass(frozen=True, kw_only=True, repr=False)
class FitResult(Result):
    """A fitted model and its evaluation by rows that were not used to train or choose what scored them.

    Attributes
    ----------
    model : TableModel
        Scores any table with the columns it was trained on; see `score`.
    report : Report
        A page to open in a browser: ``report.html``, ``report.save(path)``.
    scores : pandas.DataFrame
        The rows that judge, best first: id, score, rank, percentile and label; scores are on the final model's scale.
    metrics : dict
        The figures of the report, the name of the ``chosen`` model and the ``validation`` score of every candidate. For
        a table larger than memory also the statistic of ``all_held_out`` rows; the report shows a random sample.
    effects : tuple of Effect
        How far each column moves rows up or down the list, in percent of the list; largest effects first.
    readings : tuple of str
        How ambiguous number and date formats were read; also listed in the notes.
    notes : tuple of str
        How rows and columns were processed; first remarks on values that may have been meant otherwise. None of these
        changes what is promised.
    warnings : tuple of str
        Doubts to settle before relying on the figures. The report leaves out what they touch; ``metrics["doubts"]``
        names it.
    """

    model: TableModel
    report: Report
    scores: pd.DataFrame
    metrics: dict[str, Any]
    effects: tuple[Effect, ...]
    readings: tuple[str, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return dict(self.metrics)

    def save(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write model.podium, report.html, report.md, metrics.json and scores.csv, all or none; overwrites old files.

        Parameters
        ----------
        folder : str or path
            The folder to write into; created if it does not exist.

        Returns
        -------
        tuple of pathlib.Path
            The files that were written.
        """
        pages = self.report.html, self.report.markdown
        contents = (persist.dumps(self.model), *pages, to_json(self.metrics), to_csv(self.scores))
        with claim(Path(folder)):
            write(Path(folder), dict(zip(FILES, contents, strict=True)))
        return tuple(Path(folder) / name for name in FILES)

    def __repr__(self) -> str:
        return f"FitResult({self.metrics['chosen']}: {self.report.headline})"

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def fit(
    table: Any,
    *,
    label: str,
    positive: str | Sequence[str] | None = None,
    budget: int | None = None,
    population: int | None = None,
    fraction: float | None = None,
    phi: Phi | str | None = None,
    model: str = "auto",
    criterion: str | None = None,
    holdout: float | None = None,
    test: Any = None,
    refit: bool | None = None,
    id_column: str | None = None,
    time: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    label_delay: str | None = None,
    every: str | None = None,
    per: str | None = None,
    baseline: str | None = None,
    slices: Sequence[str] = (),
    increasing: Sequence[str] = (),
    exclude: Sequence[str] = (),
    unlabeled: str | None = None,
    time_limit: float = 120.0,
    memory: float | None = None,
    random_state: int = 0,
    command: str | None = None,
    on_step: Callable[[str], Any] = lambda step: None,
) -> FitResult:
    """Learn from a table which rows belong on top, and evaluate the result on held-out rows.

    Parameters
    ----------
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        A CSV (also .gz) or Parquet file, a folder of such files, or a table in memory, which is not modified. If rows
        are not independent, pass ``time`` or ``group``; a doubt suggests it when dependence is detected.
    label : str
        The column that says which rows belong on top.
    positive : str or sequence of str, optional
        The label's value that belongs on top, unless the labels are 0/1, −1/1 or false/true.
    budget : int, optional
        How many rows can be inspected. Pass at most one of ``budget``, ``fraction`` and ``phi``; without any of them,
        all parts of the list count equally (the AUC).
    population : int, optional
        Length of the list the budget applies to; by default the number of rows of the table.
    fraction : float, optional
        The share of the list that matters.
    phi : Phi or str, optional
        Which part of the list matters; see `podium.phi`.
    model : str
        ``"auto"`` (the best of several on validation rows), ``"linear"``, ``"linear-quantile"``, ``"quadratic"``,
        ``"boosted"``, ``"trees"``, ``"ranking-tree"`` (segments with rules in words, shown in a section of the
        report), ``"ranking-forest"`` or ``"stack"``.
    criterion : str, optional
        What training maximizes, for instance ``"auc"``, ``"push:4"`` or ``"logloss"``; the default depends on the
        model.
    holdout : float, optional
        Share of the rows held out, which alone evaluate. By default all rows do: each is scored by a model that did not
        see it, of up to four, one of which is that of 30 % of the rows held out. With ``time``, ``weight``, ``test``
        or ``refit=False``, where labels are missing for some rows only, and for more than 200,000 rows, 30 % are held
        out.
    test : path or table, optional
        Evaluate on the rows of this table instead.
    refit : bool, optional
        Whether to retrain the final model on all rows after the evaluation. The evaluation then describes the
        procedure; given more rows, it rarely does worse. The evaluated model stays in the file for guarantees that
        hold for it alone (`shortlist`). By default the model is retrained on up to 200,000 rows, beyond which more
        rows make no visible difference, and always with ``time``, since the held-out rows are then the most recent.
    id_column : str, optional
        The column that identifies rows; it is not used as a feature. Without it, rows are identified by their index
        (pandas) or numbered from 1.
    time : str, optional
        The column with each row's timestamp. The most recent rows are held out for evaluation, the model is chosen by
        rolling validation, and the report has a section by period.
    group : str, optional
        The column that names the unit (patient, household) a row belongs to, if units have several rows. Whole units
        are held out, also in validation, and ranges refer to lists of new units. With ``time`` as well, the most
        recent rows are held out.
    weight : str, optional
        The column of row weights, as in surveys, used in training, validation and evaluation.
    label_delay : str, optional
        How long a label takes to be known, such as ``"30d"`` (h, d or w; a number if ``time`` holds numbers). Rows of
        the last such time of the table are left out, and only rows older by it than the first held-out row are trained
        on, in rolling validation too.
    every : str, optional
        How often a list is made: ``"hour"``, ``"day"``, ``"week"``, ``"month"``, ``"quarter"`` or ``"year"``; a number
        if ``time`` holds numbers. The budget is then one per period, and so are all figures of the report.
    per : str, optional
        A column (branch, inspector) for each of whose values a list of its own is made every period.
    baseline : str, optional
        The column with the score in use today (larger is more positive), with which the report compares hits at the
        budget. It is not used as a feature.
    slices : sequence of str
        Columns (sex, region) for whose values the report shows AUC, share selected and hits separately. They are used
        as features unless excluded.
    increasing : sequence of str
        Numeric columns in which the score must not decrease. Only trees support this, so ``model`` must be ``"trees"``
        or ``"auto"``, which then chooses trees.
    exclude : sequence of str
        Columns not to use as features.
    unlabeled : str, optional
        The label's value, or ``COLUMN=VALUE``, of rows that nobody looked at, if their label is not empty. Rows without
        a label are not learned from. If a column ``inclusion`` says with which probability each row was to be labeled,
        the model is trained with its inverse as weight and the report estimates the whole list; without it the report
        gives bounds, if rows with a label differ from the others.
    time_limit : float
        Approximate seconds for choosing a model, again for training it on all rows, and again for the models that
        judge all rows: if these would take longer, the rows held out judge. Estimated from rows and
        columns, not from the clock, so the same call gives the same result on every machine; see `podium.AutoRanker`.
    memory : float, optional
        Memory for the table, in bytes; by default a quarter of what is free. Libraries, the report and buffers for
        reading take about half a gigabyte on top. A larger file, or a folder of files, is read in chunks and trained on
        with the current Dask ``Client``, or in this process if there is none; ``model`` must then be ``"linear"``,
        ``"quadratic"``, ``"trees"`` or ``"auto"``.
    random_state : int
        Seed of all random choices.
    command : str, optional
        The command line shown in the report.
    on_step : callable, optional
        Called with a short description as each stage begins.

    Returns
    -------
    FitResult
        With ``model``, ``report``, ``scores``, ``metrics`` and ``save(folder)``.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from podium.workflow import fit
    >>> rng = np.random.default_rng(0)
    >>> loans = pd.DataFrame({"income": rng.lognormal(size=500), "debt": rng.lognormal(size=500)})
    >>> loans["late"] = (loans["debt"] / loans["income"] * rng.lognormal(size=500) > 3).astype(int)
    >>> result = fit(loans, label="late", budget=50, model="linear")
    >>> result
    FitResult(linear: Among the top 50 of 500 expect ... hits (...); random order: ...)
    >>> list(result.scores.columns)
    ['id', 'score', 'rank', 'percentile', 'label', 'judged_by']
    """
    _input.check_choice("model", model, ("auto", *MODELS))
    time_limit = _input.check_number("time_limit", time_limit, 0)
    seed = _input.check_integer("random_state", random_state, 0, 2**32 - 1)
    named: Any = {"id": id_column, "time": time, "group": group, "weight": weight, "baseline": baseline, "per": per}
    roles = Roles(label=label, slices=tuple(slices), every=every, label_delay=label_delay, **named)
    share = HELD_OUT if holdout is None and refit is False else holdout  # then the model judged is the one delivered
    settings = {"positive": positive, "exclude": exclude, "holdout": share, "test": test, "seed": seed}
    settings["unlabeled"] = unlabeled
    with _prepared(table, roles, memory, time_limit, on_step=on_step, **settings) as prepared:
        encoded, held_out, n_rows = prepared.encoded, prepared.encoded.held_out, prepared.n_rows
        chosen_phi, rows_to_inspect = emphasis(phi, budget, population, fraction, prepared.list_length(population))
        aims = chosen_phi, model, criterion, encoded.encoder.outputs_of(increasing)
        choice = prepared.choose(*aims, seed=seed, time_limit=time_limit, on_step=on_step)
        on_step(f"training {choice.name} on {prepared.n_training:,} rows")
        ranker, trained = prepared.train(choice)
        facts = facts_of(prepared, seed, choice.name, roles) | emphasized(budget, fraction)
        fitted = TableModel(
            encoded.encoder, ranker, str(chosen_phi), label, prepared.positive, id_column, facts, *encoded.known
        )
        on_step("evaluating it on the held-out rows")
        judgment = judge(fitted, choice, held_out)
        further, more_notes = prepared.judge_further(fitted, judgment.scores, chosen_phi)
        partly = prepared.calibrate(fitted, judgment.scores)
        fitted.fingerprints, fitted.typical = encoded.fingerprints, encoded.typical
        said = _said(prepared, choice)
        judged = JudgedRows(rows=held_out, scores=judgment.scores)
        if is_refitted := test is None and (is_worth_refitting(n_rows, time) if refit is None else refit):
            judged = _refitted(fitted, prepared, choice, judged, time_limit, on_step)
        judgment = replace(judgment, shapes=shapes(fitted, held_out.listed))
    n_listed, is_by_all, readings = prepared.n_listed, judged.rows is encoded.everyone, encoded.readings
    notes = [*said["remarks"], *prepared.notes, *choice.notes, *trained, *judgment.notes, *more_notes]
    notes += [*about_delivery(fitted, is_refitted, refit, test), *about_rows(encoded.everyone, is_by_all, fitted)]
    n_judged = len((judged if partly is None else partly).scores)
    del prepared, encoded, held_out  # the matrices: a report needs their room
    on_step("writing the report")
    common = {
        "phi": chosen_phi,
        "budget": rows_to_inspect,
        "population": population or (n_listed if every is None else None),
        "title": title_of(table, fitted),
        "about": about(fitted, n_listed, None if is_by_all else n_judged, roles, test is not None),
        "outcome": fitted.outcome,
        "warnings": said.pop("doubts"),
        "label_counts": str(said["labels"]),
        "data_notes": notes,
        "provenance": provenance(command, seed),
    }
    page, listed = _page(partly, judged, judgment, common)
    fitted.facts["doubts"] = [(one["kind"], one["sentence"]) for one in page.summary["doubts"]]
    validation = {} if partly is not None and partly.weight is None else choice.validation
    return FitResult(
        model=fitted,
        report=page,
        scores=listed,
        metrics=plain({**page.summary, **said, **further, "chosen": choice.name, "validation": validation}),
        effects=tuple(judgment.effects),
        readings=tuple(readings),
        notes=tuple(notes),
        warnings=tuple(one["sentence"] for one in page.summary["doubts"]),
    )


def _said(prepared: Prepared, choice: Choice) -> dict[str, Any]:
    """Doubts, remarks and counted labels; a list of which only some rows have a label is about all of them."""
    suspects = outstanding_columns(prepared.encoded) | prepared.suspects
    return {
        "doubts": doubts_of(suspects) + prepared.doubts,
        "remarks": [*prepared.remarks, *choice.warnings],
        "labels": prepared.labels if prepared.partly is None else replace(prepared.labels, are_left_out=False),
    }


def _refitted(
    model: TableModel,
    prepared: Prepared,
    choice: Choice,
    judged: JudgedRows,
    time_limit: float,
    on_step: Callable[[str], Any],
) -> JudgedRows:
    """Train the model again on all rows, unless that makes it worse; what is delivered, judged on its own scale."""
    on_step(f"training {choice.name} again, on all {prepared.n_rows:,} rows")
    again = prepared.refit(choice)
    if is_worse(again, prepared.encoded.held_out, judged.scores):
        return judged
    model.ranker, model.judged, model.facts["trained_on"] = again, model.ranker, prepared.n_rows
    return prepared.judge_delivered(model, choice, judged.scores, time_limit, on_step)


def _page(
    partly: JudgedPartly | None, judged: JudgedRows, judgment: Evaluation, common: dict[str, Any]
) -> tuple[Report, pd.DataFrame]:
    """The report and the list of the rows that judge; of labels with gaps, what they say of the whole list."""
    shown, ids, is_positive = judgment.for_report(), judged.rows.ids, judged.rows.is_positive
    if partly is None:
        page = report.build(is_positive, judged.scores, **shown, **judged.for_report(), **common)
        return page, ranked_list(ids, judged.scores, label=is_positive.astype(int), **judged.by_whom())
    effects = {name: shown[name] for name in ("effects", "effect_unit")}
    page = build_partial(partly.labels, partly.scores, lists=partly.lists, **effects, **common)
    design = {} if partly.labels.inclusion is None else {INCLUSION: partly.labels.inclusion}
    named = pd.concat([ids.astype(str), partly.ids])
    return page, ranked_list(named, partly.scores, label=pd.array(partly.labels.y, dtype="Int64"), **design)


def _prepared(
    table: Any, roles: Roles, memory: float | None, time_limit: float, **settings: Any
) -> AbstractContextManager[Prepared]:
    """The prepared table, as a whole or in chunks."""
    allowed = memory_to_use(memory)
    if is_streamed(table, allowed):
        return prepare_stream(table, roles, memory=allowed, time_limit=time_limit, **settings)
    return nullcontext(prepare(table, roles, **settings))


def title_of(table: Any, model: TableModel) -> str:
    """Heading of the page."""
    what = f"{model.label} = {model.positive}"
    return f"{Path(table).name}: {what}" if is_path(table) else what


def facts_of(prepared: Prepared, seed: int, chosen: str, roles: Roles) -> dict[str, Any]:
    """What a model file says of its making; columns that tie rows together are named."""
    named = ("time", "group", "weight", "every", "per", "label_delay")
    ties = {name: column for name in named if (column := getattr(roles, name)) is not None}
    partly = prepared.partly
    if partly is not None and partly.inclusion is not None and partly.note is None:
        ties = {"weight": INCLUSION} | ties
    rows = {"trained_on": prepared.n_training, "rows": prepared.n_rows}
    return {**rows, "seed": seed, "chosen": chosen, **ties}


def about(model: TableModel, n_rows: int, n_judged: int | None, roles: Roles, other_table: bool) -> list[str]:
    """Short remarks on the evaluation, for the top of the page; by all rows if no number is given."""
    which = "of another table" if other_table else "held out at random"
    if roles.time is not None and not other_table:
        which = "that are the latest"
    elif roles.group is not None and not other_table:
        which = f"of new units ({roles.group})"
    made = [f"{date.today():%Y-%m-%d}", f"{n_rows:,} rows", f"model: {model.facts['chosen']}"]
    judged = "evaluated on all rows by models that had not seen them"
    judged += "" if roles.group is None else f", nor others of their units ({roles.group})"
    if n_judged is not None:
        judged = f"evaluated on {n_judged:,} rows {which}"
    return [*made, judged, f"a hit is a row with {model.label} = {model.positive}"]


def provenance(command: str | None, seed: int) -> dict[str, Any]:
    """How the page was made."""
    return {**({} if command is None else {"command": command}), "seed": seed, "versions": persist.versions()}


def emphasized(budget: int | None, fraction: float | None) -> dict[str, float]:
    """What a model file keeps of it, so that lists are about as many rows as was said: `TableModel.budget_of`."""
    if fraction is not None:
        return {"fraction": float(fraction)}
    return {} if budget is None else {"budget": int(budget)}
