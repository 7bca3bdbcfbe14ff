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
from podium.tables.formats.date import DateFormat
from podium.tables.formats.number import NumberFormat
from podium.tables.formats.words import ISO
from podium.tables.profile import profile

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
    seen = profile(frame, np.arange(300), encoder.kinds)
    formats = {"x": NumberFormat(), "day": DateFormat(ISO)}
    return TableModel(encoder, ranker, "auc", "y", "1", formats=formats, profile=seen)


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
    """Of LightGBM's text: the first line of that name; the sizes of trees that it says stay true."""

    def rewrite(text):
        head, *trees = text.split("\nTree=")
        if f"\n{name}=" in head:
            return "\nTree=".join([_with_line(head, name, change), *trees])
        trees[0] = _with_line(trees[0], name, change)
        sizes = [len(f"Tree={tree.partition('end of trees')[0]}\n".encode()) for tree in trees]
        sizes[-1] -= 1
        return "\nTree=".join([_with_line(head, "tree_sizes", lambda _: map(str, sizes)), *trees])

    return rewrite


def _with_line(block, name, change):
    lines = block.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith(f"{name}="))
    lines[at] = f"{name}={' '.join(change(lines[at].partition('=')[2].split()))}"
    return "\n".join(lines)


def line_added(line):
    """Of LightGBM's text: one more in the first tree."""
    return lambda text: line_with("shrinkage", lambda words: [f"{words[0]}\n{line}"])(text)


def array_of(values):
    """A node for the numbers, and their bytes."""
    values = np.asarray(values)
    node = {"kind": "array", "dtype": values.dtype.str, "shape": list(values.shape), "order": "C"}
    return node, values.tobytes()


def replaced(kind, name, values):
    """Another array in place of an attribute's."""

    def change(parts):
        node = parts.attribute(kind, name)[1]
        new, data = array_of(values)
        node.update(new)
        parts.blocks[id(node)] = data

    return change


def with_columns(kind, **more):
    """Further arrays beside those that an object has."""

    def change(parts):
        items = parts.of_kind(kind)["state"]["items"]
        for name, values in more.items():
            node, parts.blocks[id(node)] = array_of(values)
            items.append([name, node])

    return change


def instead(kind, name, node, body=b""):
    """Another node in place of what an attribute is; what it says of arrays is theirs."""

    def change(parts):
        def arrays():
            return [each for each in _nodes(node) if each["kind"] == "array"]

        parts.attribute(kind, name)[1] = node
        for each in arrays():
            parts.blocks[id(each)] = body[: int(np.prod(each["shape"])) * np.dtype(each["dtype"]).itemsize]

    return change


ALIKE = [k * (2**61 - 1) for k in range(60_000)]  # all have the same hash
COLUMN = {"kind": "array", "dtype": "<f8", "shape": [1], "order": "C"}


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
    "LightGBM, tabs between children": lambda p: p.set_text(
        "lightgbm.Booster", line_with("left_child", lambda words: ["\t".join(words)])
    ),
    "LightGBM, a tab in a weight": lambda p: p.set_text("lightgbm.Booster", line_with("leaf_weight", put(0, "1\t2"))),
    "LightGBM, a tab in sets of categories": lambda p: p.set_text(
        "lightgbm.Booster", lambda text: line_added("cat_boundaries=0 100000\t100000\ncat_threshold=1")(
            line_with("num_cat", lambda words: ["1"])(line_with("decision_type", put(0, "1"))(
                line_with("threshold", put(0, "0"))(text))))
    ),
    "LightGBM, two parents of a leaf": lambda p: p.set_text(
        "lightgbm.Booster", line_with("right_child", put(-1, "-1"))
    ),
    "LightGBM, a threshold that is none": lambda p: p.set_text(
        "lightgbm.Booster", line_with("threshold", put(0, "nan"))
    ),
    "LightGBM, an empty line among the facts": lambda p: p.set_text(
        "lightgbm.Booster", line_with("num_cat", lambda words: [f"{words[0]}\n"])
    ),
    "LightGBM, no empty line after a tree": lambda p: p.set_text(
        "lightgbm.Booster", lambda text: line_with("shrinkage", list)(text.replace("\n\n\nTree=1", "\nTree=1"))
    ),
    "LightGBM, no weights": lambda p: p.set_text("lightgbm.Booster", line_with("leaf_weight", lambda words: [])),
    "LightGBM, digits of another script": lambda p: p.set_text(
        "lightgbm.Booster", line_with("left_child", put(0, "١"))
    ),
    "LightGBM, a fact of its own": lambda p: p.set_text("lightgbm.Booster", line_added("leaf_const=1 2")),
    "LightGBM, column": lambda p: p.set_text("lightgbm.Booster", line_with("split_feature", put(0, "9"))),
    "LightGBM, too few values": lambda p: p.set_text("lightgbm.Booster", line_with("leaf_value", lambda w: w[:1])),
    "LightGBM, sizes": lambda p: p.set_text("lightgbm.Booster", line_with("tree_sizes", put(0, "9"))),
    "LightGBM, no text": lambda p: p.set_text("lightgbm.Booster", lambda text: "tree"),
    "XGBoost, child beyond all": lambda p: p.set_text("xgboost.Booster", xgboost_with("left_children", put(0, 99999))),
    "XGBoost in circles": lambda p: p.set_text("xgboost.Booster", xgboost_with("right_children", put(0, 0))),
    "XGBoost, column": lambda p: p.set_text("xgboost.Booster", xgboost_with("split_indices", put(0, 99999))),
    "XGBoost, too few nodes": lambda p: p.set_text("xgboost.Booster", xgboost_with("parents", lambda nodes: nodes[:1])),
    "XGBoost, rounds before the first": lambda p: put(1, -(2**31))(p.attribute("XgboostTrees", "n_rounds")),
    "XGBoost, rounds after the last": lambda p: put(1, 3)(p.attribute("XgboostTrees", "n_rounds")),
    "XGBoost, no text": lambda p: p.set_text("xgboost.Booster", lambda text: "{"),
    "XGBoost, unknown parents": lambda p: p.set_text("xgboost.Booster", xgboost_with("parents", put(1, 2))),
    "XGBoost, a child that is a fraction": lambda p: p.set_text(
        "xgboost.Booster", xgboost_with("left_children", put(0, 1.0))
    ),
    "XGBoost, a threshold that is none": lambda p: p.set_text(
        "xgboost.Booster", xgboost_with("split_conditions", put(0, float("nan")))
    ),
    "XGBoost, categories of no split": lambda p: p.set_text(
        "xgboost.Booster", xgboost_with("categories_nodes", lambda nodes: [0])
    ),
    "histogram trees with categories": with_columns(
        PREDICTOR, is_categorical=np.ones(7, np.uint8), bitset_idx=np.full(7, 2**31, np.uint32)
    ),
    "histogram trees of broken numbers": lambda p: replaced(PREDICTOR, "left", np.full(7, 0.5))(p),
    "histogram trees of columns that a step before makes": lambda p: put(
        1, p.attribute("TableModel", "encoder")[1]
    )(p.attribute("HistGradientBoostingClassifier", "_preprocessor")),
    "histogram trees of a billion classes": lambda p: put(1, 10**9)(
        p.attribute("HistGradientBoostingClassifier", "n_trees_per_iteration_")
    ),
    "forest of children between nodes": lambda p: p.attribute(TREE, "left")[1].update(dtype="<f4"),
    "forest of a billion classes": lambda p: put(1, 10**9)(p.attribute("RandomForestClassifier", "n_classes_")),
    "numbers of one hash": lambda p: put(1, {"kind": "set", "items": ALIKE})(p.attribute("TableModel", "facts")),
    "keys of one hash": lambda p: put(1, {"kind": "dict", "items": [[k, 0] for k in ALIKE]})(
        p.attribute("TableModel", "facts")
    ),
    "keys that are pairs": lambda p: put(
        1, {"kind": "dict", "items": [[{"kind": "tuple", "items": [k, 1]}, 0] for k in range(1000)]}
    )(p.attribute("TableModel", "facts")),
    "records of unequal lengths": lambda p: instead(
        "TableModel", "facts", {"kind": "records", "columns": [["a", COLUMN | {"shape": [100_000]}]] + [
            [f"b{i}", dict(COLUMN)] for i in range(1000)]}, bytes(800_000)
    )(p),
    "an axis without end": lambda p: p.attribute("TableModel", "facts").__setitem__(
        1, COLUMN | {"shape": [0, 2**62]}
    ),
    "numbers without a decimal mark": lambda p: put(1, "")(p.attribute("NumberFormat", "decimal")),
    "numbers of a unit that is none": lambda p: put(1, "(a+)+$")(p.attribute("NumberFormat", "unit")),
    "dates of a billion characters": lambda p: put(1, "%1000000000d")(p.attribute("DateFormat", "pattern")),
    "a profile that is cut": replaced("ColumnProfile", "grid", np.arange(3.0)),
    "a profile of no numbers": lambda p: p.set_array("ColumnProfile", "shares", put(0, np.nan)),
    "a profile in disorder": lambda p: p.set_array("ColumnProfile", "grid", put(0, 1e9)),
    "a scale of zero": lambda p: put(1, 0.0)(p.attribute("NumberColumn", "scale")),
    "fingerprints of too many bits": lambda p: put(1, 100)(p.attribute("Fingerprints", "n_bits")),
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
