"""Output: all of it or none, in its place at once, by one run at a time."""

import contextlib
import errno
import os
import platform
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from podium import InputError, _files


def write_claimed(folder, contents):
    with _files.claim(folder):
        _files.write(folder, contents)


OLD, NEW = {"a": "old a", "b": "old b"}, {"a": "new a", "b": "new b"}


def contents(folder):
    """Of all files but locks, which stay where their removal failed."""
    return {path.name: path.read_text() for path in folder.glob("*") if path.is_file() and path.suffix != ".lock"}


def test_a_set_replaces_the_old_one_and_what_else_is_there_stays(tmp_path):
    out = tmp_path / "out"
    write_claimed(out, OLD)
    (out / "mine").write_text("kept")
    write_claimed(out, NEW)
    assert contents(out) == {**NEW, "mine": "kept"}
    assert os.listdir(tmp_path) == ["out"]
    (out / "folder").mkdir()  # then files are replaced one by one
    write_claimed(out, OLD)
    assert contents(out) == {**OLD, "mine": "kept"}
    assert sorted(os.listdir(out)) == ["a", "b", "folder", "mine"]


class Faulty:
    """The calls of the system that change files; those numbered ``faulty``, from 0 on, raise ``error`` instead."""

    CALLS = (
        *((os, name) for name in ("link", "fsync", "replace", "rename")),
        *((_files.Path, name) for name in ("mkdir", "replace", "rename", "chmod", "unlink")),
        *((_files, name) for name in ("_write_synced", "_exchange")),
    )

    def __init__(self, patch, error, faulty):
        self.error, self.faulty, self.n_calls = error, faulty, 0
        for owner, name in self.CALLS:
            patch.setattr(owner, name, self.watched(getattr(owner, name), name))

    def watched(self, function, name):
        def call(*args, **kwargs):
            number, self.n_calls = self.n_calls, self.n_calls + 1
            if number in self.faulty:
                if name == "_write_synced":
                    args[0].write_bytes(args[1][:3])
                raise self.error
            return function(*args, **kwargs)

        return call


FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("error", [FULL, OSError(errno.EXDEV, "Invalid cross-device link"), KeyboardInterrupt()])
@pytest.mark.parametrize("kind", ["claimed", "with a folder inside", "unclaimed", "new", "first file new"])
def test_whatever_call_fails_the_earlier_files_are_there_byte_for_byte(tmp_path, monkeypatch, kind, error):
    """Every call of the system fails once: the first, the second, … until none is left."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # the disk takes longer than all else
    old = {} if kind == "new" else {"b": OLD["b"]} if kind == "first file new" else OLD
    done = False
    for step in range(60):
        out = tmp_path / str(step)
        if old:
            write_claimed(out, old)
        if kind == "with a folder inside":
            (out / "folder").mkdir()
        with monkeypatch.context() as patch:
            faulty = Faulty(patch, error, {step})
            failed = False
            try:
                (_files.write if kind == "unclaimed" else write_claimed)(out, NEW)
            except (OSError, KeyboardInterrupt):
                failed = True
        found = contents(out)
        if failed and found == NEW:  # only the lock was left to remove
            assert error.args == ()
        else:
            assert found == (old if failed else NEW), step
        assert not [*tmp_path.glob(".*"), *out.glob(".podium-*")]
        if faulty.n_calls <= step:
            done = True
            break
    assert done
    assert step > 10


@pytest.mark.parametrize("claimed", [False, True])
def test_where_nothing_can_be_put_back_the_earlier_files_are_kept_and_the_error_says_where(
    tmp_path, monkeypatch, claimed
):
    """From some call on every one fails, as when a disk is taken out."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    told = 0
    for step in range(24):
        out = tmp_path / str(step)
        write_claimed(out, OLD)
        (out / "folder").mkdir()
        with monkeypatch.context() as patch, contextlib.suppress(OSError):
            Faulty(patch, FULL, range(step, 1000))
            try:
                (write_claimed if claimed else _files.write)(out, NEW)
            except OSError as error:
                message = str(error)
                raise
        found = contents(out)
        assert found.items() <= OLD.items() or found.items() <= NEW.items(), step
        for name in OLD:
            kept = [path for path in out.rglob(name) if path.read_text() == OLD[name]]
            assert kept or found == NEW, (step, name)
        if found not in (OLD, NEW) and not found.keys() - OLD.keys():
            told += 1
            assert "earlier files, which could not be put back, are in" in message
    assert told


@pytest.mark.parametrize("claimed", [False, True])
def test_a_mount_point_is_filled_though_nothing_can_be_moved_across_its_edge(tmp_path, monkeypatch, claimed):
    out = tmp_path / "volume"
    write_claimed(out, OLD)
    inode = out.stat().st_ino

    def refused_across(function):
        def call(one, other, *args, **kwargs):
            inside = [Path(os.path.abspath(path)).is_relative_to(out) for path in (one, other)]
            if inside[0] != inside[1] or out in (Path(one), Path(other)):
                raise OSError(errno.EXDEV, "Invalid cross-device link", str(one))
            return function(one, other, *args, **kwargs)

        return call

    for owner, name in ((os, "link"), (os, "rename"), (os, "replace"), (_files, "_exchange")):
        monkeypatch.setattr(owner, name, refused_across(getattr(owner, name)))
    for owner, name in ((Path, "rename"), (Path, "replace")):
        monkeypatch.setattr(owner, name, refused_across(getattr(owner, name)))
    (write_claimed if claimed else _files.write)(out, NEW)
    _files.write_file(out / "one", "text")
    assert contents(out) == {**NEW, "one": "text"}
    assert out.stat().st_ino == inode
    assert sorted(os.listdir(out)) == ["a", "b", "one"]
    assert os.listdir(tmp_path) == ["volume"]


def test_files_and_folders_are_synced_before_and_after_their_names_change(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("old")
    events, sync, replace = [], os.fsync, Path.replace

    def synced(descriptor):
        events.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        sync(descriptor)

    def replaced(path, target):
        events.append(target.name)
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    _files.write(tmp_path / "out", NEW)
    assert events == ["file", "file", "a", "b", "folder"]


def test_a_folder_in_place_of_a_file_is_refused_and_kept(tmp_path):
    (tmp_path / "out" / "b" / "mine").mkdir(parents=True)
    for write in (write_claimed, _files.write):
        with pytest.raises(IsADirectoryError):
            write(tmp_path / "out", NEW)
    assert os.listdir(tmp_path / "out") == ["b"]
    assert (tmp_path / "out" / "b" / "mine").is_dir()


@pytest.mark.skipif(os.name != "posix", reason="no such locks")
def test_of_runs_that_write_the_same_files_one_waits_and_after_too_long_gives_up(tmp_path, monkeypatch):
    order = []

    def second(patience):
        try:
            with _files.lock(tmp_path / "state", patience):
                order.append("second")
        except InputError as error:
            order.append(str(error))

    for patience in (0.0, 10.0):
        thread = threading.Thread(target=second, args=(patience,))
        with _files.lock(tmp_path / "state"):
            thread.start()
            if not patience:
                thread.join()
            time.sleep(0.05)
            order.append("first")
        thread.join()
    assert order[0].startswith(f"Another run has been writing {tmp_path / 'state'} for 0 seconds.")
    assert order[1:] == ["first", "first", "second"]
    assert not os.listdir(tmp_path)


def test_where_folders_have_no_locks_and_cannot_change_places_they_are_filled_all_the_same(tmp_path, monkeypatch):
    """As on Windows, which opens no folders either."""
    out, really_open = tmp_path / "out", os.open

    def open_no_folder(path, *rest, **options):
        if path == out:
            raise PermissionError(13, "Permission denied", str(path))
        return really_open(path, *rest, **options)

    with monkeypatch.context() as patch:
        patch.setattr(_files, "fcntl", None)
        patch.setattr(os, "open", open_no_folder)
        patch.setattr(sys, "platform", "win32")
        write_claimed(out, OLD)
        inode = out.stat().st_ino
        write_claimed(out, NEW)
    assert contents(out) == NEW
    assert out.stat().st_ino == inode  # file by file
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.skipif(os.name != "posix", reason="folders have no locks")
def test_a_second_run_into_the_same_folder_is_refused_and_goes_after_the_first_has_ended(tmp_path):
    code = f"""
from pathlib import Path
from podium import _files
with _files.claim(Path({str(tmp_path / "out")!r})):
    _files.write(Path({str(tmp_path / "out")!r}), dict(a="other"))
"""
    command = [sys.executable, "-c", code]
    with _files.claim(tmp_path / "out"):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "Another run is writing into" in done.stderr
        _files.write(tmp_path / "out", OLD)  # the one that has it may
    assert subprocess.run(command, check=False).returncode == 0
    assert (tmp_path / "out" / "a").read_text() == "other"


def test_a_claim_that_comes_to_nothing_leaves_no_folder(tmp_path):
    with pytest.raises(InputError), _files.claim(tmp_path / "new" / "out"):
        raise InputError("no")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="files have no such rights")
def test_files_and_folders_have_the_rights_that_the_user_gives_new_ones(tmp_path):
    before = os.umask(0o027)
    try:
        write_claimed(tmp_path / "out", OLD)
        write_claimed(tmp_path / "out", NEW)
        _files.write_file(tmp_path / "one", "text")
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("out", "out/a", "one")] == [0o750, 0o640, 0o640]


def test_links_are_followed_and_stay(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "dangling").symlink_to(tmp_path / "not yet")
    for name in ("link", "dangling"):
        write_claimed(tmp_path / name, NEW)
        assert (tmp_path / name).is_symlink()
    assert contents(tmp_path / "real") == contents(tmp_path / "not yet") == NEW
    (tmp_path / "file").symlink_to(tmp_path / "real" / "a")
    _files.write_file(tmp_path / "file", "through")
    assert contents(tmp_path / "real")["a"] == "through"


def test_what_a_killed_run_left_aside_is_swept_up(tmp_path):
    (tmp_path / ".out.podium-xyz").mkdir()
    (tmp_path / ".out.podium-xyz" / "a").write_text("half")
    write_claimed(tmp_path / "out", NEW)
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.skipif(os.name != "posix", reason="whether a run has ended cannot be asked without a risk to it")
def test_in_a_folder_of_other_things_only_what_ended_runs_left_goes(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for number in (ended.pid, os.getpid()):
        (tmp_path / f".podium-{platform.node()}-{number}-x").mkdir()
    _files.write(tmp_path, NEW)
    assert sorted(os.listdir(tmp_path)) == [f".podium-{platform.node()}-{os.getpid()}-x", "a", "b"]


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(InputError, match="needs a directory"):
        write_claimed(tmp_path / "out", NEW)


def test_a_folder_of_other_things_is_not_claimed_and_its_files_are_replaced_one_by_one(tmp_path):
    (tmp_path / "mine").write_text("kept")
    inode = tmp_path.stat().st_ino
    with _files.claim(tmp_path / "elsewhere"):
        _files.write(tmp_path, NEW)
    assert contents(tmp_path) == {**NEW, "mine": "kept"}
    assert tmp_path.stat().st_ino == inode
