"""What a person has to settle before relying on a result, and which statements it removes until then.

A doubt touches what is promised: it stands above the headline and removes the statements that `KINDS` names, no others.
A remark, such as one on how a value was read, is a sentence among the notes and removes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

STATEMENTS = {
    "range": "the ranges of hits, precision, recall and lift",
    "at least": "guaranteed hits",
    "certificate": "what is certain of the ranking",
    "cut": "where to cut",
    "probability": "probabilities",
    "list": "the range of hits of a new list",
    "interval": "intervals of ω, of groups, and of columns",
    "comparison": "intervals and p-values of comparisons",
    "band": "the band of the ROC curve",
}

_PROMISES = frozenset({"range", "at least", "certificate", "cut", "probability", "list"})
_ALL = frozenset(STATEMENTS)
_OF_A_LIST = frozenset({"at least", "probability", "list"})

# New rows may be unlike those held out: promises about them go, and what describes rows like these stays. Or the rows
# held out are no independent draws, or not labeled as the list is: then nothing is left of what chance explains.
KINDS = {
    "order": ("rows are in the order of a date or time", _PROMISES),
    "change": ("rows change over a date", _PROMISES),
    "leak": ("a column may be known only once the label is", _PROMISES),
    "units": ("rows with the same value of a column are very similar", _ALL),
    "copies": ("rows are copies of others", _ALL),
    "weight": ("a survey weight may have been used as a feature", _ALL),
    "unseen": ("some negative rows may never have been looked at", _ALL),
    "selection": ("rows with a label are no random part", _ALL),
    "stated": ("stated by the caller of podium.report.build", _ALL),
    "trend": ("rows change over time, with the option time", frozenset({"probability"})),
    "source": ("a new list is unlike the training rows", _OF_A_LIST),
}

# Options say how rows depend on each other. Ranges and intervals account for that; what needs independent rows goes.
_INDEPENDENT = frozenset({"at least", "certificate", "cut", "band"})
OPTIONS = {
    "time": _INDEPENDENT | {"list"},
    "group": _INDEPENDENT | {"list"},
    "weight": _INDEPENDENT | {"list"},
    "every": _INDEPENDENT,
}


@dataclass(frozen=True)
class Doubt:
    """A sentence that names columns and the option concerned, and its kind, one of `KINDS`."""

    kind: str
    sentence: str

    @property
    def touches(self) -> frozenset[str]:
        """The statements that do not stand until it is settled."""
        return KINDS[self.kind][1]

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "sentence": self.sentence, "removes": [s for s in STATEMENTS if s in self.touches]}

    def __str__(self) -> str:
        return self.sentence


def removed(doubts: Iterable[Doubt], options: Iterable[str] = ()) -> frozenset[str]:
    """The statements that neither stand beside these doubts nor with these options."""
    return frozenset().union(*(doubt.touches for doubt in doubts), *(OPTIONS[name] for name in options))


def left_out(doubts: Sequence[Doubt], among: Iterable[str] = STATEMENTS) -> str:
    """A sentence on what doubts remove from a page that would make these statements; empty if nothing."""
    gone = removed(doubts)
    words = [STATEMENTS[name] for name in among if name in gone]
    if not words:
        return ""
    return f"Left out until {'this is' if len(doubts) == 1 else 'these are'} settled: {'; '.join(words)}."
