"""A bounded part of the random calls of ``make fuzz``, and all compiled loops with their indices checked."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from podium import inference, rankers
from podium.exceptions import DegenerateSampleError

FUZZ = Path(__file__).parents[1] / "fuzz"


def run(driver, *arguments, **environment):
    command = [sys.executable, str(FUZZ / driver), *map(str, arguments)]
    variables = os.environ | {"OMP_NUM_THREADS": "1"} | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, env=variables)


@pytest.mark.skipif(os.name != "posix", reason="calls that hang are ended by a signal that Windows lacks")
def test_random_calls_return_right_values_or_refuse():
    done = run("run.py", "--calls", 400, "--seed", 0)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mangled_tables_and_models_are_used_or_refused_and_leave_nothing_by_halves():
    done = run("tables.py", "--calls", 12, "--seed", 0)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_model_files_of_changed_structure_are_used_or_refused():
    done = run("models.py", "--calls", 60, "--kind", "categories")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_model_files_and_monitor_states_of_every_kind_are_used_or_refused():
    done = run("models.py", "--calls", 2000)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_median_of_the_largest_numbers_is_among_them():
    found = inference.rank_test(np.array([1.7e308, 1.6e308]), np.array([1.5e308, 1.4e308]), "median")
    assert found.statistic == 2  # both are above it


def test_a_bootstrap_whose_ranks_are_all_the_same_is_refused():
    y, scores = np.arange(60) % 4 == 0, np.arange(60) // 4
    weight = np.where(y, 15.0252 / 15, 47.1169 / 45)
    with pytest.raises(DegenerateSampleError, match="all ranks of 62 units of weight"):
        inference.interval(y, scores, "early-recognition:1e5", method="percentile", sample_weight=weight)


def test_weights_may_sum_to_less_than_one_row():
    X = np.random.default_rng(0).standard_normal((40, 2))
    for phi in ("auc", "smooth-top:0.9"):
        model = rankers.LinearRanker(phi).fit(X, X[:, 0] > 0, sample_weight=np.full(40, 0.01))
        assert model.coef_[0] > 5 * abs(model.coef_[1]), phi


def test_a_class_of_nearly_no_weight_leaves_the_plug_in_rule():
    X, y = np.random.default_rng(5).standard_normal((20, 1)), np.arange(20) > 2
    model = rankers.QuadraticRanker().fit(X, y, sample_weight=np.where(y, 1e59, 1e-24))  # no warning: it converges
    assert np.isfinite(model.decision_function(X)).all()
