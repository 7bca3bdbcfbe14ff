"""What must come out of the experiments of A05 and CV08, and the parts they are made of against other computations."""

import numpy as np
import pytest
from scipy import integrate, stats

from podium import metrics, phi
from podium.datasets import MixtureModel
from podium.experiments import EXPERIMENTS, cv08, reproduce
from podium.experiments.a05 import fig1, fig4
from podium.experiments.power_law import PowerLaw, approach


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduction")
    return lambda name: reproduce(EXPERIMENTS[name], folder, quick=True).outcome


@pytest.mark.parametrize("name", ["a05-table1", "a05-fig1", "a05-fig2", "a05-table2", "a05-fig3"])
def test_tables_and_figures_of_a05_come_out_as_printed(name, outcome):
    found = outcome(name)
    assert found.verdict == "agrees"
    for quantity, printed in found.paper.items():
        assert found.ours[quantity] == (pytest.approx(printed) if isinstance(printed, float) else printed)


def test_three_statements_about_psi_are_wrong_and_named(outcome):
    found = outcome("a05-psi")
    failed = [claim for claim in found.claims if claim.found == "fails"]
    assert (found.verdict, len(failed), len(found.errata)) == ("agrees in part", 3, 3)
    assert [found.ours[f"ψ({m}, {n})"] for m, n in [(1, 1), (2, 2), (2, 3), (3, 3)]] == [3, 51, 261, 2067]


def test_our_uniform_bound_is_never_broken_and_always_tighter(outcome):
    found = outcome("a05-fig4")
    assert found.ours["samples that broke a bound"] == f"0 of {len(fig4.trials(True))}"
    assert np.all(np.array(found.columns["our bound"]) > np.array(found.columns["paper bound"]))
    assert np.all(np.array(found.columns["accuracy"]) > np.array(found.columns["our bound"]))


def test_the_linearization_of_clv21_holds_and_that_of_cv08_does_not(outcome):
    found = outcome("cv08-prop3")
    for spec in cv08.PHIS:
        assert found.ours[f"95 % interval, {cv08.CLV21}, {spec}"][1] < cv08.FLAT
        assert found.ours[f"95 % interval, {cv08.CV08}, {spec}"][0] > 0.9
        assert found.ours[f"95 % interval, {cv08.CENTERED}, {spec}"][0] > 0.3
    assert "CLV21" in found.sentence
    assert "Proposition 3 lacks" in found.errata[0]


@pytest.mark.parametrize("spec", ["mww", "power:3"])
def test_the_linear_parts_against_integration(spec):
    score = cv08.LinearScore(0.8, 0.3, phi.resolve(spec))
    positive, negative = stats.norm(np.cos(0.8)), stats.norm()

    def slope(u):
        return score.phi.derivative(0.3 * positive.cdf(u) + 0.7 * negative.cdf(u)) * positive.pdf(u)

    for t in (-2.0, 0.3, 1.9):
        assert score.tail(np.array(t)) == pytest.approx(integrate.quad(slope, t, 12)[0], abs=1e-9)
    for law, mean in zip((positive, negative), score.mean_tails, strict=True):
        exact = integrate.quad(lambda t, law=law: float(score.tail(np.array(t))) * law.pdf(t), -9, 10)[0]
        assert mean == pytest.approx(exact, abs=1e-9)


def test_the_remainder_of_the_auc_is_that_of_its_projection():
    # At φ(u) = u nothing is left of the second order: the remainder is a degenerate statistic of pairs.
    rng = np.random.default_rng(0)
    is_positive = np.arange(40) < 12
    (score,) = (s for s in cv08.scorers("mww") if s.angle == 0)
    z = cv08.draw_plane(is_positive, rng)
    scores, positive, negative = score.scores(z), score.scores(z[:12]), score.scores(z[12:])
    G, H = stats.norm(1).cdf, stats.norm().cdf
    left = metrics.rank_statistic(is_positive, scores, "mww", scale="sum") - cv08.clv21_part(score, scores, is_positive)
    wins = np.sum(positive[:, None] > negative)
    # ranks among the positives are 1, …, n in sum; F = pG + (1 − p)H with p = 0.3 = n / N
    direct = (12 * 13 / 2 + wins) / 41 - np.sum(0.3 * G(positive) + 0.7 * H(positive))
    direct -= 11 / 41 * np.sum(1 - G(positive) - 0.5) + 12 / 41 * np.sum((1 - G(negative)) - stats.norm.cdf(0.5**0.5))
    assert left == pytest.approx(direct, abs=1e-8)


def test_levels_of_the_worst_distribution_by_simulation():
    deviations = [fig1.BOUNDS["normal approximation"](k, 1000 * k) for k in range(1, 8)]
    coins = np.random.default_rng(0).integers(2, size=(200_000, 7)).mean(axis=1)
    simulated = np.mean(np.abs(coins - 0.5) >= deviations[-1])
    assert fig1.worst_levels(deviations)[-1] == pytest.approx(simulated, abs=4 * np.sqrt(0.0156 / 200_000))
    assert fig1.worst_levels([0.25] * 4)[-1] == pytest.approx(0.625)  # 0, 1, 3 or 4 heads: met exactly counts


def test_slopes_of_powers_are_recovered():
    sizes = np.repeat([10, 100, 1000], 30)
    noise = np.random.default_rng(0).lognormal(0, 0.3, 90)
    law = PowerLaw.fit(sizes, 5 * sizes**-0.5 * noise)
    assert law.low < -0.5 < law.high
    assert law.high - law.low < 0.15
    assert PowerLaw.fit(sizes, sizes**2.0).slope == pytest.approx(2)


@pytest.mark.parametrize("exponent", [0.5, 1.0])
def test_the_rate_at_which_a_limit_is_approached_is_recovered_with_its_error(exponent):
    rng = np.random.default_rng(0)
    sizes = np.repeat([200, 500, 1000, 2000, 5000, 10_000, 50_000], 10)
    found = []
    for _ in range(40):
        noise = rng.normal(0, 0.05 * (sizes / 200) ** -0.5)
        found.append(approach(sizes, 0.9 - 0.2 * (sizes / 200) ** -exponent + noise))
    values, errors = np.transpose(found)
    assert values.mean() == pytest.approx(exponent, abs=3 * values.std(ddof=1) / 40**0.5 + 0.02)
    assert np.mean(np.abs(values - exponent) <= 2 * errors) >= 0.8


def test_curves_that_both_rise_have_one_shape_only_if_they_rise_at_one_rate():
    def of(a, error):
        return {"1/2": {"true AUC": (a, error), "bound": (0.5, 0.01)}}

    assert fig4.alike(of(0.5, 0.05)) is True
    assert fig4.alike(of(1.0, 0.05)) is False
    assert fig4.alike(of(1.0, 0.4)) is None
    assert "too noisy to tell" in fig4.told(of(1.0, 0.4))


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_the_exact_auc_of_a_linear_score_of_mixtures(n_components):
    model = MixtureModel(4, n_components, seed=3)
    weights = np.array([1.0, -2.0, 0.5, 0.0])
    X, y = model.sample(200_000, 200_000, 1)
    assert metrics.auc(y, X @ weights) == pytest.approx(model.auc_of(weights), abs=4 * 0.0009)
    assert model.auc_of(-weights) == pytest.approx(1 - model.auc_of(weights), rel=1e-12)
    assert model.auc_of(np.zeros(4)) == 0.5
