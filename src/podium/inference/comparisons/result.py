"""What a comparison of scorers returns."""

from __future__ import annotations

from dataclasses import dataclass

from podium.inference.result import Result


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """ω_φ of scorer a less that of scorer b: interval and test. ``adjusted_pvalue`` is Holm's where many were made."""

    difference: float
    low: float
    high: float
    standard_error: float
    statistic: float
    pvalue: float
    adjusted_pvalue: float
    alternative: str
    confidence_level: float
    estimate_a: float
    estimate_b: float
    phi: str
    paired: bool
    names: tuple[str, str] = ("a", "b")
    note: str = ""

    def __repr__(self) -> str:
        one, other = self.names
        adjusted = "" if self.adjusted_pvalue == self.pvalue else f", adjusted {self.adjusted_pvalue:.3g}"
        return (
            f"{one} − {other} = {self.difference:+.4f} in omega[{self.phi}], {self.confidence_level:.0%} interval "
            f"[{self.low:+.4f}, {self.high:+.4f}], z = {self.statistic:.3f}, p = {self.pvalue:.3g}{adjusted} "
            f"({'paired' if self.paired else 'unpaired'}, {self.alternative})"
            + (f"; note: {self.note}" if self.note else "")
        )


@dataclass(frozen=True, repr=False)
class Comparisons(Result):
    """All pairs of several scorers, with Holm's correction for their number."""

    pairs: tuple[Comparison, ...]

    def __getitem__(self, names: tuple[str, str]) -> Comparison:
        return next(pair for pair in self.pairs if pair.names == tuple(names))

    def __repr__(self) -> str:
        return f"{len(self.pairs)} comparisons (Holm): " + "; ".join(
            f"{a} − {b} = {pair.difference:+.4f}, p = {pair.adjusted_pvalue:.3g}"
            for pair in self.pairs
            for a, b in [pair.names]
        )
