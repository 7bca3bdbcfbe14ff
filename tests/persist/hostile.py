"""Model files as an enemy would write them: a sound one with one thing changed, and a checksum that fits."""

import hashlib
import json
import os
from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline

from podium import ForestRanker, GradientBoostedRanker, StackedRanker, persist
from podium.tables import Encoder, TableModel

MEMBERS = [
    ("forest", make_pipeline(RandomForestClassifier(2, max_depth=4))),
    ("arrays", RandomForestClassifier(2, max_depth=4)),
    ("cells", ForestRanker(n_estimators=2)),
    ("hist", HistGradientBoostingClassifier(max_iter=2)),
    ("lightgbm", GradientBoostedRanker("logloss", n_estimators=2)),
    ("xgboost", GradientBoostedRanker("logloss", backend="xgboost", n_estimators=2)),
]


def sound_model():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.standard_normal(300), "z": rng.standard_normal(300), "t": ["a", "b", "c"] * 100})
    y = (frame["x"] + frame["z"] ** 2 + rng.standard_normal(300) > 1).to_numpy()
    encoder = Encoder.fit(frame, np.arange(300), {"x": "number", "z": "number", "t": "text"})
    ranker = StackedRanker(MEMBERS, cv=2, pull=np.inf, random_state=0).fit(encoder.encode(frame), y)
    ranker.oof_scores_ = ranker.oof_stack_ = ranker.oof_fold_ = None
    return TableModel(encoder, ranker, "auc", "y", "1")


def _nodes(value):
    """The objects of a document, in its order."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _nodes(part)


class Parts:
    """The document and the blocks of a file; what is changed here goes into the next file."""

    def __init__(self, content):
        head, _, rest = content.partition(b"\n")
        size = int(head.split()[-1])
        self.document, body, self.blocks = json.loads(rest[:size]), rest[size:], {}
        at = 0
        for node in self.nodes():
            if node["kind"] in ("array", "bytes"):
                item = np.dtype(node["dtype"]).itemsize if node["kind"] == "array" else 1
                n_bytes = int(np.prod(node.get("shape", node.get("size")), dtype=int)) * item
                self.blocks[id(node)] = body[at : at + n_bytes]
                at += n_bytes

    def nodes(self):
        return _nodes(self.document)

    def of_kind(self, ending):
        return next(node for node in self.nodes() if node["kind"].endswith(ending))

    def attribute(self, kind, name):
        """Of the first object of that kind that has it: parameters hold some that are not fitted."""
        owners = [node for node in self.nodes() if node["kind"].endswith(kind)]
        return next(pair for owner in owners for pair in owner["state"]["items"] if pair[0] == name)

    def set_array(self, kind, name, change):
        node = self.attribute(kind, name)[1]
        values = np.frombuffer(self.blocks[id(node)], node["dtype"]).copy()
        self.blocks[id(node)] = change(values).astype(node["dtype"]).tobytes()

    def set_text(self, kind, change):
        node = self.attribute(kind, "text")[1]
        self.blocks[id(node)] = change(self.blocks[id(node)].decode()).encode()
        node["size"] = len(self.blocks[id(node)])

    def content(self, document=None, more=b""):
        text = json.dumps(self.document, sort_keys=True).encode() if document is None else document
        used = [self.blocks[id(node)] for node in self.nodes() if id(node) in self.blocks]
        return sealed(text, b"".join(used) + more)


def sealed(document, body=b""):
    return (
        b"podium model 3 %s %d\n" % (hashlib.sha256(document + body).hexdigest().encode(), len(document))
        + document
        + body
    )


def put(index, value):
    def change(values):
        values[index] = value
        return values

    return change


def xgboost_with(name, change):
    def rewrite(text):
        model = json.loads(text)
        tree = model["learner"]["gradient_booster"]["model"]["trees"][0]
        tree[name] = change(tree[name])
        return json.dumps(model)

    return rewrite


def line_with(name, change):
    """Of LightGBM's text: the first line of that name."""

    def rewrite(text):
        start = text.index(f"\n{name}=") + 1
        end = text.index("\n", start)
        words = text[start:end].partition("=")[2].split()
        line = f"{name}={' '.join(change(words))}".ljust(end - start)
        surplus = len(line) - (
            end - start
        )  # taken from a number further down: the sizes of trees stay as they are said
        cut = text.index("\nleaf_count=", end)
        return text[:start] + line + text[end : cut - surplus] + text[cut:]

    return rewrite


TREE, PREDICTOR = "._tree.Tree", ".TreePredictor"
CHANGES = {
    "forest, column beyond all": lambda p: p.set_array(TREE, "feature", put(0, 2**30)),
    "forest, negative column": lambda p: p.set_array(TREE, "feature", put(0, -7)),
    "forest, child beyond all": lambda p: p.set_array(TREE, "left", put(0, 2**30)),
    "forest in circles": lambda p: p.set_array(TREE, "right", put(1, 0)),
    "forest of other columns": lambda p: put(1, 2**20)(p.attribute(TREE, "n_features")),
    "forest with a wrong depth": lambda p: put(1, "deep")(p.attribute(TREE, "max_depth")),
    "forest without columns": lambda p: put(0, "n")(p.attribute("RandomForestClassifier", "n_features_in_")),
    "forest in too many threads": lambda p: put(1, 10**9)(p.attribute("RandomForestClassifier", "n_jobs")),
    "forest of numbers": lambda p: put(1, [1, 2])(p.attribute("RandomForestClassifier", "estimators_")),
    "arrays of a forest, column beyond all": lambda p: p.set_array("ForestArrays", "column", put(0, 9999)),
    "arrays of a forest, negative column": lambda p: p.set_array("ForestArrays", "column", put(0, -7)),
    "arrays of a forest, child beyond all": lambda p: p.set_array("ForestArrays", "right", put(0, 2**30)),
    "arrays of a forest in circles": lambda p: p.set_array("ForestArrays", "right", put(0, 0)),
    "arrays of a forest, into another tree": lambda p: p.set_array("ForestArrays", "roots", put(1, 2)),
    "arrays of a forest, no leaf at the end": lambda p: p.set_array("ForestArrays", "column", put(-1, 0)),
    "arrays of a forest, roots beyond all": lambda p: p.set_array("ForestArrays", "roots", put(1, 2**30)),
    "arrays of a forest of other columns": lambda p: put(1, 1)(p.attribute("ForestArrays", "n_features")),
    "histogram trees, column": lambda p: p.set_array(PREDICTOR, "feature_idx", put(0, 2**30)),
    "histogram trees, child": lambda p: p.set_array(PREDICTOR, "left", put(0, 2**31)),
    "histogram trees in circles": lambda p: p.set_array(PREDICTOR, "right", put(0, 0)),
    "ranking trees, column": lambda p: p.set_array("RankingTree", "column", put(0, 2**30)),
    "ranking trees, child beyond all": lambda p: p.set_array("RankingTree", "children", put(0, 2**30)),
    "ranking trees, cell beyond all": lambda p: p.set_array("RankingTree", "children", put(0, -(2**30))),
    "ranking trees in circles": lambda p: p.set_array("RankingTree", "children", put(0, 0)),
    "ranking trees in larger circles": lambda p: p.set_array("RankingTree", "children", put(0, -1)),
    "ranking trees, rules in disorder": lambda p: p.set_array("RankingTree", "first", put(0, 1)),
    "LightGBM, child beyond all": lambda p: p.set_text("lightgbm.Booster", line_with("left_child", put(0, "999"))),
    "LightGBM, leaf beyond all": lambda p: p.set_text("lightgbm.Booster", line_with("left_child", put(0, "-999"))),
    "LightGBM in circles": lambda p: p.set_text("lightgbm.Booster", line_with("right_child", put(0, "0"))),
    "LightGBM, column": lambda p: p.set_text("lightgbm.Booster", line_with("split_feature", put(0, "9"))),
    "LightGBM, too few values": lambda p: p.set_text("lightgbm.Booster", line_with("leaf_value", lambda w: w[:1])),
    "LightGBM, sizes": lambda p: p.set_text("lightgbm.Booster", line_with("tree_sizes", put(0, "9"))),
    "LightGBM, no text": lambda p: p.set_text("lightgbm.Booster", lambda text: "tree"),
    "XGBoost, child beyond all": lambda p: p.set_text("xgboost.Booster", xgboost_with("left_children", put(0, 99999))),
    "XGBoost in circles": lambda p: p.set_text("xgboost.Booster", xgboost_with("right_children", put(0, 0))),
    "XGBoost, column": lambda p: p.set_text("xgboost.Booster", xgboost_with("split_indices", put(0, 99999))),
    "XGBoost, too few nodes": lambda p: p.set_text("xgboost.Booster", xgboost_with("parents", lambda nodes: nodes[:1])),
    "XGBoost, no text": lambda p: p.set_text("xgboost.Booster", lambda text: "{"),
    "an array of a terabyte": lambda p: p.of_kind("array").update(shape=[2**40]),
    "an array of two dimensions beyond numbers": lambda p: p.of_kind("array").update(shape=[2**62, 2**62]),
    "an array of negative length": lambda p: p.of_kind("array").update(shape=[-1]),
    "an array of objects": lambda p: p.of_kind("array").update(dtype="|O8"),
    "an array of a hundred axes": lambda p: p.of_kind("array").update(shape=[1] * 100),
    "no such array": lambda p: p.of_kind("array").pop("shape"),
    "os.system": lambda p: p.of_kind("StackedRanker").update(kind="os.system"),
    "builtins.eval": lambda p: p.of_kind("StackedRanker").update(kind="builtins.eval"),
    "functools.partial": lambda p: p.of_kind("StackedRanker").update(kind="functools.partial"),
    "joblib.Parallel": lambda p: p.of_kind("StackedRanker").update(kind="joblib.Parallel"),
    "pathlib.Path": lambda p: p.of_kind("StackedRanker").update(kind="pathlib.Path"),
    "a function of podium": lambda p: p.of_kind("StackedRanker").update(kind="podium.persist.load"),
    "a module of podium": lambda p: p.of_kind("StackedRanker").update(kind="podium.cli.main"),
    "neighbors": lambda p: p.of_kind("StackedRanker").update(kind="sklearn.neighbors.KNeighborsClassifier"),
    "a kind that is a list": lambda p: p.of_kind("StackedRanker").update(kind=["podium"]),
    "a state that is none": lambda p: p.of_kind("StackedRanker").update(state=7),
    "keys that are lists": lambda p: p.of_kind("StackedRanker")["state"].update(items=[[[1], 2]]),
    "another ranker's state": lambda p: p.of_kind("StackedRanker").update(kind="podium.rankers.LinearRanker"),
    "a model without ranker": lambda p: put(1, None)(p.attribute("TableModel", "ranker")),
    "a label that is a list": lambda p: put(1, [1])(p.attribute("TableModel", "label")),
    "columns that do not fit": lambda p: put(1, [])(p.attribute("Encoder", "columns")),
    "categories that do not fit": lambda p: put(1, ["a", "a", "b", "q"])(p.attribute("TextColumn", "categories")),
    "scores that are none": lambda p: put(1, float("inf"))(p.attribute("NumberColumn", "centre")),
    "calibration that is none": lambda p: put(1, [1, 2])(p.attribute("TableModel", "calibration")),
}  # fmt: skip


def write_corpus(folder):
    """One file of every kind; returns the names, the sound one first."""
    sound = persist.dumps(sound_model())
    files = {"sound": sound}
    for name, change in CHANGES.items():
        parts = Parts(sound)
        change(parts)
        files[name] = parts.content()
    files |= {
        "empty": b"",
        "foreign": b"PK\x03\x04 something else",
        "cut off": sound[:-1],
        "one bit changed": sound[:500] + bytes([sound[500] ^ 1]) + sound[501:],
        "of another version": sound.replace(b"podium model 3", b"podium model 2", 1),
        "no size": b"podium model 3 \n" + sound,
        "a size beyond all": b"podium model 3 " + b"0" * 64 + b" 999999999\n",
        "no JSON": sealed(b"{'model': 1}"),
        "nested too deeply": sealed(b"[" * 100_000 + b"]" * 100_000),
        "too many parts": sealed(b"[" + b"{}," * 5_000_000 + b"{}]"),
        "a number of a million digits": sealed(b'{"kind":"dict","items":[["model",' + b"9" * 1_000_000 + b"]]}"),
        "bytes left over": Parts(sound).content(more=b"x"),
        "no model": persist.dumps(7),
        "a ranker without a table": persist.dumps(sound_model().ranker),
        "no word on what was fitted": persist.dumps(replace(sound_model(), facts={"trained_on": 9})),
        "fitted to a word": persist.dumps(replace(sound_model(), facts={"chosen": "linear", "trained_on": "many"})),
    }
    for number, (name, content) in enumerate(files.items()):
        (folder / f"{number:02d} {name}").write_bytes(content)
    if os.name == "posix":
        os.mkfifo(folder / "97 a pipe")
        os.symlink("/dev/zero", folder / "98 a device")
    (folder / "99 a folder").mkdir()
    return sorted(os.listdir(folder))
