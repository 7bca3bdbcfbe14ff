"""Which columns the model needs: falls of the AUC against scikit-learn, and how often their limits hold."""

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression

from podium import workflow
from podium.report.wording import difference
from podium.workflow.stages.judge import falls_of_auc

WEIGHTS = np.array([1.0, 0.5, 0.0])


def draw(rng, n_rows):
    X = rng.standard_normal((n_rows, 3))
    X[:, 1] = 0.6 * X[:, 0] + 0.8 * X[:, 1]
    return X, rng.random(n_rows) < 1 / (1 + np.exp(1 - X @ WEIGHTS))


def falls(X, y, rng, n_repeats=3):
    """Of the scorer X @ WEIGHTS."""
    return falls_of_auc(lambda Z: Z @ WEIGHTS, X, y, {str(j): [X[:, j : j + 1]] for j in range(3)}, rng, n_repeats)


def test_falls_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, y = draw(rng, 400)
    model = LogisticRegression().fit(X, y)
    model.coef_, before = WEIGHTS[None], X.copy()
    theirs = permutation_importance(model, X, y, scoring="roc_auc", n_repeats=100, random_state=0)
    ours = np.array([[fall for _, fall, _ in falls(X, y, rng)] for _ in range(30)])
    error = np.sqrt(theirs.importances.var(axis=1) / 100 + ours.var(axis=0) / 30)
    assert (abs(ours.mean(axis=0) - theirs.importances_mean) <= 3 * error + 1e-12).all()
    assert (ours[:, 2] == 0).all()
    np.testing.assert_array_equal(X, before)


@pytest.mark.slow
@pytest.mark.parametrize("n_repeats", [1, 3])
def test_limits_hold_for_new_rows_about_as_often_as_they_say(n_repeats):
    rng = np.random.default_rng(1)
    truth = np.mean([[fall for _, fall, _ in falls(*draw(rng, 50_000), rng)] for _ in range(4)], axis=0)
    held = np.zeros(3)
    for _ in range(400):
        held += [
            abs(fall - true) <= reach
            for true, (_, fall, reach) in zip(truth, falls(*draw(rng, 200), rng, n_repeats), strict=True)
        ]
    assert (held / 400 > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 400)).all()  # three standard errors


def visits(n_rows=600):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"dose": rng.normal(size=n_rows), "noise": rng.normal(size=n_rows)})
    frame["ward"] = rng.choice(["a", "b", "c"], n_rows)
    frame["begun"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n_rows), "D")
    frame["ended"] = frame["begun"] + pd.to_timedelta(rng.integers(1, 60, n_rows), "D")
    stay = (frame["ended"] - frame["begun"]).dt.days
    risk = 2 * frame["dose"] + (frame["ward"] == "a") + 0.02 * stay + rng.logistic(size=n_rows)
    frame["unit"] = np.arange(n_rows) // 3
    return frame.assign(weight=1.0 + np.arange(n_rows) % 2, ill=(risk > np.quantile(risk, 0.7)).astype(int))


OPTIONS = {"label": "ill", "model": "linear"}


def test_the_report_says_which_columns_the_model_needs():
    result = workflow.fit(visits(), **OPTIONS, exclude=["unit", "weight"])
    found = {one["name"]: one for one in result.metrics["importance"]}
    assert set(found) == {"dose", "noise", "ward", "begun", "ended"}
    assert next(iter(found)) == "dose"
    assert found["dose"]["low"] > 0.1 > abs(found["noise"]["estimate"])
    for text in (result.report.html, result.report.markdown):
        assert difference(found["dose"]["estimate"]) in text.partition("Which columns the model needs")[2]


def test_the_same_call_gives_the_same_falls():
    assert workflow.fit(visits(), **OPTIONS).metrics == workflow.fit(visits(), **OPTIONS).metrics


def test_rows_that_depend_on_each_other_have_no_limits_and_weighted_ones_no_falls():
    grouped = workflow.fit(visits(), **OPTIONS, group="unit", exclude=["weight"]).metrics["importance"]
    assert len(grouped) == 5
    assert {one["low"] for one in grouped} == {None}
    assert workflow.fit(visits(), **OPTIONS, weight="weight").metrics["importance"] == []
