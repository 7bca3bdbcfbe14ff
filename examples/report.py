"""A report on a ranked list: which 100 of 6,000 claims to inspect, from Python. Writes report.html."""

import numpy as np

from podium import LinearRanker, report


def claims(n_rows: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Six features and a rare label that three of them speak for."""
    X = rng.standard_normal((n_rows, 6))
    drive = 1.2 * X[:, 0] - 0.8 * X[:, 1] + 0.5 * X[:, 2] * (X[:, 2] > 0) - 4
    return X, rng.random(n_rows) < 1 / (1 + np.exp(-drive))


def main() -> report.Report:
    rng = np.random.default_rng(0)
    X, y = claims(8_000, rng)
    train, hold_out = np.arange(2_000), np.arange(2_000, 8_000)
    names = (
        "amount",
        "years as a customer",
        "claims before",
        "age",
        "distance",
        "weekday",
    )
    candidates = {
        "AUC": LinearRanker().fit(X[train], y[train]),
        "top of the list": LinearRanker("power:3").fit(X[train], y[train]),
        "amount only": LinearRanker().fit(X[train] * [1, 0, 0, 0, 0, 0], y[train]),
    }
    scores = {
        name: ranker.decision_function(X[hold_out])
        for name, ranker in candidates.items()
    }
    chosen = candidates["top of the list"]
    unknown = float("nan")  # this ranker gives no limits for its weights
    return report.build(
        y[hold_out],
        scores["top of the list"],
        phi="power:3",
        budget=100,
        title="Which claims to inspect",
        candidates=scores,
        effects=[
            (name, weight, unknown, unknown)
            for name, weight in zip(names, chosen.coef_.ravel(), strict=True)
        ],
        data_notes=[
            "2,000 rows trained the scorers; 6,000 were held out.",
            "Nothing was missing.",
        ],
        provenance={"command": "python examples/report.py", "seed": 0},
    )


if __name__ == "__main__":
    page = main()
    print(page.headline)
    print("Open", page.save("report.html"))
