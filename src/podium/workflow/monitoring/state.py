"""The state of a monitor: one small JSON file with its settings, its running numbers and its history."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from podium._files import write
from podium._results.plain import to_json
from podium.exceptions import InputError

_FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a monitor was begun with; it never changes."""

    phi: str
    tolerance: float = 0.0
    threshold: float | None = None
    confidence_level: float = 0.95
    average_run_length: float | None = None

    @property
    def alpha(self) -> float:
        """The probability of a false alarm ever, at most."""
        return round(1 - self.confidence_level, 12)


@dataclass
class State:
    """Settings, running numbers of both monitors (None: not begun), and what was found batch by batch."""

    path: Path
    settings: Settings
    drift: dict[str, Any] | None
    performance: dict[str, Any] | None
    history: list[dict[str, Any]]
    text: str | None  # of the file as it was read; None where there was none

    @classmethod
    def read(cls, path: Path, phi: str, asked: dict[str, Any]) -> State:
        """The state in the file, or a new one where there is none; settings ``asked`` for must be those of the file."""
        if path.is_dir():
            raise InputError(f"The state must be a file; {path} is a directory.")
        asked = {name: value for name, value in asked.items() if value is not None}
        if not path.exists():
            return cls(path, Settings(**({"phi": phi} | asked)), None, None, [], None)
        text = path.read_text(encoding="utf-8", errors="replace")
        state = _parsed(path, text)
        different = [name for name, value in asked.items() if getattr(state.settings, name) != value]
        if different:
            name, kept = different[0].replace("_", " "), getattr(state.settings, different[0])
            raise InputError(
                f"A monitor keeps the settings it was begun with; {name} is {kept} in {path}, got "
                f"{asked[different[0]]}.",
                "leave the option out, or begin a new monitor with another state file.",
            )
        return state

    def batch_of(self, identity: str) -> dict[str, Any] | None:
        """The batch with these rows, if it came before."""
        return next((entry for entry in self.history if entry["identity"] == identity), None)

    @property
    def page(self) -> Path:
        """Where the page about it is."""
        return self.path.with_suffix(".html")

    def save(self, html: str) -> None:
        """Write the file and the page about it, aside first; refused if it was written by others since it was read.

        The file is there at all times, the page never that of an older one.
        """
        now = self.path.read_text(encoding="utf-8", errors="replace") if self.path.exists() else None
        if now != self.text:
            raise InputError(
                f"One batch at a time; {self.path} was written by another run meanwhile.", "run the command again."
            )
        content = {
            "podium_monitor": _FORMAT,
            "settings": asdict(self.settings),
            "history": self.history,
            "running": {"drift": self.drift, "performance": self.performance},
        }
        # Long lists of numbers on one line each, so that the rest can be read.
        text = re.sub(r"\[([-+.\deE,\s]*)\]", lambda found: f"[{' '.join(found[1].split())}]", to_json(content))
        write(self.path.parent, {self.path.name: text + "\n", self.page.name: html})
        self.text = text + "\n"


def _parsed(path: Path, text: str) -> State:
    try:
        content = json.loads(text)
        if content["podium_monitor"] != _FORMAT:
            raise ValueError
        given = content["settings"]
        settings = Settings(**{field.name: given[field.name] for field in fields(Settings)})
        history = list(content["history"])
        for entry in history:
            entry["identity"], entry["rows"], entry["labeled"], entry["drift"], entry["performance"], entry["columns"]
        running = content["running"]
        return State(path, settings, running["drift"], running["performance"], history, text)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(
            f"The state must be a file that podium monitor wrote; {path} is not, or is damaged.",
            "name another file to begin a new monitor.",
        ) from None
