"""Commands killed at exact points and at random moments: ``make kills`` or ``python fuzz/kills.py --kills 200``.

Before every run the output of an earlier one stands in the folder. After the kill there must be that output or the
whole new one: no file by halves, no file of one beside a file of the other. A command run again after a kill must give
the output of one that was never killed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np

from podium import _files, report
from podium.cli import main as podium
from podium.workflow.demo_table import demo_csv

Files = dict[str, bytes]
TIME = re.compile(rb"20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?")
WATCHED = (
    *((os, name) for name in ("link", "fsync")),
    *((Path, name) for name in ("rename", "replace", "unlink", "mkdir", "rmdir")),
    *((_files, name) for name in ("_write_synced", "_exchange")),
)


def save_report(out: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.random(300) < 0.3
    report.build(y, y + rng.standard_normal(300), title=str(seed)).save(out / "report.html")


def watch(model: Path, table: Path, out: Path, seed: int) -> None:
    """Batch after batch, each counted once: those before are taken first where nothing stands yet."""
    state = out / "monitor.json"
    lines = table.read_text().splitlines()
    for number in range(1, seed + 1):
        if number < seed and state.exists():
            continue
        batch = table.with_name(f"batch{number}.csv")
        batch.write_text("\n".join([lines[0], *lines[200 * number : 200 * number + 200], ""]))
        try:
            podium(["monitor", str(model), str(batch), "--state", str(state)])
        except SystemExit as ended:
            if ended.code or number == seed:
                raise


def commands(table: Path, model: Path) -> dict[str, Callable[[Path, int], object]]:
    """What is run, given a folder to write into and a seed that changes what is written."""
    fit = f"fit {table} --label defaulted --positive yes --id loan --model linear --force".split()
    return {
        "fit": lambda out, seed: podium([*fit, "--seed", str(seed), "--out", str(out)]),
        "score": lambda out, seed: podium(
            ["score", str(model), str(table), "--top", str(100 + seed), "--force", "--out", str(out / "list.csv")]
        ),
        "shortlist": lambda out, seed: podium(
            ["shortlist", str(model), str(table), "--recall", f"0.{seed}", "--force", "--out", str(out / "s.csv")]
        ),
        "report": save_report,
        "monitor": lambda out, seed: watch(model, table, out, seed),
        "reproduce": lambda out, seed: podium(
            ["reproduce", "a05-fig1", "--quick", "--force", "--seed", str(seed), "--out", str(out)]
        ),
    }  # fmt: skip


def files_in(folder: Path) -> Files:
    """Of the output, whenever it was made: not what lies aside, nor trials, which are one line each."""
    return {path.name: TIME.sub(b"now", path.read_bytes()) for path in folder.glob("[!.]*") if path.is_file()}


def kill_at(point: int) -> None:
    """From here on, the call of that number that changes files is this process's last; a file is half written then."""
    left = point

    def watched(function: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                if function.__name__ == "_write_synced":
                    args[0].write_bytes(args[1][: len(args[1]) // 2])  # type: ignore[attr-defined,index,arg-type]
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **kwargs)

        return call

    for owner, name in WATCHED:
        setattr(owner, name, watched(getattr(owner, name)))


def in_child(work: Callable[[], object], *, point: int | None = None, after: float | None = None) -> int:
    """Run in a process of its own, killed at a point or after a time; its exit status."""
    child = os.fork()
    if child == 0:
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        try:
            if point is not None:
                kill_at(point)
            work()
        except SystemExit as ended:
            os._exit(int(ended.code or 0))
        except BaseException:
            os._exit(70)
        os._exit(0)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def here(work: Callable[[], object]) -> int:
    """Run in this process, which those forked from it need not do again: modules and compiled loops are loaded then."""
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        try:
            work()
        except SystemExit as ended:
            return int(ended.code or 0)
    return 0


def fault_after(found: Files, old: Files, new: Files) -> str | None:
    """What is wrong with the files that a kill left."""
    for name, content in found.items():
        if content not in (old.get(name), new.get(name)):
            return f"{name} is neither the old nor the new one"
    if found in (old, new):
        return None
    mixed = not (found.items() <= old.items() or found.items() <= new.items())
    return "files of both runs" if mixed else f"only {', '.join(sorted(found))}"


def new_only(found: Files, old: Files, new: Files) -> set[str]:
    """Files that are those of the new run, and were others before."""
    return {name for name, content in found.items() if content == new.get(name) != old.get(name)}


class Subject:
    """A command with its two outputs, each from a run that was not killed."""

    def __init__(self, name: str, run: Callable[[Path, int], object], folder: Path) -> None:
        self.name, self.run, self.folder = name, run, folder / name
        self.outputs: list[Files] = []
        for seed, runner in ((1, here), (2, in_child)):
            start = time.monotonic()
            code = runner(lambda seed=seed: run(self.folder / str(seed), seed))
            self.seconds = time.monotonic() - start
            assert code == 0, (name, code)
            self.outputs.append(files_in(self.folder / str(seed)))

    def killed(self, *, point: int | None = None, after: float | None = None) -> tuple[str | None, bool]:
        """What is wrong after a kill, and whether the kill came before the end."""
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(self.folder / "1", out)
        code = in_child(lambda: self.run(out, 2), point=point, after=after)
        wrong = fault_after(files_in(out), *self.outputs)
        if wrong and wrong.startswith("only") and self.lacks_some_at_most(out):
            wrong = None  # replaced one by one; the next run completes them
        is_counted = self.name == "monitor" and "monitor.json" in new_only(files_in(out), *self.outputs)
        if wrong is None and in_child(lambda: self.run(out, 2)) != 0:
            wrong = "cannot be run again"
        if wrong is None and files_in(out) != self.outputs[1]:
            wrong = "another output when run again"
        hidden = [path.name for path in (*self.folder.glob(".*"), *out.glob(".*"))]
        left = [] if is_counted else hidden  # nothing is new then, and nothing written: goes with the next batch
        return wrong or (f"left aside: {left}" if left else None), code == -signal.SIGKILL

    def lacks_some_at_most(self, out: Path) -> bool:
        """Where files stand beside other things: a list or state must be there, its page may be missing."""
        return any((out / name).exists() for name in ("trials", "list.csv", "monitor.json"))


def run(n_kills: int, seed: int) -> int:
    """Kill each command at every exact point, then commands at random moments; how many outputs were corrupt."""
    rng = np.random.default_rng(seed)
    faults, kills = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        table = folder / "loans.csv"
        table.write_text(demo_csv(2000))
        fitted = f"fit {table} --label defaulted --positive yes --id loan --model linear --out {folder / 'm'}".split()
        assert in_child(lambda: podium(fitted)) == 0
        subjects = [Subject(name, run, folder) for name, run in commands(table, folder / "m" / "model.podium").items()]
        for subject in subjects:
            for point in range(100):
                wrong, was_killed = subject.killed(point=point)
                _note(subject.name, f"point {point}", wrong, was_killed, faults, kills)
                if not was_killed:
                    break
        while kills.total() < n_kills:
            subject = subjects[rng.integers(len(subjects))]
            after = float(rng.random() * subject.seconds)
            _note(subject.name, f"{after:.3f} s", *subject.killed(after=after), faults, kills)
    print(f"{kills.total()} kills, seed {seed} ({dict(kills)}): {faults.total()} corrupt outputs")
    return faults.total()


def _note(
    name: str, where: str, wrong: str | None, was_killed: bool, faults: Counter[str], kills: Counter[str]
) -> None:
    kills[name] += was_killed
    if wrong:
        faults[name] += 1
        print(f"{name} killed at {where}: {wrong}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    sys.exit(1 if run(options.kills, options.seed) else 0)


if __name__ == "__main__":
    main()
