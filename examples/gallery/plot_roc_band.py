"""
A band for the whole ROC curve
==============================

An ROC curve from 285 rows is one of many that might have come out. The band contains the whole true curve with
probability 95 %, whatever the distribution of the scores. More: :doc:`/guide_guarantees`.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from podium import inference, plots
from podium.roc import RocCurve

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X[:, :8], y == 0, test_size=0.5, random_state=0
)
scores = (
    make_pipeline(StandardScaler(), LogisticRegression())
    .fit(X_train, y_train)
    .decision_function(X_test)
)
band = inference.roc_band(y_test, scores)
print(inference.interval(y_test, scores))
display = plots.BandDisplay(band).plot()
curve = RocCurve.from_scores(y_test, scores)
display.ax_.plot(curve.fpr, curve.tpr)
display.ax_.set_title("A band that contains the whole ROC curve")
