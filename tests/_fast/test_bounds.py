import os
import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[2] / "fuzz" / "run.py"


@pytest.mark.slow  # a minute of compilation
@pytest.mark.skipif(os.name != "posix", reason="calls that hang are ended by a signal that Windows lacks")
def test_every_compiled_loop_stays_within_its_arrays(tmp_path):
    # Scores of ±1.7e308, subnormal ones, 1e15 + tiny, outliers of 1e300, weights of 1e±300. Compiled with checks of
    # indices, loops raise an IndexError where they would read or write elsewhere. Compiled anew: a loop inside another
    # one that comes from a cache would not be seen.
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(FUZZ), "--calls", "1500", "--seed", "1", "--seconds", "300", "--every-loop"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
