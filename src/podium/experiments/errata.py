"""The papers, and the errors in them that show in no table or figure (those that do are in the records)."""

from __future__ import annotations

PAPERS = {
    "CLV21": (
        "Clémençon, Limnios and Vayatis (2021), *Concentration inequalities for two-sample rank processes with "
        "application to bipartite ranking*"
    ),
    "R09": "Rudin (2009), *The P-Norm Push*",
    "A05": (
        "Agarwal, Graepel, Herbrich, Har-Peled and Roth (2005), *Generalization bounds for the area under the ROC "
        "curve*"
    ),
    "CV08": "Clémençon and Vayatis (2008), *Empirical performance maximization for linear rank statistics*",
}

ELSEWHERE = {
    "CLV21": (
        "§2.3: the indicator in the score-generating function of the DCG keeps all ranks from k on; the k largest are "
        "those from N − k + 1 on.",
        "After (3.3): at φ(u) = u the criterion is p/2 + (1 − p)·AUC, not the AUC.",
        "Remark 3: the inequality for plug-in rules does not hold for X ~ G.",
        "Theorem 5: the constants are not given, and the range of deviations for which it is stated is empty once N is "
        "large.",
        "(4.5): the penalised criterion must be that of the maximiser ŝ_k, not of s.",
        "Lemma 23: explicit, but larger than the range of the statistic: 9.9 for φ(u) = u³ with 150 of each class.",
        "Lemma 27, and with it Lemma 16, is false as stated.",
        "(B.13): the two indices are exchanged.",
        "§5.2, scale model: an optimal score has the matrix Σ_Y⁻¹ − Σ_X⁻¹, the printed one has the opposite sign; it "
        "need not be positive definite, so the class of scores must be that of all symmetric matrices.",
        "The script that the authors published differs from the paper: the derivative of the softplus is a constant, "
        "the gradient of the linear criterion has a factor 2 too many, one loop does not end, and the iterate returned "
        "is not the last one.",
    ),
    "R09": (
        "Equation (2), and the definition of the push from the bottom: the exponent must be −(f(x) − f(x̃)); the "
        "parenthesis is missing.",
        "Figure 2: the weak ranker of a round must be the one of largest absolute derivative, or both signs must be "
        "among the candidates.",
    ),
    "A05": (
        "(15): the least variance of the AUC is not attained, except with one positive and one negative.",
        "(23): the number of monomials of degree 1 to q in d variables is C(d + q, q) − 1.",
    ),
    "CV08": ("Remark 3: the inequality for plug-in rules is wrong as stated.",),
}
