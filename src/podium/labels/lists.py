"""A list whose scores are all known and whose labels are known for some rows, as entries with what inference asks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri

from podium import _input
from podium._fast.gaps import stretches
from podium._fast.order import groups_of_rows, rows_ascending
from podium._types import Array, BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError, InputError
from podium.labels.observed import Observed

_LONG = 1 << 17  # rows: of longer lists, those without a label are counted by stretch
_STRETCHES, _CELLS = 1 << 11, 1 << 14  # at most; cells are those of a stretch and a stratum
_MOST_STRATA = 20  # distinct inclusion probabilities; of more, as many classes of similar ones are made
_FEWEST_DRAWN = 2  # labeled rows of a stratum, for a variance
_ASKED, _CUT_BY = 1 << 12, 1 << 16  # rows at most, to see whether a design goes by the score, and to cut classes


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Where the rows of a list stand."""

    n_rows: int
    group: Array  # of every entry: its tie group, or its stretch, ascending
    below: Array  # rows below each group
    upto: Array  # rows up to and including each group
    count: FloatArray  # rows of every entry

    @classmethod
    def by(cls, scores: Array) -> RankedRows:
        """Every row is an entry."""
        _, group = groups_of_rows(scores)
        upto = np.cumsum(np.bincount(group))
        return cls(len(group), group, np.concatenate([[0], upto[:-1]]), upto, np.ones(len(group)))


@dataclass(frozen=True, eq=False)
class PartlyLabeled(RankedRows):
    """Entries: the rows of the list; of a long one the labeled rows, and the others of each stretch and stratum.

    Entries of one kind, alike in what their labels are predicted from, have one prediction: each row is a kind of its
    own, or the rows of a stretch and a stratum are. A stretch is so short that this costs nothing that could be seen.
    """

    observed: Observed
    is_labeled: BoolArray
    is_positive: BoolArray  # False where there is no label
    inclusion: FloatArray | None  # of every entry
    stratum: Array  # of every entry
    kind: Array  # of every entry
    place: FloatArray  # of every kind: the share of the list below its middle
    kind_inclusion: FloatArray | None  # of every kind
    by_score: bool  # whether rows of higher scores are never less likely to be labeled

    @classmethod
    def of(
        cls,
        observed: Observed,
        y_score: Any,
        pos_label: Any = None,
        sample_weight: Any = None,
        by_row: bool = True,
    ) -> PartlyLabeled:
        """The list of observed labels and the scores of all its rows; a long one by stretches unless ``by_row``."""
        if sample_weight is not None:
            raise InputError("Observed labels carry the weights of their design; got sample_weight with them.")
        scores = _input.check_scores(y_score)
        if len(scores) != len(observed):
            raise InputError(
                f"Observed labels go with the scores of all rows of the list; got {len(observed):,} rows of labels and "
                f"{len(scores):,} scores.",
                "score the rows without a label, too.",
            )
        is_positive = observed.positives(pos_label)
        further = (observed.columns, observed.predicted, observed.when)
        is_plain = observed.inclusion is not None and all(each is None for each in further)
        if is_plain and len(scores) > _LONG and not by_row:
            return cls._by_stretches(observed, scores, is_positive)
        inclusion, at = observed.inclusion, RankedRows.by(scores)
        n_rows = at.n_rows
        return cls(
            n_rows,
            at.group,
            at.below,
            at.upto,
            at.count,
            observed,
            observed.is_labeled,
            is_positive,
            inclusion,
            np.zeros(n_rows, dtype=np.uint8) if inclusion is None else strata(inclusion, observed.is_labeled),
            np.arange(n_rows),
            ((at.below + at.upto) / (2 * n_rows))[at.group],
            inclusion,
            inclusion is not None and _by_score(inclusion, scores),
        )

    @classmethod
    def _by_stretches(cls, observed: Observed, scores: Array, is_positive: BoolArray) -> PartlyLabeled:
        inclusion, n_rows = observed.inclusion, len(scores)
        assert inclusion is not None
        stratum = strata(inclusion, observed.is_labeled)
        n_strata = int(stratum.max()) + 1
        n_stretches = min(_STRETCHES, _CELLS // n_strata)
        rows, ordered = rows_ascending(scores)
        labeled, below, upto, at, count, begins, ends = stretches(
            rows, ordered, stratum + np.uint8(n_strata) * observed.is_labeled.view(np.uint8), n_stretches, n_strata
        )
        held_at, held_in = np.nonzero(count)
        own, known = stratum[labeled].astype(np.intp), inclusion[labeled]
        # What is typical of a stratum, its labeled rows tell: each stands for 1/π rows, 1/π − 1 without a label.
        others = 1 / known - 1
        n_others = np.bincount(own, others)
        odds = np.bincount(own, others**2) / np.maximum(n_others, 1e-300)
        mean = 1 / (1 + n_others / np.bincount(own))
        n_labeled, entries = len(labeled), len(labeled) + len(held_at)
        return cls(
            n_rows,
            np.arange(entries),
            np.concatenate([below, begins[held_at]]),
            np.concatenate([upto, ends[held_at]]),
            np.concatenate([np.ones(n_labeled), count[held_at, held_in]]),
            observed,
            np.arange(entries) < n_labeled,
            np.concatenate([is_positive[labeled], np.zeros(len(held_at), dtype=np.bool_)]),
            np.concatenate([known, 1 / (1 + odds[held_in])]),
            np.concatenate([own, held_in]),
            np.concatenate([at * n_strata + own, held_at * n_strata + held_in]),
            np.repeat(np.maximum(begins + ends, 1) / (2 * n_rows), n_strata),
            np.tile(mean, n_stretches),
            _by_score(inclusion, scores),
        )

    @cached_property
    def n_labeled(self) -> int:
        return int(self.is_labeled.sum())

    @cached_property
    def normal_scores(self) -> FloatArray:
        """The normal quantile of the place of every kind: scores on a scale that no outlier stretches."""
        return np.asarray(ndtri(self.place))

    def require_both_classes(self) -> None:
        known = self.is_positive[self.is_labeled]
        if known.all() or not known.any():
            raise DegenerateSampleError(
                f"An estimate needs labeled rows of both classes; all {len(known):,} labels are the same.",
                "label more rows, or leave out inclusion and odds_ratio for bounds.",
            )

    @cached_property
    def unlabeled_from_bottom(self) -> Array:
        """Entries without a label, by ascending score."""
        entries = np.flatnonzero(~self.is_labeled)
        return entries[np.argsort(self.group[entries], kind="stable")]


def _by_score(inclusion: FloatArray, scores: Array) -> bool:
    some = slice(None, None, len(scores) // _ASKED + 1)
    inclusion = inclusion[some]
    return bool((np.diff(inclusion[np.lexsort((inclusion, scores[some]))]) >= 0).all())


def strata(inclusion: FloatArray, is_labeled: BoolArray) -> Array:
    """Rows of one inclusion probability, or of similar ones, by number; each holds labeled rows.

    Rows that were sure to be labeled are a stratum of their own.
    """
    some = np.unique(inclusion[:: len(inclusion) // _CUT_BY + 1])
    values = np.unique(inclusion) if len(some) <= _MOST_STRATA else some
    has_sure, cuts = bool(inclusion.max() == 1), values[:-1]
    if len(values) > _MOST_STRATA:
        some = inclusion[:: len(inclusion) // _CUT_BY + 1]
        cuts = np.unique(np.quantile(some[some < 1], np.linspace(0, 1, _MOST_STRATA)[1:-1]))
        cuts = np.append(cuts, [np.nextafter(1.0, 0.0)] * has_sure)
    stratum = np.zeros(len(inclusion), dtype=np.uint8)
    for cut in cuts:
        stratum += inclusion > cut
    drawn = np.bincount(stratum[np.flatnonzero(is_labeled)], minlength=len(cuts) + 1)
    # Strata with too few labeled rows join their neighbor above, the last ones the one below.
    last = len(drawn) - has_sure
    if last > 0 and drawn[:last].sum() < _FEWEST_DRAWN:
        raise DegenerateSampleError(
            f"An estimate for the whole list needs at least {_FEWEST_DRAWN} labels of rows that were drawn at random; "
            f"got {drawn[:last].sum()}.",
            "draw more rows at random, or leave inclusion out for bounds.",
        )
    joined, number, held_by = np.zeros(len(drawn), dtype=np.uint8), 0, 0
    for s in range(last):
        joined[s] = number
        held_by += drawn[s]
        if held_by >= _FEWEST_DRAWN and s + 1 < last and drawn[s + 1 : last].sum() >= _FEWEST_DRAWN:
            number, held_by = number + 1, 0
    if has_sure:
        joined[-1] = number + (last > 0)
    return stratum if (joined == np.arange(len(joined))).all() else joined[stratum]
