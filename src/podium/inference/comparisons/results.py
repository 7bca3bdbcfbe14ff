"""What comparisons return."""

from __future__ import annotations

from dataclasses import dataclass

from podium._results import wording
from podium._results.result import Result, Table

# What a comparison of scorers returns.


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison(Result):
    """ω_φ of scorer a less that of scorer b: interval and test. ``adjusted_pvalue`` is Holm's where many were made.

    Attributes
    ----------
    difference : float
        ω_φ of the first scorer minus that of the second.
    low, high : float
        The limits of the interval for the difference.
    standard_error : float
        The standard error of the difference.
    statistic : float
        The difference divided by its standard error; of unpaired lists, by the one on the side of zero.
    degrees_of_freedom : float
        Satterthwaite's, of Student's law to which the statistic is referred.
    pvalue : float
        The p-value of no difference; with a margin, of a difference of the margin or more.
    adjusted_pvalue : float
        The p-value adjusted by Holm's method, if several pairs were compared.
    alternative : str
        The alternative of the test.
    confidence_level : float
        The confidence level of the interval.
    estimate_a, estimate_b : float
        ω_φ of each scorer.
    phi : str
        The specification of φ, ``"auc"`` for φ(u) = u; or the name of a metric.
    paired : bool
        Whether both scorers rated the same rows.
    within_strata : bool
        Whether only pairs of rows within strata count.
    names : tuple of str
        The names of the two scorers.
    margin : float or None
        The margin of non-inferiority (``alternative`` greater or less) or of equivalence (two-sided).
    note : str
        A caveat; empty if no weakness is known.
    """

    difference: float
    low: float
    high: float
    standard_error: float
    statistic: float
    degrees_of_freedom: float
    pvalue: float
    adjusted_pvalue: float
    alternative: str
    confidence_level: float
    estimate_a: float
    estimate_b: float
    phi: str
    paired: bool
    within_strata: bool = False
    names: tuple[str, str] = ("a", "b")
    margin: float | None = None
    note: str = ""

    @property
    def _question(self) -> str:
        """What the p-value is about."""
        if self.margin is None:
            return self.alternative
        worse = {"greater": "not worse", "less": "not better", "two-sided": "equivalence"}[self.alternative]
        return f"{worse} {'within' if self.alternative == 'two-sided' else 'by'} {self.margin:g}"

    def __repr__(self) -> str:
        one, other = self.names
        line = wording.estimate_and_interval(self.difference, self.low, self.high, self.confidence_level, signed=True)
        adjusted = "" if self.adjusted_pvalue == self.pvalue else f", {wording.pvalue(self.adjusted_pvalue)} by Holm"
        name = f"difference in {wording.statistic(self.phi)} ({one} − {other})"
        return wording.with_note(
            f"{name} {line}, {wording.pvalue(self.pvalue)}{adjusted} "
            f"({'paired' if self.paired else 'unpaired'}{', within strata' * self.within_strata}, {self._question})",
            self.note,
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparisons(Result):
    """All pairs of several scorers, adjusted for multiple comparisons, and an omnibus test of equality.

    Attributes
    ----------
    pairs : tuple of Comparison
        One comparison for every pair; ``comparisons["a", "b"]`` returns one by its names. ``low`` and ``high`` hold
        simultaneously for all pairs; ``pvalue`` is unadjusted, ``adjusted_pvalue`` is Holm's.
    omnibus_statistic : float
        Hotelling's distance of all ω_φ from a common value.
    omnibus_pvalue : float
        Its p-value under the hypothesis that all ω_φ are equal.
    """

    pairs: tuple[Comparison, ...]
    omnibus_statistic: float
    omnibus_pvalue: float

    def __getitem__(self, names: tuple[str, str]) -> Comparison:
        return next(pair for pair in self.pairs if pair.names == tuple(names))

    def __repr__(self) -> str:
        lines = (
            f"{a} − {b} {wording.minus(f'{pair.difference:+z.3f}')}, {wording.pvalue(pair.adjusted_pvalue)}"
            for pair in self.pairs
            for a, b in [pair.names]
        )
        name = wording.statistic(self.pairs[0].phi)
        equal = f"all equal: {wording.pvalue(self.omnibus_pvalue)}"
        return f"{len(self.pairs)} differences in {name} (p-values by Holm; {equal}): {'; '.join(lines)}"

    def _table(self) -> Table:
        heading = ("", "difference", "low", "high", "standard error", "p-value", "by Holm")
        return heading, [
            (
                f"{pair.names[0]} − {pair.names[1]}",
                pair.difference,
                pair.low,
                pair.high,
                pair.standard_error,
                wording.pvalue(pair.pvalue),
                wording.pvalue(pair.adjusted_pvalue),
            )
            for pair in self.pairs
        ]


# What a comparison of two ROC curves returns: by a part of their area, at a point, or as a whole.


@dataclass(frozen=True, kw_only=True, repr=False)
class CurveComparison(Result):
    """A quantity of the ROC curve of scorer a minus that of scorer b: interval and test.

    Attributes
    ----------
    quantity : str
        The quantity compared, in words.
    difference : float
        The value of a minus that of b.
    low, high : float
        The limits of the interval; one is infinite for a one-sided alternative.
    standard_error : float
        The standard error of the difference.
    statistic : float
        The difference over its standard error.
    degrees_of_freedom : float or None
        Degrees of freedom of Student's t for independent lists (Satterthwaite); None if the normal distribution is
        used.
    pvalue : float
        The p-value of no difference.
    alternative : str
        The alternative tested.
    confidence_level : float
        The confidence level of the interval.
    estimate_a, estimate_b : float
        The values of the two scorers.
    method : str
        The method used.
    paired : bool
        Whether both scorers rated the same rows.
    note : str
        A caveat; empty if no weakness is known.
    """

    quantity: str
    difference: float
    low: float
    high: float
    standard_error: float
    statistic: float
    degrees_of_freedom: float | None
    pvalue: float
    alternative: str
    confidence_level: float
    estimate_a: float
    estimate_b: float
    method: str
    paired: bool
    note: str = ""

    def __repr__(self) -> str:
        line = wording.estimate_and_interval(self.difference, self.low, self.high, self.confidence_level, signed=True)
        pairing = "paired" if self.paired else "unpaired"
        return wording.with_note(
            f"difference in {self.quantity} (a − b) {line}, {wording.pvalue(self.pvalue)} "
            f"({self.method}, {pairing}, {self.alternative})",
            self.note,
        )
