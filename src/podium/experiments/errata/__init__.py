"""Errors in the papers that show in no table or figure (those that do are in the records), each with its computation.

Equation, theorem and figure numbers of CLV21 are those of the HAL preprint v1 of April 2021.
"""

from __future__ import annotations

from podium.experiments.errata import a05, clv21, cv08, r09
from podium.experiments.errata.erratum import Erratum, Evidence

__all__ = ["ERRATA", "NOT_ERRORS", "PAPERS", "SCRIPT", "Erratum", "Evidence"]

PAPERS = {
    "CLV21": (
        "Clémençon, Limnios and Vayatis (2021), *Concentration inequalities for two-sample rank processes with "
        "application to bipartite ranking*; numbers are those of the HAL preprint v1 of April 2021"
    ),
    "R09": "Rudin (2009), *The P-Norm Push*",
    "A05": (
        "Agarwal, Graepel, Herbrich, Har-Peled and Roth (2005), *Generalization bounds for the area under the ROC "
        "curve*"
    ),
    "CV08": "Clémençon and Vayatis (2008), *Empirical performance maximization for linear rank statistics*",
}

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "CLV21": clv21.ERRATA,
    "R09": r09.ERRATA,
    "A05": a05.ERRATA,
    "CV08": cv08.ERRATA,
}

# Said to be errors before, by us or by others, and none.
NOT_ERRORS: dict[str, tuple[str, ...]] = {
    "CLV21": (
        "Theorem 5, Corollary 7 and (4.4): what is said of them above is true of v1; a later revision restates them, "
        "and B₁ and B₂ are those of its Proposition 21.",
        "Lemma 23 is true, since bounded differences allow less, but it says little at usual sizes: for φ(u) = u³ and "
        "150 of each class it allows a deviation of 9.9 at δ = 0.05, and Ŵ/n is in [0, 1].",
    ),
    "R09": (
        "Tables 3 and 5: powers of ten are missing, and the captions say that they were removed.",
        "Equation (2) lacks a parenthesis in our copy; the same text has it elsewhere.",
    ),
    "A05": (
        "(15): the variance A(1 − A)/(mn) is attained with one positive or one negative, and at A = 0 and 1; with more "
        "of both, 0 < A < 1 and no ties it is a bound that is not attained.",
        "(23): the printed sum equals C(d + q, q) − 1, the number of monomials of degree 1 to q, by Vandermonde's "
        "identity; our copy is unreadable there.",
    ),
    "CV08": (),
}

# The script that the authors of CLV21 published is no part of the paper, and differs from it: it decides nothing.
SCRIPT = (
    "the derivative of the softplus is a constant and that of the sigmoid is divided by N + 1, so that that of RTB is "
    "wrong",
    "both gradients have a factor 2 too many",
    "the start is divided by its norm, and a step is (1/√n)·g/√‖g‖",
    "Σ_X and Σ_Y are swapped, and the location model is another one (LocationModel(ill_conditioned=True))",
    "u₀ is 0.7 in the linear script",
    "weights do not step against their last step; a matrix steps if an odd number of products of its gradient and its "
    "last step point ahead, for a bitwise “and” takes their number for a truth value",
    "the loop of the linear script ends only at the largest possible value, and what is returned is the iterate after "
    "the best one",
)
