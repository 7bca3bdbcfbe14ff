"""Wide and sparse tables: LinearRanker against liblinear on text-like rows, LogisticRegression on dense ones.

Fifty thousand rows to learn from and as many to judge by; words as rare as in texts, rows scaled to unit length by
inverse document frequency. Processor time and the growth of the process at its peak, each fit in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tracemalloc

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from timing import Row

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


def fit(kind: str, n_columns: int, ranker: str) -> dict[str, float]:
    """AUC of new rows, seconds of processor time, and bytes above the data, over the bytes of the data."""
    make, n_rows = (texts, N_ROWS) if kind == "sparse" else (dense, 2_000)
    (X, y), (X_new, y_new) = make(n_rows, n_columns, 1), make(n_rows, n_columns, 2)
    model = {
        "ours": LinearRanker(),
        "liblinear": LogisticRegression(solver="liblinear"),
        "logistic": LogisticRegression(max_iter=1000),
    }[ranker]
    model.fit(X[:500], y[:500])  # compile
    begun = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - begun
    auc = float(roc_auc_score(y_new, model.decision_function(X_new)))
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    size = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    return {"auc": auc, "seconds": seconds, "memory": 1 + peak / size}


def in_process(*arguments: object) -> dict[str, float]:
    command = [sys.executable, __file__, *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout)


def rows() -> list[Row]:
    found = []
    for kind, n_columns, peer in [*(("sparse", d, "liblinear") for d in COLUMNS), ("dense", 5_000, "logistic")]:
        ours, theirs = (in_process(kind, n_columns, ranker) for ranker in ("ours", peer))
        name = f"LinearRanker, {n_columns:,} {kind} columns"
        print(f"  {name}: AUC {ours['auc']:.4f} in {ours['seconds']:.2f} s, {ours['memory']:.2f} × the data;", end=" ")
        print(f"{peer}: {theirs['auc']:.4f} in {theirs['seconds']:.2f} s, {theirs['memory']:.2f} ×")
        found += [
            Row(f"{name}: AUC lost", peer, theirs["auc"] - ours["auc"], "<= 0.003"),
            Row(f"{name}: time", peer, ours["seconds"] / theirs["seconds"], "<= 5"),
            Row(f"{name}: memory with the data", "the data", ours["memory"], "<= 3"),
        ]
    return found


if __name__ == "__main__":
    print(json.dumps(fit(sys.argv[1], int(sys.argv[2]), sys.argv[3])))
