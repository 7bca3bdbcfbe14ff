"""Anytime-valid detection of drift in the scores, without labels."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.sequences import count_earlier
from podium._results.result import Result
from podium._types import FloatArray
from podium.exceptions import DegenerateSampleError, InputError
from podium.monitor.batches import BatchEvidence
from podium.monitor.bets import SIZES, Wealth, alarm_in_words, bounded, check_alpha, check_reference, damaged, running
from podium.monitor.places import standing
from podium.phi import Mww, Phi

_CELLS = 1000  # scores are sorted into so many cells at most: the state stays small, however many scores come
_FEWEST = 20


@dataclass(frozen=True, kw_only=True, repr=False)
class DriftState(Result):
    """The state of a drift monitor after the scores so far.

    Attributes
    ----------
    alarm : bool
        Whether a drift was ever detected.
    alarm_after : int or None
        The number of scores at the alarm; of batches with ``unit="batch"``.
    e_value : float
        Evidence of drift: near 1 without drift; below it by batches if those of the reference are not known. With
        ``average_run_length``, the Shiryaev–Roberts statistic.
    largest_e_value : float
        The largest so far; an alarm is raised when it reaches ``boundary``.
    boundary : float
        The boundary for the e-value.
    mean_rank : float or None
        Mean rank of the new scores among all earlier ones, from 0 to 1: about one half without drift. With
        ``unit="batch"`` among those of the reference alone.
    least_visible : float or None
        A future drift that moves the mean of φ over the list by less than about this may never be detected, since
        drifted scores soon outnumber the earlier ones. In simulations, four to eight of ten such drifts are detected,
        and nine of ten that are 1.6 times as large. None with ``average_run_length`` or ``unit="batch"``.
    n : int
        Number of scores so far.
    unit : str
        What is exchangeable while nothing changes: ``"row"`` or ``"batch"``.
    promise : str
        The guarantee on false alarms.
    """

    alarm: bool
    alarm_after: int | None
    e_value: float
    largest_e_value: float
    boundary: float
    mean_rank: float | None
    least_visible: float | None
    n: int
    unit: str
    promise: str

    def __repr__(self) -> str:
        others = "earlier ones" if self.unit == "row" else "those of the reference"
        verdict = alarm_in_words(self.alarm_after, self.unit, "scores")
        rank = "" if self.mean_rank is None else f", mean rank {self.mean_rank:.3f} among {others}"
        evidence = f"evidence {self.e_value:.3g} (alarm at {self.boundary:,.4g})"
        return f"{verdict}: {self.n:,} new scores{rank}, {evidence}; {self.promise}"


class DriftMonitor:
    r"""Monitor whether scores still come from the distribution of a reference sample.

    The n reference scores leave n + 1 gaps for the next one. They lie in at most 1,000 cells, between order statistics,
    and every new score adds one gap to its cell. With :math:`a_i` of the n + i gaps below the cell of the i-th new
    score and :math:`b_i` within it, the place of that score among the reference *and all new ones before it*,

    .. math:: p_i = \frac{a_i + U_i\, b_i}{n + i}, \qquad U_i \text{ uniform on } [0, 1],

    is uniform and independent of all earlier places while nothing has changed. (Places among the reference alone are
    not independent, and must not be multiplied.) Sixteen players bet on φ at these places, half of them on larger and
    half on smaller values than its mean :math:`\bar\phi`: the φ that says which part of the list matters says which
    drift matters. Their mean wealth is the martingale

    .. math:: M_t = r_t + \frac1{16} \sum_{k=1}^{16} \Bigl(\frac12 \prod_{i=1}^t f_{ki}
       + \sum_{j=1}^t (r_{j-1} - r_j) \prod_{i=j}^t f_{ki}\Bigr), \qquad
       f_{ki} = 1 + \lambda_k \bigl(\phi(p_i) - \bar\phi\bigr),

    where half of the capital is staked from the start and half gradually, :math:`r_t = 1/(2 \log_2(t + 2))` being held
    in reserve, so that capital is left when a late drift occurs. It *ever* reaches 1/α with probability at most α,
    whenever and however often it is checked.

    Rows of one day are often more alike than rows of different days, and such differences would be taken for drift.
    With ``unit="batch"`` every `update` is one observation, the mean of φ over the places of its scores among the
    reference, and batches must be exchangeable, but not rows. With ``reference_batches`` nothing else is supposed. The
    formulas are in Notes.

    Parameters
    ----------
    s_reference : array-like
        Scores of at least 20 rows that were not used to train the scorer.
    phi : Phi or str
        Which part of the list matters; it must be bounded.
    alpha : float
        The largest probability of ever raising a false alarm.
    average_run_length : float, optional
        Instead, the minimum mean number of scores between false alarms: the procedure of Shiryaev and Roberts, which
        reacts as fast after a million scores as at the start.
    unit : {"row", "batch"}
        What is exchangeable while nothing changes.
    reference_batches : array-like, optional
        With ``unit="batch"``: to which batch each row of the reference belongs. They must be such as the new ones:
        whole days, if a day is a batch.
    random_state : int
        The seed for breaking ties and choosing cells.

    Notes
    -----
    By batches, the order of their means decides. While batches are exchangeable, all orders are equally likely,
    whatever the distribution of days; bets on the order in which batches would be drawn if those from the j-th new one
    on had a weight θ, all others the weight 1, are fair (Plackett and Luce). With ``reference_batches``, .8 of the
    capital is on them, the batches of the reference having their places in the order; they see a move that all new
    batches share within a few days. The places are those among the reference, of which its own batches are a part:
    a common ruler, by which no order is preferred but by terms that fall with its number of rows.

    Without ``reference_batches``, .65 of the capital compares the new batches with the reference as a whole, by a
    likelihood ratio that does not depend on how much batches vary (Lai, 1976). It supposes that means of batches vary
    like normal ones, and the reference like the mean of as many batches as its size makes up. A move that is there from
    the beginning is then seen after about a week of days: no test that does not know how much days differ can see it
    after two or three.

    The rest is for moves that begin late, on the rank of each batch's mean among those of the earlier ones: a share
    :math:`p_t`, uniform if batches are exchangeable; bets of :math:`e^{\lambda z_t - \lambda^2/2}` on
    :math:`z_t = \Phi^{-1}(p_t)`, λ = ±¼, ±½, ±1, ±3/2, ±2, are fair. See :doc:`/coverage_batches`.

    Scores that tie with the end of a cell are assigned to either side at random. Cells keep the state small, however
    many scores arrive. The size of the reference limits which drifts can be detected: see `DriftState.least_visible`.

    References
    ----------
    Lai, T. L. (1976). On confidence sequences. *Annals of Statistics* 4(2).

    Plackett, R. L. (1975). The analysis of permutations. *Journal of the Royal Statistical Society* C 24(2).

    Vovk, V., Nouretdinov, I. and Gammerman, A. (2003). Testing exchangeability on-line. *ICML*.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.monitor import DriftMonitor
    >>> from podium.workflow import monitor
    >>> rng = np.random.default_rng(0)
    >>> monitor = DriftMonitor(rng.normal(size=2000))
    >>> monitor.update(rng.normal(size=1000)).alarm, monitor.update(rng.normal(0.5, size=1000)).alarm
    (False, True)
    """

    def __init__(
        self,
        s_reference: npt.ArrayLike,
        phi: Phi | str = "auc",
        *,
        alpha: float = 0.05,
        average_run_length: float | None = None,
        unit: str = "row",
        reference_batches: npt.ArrayLike | None = None,
        random_state: int = 0,
    ) -> None:
        reference = _input.check_scores(s_reference, "s_reference").astype(np.float64)
        if len(reference) < _FEWEST:
            raise DegenerateSampleError(f"A reference needs {_FEWEST} scores or more; got {len(reference)}.")
        self.alpha = check_alpha(alpha)
        self.average_run_length = (
            None
            if average_run_length is None
            else _input.check_number("average_run_length", average_run_length, 1, open_high=True)
        )
        self.random_state = _input.check_integer("random_state", random_state, 0)
        self.unit = _input.check_choice("unit", unit, ("row", "batch"))
        if unit == "batch" and average_run_length is not None:
            raise InputError(
                'average_run_length counts scores, and goes with unit="row"; got it with unit="batch".',
                "leave it out: the probability of ever raising a false alarm is limited in any case.",
            )
        if unit == "row" and reference_batches is not None:
            raise InputError(
                'reference_batches goes with unit="batch"; got it with unit="row".', "rows have no batches: omit it."
            )
        self._phi = bounded(phi, len(reference))
        self._values, self._edges, self._gaps = _divided(reference, self.random_state)
        self._counts = self._gaps.copy()
        self._n_reference, self._rank_sum = len(reference), 0.0
        low, high = self._phi.value(np.array([0.0, 1.0]))
        self._mean = float(self._phi.integral(np.array([1.0]))[0])
        bets = np.concatenate([SIZES / (self._mean - low), -SIZES / (high - self._mean)])
        run_length = self.average_run_length
        self._wealth = Wealth(bets, run_length or 1 / self.alpha, refill=run_length is not None)
        self._batches: BatchEvidence | None = None
        if unit == "batch":
            self._reference = np.sort(reference)
            scaled = standing(self._phi, self._reference, reference)
            self._batches = BatchEvidence(
                float(scaled.mean()),
                float(scaled.var()),
                len(reference),
                1 / self.alpha,
                self.random_state,
                None if reference_batches is None else _means(scaled, reference_batches),
            )
        self._fingerprint = hashlib.sha256(
            f"{self._phi} {self._wealth.boundary!r} {self.random_state}{' batch' * (unit == 'batch')}".encode()
            + self._values.tobytes()
            + self._edges.tobytes()
            + self._gaps.tobytes()
            + (b"" if self._batches is None else np.array(self._batches.reference).tobytes())
        ).hexdigest()[:16]

    def update(self, s: npt.ArrayLike) -> DriftState:
        """Update with new scores, in their order; with ``unit="batch"`` they are one batch, whatever their order.

        Parameters
        ----------
        s : array-like
            The new scores.

        Returns
        -------
        DriftState
            The state after them.
        """
        scores = _input.check_scores(s, "s").astype(np.float64)
        if self._batches is not None:
            values = np.sort(standing(self._phi, self._reference, scores))  # the same sum in any order
            self._batches.play(float(np.clip(values.mean(), 0.0, 1.0)), len(scores))
            self._rank_sum += float(np.sort(standing(Mww(), self._reference, scores)).sum())
            return self.state
        pvalues = self._pvalues(scores)
        self._wealth.play(self._phi.value(pvalues) - self._mean)
        self._rank_sum += float(pvalues.sum())
        return self.state

    @property
    def state(self) -> DriftState:
        """The state of a drift monitor after the scores so far."""
        evidence, run_length = self._batches or self._wealth, self.average_run_length
        n = evidence.n
        return DriftState(
            alarm=evidence.alarm_after is not None,
            alarm_after=evidence.alarm_after,
            e_value=evidence.value,
            largest_e_value=evidence.largest,
            boundary=evidence.boundary,
            mean_rank=self._rank_sum / n if n else None,
            least_visible=None if run_length or self._batches else self._least_visible(),
            n=n,
            unit=self.unit,
            promise=f"a false alarm ever with probability {self.alpha:g} at most"
            if run_length is None
            else f"a false alarm once in {run_length:,.15g} scores at most, on average",
        )

    def to_dict(self) -> dict[str, Any]:
        """The state as plain values for JSON; of the scores only the counts per cell, or the means of batches."""
        if self._batches is not None:
            return {
                "fingerprint": self._fingerprint,
                "batches": self._batches.to_dict(),
                "rank_sum": self._rank_sum,
            }
        running = {"counts": self._counts.tolist(), "wealth": self._wealth.to_dict(), "rank_sum": self._rank_sum}
        return {"fingerprint": self._fingerprint, **running}

    def resume(self, saved: dict[str, Any]) -> DriftMonitor:
        """Resume from the state of a monitor with the same reference and settings.

        Parameters
        ----------
        saved : dict
            The result of `to_dict`.

        Returns
        -------
        DriftMonitor
            The monitor itself.
        """
        check_reference(saved, self._fingerprint)
        if self._batches is not None:
            self._batches.resume(saved.get("batches"))
            self._rank_sum = float(running(saved, "rank_sum")[0])
            if self._rank_sum > self._batches.n * (1 + 1e-9):
                raise damaged("rank_sum")
            return self
        self._wealth.resume(saved.get("wealth"))
        counts, self._rank_sum = running(saved, "counts", len(self._counts)), float(running(saved, "rank_sum")[0])
        added = counts - self._gaps
        if (added < 0).any() or (counts % 1 != 0).any() or added.sum() != self._wealth.n:
            raise damaged("counts")
        if self._rank_sum > self._wealth.n:
            raise damaged("rank_sum")
        self._counts = counts.astype(np.int64)
        return self

    def _cells(self, scores: npt.NDArray[np.float64], broken: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        place = np.searchsorted(self._values, scores)
        tied = self._values[np.minimum(place, len(self._values) - 1)] == scores
        return np.searchsorted(self._edges, place + tied * broken)

    def _pvalues(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Rank among the reference and all earlier scores, ties broken at random, over their number: uniform."""
        n = self._wealth.n
        # Streams with a number for every place in the order: batches and interruptions change nothing.
        between, within = (
            np.random.Generator(np.random.PCG64([self.random_state, i]).advance(n)).random(len(scores)) for i in (1, 2)
        )
        below, equal = count_earlier(self._counts, self._cells(scores, between))
        return np.asarray((below + within * equal) / (self._n_reference + 1 + n + np.arange(len(scores))))

    def _least_visible(self) -> float:
        """What a drift can earn in all is n d²/2, for d standard deviations; it takes the boundary from one player."""
        needed = np.log(2 * len(self._wealth.bets) * self._wealth.boundary)
        u = (np.arange(10_000) + 0.5) / 10_000
        return float(self._phi.value(u).std() * np.sqrt(2 * needed / (self._n_reference + self._wealth.n)))


def _means(values: FloatArray, batches: npt.ArrayLike) -> FloatArray:
    """The mean of each batch, the same in any order of its rows."""
    number = _input.check_groups(batches, len(values), "reference_batches")
    if not number.any():
        raise DegenerateSampleError(
            "reference_batches must name two batches or more; got one.", "omit it if the batches are not known."
        )
    ordered = np.lexsort((values, number))
    first = np.flatnonzero(np.diff(number[ordered], prepend=-1))
    return np.asarray(np.add.reduceat(values[ordered], first) / np.bincount(number))


def _divided(
    reference: npt.NDArray[np.float64], random_state: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Cells that end at order statistics, ties in random order: values and places of their ends, gaps within each."""
    broken = np.random.default_rng(random_state).random(len(reference))
    order = np.lexsort((broken, reference))
    step = -(-(len(reference) + 1) // _CELLS)
    ends = order[step - 1 :: step]
    values, place = np.unique(reference[ends], return_inverse=True)
    return values, place + broken[ends], np.append(np.full(len(ends), step), len(reference) + 1 - step * len(ends))
