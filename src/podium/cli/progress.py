"""What a command is doing, how far it is and how long that will take; silent unless standard error is a terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from podium._progress import listening


class _Times(ProgressColumn):
    """``0:12, 1:05 left``, the latter as soon as there is something to tell it from."""

    def render(self, task: Task) -> Text:
        spent, left = task.elapsed or 0.0, task.time_remaining
        return Text(_clock(spent) if left is None else f"{_clock(spent)}, {_clock(left)} left")


def _clock(seconds: float) -> str:
    return "{}:{:02d}".format(*divmod(round(seconds), 60))


class Steps:
    """One line for the step at hand; whatever is computed inside tells how far it is."""

    def __init__(self, first: str) -> None:
        console = Console(file=sys.stderr)
        columns = (TextColumn("{task.description}"), BarColumn(16), _Times())
        self._bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._step = self._bar.add_task(first, total=None)
        self._heard = listening(self.show)

    def begin(self, text: str) -> None:
        """The next step: how long it takes is not known before the first news of it."""
        self._bar.remove_task(self._step)
        self._step = self._bar.add_task(text, total=None)

    def show(self, share: float) -> None:
        """That this share of the step is done."""
        self._bar.update(self._step, total=1.0, completed=share)

    def __enter__(self) -> Self:
        self._bar.start()
        self._heard.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._heard.__exit__(kind, error, trace)
        if not self._bar.disable:  # rich before 14.3 ends a bar that was never shown with an empty line
            self._bar.stop()
