"""Without extras: everything can be imported, and what needs a package says which line installs it."""

import pytest

import podium
from core_install import run_in_core_install


def test_every_public_name_can_be_imported():
    run = run_in_core_install("from podium import *; print(sorted(set(__import__('podium').__all__) - set(globals())))")
    assert (run.stderr, run.stdout.strip()) == ("", "[]")


def test_rankers_that_need_no_extra_work():
    code = """
from podium import AutoRanker, LinearRanker, inference
from podium.datasets import LocationModel
X, y = LocationModel(0.3).sample(60, 60, rng=0)
print(inference.interval(y, LinearRanker().fit(X, y).decision_function(X)).n_pos)
auto = AutoRanker(candidates=["linear", "trees"], random_state=0).fit(X, y)
print(auto.best_name_, auto.notes_)
"""
    run = run_in_core_install(code)
    assert run.stdout.startswith("60"), run.stderr
    assert "linear" in run.stdout
    assert "needs the package lightgbm, which is not installed" in run.stdout


EXTRA_OF = {
    "podium.tables.read('loans.csv')": "tables",
    "from podium.tables import Encoder": "tables",
    "podium.workflow.fit('loans.csv', label='late')": "tables",
    "podium.report.build([0, 1], [0, 1])": "report",
    "podium.plots.RocDisplay.from_scores([0, 1], [0, 1]).plot()": "plot",
    "podium.datasets.load_table('ionosphere')": "tables",
    "podium.experiments.reproduce(podium.experiments.EXPERIMENTS['a05-fig1'])": "plot",
    "podium.GradientBoostedRanker().fit([[0.0], [1.0]] * 20, [0, 1] * 20)": "trees",
    "podium.GradientBoostedRanker(backend='xgboost').fit([[0.0], [1.0]] * 20, [0, 1] * 20)": "xgboost",
    "podium.neural.CriterionLoss('auc')": "torch",
    "from podium.neural import NeuralRanker": "torch",
    "podium.NeuralRanker()": "torch",
}


def test_what_needs_an_extra_says_so_when_it_is_used():
    code = f"""
import podium
for use in {list(EXTRA_OF)}:
    try:
        exec(use)
        print("It worked.")
    except podium.MissingPackageError as error:
        print(str(error).replace("\\n", " "))
"""
    run = run_in_core_install(code)
    for (use, extra), said in zip(EXTRA_OF.items(), run.stdout.splitlines(), strict=True):
        assert "which is not installed." in said, use
        assert f"pip install 'podium[{extra}]'" in said, use


def test_the_command_says_so_and_leaves_with_code_2():
    run = run_in_core_install("from podium.cli import main; main(['fit', 'loans.csv'])")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.splitlines() == [
        "Error: The command podium needs the package typer, which is not installed.",
        "Hint: pip install 'podium[cli]'",
    ]


def test_the_command_says_so_before_any_work_is_done(tmp_path):
    pytest.importorskip("typer")
    code = f"from podium.cli import main; main(['fit', 'missing.csv', '--label', 'y', '--out', {str(tmp_path)!r}])"
    run = run_in_core_install(code, absent=("jinja2",))
    assert (run.returncode, run.stdout) == (2, "")
    assert "needs the package jinja2" in run.stderr


def test_an_installed_package_that_lacks_its_own_library_is_a_sentence(monkeypatch):
    def fail(name):
        raise OSError(f"dlopen({name}): Library not loaded: @rpath/libomp.dylib")  # LightGBM and XGBoost on macOS

    monkeypatch.setattr("podium._optional.import_module", fail)
    with pytest.raises(podium.MissingPackageError, match="lightgbm, which needs OpenMP") as refused:
        podium.GradientBoostedRanker().fit([[0.0], [1.0]] * 20, [0, 1] * 20)
    assert "brew install libomp" in str(refused.value)
