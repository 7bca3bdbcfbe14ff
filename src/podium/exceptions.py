"""What goes wrong with user input: one sentence that says what is needed and what was got, and a hint."""

from __future__ import annotations

from typing import Any


class _HintedError(Exception):
    """Mixin: ``message`` in one sentence, ``hint`` on how to mend it."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        self.hint = hint
        super().__init__(message if hint is None else f"{message}\nHint: {hint}")


class InputError(_HintedError, ValueError):
    """A ``ValueError``: a value that cannot be used, being out of range, not finite or of the wrong length."""


class InputTypeError(_HintedError, TypeError):
    """A ``TypeError``: an object of a kind that cannot be used, such as text as scores, or a sparse or masked array."""


class DegenerateSampleError(InputError):
    """An :class:`InputError`: a sample for which the quantity is undefined, such as one without positives."""


class MissingPackageError(_HintedError, ImportError):
    """An ``ImportError``: a package is needed that is not installed; the hint is the line that installs it."""


class ClusterLostError(_HintedError, ConnectionError):
    """A ``ConnectionError``: a cluster no longer answers.

    ``theta`` is the best point that a solver had reached, if any.
    """

    theta: Any = None
