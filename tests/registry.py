"""Everything that keeps a contract, found by itself: what a package exports is tested without being named here."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

from podium import phi as phi_
from podium.phi import Phi, for_budget

Examples = Mapping[str, Sequence[Callable[[type], Any]]]


class Case(NamedTuple):
    """Something exported, with its name in a test; it is made when it is tested, so that failing to is a failure."""

    name: str
    make: Callable[[], Any]


def exported(package: ModuleType, base: type) -> list[type]:
    """The classes that a package exports and that can be constructed, by their common base."""
    named = [getattr(package, name) for name in package.__all__]
    return [cls for cls in named if isinstance(cls, type) and issubclass(cls, base) and not inspect.isabstract(cls)]


def cases(package: ModuleType, base: type, examples: Examples) -> list[Case]:
    """Every exported class, as the examples for the name of the class make it; with its defaults if there are none."""
    found = []
    for cls in exported(package, base):
        if cls.__name__ in examples:
            for number, example in enumerate(examples[cls.__name__], start=1):
                found.append(Case(f"{cls.__name__}-{number}", partial(example, cls)))
        elif cls is not base:
            found.append(Case(cls.__name__, partial(_no_example, package, cls) if _required(cls) else cls))
    return found


def _required(cls: type) -> list[str]:
    empty, named = inspect.Parameter.empty, (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(cls).parameters.values()
    return [each.name for each in parameters if each.default is empty and each.kind in named]


def _no_example(package: ModuleType, cls: type) -> None:
    raise AssertionError(
        f"{package.__name__}.{cls.__name__} cannot be tested: it needs {', '.join(_required(cls))}. "
        "Give its parameters defaults, or an example under its name in tests/contracts."
    )


def title(thing: object) -> str:
    """Its name in a test, the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(thing))


PHI_EXAMPLES: Examples = {
    "Custom": [lambda cls: cls(lambda u: u**2, lambda u: 2 * u)],
    "Power": [lambda cls: cls(), lambda cls: cls(2.5), lambda cls: cls(8)],
    "SmoothTopShare": [lambda cls: cls(), lambda cls: cls(0.5, 30, 70), lambda cls: for_budget(5, 100)],
    "Dcg": [lambda cls: cls(), lambda cls: cls(10)],
}


def all_phi(n_total: int = 50) -> list[Phi]:
    """Every φ with its defaults, bound to a length, and some with other parameters."""
    return [case.make().bind(n_total) for case in cases(phi_, Phi, PHI_EXAMPLES)]
