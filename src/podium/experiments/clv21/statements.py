"""Statements of the paper's text, held against what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.experiments.experiment import Verdict

# Why a statement of §5.3 may fail: what one would need to repeat it to the letter is not in print.
_UNKNOWN = (
    "The paper gives neither the start θ⁽⁰⁾ nor β, λ and the constant of the step; here the start is standard normal, "
    "β = λ = 100 and the step 1/√T."
)


def verdict(paper: Mapping[str, Any], ours: Mapping[str, Any]) -> Verdict:
    """How many of the paper's statements came out the same."""
    if not paper:
        return "extends"
    held = sum(ours[name] == said for name, said in paper.items())
    return "agrees" if held == len(paper) else "agrees in part" if held else "differs"


def told(paper: Mapping[str, Any], ours: Mapping[str, Any]) -> str:
    """Which statements hold and which do not, as sentences; nothing where the paper says nothing."""
    held = [_as_said(name, said) for name, said in paper.items() if ours[name] == said]
    failed = [f"{_as_said(name, said)}{_instead(ours[name])}" for name, said in paper.items() if ours[name] != said]
    parts = []
    if held:
        parts.append(f"As in the paper: {'; '.join(held)}.")
    if failed:
        parts.append(f"Not as in the paper: {'; '.join(failed)}.")
    return " ".join(parts)


def why(paper: Mapping[str, Any], ours: Mapping[str, Any]) -> list[str]:
    """What may be behind statements that fail; nothing if none does."""
    return [_UNKNOWN] if any(ours[name] != said for name, said in paper.items()) else []


def _as_said(name: str, said: Any) -> str:
    return name if said is True else f"{name}: {said}"


def _instead(value: Any) -> str:
    """What was found where a statement fails; that a plain statement does not hold needs no words."""
    return "" if isinstance(value, bool) else f" (here {value})"
