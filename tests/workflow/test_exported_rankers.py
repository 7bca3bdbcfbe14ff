"""Every ranker that the package exports runs in databases and in ONNX Runtime, to 1e-12, alone and in a pipeline."""

import json
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from contracts.rankers import EXAMPLES
from databases import by_duckdb, by_numpy, by_onnx, by_sqlite
from podium import persist, rankers, selection, workflow
from podium.exceptions import InputError
from podium.models import Model, QuadraticModel
from podium.rankers import (
    BoostedRanker,
    CriterionRanker,
    ForestRanker,
    GradedRanker,
    GradientBoostedRanker,
    LinearRanker,
    QuadraticRanker,
    ScorecardRanker,
    StackedRanker,
    TreeRanker,
)
from podium.selection import AutoRanker
from podium.workflow.exports.scores import scored
from registry import cases

N_ROWS = 400
MORE = {
    "LinearRanker-quantile": lambda: LinearRanker("push:2", scaling="quantile"),
    "QuadraticRanker-quantile": lambda: QuadraticRanker(scaling="quantile"),
    "CriterionRanker-quadratic": lambda: CriterionRanker(QuadraticModel(linear_term=False), "power:3"),
    "CriterionRanker-logloss": lambda: CriterionRanker(criterion="logloss"),
    "GradedRanker-trees": lambda: GradedRanker(GradientBoostedRanker(n_estimators=5)),
    "TreeRanker-deep": lambda: TreeRanker(max_depth=5, rule_depth=3, min_samples_leaf=5, penalty=0),
    "ForestRanker-median": lambda: ForestRanker(n_estimators=12, aggregation="median", random_state=0),
    "ForestRanker-odd-median": lambda: ForestRanker(n_estimators=7, aggregation="median", random_state=0),
    "ForestRanker-deep": lambda: ForestRanker(n_estimators=4, max_depth=3, rule_depth=3, random_state=0),
    "GradientBoostedRanker-bags": lambda: GradientBoostedRanker("auc", n_bags=3, n_estimators=10, random_state=0),
    "GradientBoostedRanker-xgboost": lambda: GradientBoostedRanker(backend="xgboost", n_estimators=40),
    "GradientBoostedRanker-xgboost-auc": lambda: GradientBoostedRanker(
        "auc", backend="xgboost", n_bags=2, n_estimators=12
    ),
    "GradientBoostedRanker-forest": lambda: GradientBoostedRanker(
        params={"boosting": "rf", "bagging_fraction": 0.6, "bagging_freq": 1}, n_estimators=8
    ),
    "ScorecardRanker-special": lambda: ScorecardRanker("logloss", special_values=[2.0], max_bins=4),
    "AutoRanker-trees": lambda: AutoRanker(candidates=["trees"], random_state=0),
}
FOUND = [
    case
    for room in (rankers, selection)
    for case in cases(room, BaseEstimator, EXAMPLES)
    if case.name != "Ranker" and not case.name.startswith("StackedRanker")
]
CASES = [pytest.param(case.make, id=case.name) for case in FOUND] + [
    pytest.param(make, id=name) for name, make in MORE.items()
]
WITH_GAPS = [name for name in MORE if name.startswith(("Tree", "Forest", "GradientBoosted", "Scorecard"))]


def numbers(seed, n_rows=N_ROWS):
    """Ties, heavy tails, a column away from zero, one of whole numbers."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.normal(size=n_rows),
            rng.standard_t(2, n_rows),
            50 + rng.normal(size=n_rows),
            rng.integers(0, 5, n_rows),
            np.round(rng.normal(size=n_rows), 1),
        ]
    )
    y = X[:, 0] + np.clip(X[:, 1], -2, 2) + (X[:, 3] == 2) + (X[:, 2] - 50) + rng.logistic(size=n_rows) > 0.5
    return X, y


def mixed(seed, n_rows=N_ROWS, gaps=True):
    """A frame of numbers, text and categories, with gaps, and values that were never seen where the seed is not 0."""
    rng = np.random.default_rng(seed)
    X, y = numbers(seed, n_rows)
    frame = pd.DataFrame(X[:, [0, 1, 3]], columns=["size", 'the "depth"', "grade"])
    towns = ["Ulm", "it's", "Zürich", 'a "b"', "d\\e"] + (["Rome"] if seed else [])
    frame["town"] = pd.Categorical(rng.choice(towns, n_rows))
    frame["kind"] = rng.choice([f"k{j}" for j in range(9)], n_rows).astype(object)
    frame["code"] = pd.Categorical(rng.choice([10, 20, 35], n_rows))
    y = y ^ ((frame["town"] == "Ulm") & (frame["code"] == 20)).to_numpy()
    if gaps:
        for j, name in enumerate(frame):
            frame.loc[rng.random(n_rows) < 0.03 + 0.02 * j, name] = np.nan
    return frame, y


SYSTEMS = {
    "NumPy": lambda model, rows: by_numpy(scored(model).score, rows),
    "DuckDB": lambda model, rows: by_duckdb(workflow.export_sql(model), rows)["score"],
    "SQLite": lambda model, rows: by_sqlite(workflow.export_sql(model, dialect="sqlite"), rows)["score"],
    "ONNX Runtime": lambda model, rows: by_onnx(workflow.export_onnx(model), rows)["score"],
}
every_system = pytest.mark.parametrize("system", SYSTEMS)


def agree(system, model, X):
    """Scores of the exported model are those of the model."""
    if system == "ONNX Runtime":
        pytest.importorskip("onnxruntime")
    rows = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    plain = pd.DataFrame({name: _plain(column) for name, column in rows.items()})
    expected = model.decision_function(X)
    found = np.asarray(SYSTEMS[system](model, plain), dtype=np.float64)
    assert np.ptp(expected) > 0.01
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def _plain(column):
    """As a database has it: text or numbers, whatever pandas calls them."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        is_text = column.cat.categories.dtype.kind not in "if"
        return column.astype(object) if is_text else column.astype(float)
    return column


@cache  # once for all systems
def fitted(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make().fit(*numbers(0))


@every_system
@pytest.mark.parametrize("make", CASES)
def test_a_ranker_scores_everywhere_as_it_does_here(make, system):
    agree(system, fitted(make), numbers(1)[0])


@cache
def fitted_in_pipeline(make):
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler()), ["size", "grade"]),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")), ["town"]),
        (OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=45, drop="first"), ["kind"]),
        (TargetEncoder(random_state=0), slice("code", "code")),
        remainder=SimpleImputer(strategy="constant", fill_value=0.5),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_pipeline(columns, RobustScaler(), make()).fit(*mixed(0))


@every_system
@pytest.mark.parametrize("make", CASES)
def test_a_pipeline_that_ends_in_a_ranker_scores_everywhere_as_it_does_here(make, system):
    agree(system, fitted_in_pipeline(make), mixed(1)[0])


@every_system
def test_a_ranker_that_encoded_a_table_itself_takes_the_table(system):
    (frame, y), new = mixed(0), mixed(1)[0]
    frame, new = frame.drop(columns="code"), new.drop(columns="code")  # codes are text to it
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(len(frame)) % 300, "D")
    new["day"] = frame["day"]
    ranker = AutoRanker(candidates=["linear"], random_state=0).fit(frame, y)
    agree(system, ranker, new)


@every_system
def test_gaps_that_a_ranker_first_meets_in_new_rows_are_filled_as_it_does(system):
    ranker = AutoRanker(candidates=["linear"], random_state=0).fit(*numbers(0))
    X = numbers(1)[0]
    X[::7, 0] = X[::11, 3] = np.nan
    agree(system, ranker, X)


@every_system
@pytest.mark.parametrize("name", WITH_GAPS)
def test_gaps_and_categories_go_where_they_go_here(name, system):
    ranker = MORE[name]()
    agree(system, ranker.fit(*mixed(0)), mixed(1)[0])
    X, y = numbers(0)
    X[np.random.default_rng(2).random(X.shape) < 0.1] = np.nan
    ranker.set_params(categorical_features=[3]).fit(X, y)
    new = numbers(1)[0]
    new[::7, 0] = new[::11, 3] = np.nan
    new[::13, 3], new[::17, 3], new[::19, 4] = 77.0, -1.0, 0.0
    agree(system, ranker, new)


@every_system
def test_trees_that_saw_no_gap_take_one_for_zero(system):
    ranker = GradientBoostedRanker(n_estimators=20).fit(*numbers(0))
    new = numbers(1)[0]
    new[::3, 0] = np.nan
    agree(system, ranker, new)


@every_system
@pytest.mark.parametrize(
    "steps",
    [
        [MinMaxScaler(clip=True)],
        [MinMaxScaler((-1, 3)), MaxAbsScaler()],
        [StandardScaler(with_mean=False), FunctionTransformer()],
        [StandardScaler(with_std=False), RobustScaler(with_centering=False), "passthrough"],
        [SelectKBest(k=3), None],
        [
            make_column_transformer(
                ("passthrough", slice(1, 3)),
                ("drop", [0]),
                remainder=OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
            )
        ],
        [FeatureUnion([("a", StandardScaler()), ("b", SelectKBest(k=2)), ("c", "drop")], transformer_weights={"b": 3})],
    ],
    ids=str,
)
def test_scalers_and_selections(steps, system):
    agree(system, make_pipeline(*steps, LinearRanker("push:2")).fit(*numbers(0)), numbers(1)[0])


@every_system
def test_what_an_encoder_refuses_has_no_score(system):
    frame, y = mixed(0, gaps=False)
    pipeline = make_pipeline(OneHotEncoder(sparse_output=False), LinearRanker("push:2")).fit(frame[["kind", "code"]], y)
    rows = pd.DataFrame({"kind": ["k1", "k99", None], "code": [20.0, 20.0, 35.0]})
    if system == "ONNX Runtime":
        pytest.importorskip("onnxruntime")
    found = np.asarray(SYSTEMS[system](pipeline, rows), dtype=np.float64)
    assert np.isnan(found).tolist() == [False, True, True]
    assert found[0] == pytest.approx(pipeline.decision_function(rows[:1].astype({"code": int}))[0], abs=1e-12)


def test_a_file_of_a_ranker_is_exported_too(tmp_path):
    ranker = QuadraticRanker().fit(*numbers(0))
    persist.save(ranker, tmp_path / "ranker.podium")
    assert workflow.export_sql(tmp_path / "ranker.podium") == workflow.export_sql(ranker)


class Cosine(Model):
    def scores(self, X, theta):
        return np.cos(X @ theta)

    def vjp(self, X, theta, cotangent):
        return X.T @ (-np.sin(X @ theta) * cotangent)

    def n_features(self, n_columns):
        return n_columns


REFUSED = {
    "stacks and networks.*StackedRanker": lambda: StackedRanker([LinearRanker(), QuadraticRanker()], random_state=0),
    "stacks and networks.*StackedRanker ": lambda: AutoRanker(candidates=["stack"], random_state=0),
    "has a Cosine": lambda: CriterionRanker(Cosine()),
    "got a PolynomialFeatures": lambda: make_pipeline(PolynomialFeatures(), LinearRanker()),
    "FunctionTransformer has": lambda: make_pipeline(FunctionTransformer(np.abs), LinearRanker()),
    "one of -1": lambda: make_pipeline(SimpleImputer(missing_values=-1), LinearRanker()),
    "constant leaves": lambda: GradientBoostedRanker(params={"linear_tree": True}, n_estimators=3),
    "this booster is 'dart'": lambda: GradientBoostedRanker(
        backend="xgboost", params={"booster": "dart"}, n_estimators=3
    ),
    "zeros are zeros": lambda: GradientBoostedRanker(params={"zero_as_missing": True}, n_estimators=3),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_exported_gets_a_sentence(what):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = REFUSED[what]().fit(*numbers(0))
    with pytest.raises(InputError, match=what.strip()):
        workflow.export_sql(model)


def test_a_column_is_text_or_numbers():
    frame, y = mixed(0, gaps=False)
    frame["both"] = pd.Series(["big" if size > 0 else 3 for size in frame["size"]], dtype=object)
    with pytest.raises(InputError, match="'both' holds both"):
        workflow.export_sql(GradientBoostedRanker(n_estimators=5).fit(frame[["both", "size"]], y))


@every_system
def test_columns_far_from_zero_keep_their_digits_with_xgboost(system):
    X, y = numbers(0)
    new = numbers(1)[0]
    far = np.array([0, 0, 1e9, 0, 1e5])
    ranker = GradientBoostedRanker("auc", backend="xgboost", n_estimators=20).fit(X + far, y)
    assert ranker.models_[0].origin is not None
    new[::9, 2] = np.nan
    agree(system, ranker, new + far)


@every_system
@pytest.mark.slow
@pytest.mark.parametrize(
    "ranker",
    [
        GradientBoostedRanker(backend="xgboost", n_estimators=200),
        GradientBoostedRanker(n_estimators=500),
        ForestRanker(random_state=0),
        BoostedRanker("push:2", weak="stumps", n_rounds=1000),
    ],
    ids=lambda ranker: f"{type(ranker).__name__}-{getattr(ranker, 'backend', '')}",
)
def test_large_models(ranker, system):
    agree(system, ranker.fit(*numbers(0, 2000)), numbers(1)[0])


@every_system
def test_numbers_beside_a_split_are_rounded_to_single_precision_as_xgboost_does(system):
    X, y = numbers(0)
    ranker = GradientBoostedRanker("auc", backend="xgboost", n_estimators=10).fit(X, y)
    model = json.loads(ranker.models_[0].booster.save_raw("json"))["learner"]["gradient_booster"]["model"]
    names = ("split_indices", "split_conditions", "left_children")
    nodes = [node for tree in model["trees"] for node in zip(*map(tree.get, names), strict=True)]
    splits = {(j, threshold) for j, threshold, child in nodes if child >= 0}
    rows = []
    for j, threshold in splits:
        up = np.float32(threshold)
        for near in (np.nextafter(up, np.float32(-np.inf)), np.nextafter(up, np.float32(np.inf)), up):
            middle = (float(up) + float(near)) / 2
            for x in (middle, np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf)):
                rows.append(X[len(rows) % len(X)].copy())
                rows[-1][j] = x
    agree(system, ranker, np.array(rows))
