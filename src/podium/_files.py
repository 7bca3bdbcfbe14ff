"""Output files: written aside and synced, then swapped in as a set; after any failure the earlier files are back."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import glob
import os
import platform
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any

from podium.exceptions import InputError

fcntl: Any = None if sys.platform == "win32" else import_module("fcntl")  # where there are no such locks

_HERE = -100  # AT_FDCWD of fcntl.h
_EXCHANGE = 2  # RENAME_EXCHANGE of stdio.h
_PATIENCE = 60.0  # seconds to wait for another run to finish writing the same files: a write takes far less
_PAUSE = 0.02  # seconds between two attempts
_held: ContextVar[frozenset[Path]] = ContextVar("locks that this thread holds", default=frozenset())


def write(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write a set of files into a folder, replacing earlier ones: all of them or, if anything fails, none.

    The new files are written into a hidden folder inside this one, which is always on the same device, and synced to
    disk first. In a claimed folder the whole set then changes in one step where the system can; otherwise file by file.
    Even after a crash old and new files are never mixed: the first of the contents is always there, the others may be
    missing until the next run.
    """
    folder = _place(folder)
    for name in contents:
        if (folder / name).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(folder / name))
    made = _make(folder)
    try:
        with contextlib.ExitStack() as stack:
            if len(contents) > 1 and not _is_claimed(folder):
                stack.enter_context(lock(folder / next(iter(contents))))
            _write_aside(folder, contents)
    except BaseException:
        _unmake(made)
        raise


def write_file(path: Path, content: str | bytes) -> None:
    """Write one file: the old one stays until the whole new one takes its place."""
    path = _place(path)
    if path.exists() and not path.is_file() and not path.is_dir():  # a pipe or a device
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    else:
        write(path.parent, {path.name: content})


@contextlib.contextmanager
def claim(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder while it is filled; if nothing was written, a folder made for it is removed."""
    folder = _place(folder)
    made = _make(folder)
    try:
        with _locked(_lock_of_folder(folder), f"Another run is writing into {folder}.", patience=0):
            yield
    finally:
        _unmake(made)


@contextlib.contextmanager
def lock(path: Path, patience: float = _PATIENCE) -> Iterator[None]:
    """Keep other runs from writing a file, and what is written together with it; waits if another run is at it."""
    path = _place(path)
    made = _make(path.parent)
    try:
        what = f"Another run has been writing {path} for {patience:g} seconds."
        with _locked(path.with_name(f".{path.name[:60]}.lock"), what, patience):
            yield
    finally:
        _unmake(made)


@contextlib.contextmanager
def _locked(path: Path, what: str, patience: float) -> Iterator[None]:
    """Hold a lock file; the lock ends with the process, however that ends, and a stale file is harmless."""
    if path in _held.get() or fcntl is None:
        yield
        return
    deadline = time.monotonic() + patience
    while (descriptor := _try_lock(path)) is None:
        if time.monotonic() >= deadline:
            raise InputError(what, "wait for it, or name another output.")
        time.sleep(_PAUSE)
    token = _held.set(_held.get() | {path})
    try:
        yield
    finally:
        _held.reset(token)
        try:
            path.unlink(missing_ok=True)  # while it is held: whoever opened it meanwhile notices and tries again
        except OSError:
            pass
        finally:
            os.close(descriptor)


def _try_lock(path: Path) -> int | None:
    """An open lock file that is ours, or None if another run holds it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:  # a file system without locks
            return descriptor
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.stat(path), os.fstat(descriptor)):
                return descriptor
        os.close(descriptor)  # its holder has just removed it


def _lock_of_folder(folder: Path) -> Path:
    return folder / ".podium.lock"


def _is_claimed(folder: Path) -> bool:
    return _lock_of_folder(folder) in _held.get()


def _place(path: Path) -> Path:
    """Where a path leads, whatever the working folder will be."""
    try:
        return path.resolve()
    except FileNotFoundError:
        raise InputError(
            "The output needs a working folder; this one was removed.", "cd to one that is there."
        ) from None


def _write_aside(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write the new files into a hidden folder, put them in place, and remove the hidden folder."""
    _sweep(folder)
    aside = _aside(folder)
    new, old = aside / "new", aside / "old"
    try:
        new.mkdir()
        old.mkdir()
        for name, content in contents.items():
            _write_synced(new / name, content.encode() if isinstance(content, str) else content)
        if len(contents) == 1 or not _is_claimed(folder) or not _exchange_folders(folder, aside, list(contents)):
            _swap_files(folder, aside, list(contents))
    except OSError as error:
        if _holds_files(old):
            what = f"{error.strerror or error}; earlier files, which could not be put back, are in {old}"
            raise OSError(error.errno, what, str(folder)) from error
        raise
    finally:
        if not _holds_files(old):
            shutil.rmtree(aside, ignore_errors=True)
    _sweep(folder, everything=True)


def _aside(folder: Path) -> Path:
    """A new hidden folder inside; its name tells which run made it."""
    try:
        return Path(tempfile.mkdtemp(prefix=f".podium-{platform.node()}-{os.getpid()}-", dir=folder))
    except OSError as error:  # about the folder that the user knows
        raise OSError(error.errno, error.strerror, str(folder)) from None


def _sweep(folder: Path, *, everything: bool = False) -> None:
    """Remove what killed runs left; earlier files that could not be put back stay until a new set is in place."""
    is_claimed = _is_claimed(folder)
    lefts = [*folder.glob(".podium-*")]
    if is_claimed:
        lefts += folder.parent.glob(f".{glob.escape(folder.name)}.podium-*")
    for left in lefts:
        owner = left.name.rpartition(".podium-")[2]
        if _is_abandoned(owner, unknown=is_claimed) and (everything or not _holds_files(left / "old")):
            shutil.rmtree(left, ignore_errors=True)


def _is_abandoned(owner: str, unknown: bool) -> bool:
    """Whether the run with this machine and process number has ended; ``unknown`` where that cannot be told."""
    node, _, number = owner.rpartition("-")[0].rpartition("-")
    if os.name != "posix" or node != platform.node() or not number.isdigit():
        return unknown
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:  # somebody else's
        return False
    return False


def _exchange_folders(folder: Path, aside: Path, names: list[str]) -> bool:
    """Swap the folder with a new one in one step, if the system can; whatever else is in the folder goes along."""
    if sys.platform != "linux" or folder.samefile("."):  # nobody may be left standing in a folder that is gone
        return False
    new, beside = aside / "new", folder.with_name(f".{folder.name}{aside.name}")

    def go_back() -> None:
        if not (beside / aside.name).exists():  # else it is the earlier folder, which could not be put back
            try:
                beside.rename(new)
            except BaseException:
                shutil.rmtree(beside, ignore_errors=True)
                raise

    with contextlib.ExitStack() as undo:
        try:
            new.rename(beside)  # refused out of a mount point, and where the parent may not be written
            undo.callback(go_back)
            for other in folder.iterdir():
                if other.name not in names and other != aside:
                    os.link(other, beside / other.name, follow_symlinks=False)  # refused for folders
            beside.chmod(stat.S_IMODE(folder.stat().st_mode))
            _sync_folder(beside)
            _exchange(beside, folder)
        except (OSError, AttributeError):  # not with this C library, or not for what is in this folder
            return False
        undo.callback(_exchange, beside, folder)
        _sync_folder(folder.parent)
        undo.pop_all()
    shutil.rmtree(beside, ignore_errors=True)
    return True


def _exchange(one: Path, other: Path) -> None:
    rename = ctypes.CDLL(None, use_errno=True).renameat2
    if rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(other))


def _swap_files(folder: Path, aside: Path, names: list[str]) -> None:
    """File by file: all old ones but the first leave before a new one comes, so that they are never mixed."""
    new, old = aside / "new", aside / "old"
    first, *others = names

    def put_back(name: str) -> None:
        if os.path.lexists(old / name):
            if not (os.path.lexists(folder / name) and os.path.samestat(os.lstat(old / name), os.lstat(folder / name))):
                (old / name).replace(folder / name)
            (old / name).unlink(missing_ok=True)  # a second name of a file that never left

    def take_out(name: str) -> None:
        if os.path.lexists(new / name):
            return  # it has not come
        if name == first and had_first:
            put_back(name)
        else:
            (folder / name).unlink()

    with contextlib.ExitStack() as undo:  # in reverse, each step even if another fails
        had_first = os.path.lexists(folder / first)
        undo.callback(put_back, first)
        if had_first:
            _duplicate(folder / first, old / first)
        for name in reversed(others):
            undo.callback(put_back, name)
            if os.path.lexists(folder / name):
                (folder / name).rename(old / name)
        for name in names:
            undo.callback(take_out, name)
            (new / name).replace(folder / name)
        _sync_folder(folder)
        undo.pop_all()
    shutil.rmtree(old, ignore_errors=True)


def _duplicate(file: Path, place: Path) -> None:
    """A second name of a file; a copy where the file system knows only one."""
    try:
        os.link(file, place, follow_symlinks=False)
    except OSError:
        shutil.copy2(file, place, follow_symlinks=False)


def _holds_files(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _write_synced(path: Path, content: bytes) -> None:
    """Write a file that is on the disk, not only in memory, before its name changes."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        _sync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """The names in a folder, onto the disk."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        return
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # network file systems that cannot be told to
            raise


def _make(folder: Path) -> list[Path]:
    """Make a folder and its parents; returns those that were not there, innermost first."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    if folder.exists() and not folder.is_dir():
        raise InputError(f"The output needs a directory; {folder} is a file.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in made:
            _sync_folder(path.parent)
    except BaseException:
        _unmake(made)
        raise
    return made


def _unmake(made: list[Path]) -> None:
    """Remove folders that were made for what was not written."""
    for path in made:
        with contextlib.suppress(OSError):
            path.rmdir()
