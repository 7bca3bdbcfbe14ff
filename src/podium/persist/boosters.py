"""Boosted trees of LightGBM and XGBoost: their own text, read only if every index in it is one."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np

from podium.persist.trees import check_nodes

_MOST_ITEMS = 5_000_000  # numbers in a text: each takes memory once it is read
_END = "end of trees"
_OF_LEAVES = ("leaf_value", "leaf_weight", "leaf_count")
_OF_SPLITS = ("split_gain", "internal_value", "internal_weight", "internal_count")


def lightgbm_state(booster: Any) -> dict[str, Any]:
    """The trees alone: parameters of the training are left out."""
    text, end, _ = booster.model_to_string(num_iteration=-1).partition(_END)
    return {"text": (text + end + "\n\n").encode()}


def lightgbm_of(kind: Any, state: Any) -> Any:
    """LightGBM reads the text as it comes, without a look at its indices: they are looked at before."""
    text = state["text"].decode()
    head, *blocks = text.partition(_END)[0].split("\nTree=")
    facts = _facts(head)
    n_features = int(facts["max_feature_idx"]) + 1
    _require(facts["num_class"] == facts["num_tree_per_iteration"] == "1", "one score per row")
    _require(0 < n_features == len(facts["feature_names"].split()), "a name for every column")
    # LightGBM jumps by these sizes through the text.
    sizes = [len(f"Tree={block}\n".encode()) for block in blocks]
    sizes[-1] -= 1  # whose line feed was not taken by the split
    _require([int(size) for size in facts["tree_sizes"].split()] == sizes, "trees of the sizes said")
    for number, block in enumerate(blocks):
        _require(block.startswith(f"{number}\n"), "trees in their order")
        _check_lightgbm_tree(_facts(block), n_features)
    return kind(model_str=text)


def _check_lightgbm_tree(facts: dict[str, str], n_features: int) -> None:
    n_leaves, n_categorical = int(facts["num_leaves"]), int(facts["num_cat"])
    _require(n_leaves >= 1 and facts.get("is_linear", "0") == "0", "trees with constant leaves")
    n_inner = n_leaves - 1
    for names, length in ((_OF_LEAVES, n_leaves), (_OF_SPLITS, n_inner)):
        _require(all(len(_numbers(facts.get(name, ""))) in (length, 0) for name in names), "values for all nodes")
    _require(len(facts["leaf_value"].split()) == n_leaves, "a value for every leaf")
    if n_leaves == 1:
        return
    left, right = _numbers(facts["left_child"], int), _numbers(facts["right_child"], int)
    # Leaf l is child −1 − l; inner nodes and leaves together are nodes for the check.
    children = [np.where(child < 0, n_inner - 1 - child, child) for child in (left, right)]
    is_leaf = np.arange(n_inner + n_leaves) >= n_inner
    feature = _numbers(facts["split_feature"], int)
    padding = np.zeros(n_leaves, dtype=np.int64)
    left, right, feature = (np.append(part, padding) for part in (*children, feature))
    check_nodes(left, right, feature, is_leaf, n_features)
    decisions, thresholds = _numbers(facts["decision_type"], int), _numbers(facts["threshold"])
    _require(len(decisions) == len(thresholds) == n_inner, "a threshold for every split")
    if n_categorical:
        bounds, bits = _numbers(facts["cat_boundaries"], int), _numbers(facts["cat_threshold"], int)
        _require(len(bounds) == n_categorical + 1 and bounds[0] == 0 and bounds[-1] == len(bits), "sets of categories")
        _require(bool((np.diff(bounds) >= 0).all()), "sets of categories")
    which = thresholds[decisions % 2 == 1]
    _require(bool(((which >= 0) & (which < max(n_categorical, 0)) & (which == np.floor(which))).all()), "known sets")


def xgboost_state(booster: Any) -> dict[str, Any]:
    """As JSON, which can be checked."""
    return {"text": bytes(booster.save_raw("json"))}


def xgboost_of(kind: Any, state: Any) -> Any:
    """A booster of gradient trees without categories that fit its number of columns."""
    text = state["text"]
    _require(text.count(b",") <= _MOST_ITEMS, "a model of moderate size")
    learner = json.loads(text)["learner"]
    n_features = int(learner["learner_model_param"]["num_feature"])
    gradient_trees = learner["gradient_booster"]
    model = gradient_trees["model"]
    _require(gradient_trees["name"] == "gbtree", "gradient trees")
    _require(0 < n_features < 2**31 and learner["learner_model_param"]["num_class"] in ("0", "1"), "one score per row")
    found, rounds = model["trees"], model.get("iteration_indptr", [])
    _require(int(model["gbtree_model_param"]["num_trees"]) == len(found) == len(model["tree_info"]), "as many trees")
    _require(not any(model["tree_info"]), "one score per row")
    _require(all(0 <= a <= b <= len(found) for a, b in pairwise(rounds)), "rounds of trees")
    for number, tree in enumerate(found):
        _check_xgboost_tree(tree, number, n_features)
    return kind(model_file=bytearray(text))


def _check_xgboost_tree(tree: dict[str, Any], number: int, n_features: int) -> None:
    n_nodes = int(tree["tree_param"]["num_nodes"])
    _require(tree["id"] == number and int(tree["tree_param"]["size_leaf_vector"]) <= 1, "trees in their order")
    left, right, feature = (
        np.array(tree[name], dtype=np.int64) for name in ("left_children", "right_children", "split_indices")
    )
    names = ("base_weights", "default_left", "loss_changes", "parents", "split_conditions", "split_type", "sum_hessian")
    _require(n_nodes >= 1 and all(len(tree[name]) == n_nodes for name in names), "arrays for all nodes")
    _require(tree["parents"][0] == 2**31 - 1, "a root without parent")
    check_nodes(left, right, feature, left == -1, n_features)
    parents = np.array(tree["parents"][1:], dtype=np.int64)
    _require(bool(((parents >= 0) & (parents < np.arange(1, n_nodes))).all()), "parents before their children")
    _check_categories(tree, n_nodes)


def _check_categories(tree: dict[str, Any], n_nodes: int) -> None:
    """Segments of the list of categories, one for every node that splits by them."""
    starts, sizes = tree["categories_segments"], tree["categories_sizes"]
    nodes, values = tree["categories_nodes"], tree["categories"]
    _require(len(starts) == len(sizes) == len(nodes) == sum(kind != 0 for kind in tree["split_type"]), "categories")
    _require(all(0 <= node < n_nodes and tree["split_type"][node] for node in nodes), "categories of nodes")
    ends = list(zip(starts, sizes, strict=True))
    _require(all(start >= 0 and 0 < size <= len(values) - start for start, size in ends), "categories of nodes")
    _require(all(0 <= value < 2**24 for value in values), "categories")


def _facts(block: str) -> dict[str, str]:
    """Lines ``name=value``; of equal names the first counts, as for LightGBM."""
    facts: dict[str, str] = {}
    for line in block.splitlines():
        name, equals, value = line.partition("=")
        if equals and facts.setdefault(name, value) != value:
            raise ValueError(f"{name} is said once; it is not")
    return facts


def _numbers(words: str, kind: type = float) -> Any:
    return np.array([kind(word) for word in words.split()], dtype=np.int64 if kind is int else np.float64)


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"boosted trees need {what}")
