"""Boosted trees of LightGBM and XGBoost: their own text, handed to them only if it is what they would have written.

Both read a text as it comes: LightGBM jumps through it by numbers in it and takes its indices for granted. So its text
must obey a grammar, line by line, and that of XGBoost is written anew from the values that were checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Set
from itertools import pairwise
from typing import Any

import numpy as np

from podium.persist.trees import check_depth, check_nodes

_MOST_ITEMS = 5_000_000  # numbers in a text: each takes memory once it is read
_MOST_COLUMNS = 1_000_000  # of XGBoost, which makes room for 64 rows of them
_LARGEST = 2**31 - 1
_CATEGORIES = 2**24  # at most, by number
_END = "end of trees"

_WHOLE = r"-?[0-9]{1,10}"  # not \d, which takes the digits of all scripts
_NUMBER = r"-?(?:[0-9]{1,17}(?:\.[0-9]{1,25})?(?:e[-+][0-9]{1,3})?|inf|nan)"
_WHOLES, _NUMBERS = (re.compile(rf"{one}(?: {one})*") for one in (_WHOLE, _NUMBER))
_WORDS = re.compile(r"[!-~]+(?: [!-~]+)*")
_HEAD = {
    **dict.fromkeys(("num_class", "num_tree_per_iteration", "label_index", "max_feature_idx"), re.compile(_WHOLE)),
    **dict.fromkeys(("version", "feature_names", "feature_infos"), _WORDS),
    **dict.fromkeys(("tree_sizes", "monotone_constraints"), _WHOLES),
    "objective": re.compile(r"(?!multi|softmax)[a-z0-9_]{1,30}(?: [a-z_]{1,30}(?::[-+.e0-9]{1,30})?)*"),
    "average_output": re.compile(""),
}
_OPTIONAL = {"objective", "average_output", "monotone_constraints"}
# Of a tree: how its numbers are written, and how many there are: of leaves, of splits, of sets of categories or one.
_TREE = {
    **dict.fromkeys(("num_leaves", "num_cat", "is_linear"), (_WHOLES, "one")),
    "shrinkage": (_NUMBERS, "one"),
    **dict.fromkeys(("split_feature", "decision_type", "left_child", "right_child"), (_WHOLES, "splits")),
    "internal_count": (_WHOLES, "splits"),
    **dict.fromkeys(("split_gain", "threshold", "internal_value", "internal_weight"), (_NUMBERS, "splits")),
    **dict.fromkeys(("leaf_value", "leaf_weight"), (_NUMBERS, "leaves")),
    "leaf_count": (_WHOLES, "leaves"),
    "cat_boundaries": (_WHOLES, "sets"),
    "cat_threshold": (_WHOLES, "bits"),
}
_OF_TREE = {"num_leaves", "num_cat", "leaf_value"}
_OF_SPLITS = ("split_feature", "decision_type", "left_child", "right_child", "threshold")
_CATEGORICAL = 1  # a bit of LightGBM's decision_type; 2: missing values go left; 4 or 8: zeros or NaN are missing
_DECISIONS = 12


def lightgbm_state(booster: Any) -> dict[str, Any]:
    """The trees alone: parameters of the training are left out, and the least and largest value of every column."""
    text, end, _ = booster.model_to_string(num_iteration=-1).partition(_END)
    text = re.sub(r"(?<=\nfeature_infos=).*", lambda found: " ".join(["none"] * len(found[0].split())), text, count=1)
    return {"text": (text + end + "\n\n").encode()}


def lightgbm_of(kind: Any, state: Any) -> Any:
    """A booster whose text obeys the grammar and whose indices are sound."""
    text = state["text"].decode()
    body, _, rest = text.partition(_END)
    _require(not rest.strip("\n") and text.count(" ") <= _MOST_ITEMS, "a text of moderate size, and no more")
    head, *blocks = body.split("\nTree=")
    title, facts = _facts(head, _HEAD, _HEAD.keys() - _OPTIONAL)
    _require(title == "tree" and all(_HEAD[name].fullmatch(value) for name, value in facts.items()), "known facts")
    n_features = int(facts["max_feature_idx"]) + 1
    _require(facts["num_class"] == facts["num_tree_per_iteration"] == "1", "one score per row")
    for name in facts.keys() & {"feature_names", "feature_infos", "monotone_constraints"}:
        _require(0 < n_features == len(facts[name].split(" ")), "a name for every column")
    # LightGBM jumps by these sizes through the text.
    sizes = [len(f"Tree={block}\n".encode()) for block in blocks]
    sizes[-1] -= 1  # whose line feed was not taken by the split
    _require([int(size) for size in facts["tree_sizes"].split(" ")] == sizes, "trees of the sizes said")
    for number, block in enumerate(blocks):
        _require(block.endswith("\n\n"), "an empty line after every tree")  # LightGBM reads on to the next one
        title, facts = _facts(block, _TREE, _OF_TREE)
        _require(title == str(number), "trees in their order")
        _check_lightgbm_tree(facts, n_features)
    return kind(model_str=text)


def _facts(block: str, known: dict[str, Any], needed: Set[str]) -> tuple[str, dict[str, str]]:
    """The title, and lines ``name=value``: each name once, none empty, since LightGBM reads to the first empty line."""
    title, *lines = block.rstrip("\n").split("\n")
    pairs = [line.partition("=") for line in lines]
    facts = {name: value for name, _, value in pairs}
    _require(len(facts) == len(pairs) and needed <= facts.keys() <= known.keys(), "every fact once, and known ones")
    _require(all(equals or name == "average_output" for name, equals, _ in pairs), "lines of names and values")
    return title, facts


def _check_lightgbm_tree(facts: dict[str, str], n_features: int) -> None:
    numbers = {name: _read(value, *_TREE[name]) for name, value in facts.items()}
    n_leaves, n_sets = (int(numbers[name][0]) for name in ("num_leaves", "num_cat"))
    n_inner = n_leaves - 1
    _require(
        n_leaves >= 1 and 0 <= n_sets < n_leaves and not numbers.get("is_linear", [0])[0], "trees with constant leaves"
    )
    largest = {name: 2**32 if name == "cat_threshold" else 2**31 for name in numbers}
    whole = [name for name, values in numbers.items() if values.dtype.kind == "i"]
    _require(all((np.abs(numbers[name]) < largest[name]).all() for name in whole), "numbers of 32 bits")
    lengths = {"one": 1, "leaves": n_leaves, "splits": n_inner, "sets": n_sets + 1 if n_sets else 0}
    for name, values in numbers.items():
        length = lengths.get(_TREE[name][1])
        is_left_out = len(values) == 0 and n_inner == 0 and name != "leaf_value"  # of a lone leaf, which has no splits
        _require(length is None or len(values) == length or is_left_out, "values for all nodes")
    _require(np.isfinite(numbers["leaf_value"]).all(), "values of leaves")
    if n_inner:
        _check_splits(numbers, n_leaves, n_sets, n_features)


def _check_splits(numbers: dict[str, Any], n_leaves: int, n_sets: int, n_features: int) -> None:
    n_inner = n_leaves - 1
    feature, decisions, *children, thresholds = (numbers[name] for name in _OF_SPLITS)
    _require(all(len(part) == n_inner for part in (feature, decisions, *children, thresholds)), "splits")
    # Leaf l is child −1 − l; inner nodes and leaves together are nodes for the check.
    is_leaf, padding = np.arange(n_inner + n_leaves) >= n_inner, np.zeros(n_leaves, dtype=np.int64)
    left, right = (np.append(np.where(child < 0, n_inner - 1 - child, child), padding) for child in children)
    check_nodes(left, right, np.append(feature, padding), is_leaf, n_features)
    check_depth(left, right, is_leaf)
    _require(bool(((decisions >= 0) & (decisions < _DECISIONS)).all()), "ways to decide")
    _require(not np.isnan(thresholds).any(), "thresholds that are numbers")
    bounds, bits = (numbers.get(name, np.zeros(0, np.int64)) for name in ("cat_boundaries", "cat_threshold"))
    if n_sets:
        _require(len(bounds) == n_sets + 1 and bounds[0] == 0 and bounds[-1] == len(bits), "sets of categories")
        _require(bool((np.diff(bounds) > 0).all() and (bits >= 0).all()), "sets of categories")
    which = thresholds[decisions & _CATEGORICAL == _CATEGORICAL]
    _require(bool(((which >= 0) & (which < n_sets) & (which == np.floor(which))).all()), "known sets")


def _read(value: str, form: re.Pattern[str], shape: str) -> Any:
    """The numbers of a line; there may be none, unless one is wanted."""
    is_empty = not value and shape != "one"
    _require(is_empty or form.fullmatch(value) is not None, "numbers with one space between them")
    words = value.split(" ") if value else []
    if form is _NUMBERS:
        return np.array(words, dtype=np.float64)
    return np.array([int(word) for word in words], dtype=np.int64)


def xgboost_state(booster: Any) -> dict[str, Any]:
    """As JSON, which can be checked."""
    _require(booster.num_features() <= _MOST_COLUMNS, f"at most {_MOST_COLUMNS:,} columns to go into a file")
    return {"text": bytes(booster.save_raw("json"))}


# What each value of XGBoost's JSON is: a type, a pattern for text, a list of one of these, or an object by its names.
# A name with a question mark need not be there.
_DIGITS = re.compile(r"[0-9]{1,9}")
_NUMBER_TEXT = re.compile(r"\[?-?[0-9]{1,20}(?:\.[0-9]{1,20})?(?:E[-+]?[0-9]{1,3})?\]?")
_ARRAYS_OF_TREE = {
    **{key: [float] for key in ("base_weights", "loss_changes", "split_conditions", "sum_hessian")},
    **{
        key: [int]
        for key in ("left_children", "right_children", "parents", "split_indices", "default_left", "split_type")
    },
}
_OF_CATEGORIES = ("categories", "categories_nodes", "categories_segments", "categories_sizes")
_XGBOOST = {
    "version": [int],
    "learner": {
        "attributes": {},
        "feature_names": [re.compile(r"[^\x00-\x1f]{1,200}")],
        "feature_types": [re.compile(r"q|c|i|int|float")],
        "gradient_booster": {
            "name": re.compile(r"gbtree"),
            "model": {
                "cats?": {"enc": [], "feature_segments": [], "sorted_idx": []},
                "gbtree_model_param": {"num_parallel_tree": _DIGITS, "num_trees": _DIGITS},
                "iteration_indptr?": [int],
                "tree_info": [int],
                "trees": [
                    {
                        **_ARRAYS_OF_TREE,
                        **{key: [int] for key in _OF_CATEGORIES},
                        "id": int,
                        "tree_param": dict.fromkeys(
                            ("num_deleted", "num_feature", "num_nodes", "size_leaf_vector"), _DIGITS
                        ),
                    }
                ],
            },
        },
        "learner_model_param": {
            "base_score": _NUMBER_TEXT,
            **dict.fromkeys(("boost_from_average?", "num_class", "num_feature", "num_target?"), _DIGITS),
        },
        "objective": {"name": re.compile(r"[a-z]{1,20}:[a-z0-9]{1,20}")},
    },
}


def xgboost_of(kind: Any, state: Any) -> Any:
    """A booster of gradient trees without categories that fit its number of columns."""
    text = state["text"]
    _require(text.count(b",") <= _MOST_ITEMS, "a model of moderate size")
    given = json.loads(text)
    given["learner"] |= {"attributes": {}, "objective": {"name": given["learner"]["objective"]["name"]}}  # to score by
    _require(_is_like(given, _XGBOOST), "values of the types that XGBoost writes")
    learner = given["learner"]
    model = learner["gradient_booster"]["model"]
    n_features = int(learner["learner_model_param"]["num_feature"])
    _require(
        0 < n_features <= _MOST_COLUMNS and learner["learner_model_param"]["num_class"] in ("0", "1"),
        "one score per row",
    )
    _require(learner["learner_model_param"].get("num_target", "1") == "1", "one score per row")
    for name in ("feature_names", "feature_types"):
        _require(len(learner[name]) in (0, n_features), "a name and a type for every column")
    found, rounds = model["trees"], model.get("iteration_indptr", [])
    _require(int(model["gbtree_model_param"]["num_trees"]) == len(found) == len(model["tree_info"]), "as many trees")
    _require(int(model["gbtree_model_param"]["num_parallel_tree"]) >= 1, "trees in every round")
    _require(not any(model["tree_info"]), "one score per row")
    _require(not rounds or (rounds[0] == 0 and rounds[-1] == len(found)), "rounds of trees")
    _require(all(a <= b for a, b in pairwise(rounds)), "rounds of trees")
    for number, tree in enumerate(found):
        _check_xgboost_tree(tree, number, n_features)
    return kind(model_file=bytearray(json.dumps(given, separators=(",", ":")).encode()))


def _is_like(value: Any, wanted: Any) -> bool:
    """Whether a value of JSON is of the types wanted, all the way down."""
    if isinstance(wanted, re.Pattern):
        return type(value) is str and wanted.fullmatch(value) is not None
    if wanted is int:
        return type(value) in (int, bool) and -1 <= value <= _LARGEST
    if wanted is float:
        return type(value) in (int, float) and abs(value) <= np.finfo(np.float32).max
    if isinstance(wanted, list):
        return type(value) is list and (all(_is_like(item, wanted[0]) for item in value) if wanted else not value)
    needed = {name for name in wanted if not name.endswith("?")}
    return (
        type(value) is dict
        and needed <= value.keys() <= {name.rstrip("?") for name in wanted}
        and all(_is_like(part, wanted.get(name, wanted.get(f"{name}?"))) for name, part in value.items())
    )


def _check_xgboost_tree(tree: dict[str, Any], number: int, n_features: int) -> None:
    n_nodes = int(tree["tree_param"]["num_nodes"])
    _require(tree["id"] == number and int(tree["tree_param"]["size_leaf_vector"]) <= 1, "trees in their order")
    _require(int(tree["tree_param"]["num_feature"]) in (0, n_features), "the columns of their model")
    _require(n_nodes >= 1 and all(len(tree[name]) == n_nodes for name in _ARRAYS_OF_TREE), "arrays for all nodes")
    left, right, feature, parents = (
        np.array(tree[name], dtype=np.int64) for name in ("left_children", "right_children", "split_indices", "parents")
    )
    is_leaf = left == -1
    check_nodes(left, right, feature, is_leaf, n_features)
    check_depth(left, right, is_leaf)
    _require(bool((right[is_leaf] == -1).all()), "leaves without children")
    inner = np.flatnonzero(~is_leaf)
    _require(parents[0] == _LARGEST, "a root without parent")
    _require(bool((parents[left[inner]] == inner).all() and (parents[right[inner]] == inner).all()), "known parents")
    # Pruning leaves deleted nodes between the others, which nothing leads to.
    deleted = feature == _LARGEST
    _require(not (deleted[inner].any() or deleted[left[inner]].any() or deleted[right[inner]].any()), "nodes in use")
    _require(int(tree["tree_param"]["num_deleted"]) == deleted.sum(), "as many deleted nodes")
    _require(len(inner) * 2 + 1 == n_nodes - deleted.sum(), "a parent for every node")
    _require(set(tree["default_left"]) | set(tree["split_type"]) <= {0, 1}, "sides and kinds of splits")
    _check_categories(tree, n_nodes)


def _check_categories(tree: dict[str, Any], n_nodes: int) -> None:
    """Segments of the list of categories, one after the other, one for every node that splits by them."""
    starts, sizes = tree["categories_segments"], tree["categories_sizes"]
    nodes, values = tree["categories_nodes"], tree["categories"]
    _require(nodes == [node for node, kind in enumerate(tree["split_type"]) if kind], "categories of nodes")
    _require(all(tree["left_children"][node] != -1 for node in nodes), "categories of nodes")
    _require(len(starts) == len(sizes) == len(nodes), "categories of nodes")
    ends = [start + size for start, size in zip(starts, sizes, strict=True)]
    _require(all(size > 0 for size in sizes) and [0, *ends][: len(starts)] == starts, "categories of nodes")
    _require(([0, *ends])[-1] == len(values), "categories of nodes")
    _require(all(0 <= value < _CATEGORIES for value in values), "categories")


def _require(holds: Any, what: str) -> None:
    if not holds:
        raise ValueError(f"boosted trees need {what}")
