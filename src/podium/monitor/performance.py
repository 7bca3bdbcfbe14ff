"""Anytime-valid detection of a decline in performance, from labels of new rows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.order import ascending
from podium._results import wording
from podium._results.result import Result
from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError, InputError
from podium.monitor.bets import (
    SIZES,
    Wealth,
    alarm_in_words,
    bounded,
    check_alpha,
    check_reference,
    count,
    damaged,
    running,
)
from podium.monitor.limits import farthest, lower_limit, weighted_limits
from podium.monitor.places import shares_below, standing
from podium.monitor.review import KnownLabels
from podium.phi import Phi
from podium.phi.spec import standing_in_words


@dataclass(frozen=True, kw_only=True, repr=False)
class PerformanceState(Result):
    """The state of a performance monitor after the rows so far.

    Attributes
    ----------
    alarm : bool
        Whether a decline below the reference was ever detected.
    alarm_after : int or None
        The number of observations at the alarm; of batches after `PerformanceMonitor.review`.
    e_value : float
        Evidence against "as good as the reference, less the tolerance": near 1 while that holds.
    largest_e_value : float
        The largest so far; an alarm is raised when it reaches ``boundary``.
    boundary : float
        The boundary for the e-value.
    estimate : float or None
        Mean over the new observations; None before the first.
    low, high : float
        Confidence sequence: time-uniform limits for the mean of the observations' expectations, which may change over
        time.
    reference, reference_low : float
        The same on the reference rows, and its lower confidence limit.
    measure : str
        The quantity that is measured, in words.
    n : int
        Observations so far: new positives, or new rows above the threshold.
    n_rows : int
        New rows with a label so far.
    unit : str
        What bets go by: ``"row"``, or ``"batch"`` after `PerformanceMonitor.review`.
    alpha : float
        The largest probability of ever raising a false alarm.
    """

    alarm: bool
    alarm_after: int | None
    e_value: float
    largest_e_value: float
    boundary: float
    estimate: float | None
    low: float
    high: float
    reference: float
    reference_low: float
    measure: str
    n: int
    n_rows: int
    unit: str
    alpha: float

    def __repr__(self) -> str:
        if self.estimate is None:
            return f"{self.measure}: no observations yet, {self.reference:.3f} on the reference"
        line = wording.estimate_and_interval(self.estimate, self.low, self.high, 1 - self.alpha)
        verdict = alarm_in_words(self.alarm_after, self.unit, "observations")
        evidence = f"evidence {self.e_value:.3g} (alarm at {self.boundary:,.4g})"
        return f"{verdict}: {self.measure} {line}, {self.reference:.3f} on the reference, {evidence}"


class PerformanceMonitor:
    r"""Monitor whether new positives still rank as high above the negatives as those of a reference sample.

    Every new positive gives one observation in [0, 1]: φ at its rank among the reference negatives, with ties the mean
    of φ over the group, on a scale from φ(0) to φ(1). Their mean is called the standing of positives; it is no AUC of
    the new rows, whose negatives have no part in it. Given the reference negatives,
    the reference positives give observations of the same kind, whose mean μ has a lower limit L with error α/2, by
    betting on them. Against the hypothesis that the mean of new observations is at least :math:`L - \text{tolerance}`,
    eight players bet (Waudby-Smith and Ramdas, 2024). After the observations :math:`x_1, \dots, x_t` their mean wealth
    is

    .. math:: E_t = r_t + \frac18 \sum_{k=1}^{8} \Bigl(\frac12 \prod_{i=1}^t f_{ki}
       + \sum_{j=1}^t (r_{j-1} - r_j) \prod_{i=j}^t f_{ki}\Bigr), \qquad
       f_{ki} = 1 + \lambda_k (L - \text{tolerance} - x_i),

    where half of the capital is staked from the start and half gradually, :math:`r_t = 1/(2 \log_2(t + 2))` being held
    in reserve, so that capital is left when a late change occurs. :math:`E_t` ever reaches 2/α with probability at most
    α/2; so a false alarm is *ever* raised with probability at most α, including the error of L, whenever and however
    often it is checked, and however rows are divided into batches. Labels that are selected, or come later, are for
    `review`.

    Parameters
    ----------
    y_reference, s_reference : array-like
        Labels and scores of rows that were not used to train the scorer, with the performance to be maintained.
    phi : Phi or str
        Which part of the list matters; it must be bounded.
    tolerance : float
        A decline too small for an alarm.
    alpha : float
        The largest probability of ever raising a false alarm.
    threshold : float, optional
        Monitor the precision of rows with at least this score instead: the observations are then their labels.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Notes
    -----
    Rows must be independent. New negatives are not used unless a threshold is given; `DriftMonitor` detects if their
    scores rise. The confidence sequence, of level 1 − α, refers to ranks among these reference negatives, and to the
    mean over all rows since the monitor began. It contains the sums S of the observations, each minus its expectation,
    that satisfy (Howard et al., 2021)

    .. math:: \sum_{k=1}^{16} \frac{17/16}{k (k + 1)}
        \exp\bigl(2^{-k} |S| + (\log(1 - 2^{-k}) + 2^{-k}) V\bigr) < 2/\alpha ,

    where V is the sum of the squared distances of the observations, each from the mean of ½ and all those before it.

    References
    ----------
    Howard, S. R., Ramdas, A., McAuliffe, J. and Sekhon, J. (2021). Time-uniform, nonparametric, nonasymptotic
    confidence sequences. *Annals of Statistics* 49(2).

    Waudby-Smith, I. and Ramdas, A. (2024). Estimating means of bounded random variables by betting. *Journal of the
    Royal Statistical Society* B 86(1).

    Examples
    --------
    >>> import numpy as np
    >>> from podium.monitor import PerformanceMonitor
    >>> from podium.workflow import monitor
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(3000) < 0.3
    >>> monitor = PerformanceMonitor(y[:2000], 1.5 * y[:2000] + rng.normal(size=2000))
    >>> monitor.update(y[2000:], 0.7 * y[2000:] + rng.normal(size=1000)).alarm
    True
    """

    def __init__(
        self,
        y_reference: npt.ArrayLike,
        s_reference: npt.ArrayLike,
        phi: Phi | str = "auc",
        *,
        tolerance: float = 0.0,
        alpha: float = 0.05,
        threshold: float | None = None,
        pos_label: Any = None,
    ) -> None:
        sample = _input.check_sample(y_reference, s_reference, pos_label=pos_label)
        self.tolerance = _input.check_number("tolerance", tolerance, 0, 1, open_high=True)
        self.alpha, self.pos_label = check_alpha(alpha), pos_label
        self.threshold = None if threshold is None else _input.check_number("threshold", threshold)
        self._phi = bounded(phi, len(sample.scores))
        self._negatives = ascending(sample.scores[~sample.is_positive].astype(np.float64))
        values = self._observations(sample.is_positive, sample.scores)
        if len(values) < 2:
            raise DegenerateSampleError(
                f"A reference needs more rows; got {len(values)}.",
                "use a lower threshold or more rows.",
            )
        self.reference, self.reference_low = float(values.mean()), lower_limit(values, self.alpha / 2)
        self.measure = self._named()
        self.least = self.reference_low - self.tolerance
        if self.least <= 0:
            raise InputError(
                f"The performance of the reference must exceed the tolerance; its {self.measure} may be as low as "
                f"{self.reference_low:.3f}, and the tolerance is {self.tolerance:g}.",
                "use more reference rows or a smaller tolerance.",
            )
        self._wealth = Wealth(SIZES / max(1 - self.least, 1e-12), 2 / self.alpha)
        self._sums, self._n_rows = np.zeros(3), 0  # observations, their sum, V
        self._unit = "row"
        self._reviewed: tuple[FloatArray, FloatArray, int] | None = None  # observations, their weights, labels
        values = standing(self._phi, self._negatives, ascending(sample.scores.astype(np.float64)))
        self._by_place = np.asarray(values)  # of the reference rows, from the bottom

    def update(self, y: npt.ArrayLike, s: npt.ArrayLike) -> PerformanceState:
        """Update with new rows, in their order.

        Parameters
        ----------
        y, s : array-like
            Labels and scores of the new rows, possibly of one class only.

        Returns
        -------
        PerformanceState
            The state after them.
        """
        scores = _input.check_scores(s, "s")
        labels = np.asarray(y) == self.pos_label if self.pos_label is not None else y
        is_positive = _input.check_labels(labels)
        if len(scores) != len(is_positive):
            raise InputError(
                f"y and s must have the same length; got {len(is_positive)} labels and {len(scores)} scores."
            )
        values = self._observations(is_positive, scores)
        if self._unit == "batch":
            raise InputError("A monitor that reviews batches must review all of them; got an update.")
        self._wealth.play(self.least - values)
        self._accumulate(values)
        self._n_rows += len(scores)
        return self.state

    def review(self, batches: Sequence[tuple[Any, ...]]) -> PerformanceState:
        r"""Judge all batches by the labels that are known now; for labels that are selected, or come later.

        Every call takes all batches since the monitor began, in their order; it does not matter in how many calls and
        in which order their labels came. Then the bets are anew

        .. math:: E = r_B + \frac18 \sum_{k=1}^{8} \Bigl(\frac12 \prod_{b=1}^B F_{kb}
           + \sum_{a=1}^B (r_{a-1} - r_a) \prod_{b=a}^B F_{kb}\Bigr), \qquad
           F_{kb} = \prod_{i} \bigl(1 + \lambda_k w_i (L - \text{tolerance} - x_i)\bigr),

        over the labeled positives i of each batch, with weights :math:`w_i = \min_j \pi_j / \pi_i` that undo the
        selection: the product has a mean of at most 1 if rows were drawn with these probabilities. Where inclusion is
        1, a label that has not come counts as if it spoke against an alarm (a positive, if its place is above the
        limit): so the order in which these labels come cannot raise one. What was found at earlier calls stays.

        An observation is here measured twice: by the standing of the score of a positive, and by that of the reference
        score which has the same place in the reference as the positive in the list of its own batch. A day on which
        all scores are lower leaves the second as it was, and a day with more positives the first: neither is a decline.
        So of both products :math:`F_{kb}` of a batch the smaller counts, whose mean is at most 1 if one of them has
        such a mean; the estimate takes the measure of which the batch has the higher mean.

        Parameters
        ----------
        batches : sequence of (y, s) or (y, s, inclusion)
            Of every batch the labels, NaN or None where not known, and scores of *all* rows; and the probability with
            which each was to be labeled. Without inclusion, labels must be missing at random.

        Returns
        -------
        PerformanceState
            The state after all of them; ``n_rows`` counts labels.
        """
        wealth, values, weights, n_labels = Wealth(self._wealth.bets, self._wealth.boundary), [], [], 0
        for y, s, *inclusion in batches:
            known = KnownLabels.of(y, s, inclusion[0] if inclusion else None, self.pos_label)
            measures, is_observed = self._in_its_batch(known)
            weight = known.weight[is_observed]
            wealth.play_together(
                *(
                    (known.weight * (self.least - value))[is_observed | (known.waits & (value > self.least))]
                    for value in measures
                )
            )
            values.append(max((value[is_observed] for value in measures), key=lambda value: float(weight @ value)))
            weights.append(weight)
            n_labels += int(known.is_labeled.sum())
        wealth.look(self._wealth)
        self._unit = "batch"
        self._wealth, self._reviewed = wealth, (np.concatenate(values), np.concatenate(weights), n_labels)
        return self.state

    def _in_its_batch(self, known: KnownLabels) -> tuple[list[FloatArray], BoolArray]:
        """Every row by each measure, and which rows are observations; others may yet be where the value is large."""
        if self.threshold is not None:
            flagged = known.scores >= self.threshold
            value = np.where(known.is_labeled, known.is_positive, 1.0)
            return [np.where(flagged, value, -np.inf)], known.is_labeled & flagged
        n = len(self._by_place)
        at_its_place = np.interp(shares_below(known.scores) * n - 0.5, np.arange(n), self._by_place)
        return [at_its_place, standing(self._phi, self._negatives, known.scores)], known.is_positive

    @property
    def state(self) -> PerformanceState:
        """The state of a performance monitor after the rows so far."""
        n, total, squares = self._sums
        estimate, low, high = None, 0.0, 1.0
        if self._reviewed is not None:
            values, weights, _ = self._reviewed
            n = np.float64(len(values))
            estimate, low, high = weighted_limits(values, weights, self.alpha / 2)
        elif n:
            half = farthest(squares, self.alpha / 2) / n
            estimate, low, high = float(total / n), max(0.0, total / n - half), min(1.0, total / n + half)
        return PerformanceState(
            alarm=self._wealth.alarm_after is not None,
            alarm_after=self._wealth.alarm_after,
            e_value=self._wealth.value,
            largest_e_value=self._wealth.largest,
            boundary=self._wealth.boundary,
            estimate=estimate,
            low=float(low),
            high=float(high),
            reference=self.reference,
            reference_low=self.reference_low,
            measure=self.measure,
            n=int(n),
            n_rows=self._n_rows if self._reviewed is None else self._reviewed[2],
            unit=self._unit,
            alpha=self.alpha,
        )

    def to_dict(self) -> dict[str, Any]:
        """The state as plain values for JSON, without the reference; of reviewed batches, what was found before."""
        if self._unit == "batch":
            return {"fingerprint": self._fingerprint(), "unit": "batch", "wealth": self._wealth.to_dict()}
        running = {"sums": self._sums.tolist(), "wealth": self._wealth.to_dict(), "n_rows": self._n_rows}
        return {"fingerprint": self._fingerprint(), **running}

    def resume(self, saved: dict[str, Any]) -> PerformanceMonitor:
        """Resume from the state of a monitor with the same reference and settings.

        Parameters
        ----------
        saved : dict
            The result of `to_dict`.

        Returns
        -------
        PerformanceMonitor
            The monitor itself.
        """
        check_reference(saved, self._fingerprint())
        self._wealth.resume(saved.get("wealth"))
        if saved.get("unit") == "batch":
            self._unit = "batch"
            return self
        self._sums, self._n_rows = running(saved, "sums", 3), count(saved, "n_rows")
        n = self._wealth.n
        if self._sums[0] != n or (self._sums[1:] > n * (1 + 1e-9)).any():  # observations are from 0 to 1
            raise damaged("sums")
        if self._n_rows < n:
            raise damaged("n_rows")
        return self

    def _accumulate(self, values: FloatArray) -> None:
        n, total, _ = self._sums
        sums = total + np.cumsum(values)
        means_before = (0.5 + sums - values) / (n + np.arange(1, len(values) + 1))
        self._sums += [len(values), values.sum(), ((values - means_before) ** 2).sum()]

    def _observations(self, is_positive: BoolArray, scores: npt.NDArray[Any]) -> FloatArray:
        if self.threshold is not None:
            return is_positive[scores >= self.threshold].astype(np.float64)
        return standing(self._phi, self._negatives, scores[is_positive].astype(np.float64))

    def _named(self) -> str:
        if self.threshold is not None:
            return f"precision above {self.threshold:g}"
        return standing_in_words(self._phi)

    def _fingerprint(self) -> str:
        settings = f"{self._phi} {self.tolerance!r} {self.alpha!r} {self.reference!r} {self.threshold!r}"
        return hashlib.sha256(settings.encode() + self._negatives.tobytes()).hexdigest()[:16]
