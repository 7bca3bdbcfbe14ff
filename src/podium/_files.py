"""Files are written aside and take their place at once: an interrupted run leaves none behind by halves."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from podium.exceptions import InputError

_HERE = -100  # AT_FDCWD of fcntl.h
_EXCHANGE = 2  # RENAME_EXCHANGE of stdio.h
_claimed: set[Path] = set()  # folders that this process has for itself


def write(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write files into a folder, all of them or, should one fail, none; existing ones are replaced.

    Whoever looks, also after a crash, never finds some of the old and some of the new ones. In a folder that is claimed
    the whole set changes in one step; in others, which may be full of other things, file by file: the first of the
    contents is there at all times, the others may be missing until the next run.
    """
    folder = _place(folder)
    made = _make(folder)
    try:
        aside = _aside(folder)
        try:
            for name, content in contents.items():
                (aside / name).write_bytes(content.encode() if isinstance(content, str) else content)
            if folder not in _claimed or not _exchanged(folder, aside, list(contents)):
                _replaced(folder, aside, list(contents))
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except BaseException:
        _unmake(made)
        raise


def write_file(path: Path, content: str | bytes) -> None:
    """Write one file: the old one stays until the whole new one takes its place."""
    path = _place(path)
    if path.exists() and not path.is_file():  # a pipe or a device
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return
    made = _make(path.parent)
    aside = path.parent / f".podium-{os.getpid()}-{path.name}"
    try:
        aside.write_bytes(content.encode() if isinstance(content, str) else content)
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        _unmake(made)
        raise


@contextlib.contextmanager
def claim(folder: Path) -> Iterator[None]:
    """Have a folder for oneself while it is filled; it is made, and gone again if nothing was written into it."""
    folder = _place(folder)
    if folder in _claimed:
        yield
        return
    made = _make(folder)
    try:
        with _lock(folder) as is_ours:
            if not is_ours:
                raise InputError(f"Another run is writing into {folder}.", "wait for it, or name another folder.")
            _claimed.add(folder)
            yield
    finally:
        _claimed.discard(folder)
        _unmake(made)


def _place(path: Path) -> Path:
    """Where a path leads, whatever the working folder will be."""
    try:
        return path.resolve()
    except FileNotFoundError:
        raise InputError(
            "The output needs a working folder; this one was removed.", "cd to one that is there."
        ) from None


@contextlib.contextmanager
def _lock(folder: Path) -> Iterator[bool]:
    """Whether the lock of a folder is ours for a while; it ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows has no such locks, and opens no folders
        yield True
        return
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_ours = True
    except OSError as error:
        is_ours = not isinstance(error, BlockingIOError)  # some file systems know no locks
    try:
        yield is_ours
    finally:
        os.close(held)


def _aside(folder: Path) -> Path:
    """A new folder beside it, or in it where that is not permitted; what a run that was killed left there goes."""
    prefix = f".{folder.name}.podium-"
    for left in (*folder.parent.glob(f"{prefix}*"), *folder.glob(f"{prefix}*")):
        if folder in _claimed or _is_abandoned(left.name.removeprefix(prefix)):
            shutil.rmtree(left, ignore_errors=True)
    prefix += f"{platform.node()}-{os.getpid()}-"
    try:
        return Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    except PermissionError:
        return Path(tempfile.mkdtemp(prefix=prefix, dir=folder))


def _is_abandoned(owner: str) -> bool:
    """Whether the run of this machine and number has ended; what is not known is not touched."""
    node, number, _ = ("", *owner.rsplit("-", 2))[-3:]
    if os.name != "posix" or node != platform.node() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:  # somebody else's
        return False
    return False


def _exchanged(folder: Path, aside: Path, names: list[str]) -> bool:
    """Whether folder and new folder changed places, in one step; what else is in the folder goes along."""
    if sys.platform != "linux":
        return False  # other systems have no such step
    if folder.samefile("."):
        return False  # whoever stands in it would stand in a folder that is gone
    try:
        for other in folder.iterdir():
            if other.name not in names:
                os.link(other, aside / other.name, follow_symlinks=False)  # refused for folders
        aside.chmod(stat.S_IMODE(folder.stat().st_mode))
        rename = ctypes.CDLL(None, use_errno=True).renameat2
        return bool(rename(_HERE, os.fsencode(aside), _HERE, os.fsencode(folder), _EXCHANGE) == 0)
    except (OSError, AttributeError):  # not with this C library, or not for what is in this folder
        return False


def _replaced(folder: Path, aside: Path, names: list[str]) -> None:
    """File by file: the old ones but the first go before a new one comes, so that never both kinds are there."""
    for name in reversed(names[1:]):
        (folder / name).unlink(missing_ok=True)
    for name in names:
        (aside / name).replace(folder / name)


def _make(folder: Path) -> list[Path]:
    """Make a folder and its parents; returns those that were not there, innermost first."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    if folder.exists() and not folder.is_dir():
        raise InputError(f"The output needs a directory; {folder} is a file.")
    folder.mkdir(parents=True, exist_ok=True)
    return made


def _unmake(made: list[Path]) -> None:
    """Remove folders that were made for what was not written."""
    for path in made:
        with contextlib.suppress(OSError):
            path.rmdir()
