import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from podium import metrics
from podium.datasets import TABLES, LocationModel, ScaleModel, load_table
from podium.datasets.quadratic_form import survival, upper_quantile
from podium.exceptions import InputError
from podium.roc import RocCurve


@pytest.mark.parametrize(("epsilon", "auc"), [(0.1, 0.6134), (0.2, 0.7179), (0.3, 0.8065)])
def test_the_optimal_auc_of_the_location_models(epsilon, auc):
    model = LocationModel(epsilon)
    assert model.auc == pytest.approx(auc, abs=5e-5)
    assert model.auc == pytest.approx(model.auc_of(model.theta), rel=1e-12)
    X, y = model.sample(100_000, 100_000, 0)
    assert metrics.auc(y, model.optimal_scores(X)) == pytest.approx(auc, abs=4 * 0.0013)
    area = integrate.quad(lambda t: float(model.roc(np.array(t))), 0, 1)[0]
    assert area == pytest.approx(model.auc, abs=1e-7)


def test_the_ill_conditioned_design_of_the_authors_script():
    assert LocationModel(0.2, ill_conditioned=True).auc == pytest.approx(0.9108, abs=5e-5)


@pytest.mark.parametrize(("epsilon", "auc"), [(0.7, 0.7025), (0.8, 0.7319), (0.9, 0.7617)])
def test_the_optimal_auc_of_the_scale_models(epsilon, auc):
    model = ScaleModel(epsilon)
    assert model.auc == pytest.approx(auc, abs=5e-5)
    X, y = model.sample(100_000, 100_000, 0)
    assert metrics.auc(y, model.optimal_scores(X)) == pytest.approx(auc, abs=4 * 0.0013)


def test_the_auc_of_a_quadratic_form_with_a_linear_part():
    model = ScaleModel(0.7)
    b = np.linspace(-0.3, 0.5, 15)
    X, y = model.sample(400_000, 400_000, 5)
    scores = model.optimal_scores(X) + X @ b
    assert metrics.auc(y, scores) == pytest.approx(model.auc_of(model.theta, b), abs=4 * 0.00062)
    assert model.auc_of(np.zeros((15, 15))) == 0.5


def test_quadratic_forms_with_equal_weights_are_chi_square():
    t = np.linspace(0.5, 50, 40)
    np.testing.assert_allclose(survival(np.full(15, 2.0), 2 * t), stats.chi2(15).sf(t), atol=1e-9)
    np.testing.assert_allclose(survival(np.full(4, -1.0), -t), stats.chi2(4).cdf(t), atol=1e-6)
    rates = np.array([1e-6, 0.01, 0.5, 0.999])
    np.testing.assert_allclose(upper_quantile(np.ones(15), rates), stats.chi2(15).isf(rates), rtol=1e-5)


@pytest.mark.parametrize("epsilon", [0.7, 1.1])
def test_the_exact_curve_of_the_scale_model(epsilon):
    model = ScaleModel(epsilon)
    fpr = np.concatenate(
        [np.geomspace(1e-6, 0.01, 200), np.linspace(0.01, 0.99, 400), 1 - np.geomspace(0.01, 1e-6, 200)]
    )
    curve = RocCurve.from_points(fpr, model.roc(fpr))
    assert curve.auc() == pytest.approx(model.auc, abs=2e-5)  # what chords cost a concave curve
    X, y = model.sample(200_000, 200_000, 1)
    sampled = RocCurve.from_scores(y, model.optimal_scores(X))
    assert sampled.distance(curve) < 1.63 * np.sqrt(2 / 200_000)  # Kolmogorov and Smirnov at 1 % for both classes
    np.testing.assert_array_equal(model.roc(np.array([0.0, 1.0])), [0.0, 1.0])
    with pytest.raises(InputError, match="at least 4 columns; got 3"):
        ScaleModel(epsilon, dimension=3).roc(fpr)


def test_the_exact_curve_of_any_linear_score():
    model = LocationModel(0.3)
    weights = np.arange(15.0)
    area = integrate.quad(lambda t: float(model.roc_of(weights, np.array(t))), 0, 1)[0]
    assert area == pytest.approx(model.auc_of(weights), abs=1e-7)


def test_one_column_agrees_with_the_f_distribution():
    # X² / Y² of two centred normals is σ² times an F(1, 1) variable.
    model = ScaleModel(0.3, dimension=1)
    variance = model.covariance[0, 0]
    exact = stats.f(1, 1).sf(1 / variance)
    assert model.auc_of(np.array([[1.0]])) == pytest.approx(exact, abs=1e-8)


def test_samples_are_reproducible_and_positives_come_first():
    X, y = LocationModel().sample(3, 2, 7)
    np.testing.assert_array_equal(X, LocationModel().sample(3, 2, 7)[0])
    assert y.tolist() == [True] * 3 + [False] * 2


def test_a_table_is_read_checked_and_stripped_of_what_gives_the_label_away(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(506) < 35
    pd.DataFrame({"a": rng.random(506), "y": y.astype(int)}).to_csv(tmp_path / "housing_chas.csv", index=False)
    frame, labels = load_table("housing_chas", tmp_path)
    assert list(frame) == ["a"]
    assert labels.sum() == 35
    pd.DataFrame({"a": [1, 2], "y": [0, 1]}).to_csv(tmp_path / "magic.csv", index=False)
    with pytest.raises(InputError, match=r"must have 19,020 rows, 12,332 of them positive; got 2 and 1"):
        load_table("magic", tmp_path)
    with pytest.raises(InputError, match="has neither"):
        load_table("adult", tmp_path)
    with pytest.raises(InputError, match="name must be one of 'magic'"):
        load_table("iris")


def test_the_real_tables_have_their_rows(monkeypatch):
    import os

    if "PODIUM_DATA" not in os.environ:
        pytest.skip("set PODIUM_DATA to a folder with the tables")
    for name in sorted(set(TABLES) - {"kdd99_10pct"}):
        frame, y = load_table(name)
        assert len(frame) == len(y)
