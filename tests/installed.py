"""The package as it was installed, not as it lies in the clone: what it brings, a newcomer's steps, and its tests.

For `make dist-check`, with the Python of an empty environment.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

CLONE = Path(__file__).resolve().parents[1]
COMMAND = Path(sys.executable).with_name("podium")


def main() -> None:
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        import podium

        home = Path(podium.__file__).parent
        assert CLONE / "src" not in home.parents, f"{home} is the clone, not what was installed"
        assert version("podium") == podium.__version__
        for name in ("py.typed", "references.bib", "report/templates"):
            assert (home / name).exists(), f"{name} is not in the distribution"
        run(COMMAND, "--version")
        newcomer()
        run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests())
    print(f"podium {podium.__version__}: installed, listed and tested")


def newcomer() -> None:
    """What the page for newcomers says, word for word, with the command that was installed."""
    sys.path.insert(0, str(CLONE / "tests"))
    from docs.pages import first_steps

    for kind, words in first_steps():
        if kind == "python":
            run(sys.executable, "-c", *words)
        else:
            run(COMMAND if words[0] == "podium" else words[0], *words[1:])


def tests() -> list[str]:
    """Rooms whose tests need nothing but the package and the extras of `make dist-check`."""
    rooms = ("metrics", "ranks", "cli/test_judging.py", "test_roc.py", "test_phi.py", "test_citations.py")
    found = [str(CLONE / "tests" / room) for room in rooms if (CLONE / "tests" / room).exists()]
    return ["-c", str(CLONE / "pyproject.toml"), "-o", f"pythonpath={CLONE / 'tests'}", *found]


def run(*command: object) -> None:
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
