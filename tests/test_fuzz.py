"""A bounded part of the random calls of ``make fuzz``, and all compiled loops with their indices checked."""

import os
import subprocess
import sys
from pathlib import Path

FUZZ = Path(__file__).parents[1] / "fuzz" / "run.py"


def run(*arguments, **environment):
    command = [sys.executable, str(FUZZ), *map(str, arguments)]
    variables = os.environ | {"OMP_NUM_THREADS": "1"} | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, env=variables)


def test_random_calls_return_right_values_or_refuse():
    done = run("--calls", 1000, "--seed", 0)
    assert done.returncode == 0, done.stdout + done.stderr
