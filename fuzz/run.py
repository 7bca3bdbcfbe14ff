"""Random calls of the public API with extreme arrays: ``make fuzz`` or ``python fuzz/run.py --calls 100000 --seed 0``.

A call may return a right value or refuse by one of podium's own exceptions. Anything else is a fault: another
exception, a warning, a number that is none, a value that an oracle contradicts, more than ten seconds. Call number i of
a seed is always the same, so that ``--only`` repeats it.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import pkgutil
import signal
import sys
import warnings
from collections import Counter
from types import FrameType
from typing import Any

import numpy as np
from calls import CALLS
from numba.core.dispatcher import Dispatcher
from oracles import has_nan
from sklearn.exceptions import ConvergenceWarning

import podium._fast
from podium.exceptions import InputError, InputTypeError

TOO_LONG = 10  # seconds
NAMES = list(CALLS)


class HangError(Exception):
    """A call that took too long."""


def fault(seed: int, number: int) -> str | None:
    """What is wrong with a call, or None; ``refused`` is no fault."""
    rng = np.random.default_rng([seed, number])
    name = NAMES[number % len(NAMES)]
    try:
        value = CALLS[name](rng)
    except (InputError, InputTypeError) as refusal:
        return None if str(refusal) else f"{name}: a refusal without a sentence"
    except Exception as error:  # whatever it is, it is a fault, unless scikit-learn refuses a table
        if name in ("ranker", "seldom") and "Input X contains" in str(error):
            return None
        return f"{name}: {type(error).__name__}: {str(error)[:300]}"
    if has_nan(value):
        return f"{name}: NaN in {str(value)[:300]}"
    return None


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise HangError("too long")


def run(n_calls: int, seed: int, first: int = 0, seconds: float = TOO_LONG) -> Counter[str]:
    """Make the calls; the faults, counted by kind of call, each reported as it occurs."""
    faults: Counter[str] = Counter()
    signal.signal(signal.SIGPROF, _interrupt)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)  # says so, and means it
        for number in range(first, first + n_calls):
            signal.setitimer(signal.ITIMER_PROF, seconds)  # of processor time: others may be busy
            found = fault(seed, number)
            signal.setitimer(signal.ITIMER_PROF, 0)
            if found:
                faults[found.split(":")[0]] += 1
                print(f"call {number} of seed {seed}: {found}")
    return faults


def unused_loops() -> list[str]:
    """The compiled loops of podium that were not compiled for any arguments in this process."""
    unused = []
    for module in pkgutil.walk_packages(podium._fast.__path__, "podium._fast."):
        for name, thing in vars(importlib.import_module(module.name)).items():
            for loop in _loops(thing):
                if loop.__module__ == module.name and not loop.signatures:
                    unused.append(f"{module.name}.{name}")
    return sorted(set(unused))


def _loops(thing: Any) -> list[Any]:
    """The compiled loops that a name of a module stands for: itself, or what a table of them holds."""
    if isinstance(thing, dict):
        return [loop for part in thing.values() for loop in _loops(part)]
    if isinstance(thing, tuple):
        return [loop for part in thing for loop in _loops(part)]
    return [thing] if isinstance(thing, Dispatcher) else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=TOO_LONG, help="processor time that a call may take")
    parser.add_argument("--every-loop", action="store_true", help="name the compiled loops that no call has used")
    parser.add_argument("--only", type=int, help="repeat one call, by its number")
    options = parser.parse_args()
    faulthandler.enable()  # a crash names the line it came from
    n_calls, first = (options.calls, 0) if options.only is None else (1, options.only)
    faults = run(n_calls, options.seed, first, options.seconds)
    if options.every_loop:
        for name in unused_loops():
            print(f"no call has used the loop {name}")
            faults["loop"] += 1
    print(f"{n_calls} calls, seed {options.seed}: {faults.total()} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
