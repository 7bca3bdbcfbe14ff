"""The main job on tables: from rows with a label to a model, an honest judgment of it, and a report.

Tables are files, or pandas, polars or Arrow tables; the caller's own are never changed. Each command of ``podium`` is
one function here. Needs the extras ``tables`` and ``report``.
"""

from typing import TYPE_CHECKING

from podium._lazy import load_on_first_use

if TYPE_CHECKING:
    from podium.workflow.batches import BatchScorer, batch_scorer
    from podium.workflow.compare import CompareResult, compare
    from podium.workflow.evaluate import EvaluateResult, evaluate
    from podium.workflow.explain import ExplainResult, explain
    from podium.workflow.exports.onnx import export_onnx
    from podium.workflow.exports.sql import export_sql
    from podium.workflow.fit import FitResult, fit
    from podium.workflow.look import LookResult, look
    from podium.workflow.monitoring import BatchHits, ColumnDrift, ExpectedPerformance, MonitorResult, monitor
    from podium.workflow.plan import PlanResult, plan
    from podium.workflow.score import ScoreResult, score
    from podium.workflow.shortlist import ShortlistResult, shortlist
    from podium.workflow.two_sample_test import TwoSampleResult, two_sample_test
else:
    load_on_first_use(__name__, "pandas", "pyarrow", "jinja2")

__all__ = [
    "BatchHits",
    "BatchScorer",
    "ColumnDrift",
    "CompareResult",
    "EvaluateResult",
    "ExpectedPerformance",
    "ExplainResult",
    "FitResult",
    "LookResult",
    "MonitorResult",
    "PlanResult",
    "ScoreResult",
    "ShortlistResult",
    "TwoSampleResult",
    "batch_scorer",
    "compare",
    "evaluate",
    "explain",
    "export_onnx",
    "export_sql",
    "fit",
    "look",
    "monitor",
    "plan",
    "score",
    "shortlist",
    "two_sample_test",
]
