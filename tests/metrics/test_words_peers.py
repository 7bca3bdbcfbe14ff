"""Measures against the packages of their fields, which ``make test-words`` installs; skipped where they are absent."""

import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest

from metrics import naive_words as naive
from podium import metrics
from podium.inference import decision_curve, stability_index
from samples import draw

CASES = range(50)


def module(name, file=""):
    """A peer; or one file of it, whose formulas need fewer packages than the whole."""
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        pytest.skip(f"{name} is not installed: make test-words")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not file:
            return importlib.import_module(name)
        path = Path(importlib.util.find_spec(name).submodule_search_locations[0]) / file
        spec = importlib.util.spec_from_file_location("one_file_of_a_peer", path)
        found = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
        return found


def in_order(y, s):
    """What RDKit takes: one row per molecule, the best first, with whether it is active."""
    return [(score, bool(label)) for score, label in sorted(zip(s, y, strict=True), reverse=True)]


@pytest.mark.parametrize("seed", CASES)
def test_rdkit(seed):
    rdkit = module("rdkit.ML.Scoring.Scoring")
    y, s = draw(seed, 60)
    molecules = in_order(y, s)
    for share in (0.02, 0.1, 0.33):
        theirs = rdkit.CalcEnrichment(molecules, 1, [share])[0]
        assert metrics.metric(f"enrichment:{share}")(y, s) == pytest.approx(theirs, abs=1e-12)
    for alpha in (0.5, 20.0):
        assert metrics.metric(f"bedroc:{alpha}")(y, s) == pytest.approx(
            rdkit.CalcBEDROC(molecules, 1, alpha), abs=1e-12
        )
        assert metrics.metric(f"rie:{alpha}")(y, s) == pytest.approx(rdkit.CalcRIE(molecules, 1, alpha), abs=1e-12)


@pytest.mark.parametrize("seed", CASES)
def test_rdkit_in_the_mean_over_the_orders_of_rows_that_tie(seed):
    rdkit = module("rdkit.ML.Scoring.Scoring")
    rng = np.random.default_rng(seed)
    y, s = rng.permutation(8) < 3, rng.integers(0, 4, 8)
    lists = [[(0, label) for label in top] for top in naive.orders(y, s)]
    theirs = np.mean([rdkit.CalcBEDROC(top, 1, 10.0) for top in lists])
    assert metrics.metric("bedroc:10")(y, s) == pytest.approx(theirs, abs=1e-12)
    theirs = np.mean([rdkit.CalcEnrichment(top, 1, [0.25])[0] for top in lists])
    assert metrics.metric("enrichment:0.25")(y, s) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", CASES)
def test_scikit_fingerprints(seed):
    skfp = module("skfp.metrics")
    y, s = draw(seed, 60)
    assert metrics.metric("bedroc:20")(y, s) == pytest.approx(skfp.bedroc_score(y, s), abs=1e-12)
    assert metrics.metric("rie:20")(y, s) == pytest.approx(skfp.rie_score(y, s), abs=1e-12)
    ef = np.ravel(skfp.enrichment_factor(y, s, fraction=0.1))[0]
    assert metrics.metric("enrichment:0.1")(y, s) == pytest.approx(ef, abs=1e-12)


@pytest.mark.parametrize("seed", CASES)
def test_optbinning(seed):
    performance = module("optbinning", "metrics/classification.py")
    y, s = draw(seed, 60, 1)
    assert metrics.metric("gini")(y, s) == pytest.approx(performance.gini(y.astype(int), s), abs=1e-12)
    y, s = draw(seed, 60)
    # It counts the rows up to a threshold from zero, and so one negative too few.
    theirs = performance.ks(y.astype(int), s)[0] + 1 / (~y).sum()
    upper = max(np.mean(s[~y] <= t) - np.mean(s[y] <= t) for t in s)
    assert upper == pytest.approx(theirs, abs=1e-12) or upper <= 1 / (~y).sum()
    if upper > max(np.mean(s[y] <= t) - np.mean(s[~y] <= t) for t in s):
        assert metrics.metric("ks")(y, s) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", CASES)
def test_the_information_value_of_optbinning_and_scorecardpy(seed):
    divergence, scorecardpy = module("optbinning", "binning/metrics.py"), module("scorecardpy")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    y, bin_of = rng.random(500) < 0.4, np.repeat(np.arange(5), 100)
    shares = [np.bincount(bin_of[rows]) / rows.sum() for rows in (y, ~y)]
    ours = metrics.metric("iv:5")(y, bin_of)
    assert stability_index(bin_of[y], bin_of[~y]).estimate == pytest.approx(ours, abs=1e-12)
    assert ours == pytest.approx(divergence.jeffrey(*shares, return_sum=True), abs=1e-12)
    table = pandas.DataFrame({"y": y.astype(int), "bin": bin_of.astype(str)})
    assert ours == pytest.approx(scorecardpy.iv(table, "y")["info_value"].iloc[0], abs=1e-12)


@pytest.mark.parametrize("seed", CASES)
def test_dcurves(seed):
    dcurves, pandas = module("dcurves"), pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    p = rng.integers(1, 40, 200) / 41
    y = rng.random(200) < p
    table = pandas.DataFrame({"y": y.astype(int), "p": p})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = dcurves.dca(data=table, outcome="y", modelnames=["p"], thresholds=[0.1, 0.35])
    for cut in (0.1, 0.35):
        row = theirs[(theirs["model"] == "p") & np.isclose(theirs["threshold"], cut)]
        # It acts on rows above the threshold, we on rows at it, too: no score is the threshold here.
        assert metrics.metric(f"net-benefit:{cut}")(y, p) == pytest.approx(row["net_benefit"].iloc[0], abs=1e-12)
        assert decision_curve(y, p, thresholds=[cut]).net_benefit[0] == pytest.approx(
            row["net_benefit"].iloc[0], abs=1e-12
        )
