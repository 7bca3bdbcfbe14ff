"""Mangled tables and model files: ``make fuzz-tables`` or ``python fuzz/tables.py --calls 10000 --seed 0``.

Of models of every kind, each with a table that it scores. A command that is given one ends with 0 or, in a sentence,
with 2; then nothing stands where its output would. Call number i of a seed is always the same, so that ``--only``
repeats it.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import shutil
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sound import MODELS, N_ROWS, TABLE, X, Y

from podium import persist
from podium.cli.app import main as podium
from podium.tables import Encoder, TableModel

PIECES = rb"""," ; - 1e999 =1+1 1,5 2019-02-30 inf NA { ] null true -1 9007199254740993 __class__""".split()
PIECES += [b"\n", b"\r", b"\t", b" ", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\n\n\n", b"9" * 400, "φ".encode("utf-16")]


def table(rng: np.random.Generator, n_rows: int) -> bytes:
    """A small CSV with columns of several kinds and a label that depends on one of them."""
    x = rng.standard_normal(n_rows)
    y = np.where(x + rng.standard_normal(n_rows) > 0, "yes", "no")
    lines = [f"{i},{x[i]:.4f},{'abc'[i % 3]},2024-01-{i % 28 + 1:02},{y[i]}" for i in range(n_rows)]
    return "\n".join(["id,x,kind,day,y", *lines, ""]).encode()


def mangled(rng: np.random.Generator, content: bytes) -> bytes:
    """One to eight bytes or pieces changed, put in, taken out, repeated, or the end cut off."""
    changed = bytearray(content)
    for _ in range(rng.integers(1, 9)):
        at, length = int(rng.integers(len(changed) + 1)), int(rng.integers(1, 40))
        piece = PIECES[rng.integers(len(PIECES))]
        match rng.integers(6):
            case 0:
                changed[at : at + 1] = rng.bytes(1)
            case 1:
                changed[at:at] = piece
            case 2:
                changed[at : at + len(piece)] = piece
            case 3:
                del changed[at : at + length]
            case 4:
                changed[at:at] = changed[at : at + length]
            case 5 if rng.random() < 0.2:
                del changed[at:]
    return bytes(changed)


def signed(rng: np.random.Generator, model: bytes) -> bytes:
    """A model whose document or arrays are mangled beneath a checksum that is right: what is in it must be refused."""
    line, content = model.split(b"\n", 1)
    size = int(line.split()[-1])
    document, arrays = content[:size], content[size:]
    if rng.random() < 0.8:
        document = mangled(rng, document)
    else:
        arrays = mangled(rng, arrays)
    checksum = hashlib.sha256(document + arrays).hexdigest().encode()
    return b"%s %s %d\n%s%s" % (b" ".join(line.split()[:-2]), checksum, len(document), document, arrays)


def models() -> list[tuple[bytes, bytes]]:
    """A model file of every kind, and a table that it scores."""
    plain = pd.DataFrame(X, columns=list("abc"))
    encoder = Encoder.fit(plain, np.arange(N_ROWS), dict.fromkeys("abc", "number"))
    made = []
    for make in MODELS.values():
        model, frame = make(), TABLE
        if not isinstance(model, TableModel):
            ranker = clone(model).fit(encoder.encode(plain), Y)
            model, frame = TableModel(encoder, ranker, "auc", "y", "1"), plain
        made.append((persist.dumps(model), frame[:60].to_csv(index=False).encode()))
    return made


class Place:
    """A folder with tables and models of them, in which calls are made."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.table = folder, table(np.random.default_rng(0), 60)
        (folder / "t.csv").write_bytes(self.table)
        code, told = ended(["fit", str(folder / "t.csv"), *self.fitting, "--out", str(folder / "o")])
        if code:
            sys.exit(told)
        self.pairs = [((folder / "o" / "model.podium").read_bytes(), self.table), *models()]

    fitting = ("--label", "y", "--positive", "yes", "--model", "linear", "--id", "id")

    def fault(self, seed: int, number: int) -> str | None:
        """What is wrong with a call, or None."""
        rng = np.random.default_rng([seed, number])
        given, model, out = self.folder / "given.csv", self.folder / "given.podium", self.folder / "out"
        what = ("score a table", "use a model", "score a table", "use a model", "fit a table")[number % 5]
        sound, rows = self.pairs[0 if what == "fit a table" else rng.integers(len(self.pairs))]
        given.write_bytes(rows if what == "use a model" else mangled(rng, rows))
        spoil = signed if rng.random() < 0.9 else mangled
        model.write_bytes(spoil(rng, sound) if what == "use a model" else sound)
        scoring = ["score", str(model), str(given), "--out", str(out / "list.csv")]
        code, told = ended(["fit", str(given), *self.fitting, "--out", str(out)] if what == "fit a table" else scoring)
        written = sorted(path.name for path in out.glob("*")) if out.exists() else []
        left = [path.name for path in self.folder.glob(".*")]
        shutil.rmtree(out, ignore_errors=True)
        n_files = {"fit a table": 5}.get(what, 2)
        if code not in (0, 2):
            return f"{what}: ended with {code}: {told[-600:]}"
        if code == 2 and "Error" not in told:
            return f"{what}: refused without a sentence: {told[-300:]}"
        if left or len(written) != (0 if code else n_files):
            return f"{what}: ended with {code} and left {written + left}"
        return None


def ended(arguments: list[str]) -> tuple[int, str]:
    """How a command ended, and what it said on standard error; a traceback ends it with 99."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            podium(arguments)
        except SystemExit as leaving:
            return int(leaving.code or 0), said.getvalue()
        except Exception:  # whatever it is, it is a fault
            return 99, traceback.format_exc()
    return 0, said.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="repeat one call, by its number")
    options = parser.parse_args()
    warnings.simplefilter("error")
    numbers = range(options.calls) if options.only is None else [options.only]
    n_faults = 0
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        for number in numbers:
            found = place.fault(options.seed, number)
            if found:
                n_faults += 1
                print(f"call {number} of seed {options.seed}: {found}", flush=True)
    print(f"{len(numbers)} calls, seed {options.seed}: {n_faults} faults")
    sys.exit(1 if n_faults else 0)


if __name__ == "__main__":
    main()
