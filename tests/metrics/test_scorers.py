import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from podium import metrics
from podium.exceptions import InputError
from podium.phi import Power

X, Y = load_breast_cancer(return_X_y=True)


def test_the_auc_scorer_equals_scikit_learns():
    for model in (GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())):
        ours = cross_val_score(model, X, Y, scoring=metrics.scorer("auc"), cv=3)
        np.testing.assert_allclose(ours, cross_val_score(model, X, Y, scoring="roc_auc", cv=3), rtol=1e-12)


def test_scorers_take_named_classes_and_either_side():
    names = np.where(Y == 1, "benign", "malignant")
    model = GaussianNB().fit(X, names)
    benign, malignant = model.predict_proba(X).T
    by_default = metrics.scorer("power:3")(model, X, names)
    assert by_default == pytest.approx(metrics.rank_statistic(names, malignant, phi="power:3", pos_label="malignant"))
    turned = metrics.scorer("power:3", pos_label="benign")(model, X, names)
    assert turned == pytest.approx(metrics.rank_statistic(names, benign, phi="power:3", pos_label="benign"))


def test_a_search_over_several_metrics():
    search = GridSearchCV(
        GaussianNB(),
        {"var_smoothing": [1e-9, 1e-3]},
        scoring=metrics.scorers("auc", "precision-at:20"),
        refit="auc",
        cv=3,
    ).fit(X, Y)
    assert search.cv_results_["mean_test_precision-at:20"].shape == (2,)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("power:3", lambda y, s: metrics.rank_statistic(y, s, phi="power:3")),
        (Power(2), lambda y, s: metrics.rank_statistic(y, s, phi="power:2")),
        ("partial-auc:0.1", lambda y, s: metrics.partial_auc(y, s, max_fpr=0.1)),
        ("partial_auc", lambda y, s: metrics.auc(y, s)),
        ("tpr-at-fpr:0.1", lambda y, s: metrics.tpr_at_fpr(y, s, fpr=0.1)),
        ("precision-at:2", lambda y, s: metrics.precision_at(y, s, k=2)),
        ("recall-at:2", lambda y, s: metrics.recall_at(y, s, k=2)),
        ("lift-at:2", lambda y, s: metrics.lift_at(y, s, k=2)),
        ("ndcg:3", lambda y, s: metrics.dcg(y, s, k=3, normalize=True)),
        ("average-precision", lambda y, s: metrics.average_precision(y, s)),
        ("average-reciprocal-rank", lambda y, s: metrics.average_reciprocal_rank(y, s)),
        ("bedroc:10", lambda y, s: metrics.bedroc(y, s, alpha=10)),
        ("push-risk:4", lambda y, s: metrics.push_risk(y, s, p=4, normalize=True)),
        ("neg-push-risk:4", lambda y, s: -metrics.push_risk(y, s, p=4, normalize=True)),
        ("precision@2", lambda y, s: metrics.precision_at(y, s, k=2)),
        ("hits@2", lambda y, s: 2 * metrics.precision_at(y, s, k=2)),
        ("recall@40%", lambda y, s: metrics.recall_at(y, s, fraction=0.4)),
    ],
)
def test_metrics_by_name(spec, expected):
    y, s = [0, 1, 0, 1, 1], [1, 2, 3, 4, 5]
    assert metrics.metric(spec)(y, s) == pytest.approx(expected(y, s))


@pytest.mark.parametrize(
    "spec",
    ["ginny", "precision-at:x", "average-precision:3", "precision-at", "precision@0", "precision@100%", "push-risk:4"],
)
def test_unknown_names_get_a_sentence(spec):
    with pytest.raises(
        InputError, match=r"Hint: did you mean gini|is not of the form|needs a number|use 'neg-push-risk:4'"
    ):
        metrics.scorer(spec)
