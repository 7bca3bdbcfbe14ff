"""Wide and sparse tables: LinearRanker against LogisticRegression, by liblinear on text-like rows, lbfgs on dense ones.

Fifty thousand rows to learn from and as many to judge by; words as rare as in texts, rows scaled to unit length by
inverse document frequency. Dense: two thousand rows, more columns than rows. LogisticRegression fits once, at its
default penalty; LinearRanker chooses a penalty by left-out rows and then climbs the AUC. Both take the rows as they are
in memory, on one thread, in turns: the best processor time of three, and the growth of memory at its peak.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits
from timing import Row, peak_bytes, seconds

from podium import LinearRanker

COLUMNS = (3_000, 10_000, 30_000, 100_000)
N_ROWS = 50_000


def texts(n_rows: int, n_words: int, seed: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Texts of two kinds: a third of the words is more frequent in one of them, in a part of each text."""
    truth, rng = np.random.default_rng(0), np.random.default_rng(seed)
    rate = np.arange(1, n_words + 1.0) ** -1.05
    tilt = 0.9 * truth.standard_normal(n_words) * (truth.random(n_words) < 0.3)
    y = rng.random(n_rows) < 0.3
    length = np.maximum(rng.lognormal(4.2, 0.6, n_rows), 5).astype(int)
    text = np.repeat(np.arange(n_rows, dtype=np.int32), length)
    on_topic = rng.random(len(text)) < rng.beta(2, 2, n_rows)[text]
    word = np.empty(len(text), np.int32)
    for part, weight in (
        (on_topic & y[text], rate * np.exp(tilt)),
        (on_topic & ~y[text], rate * np.exp(-tilt)),
        (~on_topic, rate),
    ):
        word[part] = rng.choice(n_words, part.sum(), p=weight / weight.sum())
    counts = sparse.coo_array((np.ones(len(text)), (text, word)), shape=(n_rows, n_words)).tocsr()
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    rows = sparse.csr_array((weighted.data, weighted.indices.astype(np.int32), weighted.indptr.astype(np.int32)))
    rows.resize(n_rows, n_words)
    return rows, y ^ (rng.random(n_rows) < 0.02)


def dense(n_rows: int, n_columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of which ten columns matter."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns))
    return X, rng.random(n_rows) < 1 / (1 + np.exp(-0.6 * X[:, :10].sum(axis=1)))


def compared(kind: str, n_columns: int, peer: str) -> list[Row]:
    """AUC of new rows, processor time, and bytes above the data over the bytes of the data."""
    make, n_rows = (texts, N_ROWS) if kind == "sparse" else (dense, 2_000)
    (X, y), (X_new, y_new) = make(n_rows, n_columns, 1), make(n_rows, n_columns, 2)
    models = LinearRanker(), LogisticRegression(solver=peer, max_iter=1000)
    times = seconds(*(partial(model.fit, X, y) for model in models), repeat=3)
    aucs = [float(roc_auc_score(y_new, model.decision_function(X_new))) for model in models]
    size = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    sizes = [1 + peak_bytes(partial(model.fit, X, y)) / size for model in models]
    name = f"LinearRanker, {n_columns:,} {kind} columns"
    print(f"  {name}: AUC {aucs[0]:.4f} in {times[0]:.2f} s, {sizes[0]:.2f} × the data;", end=" ")
    print(f"{peer}: {aucs[1]:.4f} in {times[1]:.2f} s, {sizes[1]:.2f} ×", flush=True)
    return [
        Row(f"{name}: AUC lost", peer, aucs[1] - aucs[0], "<= 0.003"),
        Row(f"{name}: time", peer, times[0] / times[1], "<= 5"),
        Row(f"{name}: memory with the data", "the data", sizes[0], "<= 3"),
    ]


def rows() -> list[Row]:
    with threadpool_limits(1):
        found = [compared("sparse", n_columns, "liblinear") for n_columns in COLUMNS]
        found.append(compared("dense", 5_000, "lbfgs"))
    return [row for table in found for row in table]
