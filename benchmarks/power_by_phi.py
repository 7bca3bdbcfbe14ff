"""The power of rank tests by φ and alternative, with critical values of the same size; writes docs/which_phi.rst."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from podium import phi

N, N_STUDIES, LEVEL = 50, 20_000, 0.05
PHIS = {
    "auc": "Wilcoxon",
    "van-der-waerden": "normal scores",
    "logrank": "logrank",
    "median": "median",
    "power:3": "u³",
}
# By name: positives from uniform numbers and standard negatives; and the φ that is locally most powerful.
ALTERNATIVES = {
    "shift of a logistic": (lambda rng, s: rng.logistic(0.6, 1, s), lambda rng, s: rng.logistic(0, 1, s), "auc"),
    "shift of a normal": (lambda rng, s: rng.normal(0.35, 1, s), lambda rng, s: rng.normal(0, 1, s), "van-der-waerden"),
    "shift of a double exponential": (
        lambda rng, s: rng.laplace(0.45, 1, s),
        lambda rng, s: rng.laplace(0, 1, s),
        "median",
    ),
    "longer lives (scale of an exponential)": (
        lambda rng, s: rng.exponential(1.4, s),
        lambda rng, s: rng.exponential(1, s),
        "logrank",
    ),
    "0.7·H + 0.3·H⁴": (
        lambda rng, s: np.where(rng.random(s) < 0.3, rng.random(s) ** 0.25, rng.random(s)),
        lambda rng, s: rng.random(s),
        "power:3",
    ),
}


def statistics(positive: np.ndarray, negative: np.ndarray) -> dict[str, np.ndarray]:
    """Ŵ of every φ, study by study."""
    n = positive.shape[1]
    ranks = np.concatenate([positive, negative], axis=1).argsort(axis=1).argsort(axis=1)[:, :n] + 1
    return {
        name: phi.resolve(name).value(np.arange(1, 2 * n + 1) / (2 * n + 1))[ranks - 1].sum(axis=1) for name in PHIS
    }


def rejected(values: np.ndarray, null: np.ndarray) -> float:
    """The share beyond the upper quantile of the null, which is rejected in part where it is attained."""
    limit = np.quantile(null, 1 - LEVEL, method="higher")
    at, beyond = np.mean(null == limit), np.mean(null > limit)
    return float(np.mean(values > limit) + np.mean(values == limit) * (LEVEL - beyond) / at)


def table() -> list[str]:
    rng = np.random.default_rng(0)
    null = statistics(rng.random((N_STUDIES, N)), rng.random((N_STUDIES, N)))
    lines = ["   * - alternative", *(f"     - {words}" for words in PHIS.values())]
    for name, (positive, negative, best) in ALTERNATIVES.items():
        values = statistics(positive(rng, (N_STUDIES, N)), negative(rng, (N_STUDIES, N)))
        powers = {spec: rejected(values[spec], null[spec]) for spec in PHIS}
        lines.append(f"   * - {name}")
        lines += [
            f"     - **{power:.3f}**" if spec == best else f"     - {power:.3f}" for spec, power in powers.items()
        ]
    return lines


def closer() -> tuple[float, float]:
    """The last alternative with ε = 0.1 and 400 of each class, 8,000 studies: power with u³ and with Wilcoxon."""
    rng, size = np.random.default_rng(5), (8_000, 400)
    null = statistics(rng.random(size), rng.random(size))
    positive = np.where(rng.random(size) < 0.1, rng.random(size) ** 0.25, rng.random(size))
    values = statistics(positive, rng.random(size))
    cube, wilcoxon = (rejected(values[spec], null[spec]) for spec in ("power:3", "auc"))
    return cube, wilcoxon


def variances() -> tuple[float, float]:
    """Of the mean of u³ over 50 positives among 150 negatives, G = H: pooled ranks, and ranks among the negatives."""
    rng = np.random.default_rng(1)
    rows = rng.random((N_STUDIES, 4 * N))
    pooled = rows.argsort(axis=1).argsort(axis=1)[:, :N] + 1
    inside = rows[:, :N].argsort(axis=1).argsort(axis=1) + 1  # rank among the positives
    among = pooled - inside + 1  # negatives below, and itself
    means = [((ranks / (size + 1)) ** 3).mean(axis=1) for ranks, size in ((pooled, 4 * N), (among, 3 * N))]
    return float(means[0].var()), float(means[1].var())


PAGE = """\
Which φ for which difference
============================

A rank test with the right φ is *locally most powerful*: no other rank test finds a small difference of that kind more
often. If the positives have the distribution H of the negatives, shifted by a little, that φ is φ(u) =
−f′(H⁻¹(u))/f(H⁻¹(u)), where f is the density of H: φ(u) = u for the logistic (Wilcoxon), Φ⁻¹(u) for the normal, sgn(u −
½) for the double exponential. For longer lives (proportional hazards) it is −log(1 − u). For G = (1 − ε)·H + ε·H^(q +
1), positives that are ahead only at the top of the list, it is u^q. (:doc:`CLV21 <paper_map>`, §2.3; van der Vaart,
*Asymptotic Statistics*, chapter 15.)

The table has the share of {studies:,} studies of {n} positives and {n} negatives in which a one-sided test at 5 % finds
the difference. All tests have simulated critical values of exactly that size; the standard error is at most 0.004. Bold
is the φ that theory names.

.. list-table::
   :header-rows: 1

{table}

Theory is local: with differences of this size the φ that it names is first, or within the standard error of the first.
Nearer to the null, with ε = 0.1 and 400 of each class, the last row has {cube:.3f} with u³ and {wilcoxon:.3f} with
Wilcoxon (8,000 studies, standard error 0.006).

Ranks among all rows, or among the negatives
--------------------------------------------

CLV21 (§2.3) ranks a positive among all rows, Rudin (R09) among the negatives alone. With φ(u) = u both are the AUC up
to a constant: the sum of the pooled ranks is the number of pairs won plus n(n + 1)/2. With another φ they are two
statistics. Where both classes have one distribution and σ² = Var φ(U), U uniform, the mean of φ over the positives has
the variance σ²·(1 − p)/n in pooled ranks, p = n/N, and σ²·(1/n + 1/m) = σ²/(n(1 − p)) among the negatives: the ratio
is (1 − p)². Measured with 50 positives, 150 negatives and u³: {pooled:.5f} and {among:.5f}, ratio {ratio:.3f} (theory
0.5625). This is no gain: a row that rises past all negatives rises past the share 1 − p of all rows, so what is to
be found shrinks by the same factor 1 − p as the standard deviation.
"""


def main() -> None:
    pooled, among = variances()
    cube, wilcoxon = closer()
    numbers = {"pooled": pooled, "among": among, "ratio": pooled / among, "cube": cube, "wilcoxon": wilcoxon}
    text = PAGE.format(studies=N_STUDIES, n=N, table="\n".join(table()), **numbers)
    Path(__file__).parents[1].joinpath("docs", "which_phi.rst").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
