"""One-line mutants in statements to users: ``make mutants`` or ``python fuzz/mutants.py --room monitor``.

A mutant breaks one promise that a person reads, and the tests of its room must fail for it. The line is found by its
text wherever it stands in the package. Each mutant runs in a process of its own that has loaded the libraries already,
on a copy of the package, and ends at the first test that fails.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from mutations import ROOMS

ROOT = Path(__file__).parents[1]
LEAST = 0.9  # share of the mutants that must be killed
TOO_LONG = 300  # seconds; a mutant that never ends is killed, too
LIBRARIES = ("numba", "pandas", "pytest", "scipy.stats", "sklearn.linear_model")
PASSED = 0


def place_of(fragment: str, package: Path) -> Path:
    """The file that holds a fragment; it must stand exactly once in the package."""
    found = [(path, path.read_text(encoding="utf-8").count(fragment)) for path in sorted(package.rglob("*.py"))]
    places = [path for path, times in found for _ in range(times)]
    if len(places) != 1:
        sys.exit(f"A mutant needs a line that stands exactly once; {fragment!r} stands {len(places)} times.")
    return places[0]


def _tests(source: Path, tests: list[str]) -> None:
    """In a process of its own: exit with pytest's code."""
    os.chdir(ROOT)
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).parent]  # there is a tables.py
    log = os.open(source / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    import pytest

    paths = f"pythonpath={source} tests benchmarks"
    code = pytest.main(["-x", "-p", "no:cacheprovider", "-o", paths, *tests])
    loaded = sys.modules.get("podium")
    if loaded is None or not str(loaded.__file__).startswith(str(source)):
        code = 99  # another package was tested
    os._exit(int(code))


def run(source: Path, tests: list[str], seconds: float | None = TOO_LONG) -> int | None:
    """The exit code of the tests with the package in this folder; None where they take too long."""
    process = multiprocessing.get_context("fork").Process(target=_tests, args=(source, tests))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()
        return None
    return process.exitcode


def survives(source: Path, fragment: str, replacement: str, tests: list[str]) -> bool:
    """Whether the tests pass although the line is changed."""
    path = place_of(fragment, source / "podium")
    before, text = path.stat(), path.read_text(encoding="utf-8")
    path.write_text(text.replace(fragment, replacement), encoding="utf-8")
    later = time.time() + 10  # compiled files go by time and size
    os.utime(path, (later, later))
    try:
        code = run(source, tests)
    finally:
        path.write_text(text, encoding="utf-8")
        os.utime(path, (before.st_atime, before.st_mtime))
    if code not in (None, 0, 1, 2):
        sys.exit(f"Tests must pass or fail; pytest ended with {code} for {fragment!r}.")
    return code == PASSED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--room", choices=list(ROOMS), action="append", help="only mutants of this room")
    parser.add_argument("--only", default="", help="only mutants of lines that hold this text")
    options = parser.parse_args()
    for library in LIBRARIES:
        importlib.import_module(library)
    survivors, n_mutants, began = [], 0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder).resolve() / "src"
        shutil.copytree(ROOT / "src", source)  # with what is compiled already: times of files are kept
        os.environ["OMP_NUM_THREADS"] = "1"
        rooms = {name: room for name, room in ROOMS.items() if name in (options.room or ROOMS)}
        for _, mutants in rooms.values():
            for fragment, _, _ in mutants:
                place_of(fragment, source / "podium")
        for name, (tests, mutants) in rooms.items():
            chosen = [mutant for mutant in mutants if options.only in mutant[0]]
            if chosen and (code := run(source, tests, None)) != PASSED:
                print((source / "log.txt").read_text(encoding="utf-8"))
                sys.exit(f"The tests of {name} must pass before a line is changed; pytest ended with {code}.")
            for fragment, replacement, promise in chosen:
                n_mutants += 1
                started = time.monotonic()
                survived = survives(source, fragment, replacement, tests)
                survivors += [f"{name}: {promise}"] if survived else []
                verdict = "SURVIVED" if survived else "killed"
                print(f"{verdict:8} {time.monotonic() - started:5.1f} s  {name}: {promise}", flush=True)
    killed = n_mutants - len(survivors)
    print(f"{killed} of {n_mutants} mutants killed in {time.monotonic() - began:.0f} s; survivors: {survivors}")
    sys.exit(1 if killed < LEAST * n_mutants else 0)


if __name__ == "__main__":
    main()
