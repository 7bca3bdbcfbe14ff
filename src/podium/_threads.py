"""One thread for products of matrices, so that sums are the same to the last bit on any machine."""

from __future__ import annotations

from functools import cache
from typing import Any

import scipy.linalg  # noqa: F401  (its library is looked for below)
from threadpoolctl import ThreadpoolController


def one_thread() -> Any:
    """A context in which BLAS has one thread."""
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> Any:
    """To look through all libraries of a process takes milliseconds, as long as to score a small list."""
    return ThreadpoolController()
