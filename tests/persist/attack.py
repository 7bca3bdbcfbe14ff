"""An attack on a model file: every run of numbers in it is held against the training rows, as they were and as seen.

The reader of the format is written again here; of podium it uses what whoever holds the file has: the model itself.
"""

import json
import re

import numpy as np

NUMBER = re.compile(rb"-?\d+\.?\d*(?:[eE][-+]?\d+)?")


def arrays_in(content):
    """All numbers of a file: its arrays in both orders, those of its texts, and those of the document."""
    head, _, rest = content.partition(b"\n")
    size = int(head.split()[-1])
    body, at, arrays, loose = rest[size:], 0, [], []

    def walk(node):
        nonlocal at
        if isinstance(node, list):
            for item in node:
                walk(item)
        elif isinstance(node, dict) and node["kind"] in ("array", "bytes"):
            dtype = np.dtype(node.get("dtype", "S1"))
            count = int(np.prod(node.get("shape", [node.get("size")])))
            block = body[at : at + count * dtype.itemsize]
            at += len(block)
            if node["kind"] == "bytes":
                arrays.append(np.array([float(word) for word in NUMBER.findall(block)]))
            elif dtype.kind in "iufb":
                values = np.frombuffer(block, dtype).astype(float).reshape(node["shape"], order=node["order"])
                arrays.extend([values.ravel(), values.ravel(order="F")])
        elif isinstance(node, dict):
            for item in node.values():
                walk(item)
        elif isinstance(node, (int, float)):
            loose.append(float(node))

    walk(json.loads(rest[:size]))
    return [*arrays, np.array(loose)]


def views_of(model, rows):
    """The rows, and what the maps in the model make of them, one or two of them after another."""
    maps, views = list(_maps(model, set())), [rows]
    for _ in range(2):
        for change in maps:
            for view in list(views):
                try:
                    changed = np.asarray(change(view), dtype=float)
                except Exception:  # a map of other columns
                    continue
                if changed.ndim == 2 and changed.shape[1] >= 2 and not _is_known(changed, views):
                    views.append(changed)
    return views


def _is_known(changed, views):
    return len(views) >= 40 or any(changed.shape == other.shape and np.allclose(changed, other) for other in views)


def _maps(value, seen):
    """Methods named transform or standardize of whatever a model is made of."""
    if id(value) in seen or isinstance(value, (str, bytes, int, float, np.ndarray, type(None))):
        return
    seen.add(id(value))
    for name in ("transform", "standardize"):
        if callable(method := getattr(value, name, None)):
            yield method
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, (list, tuple)):
        parts = value
    else:
        parts = getattr(value, "__dict__", {}).values()
    for part in list(parts):
        yield from _maps(part, seen)


def rows_found(content, model, rows):
    """Which training rows stand in a file, in one of their forms, to six digits."""
    gap = np.array([np.nan])  # no run of numbers goes on from one array to the next
    flat = np.concatenate([part for array in arrays_in(content) for part in (array, gap)])
    found = np.zeros(len(rows), dtype=bool)
    for view in views_of(model, rows):
        found |= _stands_in(flat, view, 1e-6 * view.std(axis=0).max())
    return found


def _stands_in(flat, view, tolerance):
    windows = np.lib.stride_tricks.sliding_window_view(flat, view.shape[1])
    order = np.argsort(windows[:, 0], kind="stable")
    first = windows[order, 0]
    low = np.searchsorted(first, view[:, 0] - tolerance, "left")
    high = np.searchsorted(first, view[:, 0] + tolerance, "right")
    near = [np.abs(windows[order[a:b]] - row) <= tolerance for a, b, row in zip(low, high, view, strict=True)]
    return np.array([bool(each.all(axis=1).any()) for each in near])


def leaf_centers(forests):
    """The middle of the box of every leaf that has an end on all sides."""
    centers = []
    for forest in forests:
        for root in forest.roots:
            stack = [(root, np.full(forest.n_features, -np.inf), np.full(forest.n_features, np.inf))]
            while stack:
                node, low, high = stack.pop()
                column, threshold = forest.column[node], forest.number[node]
                if column < 0:
                    centers.append((low, high))
                    continue
                below, above = high.copy(), low.copy()
                below[column], above[column] = threshold, threshold
                stack += [(node + 1, low, below), (forest.right[node], above, high)]
    boxes = np.array(centers)
    return boxes[np.isfinite(boxes).all(axis=(1, 2))].mean(axis=1)
