"""Conventions of estimators inside scikit-learn's own."""

import numpy as np
import sklearn
from joblib import parallel_backend
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, learning_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from conventions.estimators import X, Y
from conventions.rows import FRAME, WITH_TEXT

BETTER = 0.6  # than chance, on the rows fitted to


def last_step_of_a_pipeline(case):
    assert roc_auc_score(Y, make_pipeline(StandardScaler(), case.new()).fit(X, Y).decision_function(X)) > BETTER


def pipelines_of_data_frames(case):
    pipe = make_pipeline(StandardScaler(), case.new()).set_output(transform="pandas").fit(FRAME, Y)
    assert pipe[-1].feature_names_in_.tolist() == ["a", "b", "c"]


def after_a_column_transformer(case):
    encode = make_column_transformer((OneHotEncoder(), ["c"]), remainder="passthrough")
    assert roc_auc_score(Y, make_pipeline(encode, case.new()).fit(WITH_TEXT, Y).decision_function(WITH_TEXT)) > BETTER


def cross_validated_scores(case):
    assert cross_val_score(case.new(), X, Y, scoring="roc_auc", cv=2).shape == (2,)


def cross_validated_predictions(case):
    assert np.isfinite(cross_val_predict(case.new(), X, Y, method="decision_function", cv=2)).all()


def a_grid_search(case):
    search = GridSearchCV(case.new(), {"calibrate": [None, "platt"]}, scoring="roc_auc", cv=2, error_score="raise")
    assert search.fit(X, Y).best_params_["calibrate"] in (None, "platt")


def calibration(case):
    chances = CalibratedClassifierCV(case.new(), cv=2).fit(X, Y).predict_proba(X)
    assert roc_auc_score(Y, chances[:, 1]) > BETTER


def soft_voting(case):
    vote = VotingClassifier([("a", case.new(calibrate="platt")), ("b", LogisticRegression())], voting="soft")
    assert roc_auc_score(Y, vote.fit(X, Y).predict_proba(X)[:, 1]) > BETTER


def stacking(case):
    stack = StackingClassifier([("a", case.new()), ("b", LogisticRegression())], cv=2).fit(X, Y)
    assert roc_auc_score(Y, stack.predict_proba(X)[:, 1]) > BETTER


def bagging(case):
    bags = BaggingClassifier(case.new(), n_estimators=2, random_state=0).fit(X, Y)
    assert roc_auc_score(Y, bags.decision_function(X)) > BETTER


def permutation_importances(case):
    falls = permutation_importance(case.fitted, X, Y, scoring="roc_auc", n_repeats=2, random_state=0)
    assert falls.importances_mean.shape == (3,)


def partial_dependences(case):
    found = partial_dependence(case.fitted, X, [0], response_method="decision_function", grid_resolution=4)
    assert np.isfinite(found["average"]).all()


def a_learning_curve(case):
    _, _, left_out = learning_curve(
        case.new(), X, Y, train_sizes=[0.8, 1.0], cv=2, scoring="roc_auc", shuffle=True, random_state=0
    )
    assert np.isfinite(left_out).all()


def feature_selection_by_weights(case):
    assert SelectFromModel(case.new(), threshold="mean").fit(X, Y).get_support().any()


def recursive_feature_elimination(case):
    assert RFE(case.new(), n_features_to_select=2).fit(X, Y).support_.sum() == 2


def weights_are_routed(case):
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = case.new().set_fit_request(sample_weight=True)
        weight = np.where(np.arange(60) < 30, 1.0, 2.0)
        routed = make_pipeline(MinMaxScaler(), ranker).fit(X, Y, sample_weight=weight)
        assert np.isfinite(routed.decision_function(X)).all()


def groups_are_routed(case):
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = case.new().set_fit_request(groups=True)
        routed = make_pipeline(StandardScaler(), ranker).fit(X, Y, groups=np.arange(60) // 3)
        assert np.isfinite(routed.decision_function(X)).all()


def threads(case):
    with parallel_backend("threading", n_jobs=2):
        found = cross_val_score(case.new(), X, Y, scoring="roc_auc", cv=2)
    np.testing.assert_allclose(found, cross_val_score(case.new(), X, Y, scoring="roc_auc", cv=2))
