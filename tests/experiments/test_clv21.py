"""What the experiments of CLV21 must show, in a form that takes seconds."""

import numpy as np
import pytest

from podium.criteria import RankStatistic
from podium.datasets import LocationModel
from podium.experiments import EXPERIMENTS, claims
from podium.experiments.clv21 import (
    auc_star,
    averages,
    bandwidth,
    iterations,
    limits,
    nested_classes,
    rates,
    statements,
)
from podium.experiments.clv21.designs import ALGORITHM_1, CONVERGED, DESIGNS, PHIS, SCRIPT, ranker
from podium.experiments.clv21.replicates import FPR, STUDY, Runs, optimal, replicate, replicates
from podium.roc import RocCurve

AUC_STAR = {
    "Loc1": 0.6134,
    "Loc2": 0.7179,
    "Loc3": 0.8065,
    "ill-conditioned": 0.9108,
    "Scale, ε = 0.7": 0.7025,
    "Scale, ε = 0.8": 0.7319,
    "Scale, ε = 0.9": 0.7617,
    "Scale, ε = 1.1": 0.8227,
}


@pytest.mark.parametrize("design", DESIGNS)
def test_two_computations_of_the_largest_auc_agree(design):
    settings = {"design": design, "log2_points": 16}
    values = [auc_star.simulated(settings, np.random.default_rng(i))["auc"] for i in range(8)]
    error = np.std(values, ddof=1) / np.sqrt(8)
    assert error < 1e-4
    assert np.mean(values) == pytest.approx(DESIGNS[design].auc, abs=4 * error)
    assert DESIGNS[design].auc == pytest.approx(AUC_STAR[design], abs=5e-5)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_optimal_curve_on_the_grid_of_the_figures_has_the_optimal_area(design):
    assert RocCurve.from_points(FPR, optimal(design)).auc() == pytest.approx(DESIGNS[design].auc, abs=5e-4)


@pytest.mark.parametrize("design", ["Loc3", "Scale, ε = 1.1"])
def test_a_replicate_is_judged_by_the_population(design):
    (settings,) = replicates([design], ["mww"])(True)[:1]
    finding = replicate(settings, np.random.default_rng(3))
    model = DESIGNS[design]
    X, y = model.sample(150, 150, np.random.default_rng(3))
    for solver in (ALGORITHM_1, SCRIPT, CONVERGED):
        assert finding[f"{solver} | mww"]["auc"] > 0.5
        curve = RocCurve.from_points(FPR, finding[f"{solver} | mww"]["tpr"])
        assert curve.auc() == pytest.approx(finding[f"{solver} | mww"]["auc"], abs=1e-3)
    fitted = ranker(model, "mww", CONVERGED, 50, 0).fit(X, y)
    rows, labels = model.sample(50_000, 50_000, 1)
    sampled = RocCurve.from_scores(labels, fitted.decision_function(rows))
    assert finding[f"{CONVERGED} | mww"]["auc"] == pytest.approx(sampled.auc(), abs=4 * 0.0018)
    # Kolmogorov and Smirnov at 1 % for both classes
    np.testing.assert_allclose(finding[f"{CONVERGED} | mww"]["tpr"], sampled.at(FPR), atol=2 * 1.63 / np.sqrt(50_000))


def test_algorithm_1_takes_all_its_steps_and_starts_at_random():
    X, y = DESIGNS["Loc2"].sample(150, 150, 0)
    first, again, other = (ranker(DESIGNS["Loc2"], "mww", ALGORITHM_1, 50, seed).fit(X, y) for seed in (1, 1, 2))
    assert len(first.path_) == 51
    np.testing.assert_array_equal(first.path_, again.path_)
    assert first.path_[0] != other.path_[0]


def test_figures_of_the_same_designs_share_their_trials():
    loc2, fig5, fig15 = (EXPERIMENTS[f"clv21-{name}"].trials(False) for name in ("loc2", "fig5", "fig15"))
    assert {EXPERIMENTS[f"clv21-{name}"].study for name in ("loc2", "fig5", "fig15")} == {STUDY}
    assert len(loc2) == 50
    assert all(trial in fig5 and trial in fig15 for trial in loc2)


def findings_of(design, tpr_of):
    """Replicates whose curves and areas are made up."""
    entry = {
        f"{solver} | {phi}": {"tpr": tpr_of[phi].tolist(), "auc": float(np.trapezoid(tpr_of[phi], FPR)), "path": [0, 1]}
        for solver in (ALGORITHM_1, SCRIPT, CONVERGED)
        for phi in tpr_of
    }
    return [{"design": design}] * 2, [entry] * 2


def test_the_deficit_of_the_optimal_curve_is_zero_and_that_of_chance_is_not():
    settings, findings = findings_of("Loc3", {"mww": optimal("Loc3"), "power:3": FPR})
    runs = Runs(settings, findings)
    np.testing.assert_allclose(runs.deficit("Loc3", ALGORITHM_1, "mww"), 0, atol=1e-12)
    assert (runs.deficit("Loc3", ALGORITHM_1, "power:3") > 0.05).all()


def test_statements_about_top_shares_can_fail():
    low, high = FPR**0.5, np.where(FPR < 0.1, FPR**0.3, FPR**0.9)
    phis = {"low": "mww", "high": "power:3"}
    runs = Runs(*findings_of("Loc3", {"mww": low, "power:3": np.maximum.accumulate(high)}))
    assert averages.top_shares(runs, phis, ALGORITHM_1)["the beginning of the best curve gains as u₀ grows"] == [True]
    mirrored = averages.top_shares(runs, {"low": "power:3", "high": "mww"}, ALGORITHM_1)
    assert mirrored["the beginning of the best curve gains as u₀ grows"] == [False]


def test_the_reasons_stand_where_a_statement_does_not_hold():
    assert statements.unknown([]) == statements.unknown([claims.Claim("a", True)]) == []
    for true in (False, None):
        (reason,) = statements.unknown([claims.Claim("a", True), claims.Claim("b", true)])
        assert reason.startswith("The paper gives neither the start")


def areas_of(design, areas):
    """Replicates with these areas, the same in both settings."""
    n = len(next(iter(areas.values())))
    entries = [
        {
            f"{s} | {phi}": {"auc": area[i], "tpr": FPR.tolist()}
            for s in (ALGORITHM_1, SCRIPT)
            for phi, area in areas.items()
        }
        for i in range(n)
    ]
    return Runs([{"design": design}] * n, entries)


def best_is(winner):
    return lambda runs, solver: {
        f"{winner} is best": max(PHIS, key=lambda name: runs.get("auc", "Loc2", solver, PHIS[name]).mean()) == winner
    }


def test_a_claim_holds_fails_or_is_left_open_as_the_noise_of_the_replicates_says():
    rng = np.random.default_rng(0)
    clear = {phi: rng.normal(mean, 0.01, 50) for phi, mean in zip(PHIS.values(), (0.70, 0.68, 0.66), strict=True)}
    level = {phi: rng.normal(0.68, 0.05, 50) for phi in PHIS.values()}
    for areas, winner, expected in ((clear, "MWW", True), (clear, "RTB", False), (level, "Pol", None)):
        found = statements.judged(areas_of("Loc2", areas), best_is(winner))
        assert [(c.says, c.setting, c.true) for c in found] == [
            (f"{winner} is best", setting, expected) for setting in statements.SETTINGS
        ]
        assert all({True: c.share == 1, False: c.share == 0, None: 0.05 < c.share < 0.95}[expected] for c in found)


def test_a_claim_about_several_designs_does_not_fail_because_each_is_open():
    rng = np.random.default_rng(3)
    gaps = rng.normal(size=(4, 50))
    gaps = (gaps - gaps.mean(axis=1, keepdims=True)) / gaps.std(axis=1, keepdims=True) - 0.5 * 50**-0.5  # Φ(−½) = 0.31
    runs = areas_of("Loc2", {"mww": np.zeros(50)})

    def parts(runs, solver):
        taken = runs._taken["Loc2"]
        return {"all above": [bool(gap[taken].mean() > 0) for gap in gaps], "none": [False, True]}

    found = {(c.says, c.setting): c for c in statements.judged(runs, parts)}
    shares = [np.mean([gap[rng.integers(50, size=50)].mean() > 0 for _ in range(500)]) for gap in gaps]
    assert all(0.05 < share < 0.95 for share in shares)
    assert np.prod(shares) < 0.05  # all at once would have seemed to fail
    assert found["all above", ALGORITHM_1].true is None
    assert found["none", ALGORITHM_1] == claims.Claim("none", False, ALGORITHM_1, 0.0)


def test_two_equal_methods_are_seldom_told_apart():
    # Where nothing is to be found, a claim "a is above b" is decided either way in at most about a tenth of studies.
    rng = np.random.default_rng(1)
    sizes, n_studies, sure = [50], 200, 0
    for _ in range(n_studies):
        gap = rng.normal(0, 1, 50)
        (value,) = claims.decided(
            claims.bootstrap_shares(lambda taken, g=gap: {"above": g[taken[0]].mean() > 0}, sizes)
        ).values()
        sure += value is not None
    assert 0.02 * n_studies < sure < 0.18 * n_studies


def test_of_loc1_alone_curves_below_the_diagonal_are_left_out():
    areas = {phi: np.array([0.4, 0.6, 0.7]) for phi in PHIS.values()}
    for design, mean in (("Loc1", 0.65), ("Loc2", 0.5667)):
        runs = areas_of(design, areas)
        assert runs.get("auc", design, ALGORITHM_1, "mww").mean() == pytest.approx(mean, abs=1e-4)
        assert runs.n_below(design, ALGORITHM_1, "mww") == 1
    resampled = areas_of("Loc1", areas).resampled([np.array([0, 0, 0])])
    assert resampled.get("auc", "Loc1", ALGORITHM_1, "mww").tolist() == [0.4] * 3  # none would be left


def test_steps_to_most_of_the_rise():
    assert iterations.steps_to_most(np.array([0.0, 0.5, 0.95, 1.0])) == 2


def test_deficits_at_the_auc_are_half_those_of_the_area():
    found = rates.deficits({"n_total": 300}, np.random.default_rng(0))
    X, y = rates.MODEL.sample(150, 150, np.random.default_rng(0))
    fitted = ranker(rates.MODEL, "mww", CONVERGED, 50, 0).fit(X, y)
    expected = (rates.MODEL.auc - rates.MODEL.auc_of(fitted.coef_)) / 2
    assert found[f"{CONVERGED}, MWW"] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("name", PHIS)
def test_the_smoothed_criterion_of_the_population_is_the_limit_of_that_of_samples(name):
    model = LocationModel(0.2)
    X, y = model.sample(200_000, 200_000, 0)
    scores = model.optimal_scores(X)
    criterion = RankStatistic(PHIS[name], bandwidth=0.3)
    value = criterion.value_and_gradient(scores, y)[0]
    assert value == pytest.approx(bandwidth.smoothed(name, 0.3, model), abs=3e-3)
    exact = RocCurve.from_points(FPR, model.roc(FPR)).rank_statistic(PHIS[name], 0.5)
    assert bandwidth.smoothed(name, 0.0, model) == pytest.approx(exact, abs=2e-3)


def test_the_oracle_bound_falls_as_the_root_of_the_rows():
    assert nested_classes.oracle_bound(600) == pytest.approx(nested_classes.oracle_bound(150) / 2, rel=1e-6)


def test_the_limits_of_the_tail_bounds_but_for_one_are_as_printed():
    outcome = limits.FIG10.conclude([{}], [limits.FIG10.trial({}, np.random.default_rng(0))])
    failed = [claim.says for claim in outcome.claims if claim.found == "fails"]
    assert len(outcome.claims) == 15
    assert failed == ["(B.29), p → 1, exp 0.8465"]
    # (B.29) as printed, at p = 1 and t = 0.5 with constants of one: exp(−t), not exp(−t/3).
    assert outcome.ours["(B.29), p → 1"][2] == f"{np.exp(-0.5):.4g}"
    assert outcome.errata


def test_a_table_without_the_factor_would_agree(monkeypatch):
    monkeypatch.setitem(limits.PRINTED, "(B.29), p → 1", (1.0, 600.0, float(np.exp(-0.5))))
    outcome = limits.FIG10.conclude([{}], [limits.FIG10.trial({}, np.random.default_rng(0))])
    assert outcome.verdict == "agrees"
    assert not outcome.errata
