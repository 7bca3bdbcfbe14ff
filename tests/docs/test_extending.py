"""The examples of the page on extending: they run, they are short, and they keep the contracts of what is exported."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from contracts import bounds, contracts_of, criteria, models, phi, rankers, solvers
from podium import CriterionRanker, LinearRanker, metrics
from podium.inference import interval
from samples import binormal

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = DOCS / "examples_extending"
KINDS = {
    "phi": (phi, "Geometric"),
    "criterion": (criteria, "SigmoidAuc"),
    "model": (models, "ParabolaModel"),
    "solver": (solvers, "BacktrackingAscent"),
    "bound": (bounds, "auc_bernstein_deviation"),
    "ranker": (rankers, "CentroidRanker"),
}
# Only what Podium itself exports has a name in a specification, and can be pickled by the module it stands in.
OF_EXPORTS = ("its_specification_gives_it_back", "it_pickles_and_fitting_changes_no_parameter")


def example(file):
    return runpy.run_path(str(EXAMPLES / f"{file}.py"))[KINDS[file][1]]


def cases():
    return [
        (file, contract)
        for file, (kind, _) in KINDS.items()
        for contract in contracts_of(kind)
        if contract.__name__ not in OF_EXPORTS
    ]


@pytest.mark.parametrize(("file", "contract"), cases(), ids=lambda each: getattr(each, "__name__", each))
def test_an_example_keeps_its_contract(file, contract):
    made = example(file)
    contract(made if file == "bound" else made())


def test_the_page_shows_every_example_and_none_is_long():
    page = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("extending*.rst"))
    files = sorted(EXAMPLES.glob("*.py"))
    assert [file.stem for file in files] == sorted(KINDS)
    for file in files:
        assert f".. literalinclude:: examples_extending/{file.name}" in page
        assert len(file.read_text(encoding="utf-8").splitlines()) < 40


def test_what_the_page_says_of_its_examples_is_so():
    y, s, _ = binormal(np.random.default_rng(0), 60, 80)
    tired = example("phi")()
    assert metrics.rank_statistic(y, s, phi=tired) == pytest.approx(interval(y, s, tired).estimate)
    X = np.column_stack([s, np.random.default_rng(1).standard_normal(len(s))])
    smooth_auc, parabola = example("criterion")(), example("model")()
    for ranker in (
        LinearRanker(tired),
        LinearRanker(smooth_auc),
        CriterionRanker(criterion=smooth_auc),
        CriterionRanker(model=parabola, criterion="power:3"),
        CriterionRanker(solver=example("solver")()),
    ):
        assert roc_auc_score(y, ranker.fit(X, y).decision_function(X)) > 0.85


def test_the_bound_of_the_page_holds():
    deviation, truth, n = example("bound"), 0.9, 15
    rng = np.random.default_rng(0)
    areas = []
    for _ in range(2000):
        y, s, _ = binormal(rng, n, n, truth)
        areas.append(metrics.auc(y, s))
    errors = np.abs(np.array(areas) - truth)
    for confidence_level in (0.5, 0.9):
        exceeded = np.mean(errors >= deviation(truth, n, n, confidence_level=confidence_level))
        assert exceeded <= 1 - confidence_level + 3 * np.sqrt(0.25 / len(areas))
    hoeffding = np.sqrt(np.log(2 / 0.05) / (2 * 200))
    assert deviation(0.97, 200, 200) < hoeffding  # sharper near one, as it says
    assert norm.ppf(0.975) * np.sqrt(0.97 * 0.03 / 200) < deviation(0.97, 200, 200)
