"""CV08: what cannot stand as printed (Proposition 3 is an experiment of its own)."""

from __future__ import annotations

from dataclasses import replace

from podium.experiments.errata import clv21
from podium.experiments.errata.erratum import Erratum, Evidence
from podium.experiments.errata.plug_in import by_regression


def _remark_3() -> Evidence:
    lost, as_printed, corrected = by_regression(positives=(0.4, 0.6), negatives=(0.5, 0.5), p=0.1)
    return Evidence(
        lost <= as_printed,
        lost <= corrected,
        f"Two cells with G = (0.4, 0.6), H = (0.5, 0.5), p = 0.1, φ = u, η̂ = p in both and the order just reversed: "
        f"{lost:.4f} is lost, the printed bound is {as_printed:.4f}, with 1/p it is {corrected:.4f}.",
    )


_SHARED = {erratum.place: erratum for erratum in clv21.ERRATA}

ERRATA = (
    replace(_SHARED["§2.3, DCG"], place="§2.2, DCG", printed="c((n + 1)u)·1{u ≥ k/(n + 1)}"),
    replace(
        _SHARED["Lemma 10"],
        place="Lemma 2",
        printed="Σ E[T | Z_i] − (n − 1)·E[Z]",
        corrected="The mean subtracted is that of T.",
    ),
    Erratum(
        place="Remark 3",
        printed="W* − W(η̂) ≤ (1 − p)·‖φ'‖·E|η̂(X) − η(X)|",
        corrected="With the factor 1/p it is true: AUC* − AUC ≤ E|η̂(X) − η(X)|/(p(1 − p)).",
        check=_remark_3,
    ),
)
