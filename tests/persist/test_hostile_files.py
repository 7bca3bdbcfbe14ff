"""Made-up model files are refused with a sentence, before anything in them comes to life."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from persist.hostile import CHANGES, write_corpus
from podium import InputError
from podium.rankers.door import Categories
from podium.workflow.score import as_model

# Loads every file in a process of its own, so that a crash or a bomb is seen.
READER = """
import resource, signal, sys, time, warnings
from pathlib import Path
from podium.exceptions import InputError
from podium.workflow.score import as_model
paths = sorted(Path(sys.argv[1]).iterdir())
as_model(paths[0])  # the sound one: all that is needed is loaded, with what old libraries then say of each other
warnings.simplefilter("error")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in paths[1:]:
    signal.alarm(10)
    start = time.process_time()  # of the processor: others may be at work
    try:
        as_model(path)
        print(path.name, "ACCEPTED")
    except InputError as error:
        print(f"{path.name}: {time.process_time() - start:.2f} s:", str(error).splitlines()[0])
    signal.alarm(0)
unit = 1 if sys.platform == "darwin" else 1024  # bytes
print("grown by MB:", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit / 2**20)
"""


@pytest.mark.skipif(os.name != "posix", reason="memory and time are limited by what Windows lacks")
def test_every_hostile_file_is_refused_with_a_sentence_in_little_memory(tmp_path):
    names = write_corpus(tmp_path)
    assert as_model(tmp_path / "00 sound").label == "y"  # refused is what was changed in it, and nothing else
    with pytest.raises(InputError, match="columns"):
        as_model(tmp_path / f"01 {next(iter(CHANGES))}")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", READER, str(tmp_path)], capture_output=True, text=True, env=environment
    )
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    *lines, memory = done.stdout.splitlines()
    assert len(lines) == len(names) - 1 > 60
    assert not [line for line in lines if "ACCEPTED" in line]
    assert all(line.endswith(".") for line in lines), lines
    assert max(float(re.search(r": (\d+\.\d+) s:", line)[1]) for line in lines) < 1
    assert float(memory.split()[-1]) < 200


@dataclass(frozen=True)
class Holder:
    """Has a hash, until it is asked for."""

    values: np.ndarray


@pytest.mark.parametrize("value", [(1, 2), [1], np.ones(2), frozenset(), Holder(np.ones(2))], ids=repr)
def test_a_category_is_a_single_value(value):
    with pytest.raises(ValueError, match="categories are single values"):
        Categories({0: ["a", value]})
