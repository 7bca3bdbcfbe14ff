"""A graph that is written operator by operator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _optional

OPSET, ML_OPSET, IR_VERSION = 17, 5, 10  # trees in double precision came with the fifth set for machine learning
_ML = "ai.onnx.ml"


class Graph:
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
        self._n_names = 0

    def constant(self, value: npt.ArrayLike) -> str:
        """An array known beforehand, in double precision unless its numbers are integers."""
        array = np.asarray(value)
        array = array.astype(np.int64 if array.dtype.kind in "iu" else np.float64)
        self.constants.append(self.onnx.numpy_helper.from_array(array, self._name()))
        return str(self.constants[-1].name)

    def op(self, operator: str, *inputs: str | npt.ArrayLike, **attributes: Any) -> str:
        """The result of an operator; inputs that are no names are constants."""
        return self._append(operator, inputs, attributes, "")

    def ml_op(self, operator: str, *inputs: str | npt.ArrayLike, **attributes: Any) -> str:
        """The same for the operators of machine learning."""
        return self._append(operator, inputs, attributes, _ML)

    def serialized(self, output: str, about: str, producer: str) -> bytes:
        """The model whose one output, a column of numbers, is this result: ``score``, or as near as inputs allow."""
        name = self._free("score")
        self.nodes.append(self.onnx.helper.make_node("Identity", [output], [name]))
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        columns = [
            helper.make_tensor_value_info(one, kinds.STRING if is_text else kinds.DOUBLE, ["rows", 1])
            for one, is_text in self.inputs.items()
        ]
        score = helper.make_tensor_value_info(name, kinds.DOUBLE, ["rows", 1])
        graph = helper.make_graph(self.nodes, "podium", columns, [score], initializer=self.constants, doc_string=about)
        sets = [helper.make_opsetid("", OPSET), helper.make_opsetid(_ML, ML_OPSET)]
        model = helper.make_model(graph, opset_imports=sets, ir_version=IR_VERSION, producer_name=producer)
        return bytes(model.SerializeToString())

    def _append(
        self, operator: str, inputs: tuple[str | npt.ArrayLike, ...], attributes: dict[str, Any], domain: str
    ) -> str:
        names = [one if isinstance(one, str) else self.constant(one) for one in inputs]
        output = self._name()
        self.nodes.append(self.onnx.helper.make_node(operator, names, [output], domain=domain, **attributes))
        return output

    def _name(self) -> str:
        self._n_names += 1
        return self._free(f"podium_{self._n_names}")

    def _free(self, name: str) -> str:
        while name in self.inputs:
            name += "_"
        return name
