"""A progress line on standard error for long computations."""

from __future__ import annotations

import sys
import time


class Progress:
    """``label  12/200  value 0.8231  1.4 s``, rewritten in place; silent unless asked for.

    On a terminal the line moves; elsewhere only its last state is printed.
    """

    def __init__(self, label: str, total: int, *, enabled: bool) -> None:
        self.label, self.total, self.enabled = label, total, enabled
        self._start = self._shown = time.monotonic()
        self._line = ""

    def update(self, step: int, value: float | None = None) -> None:
        """Show a step, at most ten times a second."""
        if not self.enabled:
            return
        now = time.monotonic()
        done = min(step / self.total, 1.0)
        bar = ("█" * round(20 * done)).ljust(20, "·")
        shown = "" if value is None else f"  value {value:.6g}"
        self._line = f"{self.label} {bar} {step}/{self.total}{shown}  {now - self._start:.1f} s"
        if sys.stderr.isatty() and now - self._shown > 0.1:
            self._shown = now
            print(f"\r{self._line}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave the last state on the screen."""
        if self.enabled and self._line:
            print(f"\r{self._line}" if sys.stderr.isatty() else self._line, file=sys.stderr)
