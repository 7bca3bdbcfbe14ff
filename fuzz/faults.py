"""Commands whose calls of the system fail in turn: ``make faults`` or ``python fuzz/faults.py``.

Before every run the output of an earlier one stands in the folder. The first, the second, … call that writes, renames
or syncs a file then fails, once as if the disk were full and once as if the folder were a mount point of another
device. After a failure the earlier files must be there byte for byte, and nothing else; a command that succeeds all the
same must have written all of its new files. At last the folder is a mount point throughout, and nothing may fail.
"""

from __future__ import annotations

import argparse
import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import kills

from podium import _files
from podium.cli import main as podium
from podium.workflow.demo_table import demo_csv

CALLS = (
    *((os, name) for name in ("link", "fsync", "rename", "replace")),
    *((Path, name) for name in ("mkdir", "rename", "replace", "chmod")),
    *((_files, name) for name in ("_write_synced", "_exchange")),
)
MOVES = ("link", "rename", "replace", "_exchange")
NEVER = 10**9


def watch(out: Path, point: int, number: int) -> Callable[[], int]:
    """Let the call of that number fail with an error; returns how many calls there were."""
    n_calls = 0

    def watched(function: Callable[..., object], name: str) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            nonlocal n_calls
            n_calls += 1
            if n_calls == point + 1:
                if name == "_write_synced":
                    args[0].write_bytes(args[1][: len(args[1]) // 2])  # type: ignore[attr-defined,index,arg-type]
                raise OSError(number, os.strerror(number))
            if point == NEVER and name in MOVES and crosses(out, *args[:2]):
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
            return function(*args, **kwargs)

        return call

    for owner, name in CALLS:
        setattr(owner, name, watched(getattr(owner, name), name))
    return lambda: n_calls


def crosses(out: Path, one: object, other: object) -> bool:
    """Whether a name would go into the folder, or out of it, or be that of the folder."""
    inside = [Path(os.path.abspath(str(path))).is_relative_to(out) for path in (one, other)]
    return inside[0] != inside[1] or out in (Path(str(one)), Path(str(other)))


def fault_of(subject: kills.Subject, point: int, number: int) -> tuple[str | None, bool]:
    """What is wrong after a call has failed, and whether it came to that."""
    out = subject.folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(subject.folder / "1", out)
    reached = subject.folder / "reached"

    def run() -> None:
        count = watch(out, point, number)
        try:
            subject.run(out, 2)
        finally:
            reached.write_text(str(count()))

    failed = kills.in_child(run) != 0
    old, new = subject.outputs
    found = kills.files_in(out)
    wrong = None
    if found != (old if failed else new):
        wrong = f"{'failed' if failed else 'done'}, but: {kills.fault_after(found, old, new) or 'the other files'}"
    left = [str(path.name) for path in (*subject.folder.glob(".*"), *out.glob(".*"))]
    return wrong or (f"left aside: {left}" if left else None), int(reached.read_text()) > point


def run(names: list[str]) -> int:
    """Let every call of every command fail; how many outputs were wrong."""
    n_faults = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        table = folder / "loans.csv"
        table.write_text(demo_csv(2000))
        fitted = f"fit {table} --label defaulted --positive yes --id loan --model linear --out {folder / 'm'}".split()
        assert kills.in_child(lambda: podium(fitted)) == 0
        for name, command in kills.commands(table, folder / "m" / "model.podium").items():
            if names and name not in names:
                continue
            subject = kills.Subject(name, command, folder)
            n_runs = 0
            for number in (errno.ENOSPC, errno.EXDEV):
                for point in (*range(200), NEVER):
                    wrong, was_reached = fault_of(subject, point, number)
                    n_runs += 1
                    if wrong:
                        n_faults += 1
                        print(f"{name}, call {point}, {errno.errorcode[number]}: {wrong}", flush=True)
                    if not was_reached and point < NEVER:
                        wrong, _ = fault_of(subject, NEVER, number)
                        if wrong:
                            n_faults += 1
                            print(f"{name}, a mount point: {wrong}", flush=True)
                        break
            print(f"{name}: {n_runs} runs, {n_faults} faults so far", flush=True)
    print(f"{n_faults} wrong outputs")
    return n_faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", nargs="*", help="Only these; default: all.")
    sys.exit(1 if run(parser.parse_args().commands) else 0)


if __name__ == "__main__":
    main()
