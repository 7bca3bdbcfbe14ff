"""Whether a file is still the one that was opened: a list of rows of two files would be one of neither."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from podium.exceptions import InputError

Version = tuple[int, int, int, int] | None  # device, number, size, and time of the last change; None of no file

_SEEN: ContextVar[dict[Path, Version] | None] = ContextVar("seen", default=None)


@contextmanager
def each_file_once() -> Iterator[None]:
    """Within, a file that is read several times must be the same each time."""
    token = _SEEN.set({})
    try:
        yield
    finally:
        _SEEN.reset(token)


def version_of(path: Path) -> Version:
    """What tells a file from one that took its place; that of the first time where files must stay the same."""
    seen = _SEEN.get()
    return _now(path) if seen is None else seen.setdefault(path.absolute(), _now(path))


def require_same(path: Path, before: Version) -> None:
    """Refuse a file that has changed."""
    if _now(path) != before:
        raise InputError(
            f"A file must stay as it is while it is read; {path} has changed.",
            "run the command again when it is complete; best write a new file aside, and rename it.",
        )


def _now(path: Path) -> Version:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns
