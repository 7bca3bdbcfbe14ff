"""Trees as the lists of numbers that ONNX keeps them in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

_AT_MOST, _SUM, _NONE = 0, 1, 0  # ONNX's numbers for a split by ≤, for adding leaves up, and for doing nothing after


@dataclass
class Trees:
    """Splits and leaves of all trees; a split names its two sides by their places among splits or among leaves."""

    roots: list[int] = field(default_factory=list)
    features: list[int] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)
    sides: list[list[tuple[int, bool]]] = field(default_factory=list)
    leaves: list[float] = field(default_factory=list)

    def add(self, tree: dict[str, Any]) -> None:
        """A tree as LightGBM writes it down; one that is a single leaf is a split whose sides are the same."""
        self.roots.append(len(self.features))
        if "leaf_value" in tree:
            tree = {"split_feature": 0, "threshold": 0.0, "left_child": tree, "right_child": tree}
        self._place(tree)

    def _place(self, split: dict[str, Any]) -> tuple[int, bool]:
        """Where it is kept, and whether as a leaf."""
        if "leaf_value" in split:
            self.leaves.append(split["leaf_value"])
            return len(self.leaves) - 1, True
        at = len(self.features)
        self.features.append(split["split_feature"])
        self.thresholds.append(split["threshold"])
        self.sides.append([])
        self.sides[at] = [self._place(split["left_child"]), self._place(split["right_child"])]
        return at, False

    def attributes(self, onnx: Any) -> dict[str, Any]:
        """As the operator TreeEnsemble wants them."""
        tensor = onnx.numpy_helper.from_array
        low, high = zip(*self.sides, strict=True)
        return {
            "n_targets": 1,
            "aggregate_function": _SUM,
            "post_transform": _NONE,
            "tree_roots": self.roots,
            "nodes_featureids": self.features,
            "nodes_splits": tensor(np.array(self.thresholds), "splits"),
            "nodes_modes": tensor(np.full(len(self.features), _AT_MOST, dtype=np.uint8), "modes"),
            "nodes_truenodeids": [at for at, _ in low],
            "nodes_trueleafs": [int(is_leaf) for _, is_leaf in low],
            "nodes_falsenodeids": [at for at, _ in high],
            "nodes_falseleafs": [int(is_leaf) for _, is_leaf in high],
            "leaf_targetids": [0] * len(self.leaves),
            "leaf_weights": tensor(np.array(self.leaves), "leaves"),
        }
