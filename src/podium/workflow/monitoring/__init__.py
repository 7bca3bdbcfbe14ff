"""Watch a model in use, batch after batch: scores, labels where known, columns; one state file, one page."""

from podium.workflow.monitoring.columns import ColumnDrift
from podium.workflow.monitoring.expected import ExpectedPerformance
from podium.workflow.monitoring.hits import BatchHits
from podium.workflow.monitoring.watch import MonitorResult, monitor

__all__ = ["BatchHits", "ColumnDrift", "ExpectedPerformance", "MonitorResult", "monitor"]
