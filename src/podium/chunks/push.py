"""The P-Norm Push risk over chunks: the positives are held, negatives pass by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from podium.chunks.groups import Groups
from podium.chunks.limits import Limits
from podium.chunks.passes import Collect, Collected
from podium.chunks.rows import check_chunk
from podium.chunks.scores import ClassScores
from podium.exceptions import InputError
from podium.metrics.push_sums import Price, PushSums, check_push


@dataclass(frozen=True, eq=False, kw_only=True)
class CollectForPush:
    """The first pass of :func:`podium.metrics.push_risk` over chunks: the scores of the positives.

    Attributes
    ----------
    p, loss, margin, price, normalize, log
        As in :func:`podium.metrics.push_risk`: the power, the loss, the margin of the loss "zero_one", a price in the
        place of the power, and the scale.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    limits : Limits
        How much memory may be used.
    """

    p: float = 1.0
    loss: str = "zero_one"
    margin: float = 0.0
    price: Price | None = None
    normalize: bool = False
    log: bool = False
    pos_label: Any = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        check_push(self.p, self.loss, self.margin, self.normalize, self.price)

    def summarize(
        self,
        y_true: npt.ArrayLike,
        y_score: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        where: str = "",
    ) -> Collected:
        """The scores of one chunk.

        Parameters
        ----------
        y_true, y_score, sample_weight : array-like
            Labels, scores and weights of the chunk.
        where : str
            How errors call the chunk, as in ``"partition 3"``.
        """
        return self._collect.summarize(y_true, y_score, sample_weight, where=where)

    def finish(self, summary: Collected) -> SumPush:
        """The second pass.

        Parameters
        ----------
        summary : Collected
            What this pass made of all chunks, merged.
        """
        summary.require_both()
        if not summary.pos.is_complete:
            raise InputError(
                f"A push over chunks holds the scores of all positives, {self.limits.n_scores:,} of them at most; got "
                f"{summary.pos.n_rows:,}.",
                "allow more memory, or take a sample of the rows.",
            )
        part = summary.pos.distinct()
        return SumPush(first=self, positives=ClassScores((part,), summary.pos.n_rows, self.limits.n_scores))

    @property
    def _collect(self) -> Collect:
        return Collect(pos_label=self.pos_label, limits=self.limits)


@dataclass(frozen=True, eq=False, kw_only=True)
class SumPush:
    """The second pass: what each negative adds to the risk. :class:`CollectForPush` makes it.

    Attributes
    ----------
    first : CollectForPush
        The first pass, with what is asked for.
    positives : ClassScores
        The scores of all positives.
    """

    first: CollectForPush
    positives: ClassScores

    def summarize(
        self,
        y_true: npt.ArrayLike,
        y_score: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        where: str = "",
    ) -> PushSums:
        """The sums over the negatives of one chunk.

        Parameters
        ----------
        y_true, y_score, sample_weight : array-like
            Labels, scores and weights of the chunk.
        where : str
            How errors call the chunk, as in ``"partition 3"``.
        """
        rows, _ = check_chunk(y_true, y_score, sample_weight, self.first.pos_label, where)
        rows = rows.subset(~rows.is_positive)
        part = ((rows.scores, rows.weight),) if len(rows.scores) else ()
        negatives = ClassScores(part, len(rows.scores), len(rows.scores))
        ties = Groups.of_scores(self.positives, negatives).ties
        return PushSums.of(ties, self.first.p, self.first.loss, self.first.margin, self.first.price)

    def finish(self, summary: PushSums) -> float:
        """The risk.

        Parameters
        ----------
        summary : PushSums
            What this pass made of all chunks, merged.
        """
        ((_, mass),) = self.positives.parts
        n_pos = float(mass.sum())  # type: ignore[union-attr]  # distinct scores have theirs
        return summary.risk(n_pos, normalize=self.first.normalize, log=self.first.log)
