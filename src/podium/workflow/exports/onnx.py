"""A model as an ONNX file: a graph of a few standard operators, in double precision."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import __version__, _optional
from podium.workflow.exports.expressions import Expression, in_order
from podium.workflow.exports.scores import scored

_OPSET, _ML_OPSET, _IR_VERSION = 17, 5, 10  # trees in double precision came with the fifth set for machine learning
_OPERATORS = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "sum": "Sum", "floor": "Floor", "ln": "Log"}
_OPERATORS |= {"cos": "Cos", "sin": "Sin", "missing": "IsNaN", "<=": "LessOrEqual", ">": "Greater"}
_OPERATORS |= {"and": "And", "or": "Or", "where": "Where"}
_AT_MOST, _SUM, _NONE = 0, 1, 0  # ONNX's numbers for a split by ≤, for adding leaves up, and for doing nothing after


def export_onnx(model: Any) -> bytes:
    """The bytes of an ONNX file that scores rows as the model would, from the columns of a table to the score.

    Every ranker but stacks and networks can be written so: that of `fit`, of numbers, categories and dates; one fitted
    in Python; and one at the end of a scikit-learn pipeline of scalers, encoders, imputers and selections of columns.
    Free text cannot. All is computed in double precision, and scores agree within 10⁻¹² (dates apart: 10⁻⁹). Needs the
    extra ``onnx``; the file runs in ONNX Runtime 1.20 or later (operator sets 17 and, for machine learning, 5).

    Every column that the model reads is one input of its name, an array of as many rows as one likes and one column:

    - numbers and truth values (1 and 0) in double precision, NaN where missing;
    - text as strings, the empty one where missing;
    - dates and times as seconds since 1970 began, in UTC, in double precision, NaN where missing.

    The output is called ``score``, with an underscore behind where an input has that name.

    Parameters
    ----------
    model : TableModel, fitted ranker, Pipeline or path
        The model of a `FitResult`; a ranker, or a pipeline that ends in one, whose columns have the names of the data
        frame it was fitted to, or else are called x0, x1, …; or a file of these.

    Returns
    -------
    bytes
        To be written to a file, or given to ``onnxruntime.InferenceSession``.
    """
    found = scored(model)
    graph = _Graph({name: kind == "text" for name, kind in found.kinds.items()})
    graph.add(in_order(found.score))
    return graph.serialized(f"Scores for {found.positive}: larger is more likely.")


class _Graph:
    """Operators in the order of their use; what they make has names that no input has.

    Parameters
    ----------
    inputs : mapping of str to bool
        The names of the inputs, each a column of rows; whether it is text, or else numbers.
    """

    def __init__(self, inputs: Mapping[str, bool]) -> None:
        self.onnx = _optional.load("onnx", "The ONNX export")
        self.inputs = dict(inputs)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._codes: dict[tuple[str, tuple[str, ...]], str] = {}
        self._last = ""

    def add(self, expressions: Iterable[Expression]) -> None:
        """Expressions, each after its parts; the last is the score."""
        names: dict[int, str] = {}
        for one in expressions:
            names[id(one)] = self._last = self._result(one, [names[id(part)] for part in one.parts])

    def serialized(self, about: str) -> bytes:
        """The model whose one output, a column of numbers, is the score."""
        score = self._free("score")
        rows = self._op("Shape", next(iter(self.inputs)))
        self.nodes.append(self.onnx.helper.make_node("Expand", [self._last, rows], [score]))
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        columns = [
            helper.make_tensor_value_info(one, kinds.STRING if is_text else kinds.DOUBLE, ["rows", 1])
            for one, is_text in self.inputs.items()
        ]
        output = helper.make_tensor_value_info(score, kinds.DOUBLE, ["rows", 1])
        graph = helper.make_graph(self.nodes, "podium", columns, [output], initializer=self.constants, doc_string=about)
        sets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", _ML_OPSET)]
        model = helper.make_model(
            graph, opset_imports=sets, ir_version=_IR_VERSION, producer_name=f"podium {__version__}"
        )
        return bytes(model.SerializeToString())

    def _result(self, one: Expression, parts: list[str]) -> str:
        match one.operator:
            case "constant":
                return self._constant(one.value)
            case "column":
                name, kind = one.value
                finite = self._op("Where", self._op("IsInf", name), math.nan, name)
                return self._op("Floor", finite) if kind == "date" else finite
            case "lookup":
                name, categories, numbers, absent = one.value
                if absent != numbers[-1] and "" not in categories:
                    categories, numbers = ("", *categories), [absent, *numbers]
                return self._op("Gather", np.asarray(numbers, dtype=np.float64), self._code(name, categories))
            case "median":
                return self._median(parts)
            case "single":
                kinds = self.onnx.TensorProto
                return self._op("Cast", self._op("Cast", *parts, to=kinds.FLOAT), to=kinds.DOUBLE)
            case "interpolate":
                return self._interpolated(parts[0], *one.value)
            case "forest":
                attributes = self._trees(one.value)
                return self._op("TreeEnsemble", self._op("Concat", *parts, axis=1), domain="ai.onnx.ml", **attributes)
        return self._op(_OPERATORS[one.operator], *parts)

    def _code(self, name: str, categories: tuple[str, ...]) -> str:
        """The place of a text among the categories, or behind the last."""
        if (key := (name, categories)) not in self._codes:
            places = {"values_int64s": list(range(len(categories))), "default_int64": len(categories)}
            self._codes[key] = self._op(
                "LabelEncoder", name, domain="ai.onnx.ml", keys_strings=list(categories), **places
            )
        return self._codes[key]

    def _median(self, parts: list[str]) -> str:
        """The mean of the two in the middle of the larger half in order; of an odd number they are one and the same."""
        rows = [self._op("Expand", part, self._op("Shape", next(iter(self.inputs)))) for part in parts]
        half = len(rows) // 2 + 1
        larger = self._op("TopK", self._op("Concat", *rows, axis=1), np.array([half]), axis=1)
        low, high = (self._op("Gather", larger, np.array([at]), axis=1) for at in (half - 1, half - 2 + len(rows) % 2))
        return self._op("Div", self._op("Add", low, high), 2.0)

    def _interpolated(self, x: str, knots: npt.NDArray[Any], heights: npt.NDArray[Any]) -> str:
        """The line that belongs to the number of knots below."""
        below = self._op("Cast", self._op("Greater", x, knots), to=self.onnx.TensorProto.INT64)
        line = self._op("ReduceSum", below, np.array([1]), keepdims=1)
        slope = np.concatenate([[0.0], np.diff(heights) / np.diff(knots), [0.0]])
        start, height = np.append(knots[0], knots), np.append(heights[0], heights)
        beyond = self._op("Sub", x, self._op("Gather", start, line))
        return self._op(
            "Add", self._op("Mul", beyond, self._op("Gather", slope, line)), self._op("Gather", height, line)
        )

    def _trees(self, trees: list[dict[str, Any]]) -> dict[str, Any]:
        """Lists of all splits and leaves; a split names its two sides by their places in these."""
        splits: list[dict[str, Any]] = []
        sides: list[list[tuple[int, bool]]] = []
        leaves: list[float] = []

        def place(split: dict[str, Any]) -> tuple[int, bool]:
            if "leaf_value" in split:
                leaves.append(split["leaf_value"])
                return len(leaves) - 1, True
            at = len(splits)
            splits.append(split)
            sides.append([])
            sides[at] = [place(split["left_child"]), place(split["right_child"])]
            return at, False

        roots = [place(tree)[0] for tree in trees]
        tensor = self.onnx.numpy_helper.from_array
        low, high = zip(*sides, strict=True)
        return {
            "n_targets": 1,
            "aggregate_function": _SUM,
            "post_transform": _NONE,
            "tree_roots": roots,
            "nodes_featureids": [split["split_feature"] for split in splits],
            "nodes_splits": tensor(np.array([split["threshold"] for split in splits], dtype=np.float64), "splits"),
            "nodes_modes": tensor(np.full(len(splits), _AT_MOST, dtype=np.uint8), "modes"),
            "nodes_truenodeids": [at for at, _ in low],
            "nodes_trueleafs": [int(is_leaf) for _, is_leaf in low],
            "nodes_falsenodeids": [at for at, _ in high],
            "nodes_falseleafs": [int(is_leaf) for _, is_leaf in high],
            "leaf_targetids": [0] * len(leaves),
            "leaf_weights": tensor(np.array(leaves), "leaves"),
        }

    def _constant(self, value: npt.ArrayLike) -> str:
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(value), self._name()))
        return str(self.constants[-1].name)

    def _op(self, operator: str, *inputs: str | npt.ArrayLike, domain: str = "", **attributes: Any) -> str:
        """The result of an operator; inputs that are no names are constants."""
        names = [one if isinstance(one, str) else self._constant(one) for one in inputs]
        output = self._name()
        outputs = [output, self._free(f"{output}_places")] if operator == "TopK" else [output]
        self.nodes.append(self.onnx.helper.make_node(operator, names, outputs, domain=domain, **attributes))
        return output

    def _name(self) -> str:
        return self._free(f"podium_{len(self.nodes) + len(self.constants)}")

    def _free(self, name: str) -> str:
        while name in self.inputs:
            name += "_"
        return name
