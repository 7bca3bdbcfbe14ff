"""The state of a monitor: one small JSON file with its settings, its running numbers and its history."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from podium._files import write
from podium._results import wording
from podium._results.result import to_json
from podium.exceptions import InputError
from podium.monitor import DriftState, PerformanceState
from podium.persist.fields import declared, fits
from podium.workflow.monitoring.columns import ColumnDrift
from podium.workflow.monitoring.expected import ExpectedPerformance
from podium.workflow.monitoring.rows import KeptRows

_FORMAT = 2
_LARGEST = 1e301  # of a number
_ENTRY = {
    **dict.fromkeys(("time", "name", "identity"), str),
    **dict.fromkeys(("batch", "rows", "labeled"), int),
    "drift": DriftState,
    "performance": PerformanceState,
    "inspected": PerformanceState,
    "expected": ExpectedPerformance,
    "columns": ColumnDrift,
}
_MONITORS = ("drift", "performance", "inspected")
_OPTIONAL = (ColumnDrift, ExpectedPerformance, PerformanceState)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a monitor was begun with; it never changes."""

    phi: str
    tolerance: float = 0.0
    threshold: float | None = None
    confidence_level: float = 0.95
    average_run_length: float | None = None
    unit: str = "row"

    @property
    def alpha(self) -> float:
        """The probability of a false alarm ever, at most."""
        return round(1 - self.confidence_level, 12)


@dataclass
class State:
    """Settings, running numbers of the monitors by name (None: not begun), what was found, and rows of batches."""

    path: Path
    settings: Settings
    running: dict[str, Any]
    history: list[dict[str, Any]]
    batches: list[KeptRows]
    text: str | None  # of the file as it was read; None where there was none

    @classmethod
    def read(cls, path: Path, phi: str, asked: dict[str, Any]) -> State:
        """The state in the file, or a new one where there is none; settings ``asked`` for must be those of the file."""
        if path.is_dir():
            raise InputError(f"The state must be a file; {path} is a directory.")
        asked = {name: value for name, value in asked.items() if value is not None}
        if not path.exists():
            unit = "row" if "average_run_length" in asked else "batch"
            return cls(path, Settings(**({"phi": phi, "unit": unit} | asked)), dict.fromkeys(_MONITORS), [], [], None)
        text = path.read_text(encoding="utf-8", errors="replace")
        state = _parsed(path, text)
        different = [name for name, value in asked.items() if getattr(state.settings, name) != value]
        if different:
            name, kept = different[0].replace("_", " "), getattr(state.settings, different[0])
            kept = wording.specification(kept) if name == "phi" else kept
            raise InputError(
                f"A monitor keeps its first settings; {name} is {kept} in {path}, got {asked[different[0]]}.",
                "omit it, or start a new monitor with another state file.",
            )
        return state

    def entry_of(self, identity: str) -> dict[str, Any] | None:
        """Of a batch that came with exactly these rows, what was found then."""
        return next((entry for entry in self.history if entry["identity"] == identity and entry["rows"]), None)

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
                f"Batches are added one at a time; another run has just written {self.path}.", "run the command again."
            )
        content = {
            "podium_monitor": _FORMAT,
            "settings": asdict(self.settings),
            "history": self.history,
            "running": self.running,
            "batches": [rows.to_dict() for rows in self.batches],
        }
        # Long lists of numbers on one line each, so that the rest can be read.
        text = re.sub(r"\[([-+.\deE,\s]*)\]", lambda match: f"[{' '.join(match[1].split())}]", to_json(content))
        write(self.path.parent, {self.path.name: text + "\n", self.page.name: html})
        self.text = text + "\n"


def _parsed(path: Path, text: str) -> State:
    try:
        content = json.loads(text)
        _require(_is_plain(content))
        _upgrade(content)
        given, history, running = (content[name] for name in ("settings", "history", "running"))
        _require(content["podium_monitor"] == _FORMAT and _is_like(given, Settings))
        _require(isinstance(history, list) and running.keys() == set(_MONITORS))
        _require(isinstance(running["drift"], dict))
        _require(all(isinstance(running[name], dict | None) for name in _MONITORS))
        for number, entry in enumerate(history, start=1):
            _require(entry.keys() == _ENTRY.keys() and entry["batch"] == number)
            _require(all(_is_like(entry[name], kind) for name, kind in _ENTRY.items()))
        _require((history[-1]["performance"] is None) == (running["performance"] is None))
        settings, batches = Settings(**given), [KeptRows.from_dict(kept) for kept in content["batches"]]
        _require_counts(settings, running, history, batches)
        return State(path, settings, running, history, batches, text)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        raise InputError(
            f"The state must be a file that podium monitor wrote; {path} is not, or is damaged.",
            "name another file to start a new monitor.",
        ) from None


def _require_counts(
    settings: Settings, running: dict[str, Any], history: list[dict[str, Any]], batches: list[KeptRows]
) -> None:
    """The running numbers must be of as many rows and batches as were seen."""
    rows = [entry["drift"]["n"] for entry in history]
    _require(rows == sorted(rows))
    if settings.unit == "row":
        _require(rows[-1] == running["drift"]["wealth"]["n"])
        return
    sizes = [len(kept.marks) for kept in batches]
    _require(sizes == running["drift"]["batches"]["sizes"] and rows[-1] == sum(sizes))
    reviewed = [running["performance"] or {}, *(running["inspected"] or {}).values()]
    _require(all(kept["wealth"]["n"] <= len(sizes) for kept in reviewed if kept))


def _upgrade(content: dict[str, Any]) -> None:
    """Of the first format, which went by rows and kept none."""
    if content["podium_monitor"] != 1:
        return
    content |= {"podium_monitor": _FORMAT, "batches": []}
    content["settings"]["unit"] = "row"
    content["running"]["inspected"] = None
    for entry in content["history"]:
        entry |= {"inspected": None, "expected": None}
        for name in ("drift", "performance"):
            if entry[name] is not None:
                entry[name]["unit"] = "row"
                if entry[name].get("measure") == "AUC":
                    entry[name]["measure"] = "standing of positives"


def _is_plain(value: Any) -> bool:
    """Whether all numbers are of a size to count with, and all text can be written."""
    if isinstance(value, (dict, list)):
        return all(map(_is_plain, [*value, *value.values()] if isinstance(value, dict) else value))
    if isinstance(value, str):
        return "\x00" not in value and value.encode() is not None  # ValueError of halves of characters
    return not isinstance(value, (int, float)) or abs(value) <= _LARGEST


def _is_like(value: Any, kind: Any) -> bool:
    """Whether a value of JSON is of a type, or the fields of an object are; none of its numbers is less than zero.

    Of what is not always found there may be none; where a number is not known, there is none, either.
    """
    if kind in (int, str):
        return type(value) is kind and (kind is str or value >= 0)
    if value is None:
        return kind in _OPTIONAL
    hints = declared(kind)
    values = {name: tuple(part) if isinstance(part, list) else part for name, part in value.items()}
    return (
        values.keys() == hints.keys()
        and all(fits(part, hints[name]) or (part is None and kind is ColumnDrift) for name, part in values.items())
        and all(part >= 0 for name, part in values.items() if isinstance(part, (int, float)) and name != "threshold")
    )


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError
