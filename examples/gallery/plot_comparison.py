"""
Is one model better than another?
=================================

Three models score the same new rows. The limits of the differences in AUC hold for all pairs together: the forest is
behind both lines by more than luck, and the two lines are level. More: :doc:`/guide_uncertainty`.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from podium import LinearRanker, inference, plots

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X[:, :6], y == 0, test_size=0.5, random_state=1
)
forest = RandomForestClassifier(100, random_state=0).fit(X_train, y_train)
logistic = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
scores = {
    "forest": forest.predict_proba(X_test)[:, 1],
    "logistic": logistic.decision_function(X_test),
    "linear ranker": LinearRanker().fit(X_train, y_train).decision_function(X_test),
}
result = inference.compare(y_test, scores)
print(result)
display = plots.ComparisonDisplay.of(result).plot()
display.ax_.set_title("Differences in AUC on the same new rows")
