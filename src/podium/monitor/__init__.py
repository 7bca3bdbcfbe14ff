"""Anytime-valid monitoring: check after every batch without inflating the false-alarm rate."""

from podium.monitor.drift import DriftMonitor, DriftState
from podium.monitor.performance import PerformanceMonitor, PerformanceState

__all__ = ["DriftMonitor", "DriftState", "PerformanceMonitor", "PerformanceState"]
