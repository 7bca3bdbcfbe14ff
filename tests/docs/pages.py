"""The pages of the documentation as tests read them: their text, and their code in the order in which it stands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [path for path in sorted(DOCS.rglob("*.rst")) if not {"_build", "generated", "gallery"} & set(path.parts)]
BLOCK = re.compile(
    r"^\.\. (code-block:: python|code-block:: console|testsetup::) *\n((?:   .*\n|\s*\n)*)", re.MULTILINE
)


def each(cases: Iterable[object]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """One test of many quick cases, which names those that fail; ``of`` is the check of a single one."""

    def over(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            failed = {}
            for case in cases:
                first, *others = case if isinstance(case, list | tuple) else (case,)
                try:
                    check(first, *others)
                except AssertionError as error:
                    failed[str(first), *map(str, others)] = error
            assert not failed, failed

        test.__doc__ = check.__doc__
        test.of = check  # type: ignore[attr-defined]
        return test

    cases = list(cases)
    return over


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """The kind of every block of code ("python", "console", "testsetup") and its text."""
    for head, body in BLOCK.findall(page.read_text(encoding="utf-8") + "\n"):
        yield (
            re.sub(r"code-block| |:", "", head),
            dedent(re.sub(r"^   :\w+:.*\n", "", body, flags=re.MULTILINE)).strip(),
        )


def run_python(page: Path) -> int:
    """Run the Python of a page in one namespace, also what is set up out of sight; how many blocks that was."""
    names: dict[str, object] = {"__name__": "__main__"}
    codes = [text for kind, text in blocks(page) if kind != "console"]
    for code in codes:
        exec(compile(code, str(page), "exec"), names)
    return len(codes)


def first_steps() -> Iterator[tuple[str, list[str]]]:
    """The newcomer's path after the installation, step by step: ("python", [code]) or ("console", words of a line)."""
    for kind, text in blocks(DOCS / "getting_started.rst"):
        if kind == "python":
            yield kind, [text]
        for line in text.splitlines() if kind == "console" else ():
            if not line.startswith(("python -m venv", ". .venv", "pip install")):
                yield kind, shlex.split(line)
