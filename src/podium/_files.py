"""Files are written aside and then renamed, so that an interrupted run leaves none behind by halves."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from podium.exceptions import InputError


def write(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write files into a folder, all of them or, should one fail, none; existing ones are replaced."""
    made = _make(folder)
    try:
        aside = Path(tempfile.mkdtemp(prefix=".podium-", dir=folder))
        try:
            for name, content in contents.items():
                (aside / name).write_bytes(content.encode() if isinstance(content, str) else content)
            for name in contents:
                (aside / name).replace(folder / name)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except BaseException:
        for path in made:
            path.rmdir()
        raise


def write_file(path: Path, content: str | bytes) -> None:
    """Write one file."""
    write(path.parent, {path.name: content})


def _make(folder: Path) -> list[Path]:
    """Make a folder and its parents; returns those that were not there, innermost first."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    if folder.exists() and not folder.is_dir():
        raise InputError(f"The output needs a directory; {folder} is a file.")
    folder.mkdir(parents=True, exist_ok=True)
    return made
