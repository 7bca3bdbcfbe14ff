"""What a monitor keeps of the rows of a batch, so that labels may come later, and each counts once."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import inference
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.workflow.monitoring.batch import UNKNOWN, Batch

_BY_CHANCE = 0.01  # level at which scores of labeled and unlabeled rows differ by more than chance
_SIGNS = {UNKNOWN: "?", 0: "0", 1: "1"}
_LARGEST = 1e301
_LATE = 0.05  # share of the labels that come in the later half of the time since the first: if larger, more are to come

Marks = npt.NDArray[np.uint64]


@dataclass(eq=False)
class KeptRows:
    """Rows of a batch in the order of their marks, which is none; NaN where ``inclusion`` or ``when`` is not known."""

    marks: Marks
    scores: FloatArray
    labels: npt.NDArray[np.int8]
    inclusion: FloatArray
    when: FloatArray

    @classmethod
    def of(cls, batch: Batch, chosen: npt.NDArray[np.intp]) -> KeptRows:
        """Some rows of a table that were not seen before, without their labels."""
        order = chosen[np.argsort(batch.marks[chosen], kind="stable")]
        unknown = np.full(len(order), UNKNOWN, dtype=np.int8), *np.full((2, len(order)), np.nan)
        return cls(batch.marks[order], batch.scores[order], *unknown)

    @property
    def is_labeled(self) -> BoolArray:
        return self.labels != UNKNOWN

    @property
    def has_design(self) -> bool:
        """Whether inclusion probabilities are known."""
        return not np.isnan(self.inclusion).all()

    @property
    def is_selected(self) -> bool:
        """Whether the rows with a label were not chosen at random, by their scores, and nothing says how."""
        labeled = self.is_labeled
        if self.has_design or labeled.all() or not labeled.any():
            return False
        test = inference.rank_test(self.scores[labeled], self.scores[~labeled], method="asymptotic")
        return bool(test.pvalue < _BY_CHANCE)

    def is_complete(self, now: float, delay: float) -> bool:
        """Whether its labels have stopped coming, as far as ``when`` tells: those that come early are a selection."""
        times = self.when[~np.isnan(self.when)]
        if self.is_labeled.all() or not len(times):
            return True
        age = now - times.min()
        if age == 0:  # all at once: then those of all rows that were certain to be labeled
            return self.has_design and bool(self.is_labeled[self.inclusion == 1].all())
        return bool(age >= delay and (times > times.min() + age / 2).mean() <= _LATE)

    def without_labels(self) -> KeptRows:
        """As they were before the first label."""
        return replace(self, labels=np.full(len(self.labels), UNKNOWN, dtype=np.int8))

    @property
    def y(self) -> FloatArray:
        """Labels, NaN where there is none."""
        return np.where(self.is_labeled, self.labels, np.nan)

    def design(self) -> FloatArray:
        """Inclusion of every row; unlabeled rows of which it is not known cannot have been certain to be labeled."""
        return np.where(np.isnan(self.inclusion), np.nanmin(self.inclusion), self.inclusion)

    def take(self, batch: Batch, chosen: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.intp], int]:
        """Take labels and inclusion of known rows; which labels are new, and how many differ from those before."""
        order = chosen[np.argsort(batch.marks[chosen], kind="stable")]
        marks = batch.marks[order]
        # Rows that nothing tells apart are taken in turn.
        turn = np.arange(len(marks)) - np.searchsorted(marks, marks)
        last = np.searchsorted(self.marks, marks, side="right") - 1
        place = np.minimum(np.searchsorted(self.marks, marks) + turn, last)
        labels = batch.labels[order]
        if batch.inclusion is not None:
            self._take_design(place, batch.inclusion[order])
        is_new = (labels != UNKNOWN) & ~self.is_labeled[place]
        differ = int(((labels != UNKNOWN) & ~is_new & (labels != self.labels[place])).sum())
        self.labels[place[is_new]] = labels[is_new]
        self.when[place[is_new]] = batch.when[order[is_new]]
        if self.has_design and np.isnan(self.inclusion[self.is_labeled]).any():
            raise InputError(
                "Inclusion must be given for every labeled row of a batch; some of them have none.",
                "give the whole batch with its column 'inclusion'.",
            )
        return order[is_new], differ

    def _take_design(self, place: npt.NDArray[np.intp], inclusion: FloatArray) -> None:
        before = self.inclusion[place]
        if (np.abs(before - inclusion) > 1e-9).any():
            raise InputError("The inclusion of a row is a matter of design; got another one than before.")
        has_bets = self.has_design and self.is_labeled.any()
        if has_bets and inclusion.min() < np.nanmin(self.inclusion):
            raise InputError(
                f"Weights follow from the least inclusion of a batch; got {inclusion.min():g} after its first labels.",
                "begin with the whole batch and its column 'inclusion'.",
            )
        self.inclusion[place] = inclusion

    def to_dict(self) -> dict[str, str | None]:
        """As text: numbers in base 64, labels as 0, 1 and ?."""
        return {
            "marks": _packed(self.marks),
            "scores": _packed(self.scores),
            "labels": "".join(map(_SIGNS.get, self.labels.tolist())),  # type: ignore[arg-type]
            "inclusion": _packed(self.inclusion) if self.has_design else None,
            "when": None if np.isnan(self.when).all() else _packed(self.when),
        }

    @classmethod
    def from_dict(cls, kept: Any) -> KeptRows:
        """From a file; ValueError, KeyError or TypeError if it holds something else."""
        marks = _unpacked(kept["marks"], "<u8")
        n = len(marks)
        signs = {sign: label for label, sign in _SIGNS.items()}
        rows = cls(
            marks,
            _unpacked(kept["scores"], "<f8"),
            np.array([signs[sign] for sign in kept["labels"]], dtype=np.int8),
            *(
                np.full(n, np.nan) if kept.get(name) is None else _unpacked(kept[name], "<f8")
                for name in ("inclusion", "when")
            ),
        )
        given = rows.inclusion[~np.isnan(rows.inclusion)]
        is_sound = n > 0 and len(rows.scores) == len(rows.labels) == len(rows.inclusion) == len(rows.when) == n
        is_sound = is_sound and not np.isinf(rows.when).any()
        is_sound = is_sound and bool((marks[1:] >= marks[:-1]).all() and (np.abs(rows.scores) <= _LARGEST).all())
        if not is_sound or ((given <= 0) | (given > 1)).any():
            raise ValueError
        if rows.has_design and np.isnan(rows.inclusion[rows.is_labeled]).any():
            raise ValueError
        return rows


def settled(batches: Sequence[KeptRows], delay: float = 0.0) -> list[KeptRows]:
    """The batches as bets see them: without labels from the first one on whose labels are still coming.

    Today is when the last label came: a state says the same whenever it is read.
    """
    now = float(np.nanmax(np.concatenate([[-np.inf], *(rows.when for rows in batches)])))
    n = next((i for i, rows in enumerate(batches) if not rows.is_complete(now, delay)), len(batches))
    return [*batches[:n], *(rows.without_labels() for rows in batches[n:])]


def owners(batches: list[KeptRows], batch: Batch) -> npt.NDArray[np.intp]:
    """The number of the batch that each row came with before; −1 of new rows.

    Where nothing but their content tells rows apart, those of a table are known only if all of them are of one batch
    that holds no row twice, or are all of its rows.
    """
    owner = np.full(len(batch.marks), -1, dtype=np.intp)
    sorted_marks = np.sort(batch.marks)
    for number, rows in enumerate(batches):
        if np.array_equal(rows.marks, sorted_marks):
            return np.full(len(owner), number, dtype=np.intp)
        owner[(owner < 0) & np.isin(batch.marks, rows.marks)] = number
    if not batch.has_ids and (owner[0] < 0 or (owner != owner[0]).any() or _has_twins(batches[owner[0]].marks)):
        owner[:] = -1
    return owner


def _has_twins(marks: Marks) -> bool:
    return bool((marks[1:] == marks[:-1]).any())


def _packed(numbers: npt.NDArray[Any]) -> str:
    return base64.b64encode(numbers.astype(numbers.dtype.newbyteorder("<")).tobytes()).decode()


def _unpacked(text: Any, dtype: str) -> npt.NDArray[Any]:
    numbers = np.frombuffer(base64.b64decode(text, validate=True), dtype=dtype)
    return numbers.astype(numbers.dtype.newbyteorder("="))
