"""Stands in for podium.report until that is there."""

from __future__ import annotations

from typing import Any

try:
    from podium.report import build  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    from podium import inference

    class _Report:
        def __init__(self, headline: str, summary: dict[str, Any]) -> None:
            self.headline, self.summary, self.html = headline, summary, "<!doctype html><title>podium</title>"

    def build(y_true: Any, y_score: Any, *, phi: Any = "mww", **more: Any) -> Any:
        """ω_φ with its interval, and nothing to look at."""
        found = inference.interval(y_true, y_score, phi)
        return _Report(repr(found), {"omega": found.to_dict()})


__all__ = ["build"]
