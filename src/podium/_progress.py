"""How far a long computation is: a line on standard error, and whoever listens."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_LOGGER = logging.getLogger("podium")

Listener = Callable[[float], Any]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report_progress(share: float) -> None:
    """Tell whoever listens which share of the work is done."""
    listener = _listener.get()
    if listener is not None:
        listener(share)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """What is told inside goes to this listener; to nobody if it is None."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def subtask(done: int, total: int) -> Iterator[None]:
    """What is done inside is one of ``total`` equal parts of the work, after ``done`` others."""
    outer = _listener.get()
    with listening(None if outer is None else lambda share: outer((done + share) / total)):
        yield
    report_progress((done + 1) / total)


class Progress:
    """``label  12/200  value 0.8231  1.4 s, 22 s left``, rewritten in place; silent unless asked for.

    On a terminal the line moves; elsewhere only its last state is printed, or logged. Listeners are told in any case,
    and only of this computation: those inside it are silent until it is closed.
    """

    def __init__(self, label: str, total: int, *, enabled: bool) -> None:
        self.label, self.total, self.enabled = label, total, enabled
        self._start = self._shown = time.monotonic()
        self._line = ""
        self._listener = _listener.get()
        _listener.set(None)

    def update(self, step: int, value: float | None = None) -> None:
        """Show a step, at most ten times a second."""
        done = min(step / self.total, 1.0)
        if self._listener is not None:
            self._listener(done)
        if not self.enabled:
            return
        now = time.monotonic()
        bar = ("█" * round(20 * done)).ljust(20, "·")
        shown = "" if value is None else f"  value {value:.6g}"
        spent = now - self._start
        left = f", {spent * (1 - done) / done:.0f} s left" if 0 < done < 1 else ""
        self._line = f"{self.label} {bar} {step}/{self.total}{shown}  {spent:.1f} s{left}"
        if sys.stderr.isatty() and now - self._shown > 0.1:
            self._shown = now
            print(f"\r{self._line}\x1b[K", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave the last state on the screen; without one in the log ``podium``, where logging is set up."""
        _listener.set(self._listener)
        if not (self.enabled and self._line):
            return
        if not sys.stderr.isatty() and _LOGGER.hasHandlers():
            _LOGGER.info(self._line)
        else:
            print(f"\r{self._line}\x1b[K" if sys.stderr.isatty() else self._line, file=sys.stderr)
