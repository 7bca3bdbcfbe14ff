"""From a table to numbers: read, split, looked at with suspicion, encoded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from podium._results.doubts import Doubt
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.phi import Phi
from podium.selection.search import Choice
from podium.tables import TableModel
from podium.tables.labels import LabeledTable, read_labeled
from podium.workflow.stages.counted_labels import LabelCounts
from podium.workflow.stages.cross_fit import Delivered, cross_fitted, is_worth_its_time
from podium.workflow.stages.detect import never_looked_at, signs
from podium.workflow.stages.encode import EncodedTable, JudgingRows, encode
from podium.workflow.stages.judge import JudgedRows
from podium.workflow.stages.leaks import telltale_columns
from podium.workflow.stages.observed import (
    JudgedPartly,
    PartLabels,
    column_of,
    has_design,
    inclusion_of,
    learning_weights,
)
from podium.workflow.stages.roles import INCLUSION, Roles
from podium.workflow.stages.split import Parts, matured, split_rows
from podium.workflow.stages.train import choose_model, refit, train


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """The encoded table; how many rows there were and which value is positive; what was seen on the way.

    ``remarks`` say how values were read where that is not sure. ``suspects`` are columns that may give the label away,
    each with the reason; ``partly`` is there if some rows have no label and those that have one do not stand for them.
    """

    encoded: EncodedTable
    n_rows: int
    positive: str
    notes: list[str]
    remarks: list[str]
    doubts: list[Doubt]
    suspects: dict[str, str]
    labels: LabelCounts
    partly: PartLabels | None = None

    @classmethod
    def of(
        cls,
        data: LabeledTable,
        parts: Parts,
        roles: Roles,
        *,
        exclude: Sequence[str],
        seed: int,
        rng: np.random.Generator,
        on_step: Callable[[str], Any],
    ) -> Self:
        """Of a table that was read and split; it is used up column by column."""
        names = [str(name) for name in data.frame.columns if name not in (roles.label, *roles.columns, *exclude)]
        suspects = telltale_columns(data.frame, data.is_positive, names, roles)
        doubts = never_looked_at(data.frame, data.is_positive, names)
        is_one_table, again = parts.judged is data.frame, np.random.default_rng(seed)
        doubts += signs(data.frame, data.is_positive, roles, again, exclude=exclude, is_one_table=is_one_table)
        labels = LabelCounts.of(data, roles.label)
        n_rows = len(data.frame)
        encoded = encode(data, parts, roles=roles, exclude=exclude, rng=rng, on_step=on_step)
        return cls(
            encoded=encoded,
            n_rows=n_rows,
            positive=data.positive,
            notes=[*data.notes, *parts.notes, *encoded.notes],
            remarks=list(data.warnings),
            doubts=doubts,
            suspects=suspects | encoded.suspects,
            labels=labels,
        )

    def judged_by(self, partly: PartLabels | None) -> Self:
        """With the rows held out that have no label."""
        if partly is None:
            return self
        notes = [*([] if partly.note is None else [partly.note]), *self.notes]
        return replace(self, partly=partly, doubts=[*partly.doubts, *self.doubts], notes=notes)

    @property
    def n_listed(self) -> int:
        """Rows of the lists: all, or those with a label where these stand for all."""
        return self.n_rows if self.partly is None else self.partly.n_listed

    @property
    def n_training(self) -> int:
        return len(self.encoded.training.is_positive)

    def list_length(self, population: int | None) -> int:
        """Rows of the list that a budget applies to: where held-out rows are in several lists, of one, on average."""
        lists = self.encoded.held_out.facts.list_of
        if self.partly is not None and self.partly.lists is not None:
            lists = self.partly.lists[1]
        if lists is None:
            return population or self.n_listed
        if population is not None:
            raise InputError("population is the length of one list, which every tells; got both.", "omit population.")
        return max(1, round(len(lists) / len(np.unique(lists))))

    @property
    def n_held_out(self) -> int:
        return len(self.encoded.held_out.is_positive)

    def choose(self, phi: Phi, model: str, criterion: str | None, increasing: Sequence[int], **more: Any) -> Choice:
        """See `choose_model`."""
        return choose_model(self.encoded.training, phi, model, criterion, increasing, **more)

    def train(self, choice: Choice) -> tuple[Any, list[str]]:
        """The ranker, fitted to all training rows, and what must be said of it."""
        return train(choice, self.encoded.training)

    def refit(self, choice: Choice) -> Any:
        """The ranker, fitted anew to all rows."""
        return refit(choice, self.encoded.training, self.encoded.waiting, self.encoded.held_out)

    def calibrate(self, model: TableModel, scores: FloatArray) -> JudgedPartly | None:
        """Let the model keep labels and scores of held-out rows, if these stand for a list.

        The rows held out as a list are returned, if some of them have no label.
        """
        rows = self.encoded.held_out
        partly = None if self.partly is None else self.partly.judged(model, rows, scores)
        weight = rows.facts.weight if partly is None else partly.weight
        if partly is None or weight is not None:
            model.calibrate(rows.is_positive, scores, weight, rows.facts.list_of if partly is None else None)
        return partly

    def judge_delivered(
        self, model: TableModel, choice: Choice, scores: FloatArray, time_limit: float, on_step: Callable[[str], Any]
    ) -> JudgedRows:
        """Rows that judge the model fitted to all rows, with their scores on its scale, which it keeps.

        All rows, each judged by a model that did not see it, or those held out if that would take too long.
        """
        training, held_out = self.encoded.training, self.encoded.held_out
        delivered = Delivered.of(model, training, held_out)
        learned = np.arange(len(training.X))
        own = delivered.place(model.as_judged().scores_of(training.X), scores, learned)
        rows: JudgingRows = held_out
        if self.encoded.everyone is not None and is_worth_its_time(choice, training, time_limit):
            on_step("judging it by all rows, each by a model that did not see it")
            rows = self.encoded.everyone
            own = cross_fitted(choice, training, held_out, own, delivered, model.facts["seed"])
        if model.calibration is not None:
            model.expect(rows.is_positive, own)
        return JudgedRows(rows=rows, scores=own, fixed=scores)

    def judge_further(self, model: TableModel, scores: FloatArray, phi: Phi) -> tuple[dict[str, Any], list[str]]:
        """Figures from rows held out that are not in the encoded table, with sentences on them; here there are none."""
        return {}, []


def prepare(
    table: Any,
    roles: Roles,
    *,
    positive: str | Sequence[str] | None,
    exclude: Sequence[str],
    holdout: float | None,
    test: Any,
    unlabeled: str | None = None,
    seed: int,
    on_step: Callable[[str], Any],
) -> Prepared:
    """Read a table and make it ready to learn from."""
    rng = np.random.default_rng(seed)
    on_step("reading")
    as_text = [] if roles.id is None else [roles.id]
    data = read_labeled(table, roles.label, positive, [*exclude, *roles.columns], as_text, unlabeled)
    data = matured(data, roles)
    if INCLUSION in data.frame and has_design(data):
        if data.others is None:
            raise InputError(
                "To learn from rows with inclusion probabilities takes the rows that they were drawn from; here every "
                "row has a label.",
                "give all rows of the lists, those that were not inspected without a label; or rename the column "
                "'inclusion' if it is something else.",
            )
        roles = roles.with_design(list(map(str, data.frame)))
    parts = split_rows(data, roles, holdout, test, rng, seed)
    partly = None
    if test is None and data.others is not None:
        partly = PartLabels.of(data, parts, roles, np.random.default_rng(seed), column_of(unlabeled))
    if roles.design and roles.weight is None:
        parts = parts.weighted(learning_weights(inclusion_of(data.frame[INCLUSION])))
    if partly is not None:
        parts = replace(parts, fold=None)  # rows with a label do not stand for the list
    prepared = Prepared.of(data, parts, roles, exclude=exclude, seed=seed, rng=rng, on_step=on_step)
    return prepared.judged_by(partly)
