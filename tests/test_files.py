"""Output: all of it or none, in its place at once, by one run at a time."""

import contextlib
import os
import platform
import stat
import subprocess
import sys

import pytest

from podium import InputError, _files


def write_claimed(folder, contents):
    with _files.claim(folder):
        _files.write(folder, contents)


OLD, NEW = {"a": "old a", "b": "old b"}, {"a": "new a", "b": "new b"}


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


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


@pytest.mark.parametrize("with_folder", [False, True])
def test_wherever_it_is_interrupted_old_and_new_files_are_never_mixed(tmp_path, monkeypatch, with_folder):
    """Every call of the system is made to fail once, in the first, the second, … place."""
    seen = set()
    for step in range(40):
        out = tmp_path / str(step)
        write_claimed(out, OLD)
        if with_folder:
            (out / "folder").mkdir()
        with monkeypatch.context() as patch:
            left = [step]

            def failing(function, left=left):
                def call(*args, **kwargs):
                    left[0] -= 1
                    if left[0] == -1:
                        raise KeyboardInterrupt
                    return function(*args, **kwargs)

                return call

            calls = [(_files.Path, name) for name in ("write_bytes", "replace", "unlink", "chmod")]
            for owner, name in [(os, "link"), *calls]:
                patch.setattr(owner, name, failing(getattr(owner, name)))
            with contextlib.suppress(KeyboardInterrupt):
                write_claimed(out, NEW)
        found = contents(out)
        assert found.items() <= OLD.items() or found.items() <= NEW.items(), (step, found)
        assert next(iter(OLD)) in found
        assert not [name for name in os.listdir(tmp_path) if "podium" in name]
        seen.add(tuple(sorted(found.items())))
    assert tuple(sorted(OLD.items())) in seen
    assert tuple(sorted(NEW.items())) in seen


def test_where_folders_have_no_locks_and_cannot_change_places_they_are_filled_all_the_same(tmp_path, monkeypatch):
    """As on Windows, which opens no folders either."""
    out, really_open = tmp_path / "out", os.open

    def open_no_folder(path, *rest, **options):
        if path == out:
            raise PermissionError(13, "Permission denied", str(path))
        return really_open(path, *rest, **options)

    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "fcntl", None)
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
        (tmp_path / f".out.podium-{platform.node()}-{number}-x").mkdir()
    _files.write(tmp_path / "out", NEW)
    assert sorted(os.listdir(tmp_path)) == [f".out.podium-{platform.node()}-{os.getpid()}-x", "out"]


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
