"""LinearRanker at a million rows against scikit-learn's LogisticRegression on the same data, one thread."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits
from timing import Row, seconds

from podium import LinearRanker, metrics
from podium.datasets import LocationModel


def contaminated(X: np.ndarray, y: np.ndarray, share: float = 0.04) -> np.ndarray:
    """Leverage points: rows far out on the wrong side."""
    rng = np.random.default_rng(0)
    wild = rng.random(len(y)) < share
    X = X.copy()
    X[wild] = 10 * rng.standard_normal((wild.sum(), X.shape[1])) + np.where(y[wild], -5.0, 5.0)[:, None]
    return X


def rows() -> list[Row]:
    model = LocationModel(0.3)
    X, y = model.sample(500_000, 500_000, 0)
    X_new, y_new = model.sample(100_000, 100_000, 1)
    table = []
    with threadpool_limits(1):
        for name, data, wanted in (
            ("clean", X, "<= 0.6"),
            ("4 % leverage points", contaminated(X, y), "<= 0.9"),
        ):
            scaler = StandardScaler().fit(data)
            Z = scaler.transform(data)
            ours, theirs = seconds(
                lambda: LinearRanker("auc", random_state=0).fit(Z, y), lambda: LogisticRegression().fit(Z, y), repeat=3
            )
            table.append(Row(f"LinearRanker('auc'), 10⁶ × 15, {name}", "LogisticRegression", ours / theirs, wanted))
            scores = [
                fit.fit(Z, y).decision_function(scaler.transform(X_new))
                for fit in (LinearRanker("auc", random_state=0), LogisticRegression())
            ]
            a, b = (metrics.auc(y_new, s) for s in scores)
            print(f"  AUC on clean new rows, trained on {name}: LinearRanker {a:.4f}, LogisticRegression {b:.4f}")
    return table
