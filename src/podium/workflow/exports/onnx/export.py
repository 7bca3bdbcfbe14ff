"""A model as a file for ONNX runtimes."""

from __future__ import annotations

import os

from podium import __version__
from podium.tables import TableModel
from podium.workflow.exports.onnx.columns import outputs_of
from podium.workflow.exports.onnx.graph import Graph
from podium.workflow.exports.onnx.scores import score_of
from podium.workflow.score import as_model


def export_onnx(model: TableModel | str | os.PathLike[str]) -> bytes:
    """The bytes of an ONNX file that scores rows as `score` would, from the columns of the table to the score.

    Lines, LightGBM's trees and ranking trees can be written so, with numbers, categories and dates as columns; free
    text and other models cannot. All is computed in double precision, and scores agree to rounding. Needs the extra
    ``onnx``; the file runs in ONNX Runtime 1.20 or later (operator sets 17 and, for machine learning, 5).

    Every column that the model reads is one input of its name, an array of as many rows as one likes and one column:

    - numbers and truth values (1 and 0) in double precision, NaN where missing;
    - text as strings, the empty one where missing;
    - dates and times as seconds since 1970 began, in UTC, in double precision, NaN where missing.

    The output is called ``score``, with an underscore behind where an input has that name.

    Parameters
    ----------
    model : TableModel or path
        The model of a `FitResult`, or a file that `fit` wrote.

    Returns
    -------
    bytes
        To be written to a file, or given to ``onnxruntime.InferenceSession``.
    """
    scorer = as_model(model)
    graph = Graph({name: kind == "text" for name, kind in scorer.kinds.items()})
    columns = [result for column in scorer.encoder.columns for result in outputs_of(graph, column)]
    score = score_of(graph, scorer.ranker, graph.op("Concat", *columns, axis=1))
    about = f"Scores for {scorer.label} = {scorer.positive}: larger is more likely."
    return graph.serialized(score, about, f"podium {__version__}")
