"""Model files and monitor states of changed structure: ``make fuzz-models`` or ``python fuzz/models.py --calls 10000``.

Each is made from a sound one, with a checksum that fits, is read and then used. It is used or refused in a sentence:
no signal, no exception of a stranger, no more than 5 seconds of the processor or 300 MB and three times the file. Call
number i of a seed is always the same, so that ``--only`` repeats it. With ``NUMBA_BOUNDSCHECK=1`` (and a
``NUMBA_CACHE_DIR`` of its own) compiled loops check their indices.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import mmap
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from crafted import closed, mutant, opened, places
from sound import MODELS, N_ROWS, TABLE, rows_for

from podium import persist, workflow
from podium.exceptions import InputError, InputTypeError, MissingPackageError
from podium.tables import TableModel, to_table

SECONDS, MEMORY = 5, 300 * 2**20
REFUSALS = (InputError, InputTypeError, MissingPackageError)
_STATES, _THOROUGH = 0.1, 0.03  # of the calls


def sealed(document: bytes, body: bytes) -> bytes:
    """A model file with these parts."""
    checksum = hashlib.sha256(document + body).hexdigest().encode()
    return b"podium model 3 %s %d\n" % (checksum, len(document)) + document + body


def use(model: Any, frame: Any, *, thorough: bool) -> None:
    """Score rows, and tables; thoroughly, read these as they come, and say why."""
    if isinstance(model, TableModel):
        ranked = workflow.score(model, TABLE, top=5, reasons=1).scores["score"] if thorough else model.scores(frame)
        assert np.isfinite(ranked).all(), "scores that are no numbers"
        return
    if not hasattr(model, "decision_function") or not hasattr(model, "n_features_in_"):
        return
    for rows in rows_for(model):
        with contextlib.suppress(*REFUSALS):
            model.decision_function(rows)
            if hasattr(model, "predict"):
                model.predict(rows)
            if hasattr(model, "predict_proba"):
                model.predict_proba(rows)


class Place:
    """Sound files, and a folder in which changed ones are written and read."""

    def __init__(self, folder: Path, only: str | None) -> None:
        self.file, self.state = folder / "given.podium", folder / "given.json"
        self.models = {name: opened(persist.dumps(make())) for name, make in MODELS.items() if only in (None, name)}
        self.pieces = [near[there] for document in self.models.values() for near, there in places(document)]
        self.frame = to_table(TABLE).frame
        self.states: list[Any] = []
        if only in (None, "states"):
            self.watched = workflow.fit(TABLE[["x", "kind", "y"]], label="y", model="linear", budget=30).model
            self.batches = [TABLE.iloc[start : start + 40].reset_index(drop=True) for start in range(0, N_ROWS, 40)]
            some = self.batches[0].assign(inclusion=0.5, y=self.batches[0]["y"].where(np.arange(40) % 2 == 0))
            for first in (self.batches[0], self.batches[0].drop(columns="y"), some):
                for options in ({}, {"average_run_length": 500.0, "threshold": 0.0}):
                    workflow.monitor(self.watched, first, state=self.state, **options)
                    self.states.append(json.loads(self.state.read_text()))
                    self.state.unlink()
            self.of_states = [near[there] for state in self.states for near, there in places(state)]

    def write(self, seed: int, number: int) -> tuple[str, int, Callable[[], Any]]:
        """Write the file of a call: what it is, its size, and what reads and uses it."""
        rng = np.random.default_rng([seed, number])
        if self.states and (not self.models or rng.random() < _STATES):
            state = mutant(rng, self.states[int(rng.integers(len(self.states)))], self.of_states)
            text = json.dumps(state)
            self.state.write_text(text)
            return "state", len(text), self.go_on
        name = list(self.models)[int(rng.integers(len(self.models)))]
        document, body = closed(mutant(rng, self.models[name], self.pieces))
        content = sealed(document, body)
        self.file.write_bytes(content)
        thorough = rng.random() < _THOROUGH
        return name, len(content), lambda: use(persist.load(self.file), self.frame, thorough=thorough)

    def go_on(self) -> None:
        """Take two more batches into account; what is written must be sound."""
        for batch in self.batches[1:3]:
            done = workflow.monitor(self.watched, batch, state=self.state, reference=self.batches[3])
            parts: list[Any] = [done.drift, done.performance, done.inspected]
            for part in filter(None, parts):
                assert part.largest_e_value * (1 + 1e-9) >= part.e_value >= 0, f"evidence {part}"
                assert np.isfinite(part.e_value), f"evidence {part}"
                assert part.n >= 0, f"{part.n} rows"
            str(done)


def fault(place: Place, seed: int, number: int, outcomes: Counter[str]) -> str | None:
    """What is wrong with a call, or None."""
    what, size, run = place.write(seed, number)
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak of memory begins anew
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            run()
        outcomes[f"{what}: used"] += 1
    except REFUSALS as error:
        outcomes[f"{what}: refused"] += 1
        inner = error.__context__
        if isinstance(inner, MemoryError) or (isinstance(inner, IndexError) and str(inner) == "index is out of bounds"):
            return f"{what}: {inner!r} is hidden by a refusal"
    except Exception:  # whatever a stranger raises
        return f"{what}: {traceback.format_exc(limit=-6)}"
    grown = _memory("VmHWM") - before
    if grown > 3 * size + MEMORY:
        return f"{what}: took {grown / 2**20:.0f} MB of memory for a file of {size:,} bytes"
    return None


def _memory(name: str) -> int:
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition(f"{name}:")[2].split()[0])


class Watch:
    """Calls in processes that may die: the number of the one under way is in memory that is shared."""

    def __init__(self, place: Place, seed: int, seconds: float) -> None:
        self.place, self.seed, self.end = place, seed, time.monotonic() + seconds
        self.shared = mmap.mmap(-1, 8)

    def run(self, numbers: range) -> tuple[Counter[str], list[str]]:
        """Outcomes and faults of these calls."""
        outcomes, faults, at = Counter[str](), [], numbers.start
        while at < numbers.stop and time.monotonic() < self.end:
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(reader)
                try:
                    self._work(range(at, numbers.stop), writer)
                except BaseException:
                    traceback.print_exc()
                    os._exit(70)
            os.close(writer)
            with os.fdopen(reader) as lines:
                for line in lines:
                    said = json.loads(line)
                    outcomes.update(said["outcomes"])
                    if said["fault"]:
                        faults.append(said["fault"])
                        print(said["fault"], flush=True)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            at = int.from_bytes(self.shared[:8], "little") + 1
            if status > 0:
                raise RuntimeError(f"call {at - 1} could not be made")
            if status < 0:
                name = signal.Signals(-status).name
                reason = "more than 5 seconds" if name in ("SIGPROF", "SIGALRM") else name
                faults.append(f"call {at - 1} of seed {self.seed}: {reason}")
                print(faults[-1], self.place.write(self.seed, at - 1)[0], flush=True)
        return outcomes, faults

    def _work(self, numbers: range, writer: int) -> None:
        """Until the calls are done, the time is over, or one of them ends the process."""
        warnings.simplefilter("ignore")
        for signum in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(signum, signal.SIG_DFL)
        with os.fdopen(writer, "w") as out:
            for number in numbers:
                self.shared[:8] = number.to_bytes(8, "little")
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                signal.setitimer(signal.ITIMER_REAL, 20 * SECONDS)  # waits for ever
                outcomes = Counter[str]()
                found = fault(self.place, self.seed, number, outcomes)
                found = found and f"call {number} of seed {self.seed}: {found}"
                out.write(json.dumps({"outcomes": outcomes, "fault": found}) + "\n")
                out.flush()
                if time.monotonic() > self.end:
                    break
        os._exit(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop when they are over")
    parser.add_argument("--kind", help="one kind of model only, or states")
    parser.add_argument("--only", type=int, help="repeat one call, by its number; of all kinds unless --kind was given")
    parser.add_argument("--keep", type=Path, help="with --only: a folder for the file")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), options.kind)
        if options.keep is not None:
            place.write(options.seed, options.only)
            shutil.copytree(folder, options.keep, dirs_exist_ok=True)
        watch = Watch(place, options.seed, options.seconds)
        numbers = range(options.calls) if options.only is None else range(options.only, options.only + 1)
        outcomes, faults = watch.run(numbers)
    for outcome, count in sorted(outcomes.items()):
        print(f"{outcome:40} {count:8,}")
    print(f"{outcomes.total():,} calls, seed {options.seed}: {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
