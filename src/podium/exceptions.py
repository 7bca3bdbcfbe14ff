"""What goes wrong with user input: one sentence that says what is needed and what was got, and a hint."""

from __future__ import annotations

from typing import Any


class _HintedError(Exception):
    """Mixin: ``message`` in one sentence, ``hint`` on how to mend it."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        self.hint = hint
        super().__init__(message if hint is None else f"{message}\nHint: {hint}")


class InputError(_HintedError, ValueError):
    """A value that cannot be used: out of range, not finite, of the wrong length."""


class InputTypeError(_HintedError, TypeError):
    """An object of a kind that cannot be used: text as scores, a sparse or masked array."""


class DegenerateSampleError(InputError):
    """A sample on which the quantity is undefined, such as one without positives or without negatives."""


class MissingPackageError(_HintedError, ImportError):
    """Something that needs a package which is not installed; the hint is the line that installs it."""


class ClusterLostError(_HintedError, ConnectionError):
    """A cluster that does not answer any more. ``theta`` is the best point that a solver had reached, if any."""

    theta: Any = None
