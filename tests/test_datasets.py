import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from podium import metrics
from podium.datasets import TABLES, LocationModel, MixtureModel, ScaleModel, load_table
from podium.datasets.scale import survival, upper_quantile
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
        ScaleModel(0.3, dimension=3).roc(fpr)


def test_the_exact_curve_of_any_linear_score():
    model = LocationModel(0.3)
    weights = np.arange(15.0)
    area = integrate.quad(lambda t: float(model.roc_of(weights, np.array(t))), 0, 1)[0]
    assert area == pytest.approx(model.auc_of(weights), abs=1e-7)


def test_one_column_agrees_with_the_f_distribution():
    # X² / Y² of two centered normals is σ² times an F(1, 1) variable.
    model = ScaleModel(0.3, dimension=1)
    variance = model.covariance[0, 0]
    exact = stats.f(1, 1).sf(1 / variance)
    assert model.auc_of(np.array([[1.0]])) == pytest.approx(exact, abs=1e-8)


def test_samples_are_reproducible_and_positives_come_first():
    X, y = LocationModel().sample(3, 2, 7)
    np.testing.assert_array_equal(X, LocationModel().sample(3, 2, 7)[0])
    assert y.tolist() == [True] * 3 + [False] * 2


def test_a_location_model_of_ones_own():
    covariance, mean = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1.0, -3.0])
    model = LocationModel(0.5, mean=mean, covariance=covariance)
    np.testing.assert_allclose(model.theta, np.linalg.solve(covariance, 0.5 * mean))
    X, y = model.sample(100_000, 100_000, 0)
    np.testing.assert_allclose(X[y].mean(axis=0), 1.5 * mean, atol=4 * np.sqrt(2 / 1e5))
    np.testing.assert_allclose(np.cov(X[~y].T), covariance, atol=0.04)
    assert metrics.auc(y, model.optimal_scores(X)) == pytest.approx(model.auc, abs=4 * 0.0013)
    assert LocationModel(0.2, seed=1).auc != LocationModel(0.2).auc


def test_a_scale_model_of_ones_own_about_any_mean():
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((2, 5, 5))
    model = ScaleModel(mean=[3.0, 0, 0, 0, -1], covariance=a @ a.T + np.eye(5), negative_covariance=b @ b.T + np.eye(5))
    X, y = model.sample(200_000, 200_000, 0)
    scores = model.optimal_scores(X)
    assert metrics.auc(y, scores) == pytest.approx(model.auc, abs=4 * 0.0009)
    matrix = model.theta + np.diag([0.3, 0, 0, 0, 0.2])
    plain = np.einsum("ij,ij->i", X @ matrix, X)  # about 0, not about the mean
    assert metrics.auc(y, plain) == pytest.approx(model.auc_of(matrix), abs=4 * 0.0009)
    at, b = np.array([0.05, 0.3, 0.8]), np.linspace(-1, 1, 5)
    np.testing.assert_allclose(RocCurve.from_scores(y, plain + X @ b).at(at), model.roc_of(matrix, at, b), atol=0.006)


def test_the_perturbation_and_the_swap_of_the_script():
    h = np.diag([1.0, -0.5, 0.25, 2.0])
    np.testing.assert_allclose(ScaleModel(0.4, perturbation=h).covariance, np.eye(4) + 0.1 * h)
    model = ScaleModel(0.7)
    swapped = ScaleModel(covariance=np.eye(15), negative_covariance=model.covariance)
    np.testing.assert_allclose(swapped.theta, -model.theta)
    fpr = np.linspace(0.01, 0.99, 9)
    np.testing.assert_allclose(swapped.roc(1 - model.roc(fpr)), 1 - fpr, atol=1e-5)  # the curve, mirrored


def test_a_mixture_of_ones_own():
    means = np.array([[[0.0, 1.0], [2.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]])
    model = MixtureModel(means=means, variances=np.full((2, 2, 2), 0.5))
    X, y = model.sample(100_000, 100_000, 0)
    np.testing.assert_allclose(X[y].mean(axis=0), [1.0, 0.5], atol=4 * np.sqrt(1.5 / 1e5))
    assert metrics.auc(y, X[:, 0]) == pytest.approx(model.auc_of(np.array([1.0, 0.0])), abs=4 * 0.0013)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: LocationModel(mean=[1.0, 2.0], covariance=np.eye(3)), r"covariance must have the shape \(2, 2\)"),
        (lambda: LocationModel(covariance=[[1.0, 0.5], [0.4, 1.0]]), "covariance must be symmetric"),
        (lambda: LocationModel(covariance=[[1.0, 2.0], [2.0, 1.0]]), "positive eigenvalues; the smallest is -1"),
        (lambda: LocationModel(mean=[np.nan, 1.0]), "mean must be finite"),
        (lambda: ScaleModel(covariance=np.eye(2), perturbation=np.eye(2)), "both give"),
        (lambda: MixtureModel(means=[1.0]), "three axes"),
        (lambda: MixtureModel(variances=np.zeros((2, 1, 3))), "variances must be positive"),
        (lambda: LocationModel().sample_random_labels(10, 1.5), "positive_rate must be in"),
    ],
)
def test_parameters_are_checked(build, message):
    with pytest.raises(InputError, match=message):
        build()


@pytest.mark.parametrize("model", [LocationModel(0.3), ScaleModel(0.9), MixtureModel()], ids=repr)
def test_random_labels_are_those_of_two_samples_with_a_binomial_number_of_positives(model):
    X, y = model.sample_random_labels(50_000, 0.3, 0)
    assert y.mean() == pytest.approx(0.3, abs=4 * np.sqrt(0.21 / 50_000))
    assert np.abs(np.corrcoef(np.arange(50_000), y)[0, 1]) < 4 / np.sqrt(50_000)  # in random order
    weights = np.arange(model.dimension) / 10
    two, labels = model.sample(50_000, 50_000, 1)
    for of in (True, False):
        assert stats.ks_2samp(X[y == of] @ weights, two[labels == of] @ weights).pvalue > 1e-3
    again = model.sample_random_labels(50_000, 0.3, 0)
    np.testing.assert_array_equal(X, again[0])
    assert not model.sample_random_labels(5, 0.0, 0)[1].any()


@pytest.mark.parametrize("model", [LocationModel(0.3), ScaleModel(0.9)], ids=repr)
def test_the_push_risk_of_a_population_is_the_limit_of_that_of_samples(model):
    assert model.push_risk(1) == pytest.approx(1 - model.auc, abs=1e-6)
    X, y = model.sample(200_000, 200_000, 4)
    scores = model.optimal_scores(X)
    for p in (2, 8):
        assert metrics.push_risk(y, scores, p, normalize=True) == pytest.approx(model.push_risk(p), abs=0.003)
    assert model.push_risk(2) < model.push_risk(8) < 1


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
