"""Monitoring that may be looked at after every batch, for ever: false alarms stay as rare as promised."""

from podium.monitor.drift import DriftMonitor, DriftState
from podium.monitor.performance import PerformanceMonitor, PerformanceState

__all__ = ["DriftMonitor", "DriftState", "PerformanceMonitor", "PerformanceState"]
