"""How many rows have which label: positives, all others by their values, and rows without one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from podium.tables.labels import LabeledTable

_FEWEST = 5  # rows with a value that is named
_NAMED = 3  # values in a sentence


@dataclass(frozen=True)
class LabelCounts:
    """Rows by label.

    ``values`` are those of the others but the most frequent one; rare ones are counted together. Rows without a label
    ``are_left_out``, unless the page is about them, too.
    """

    n_pos: int
    n_others: int
    values: dict[str, int]
    n_rare: int
    n_missing: int
    are_left_out: bool = True

    @classmethod
    def of(cls, data: LabeledTable, label: str) -> Self:
        """Of a table that was read."""
        others = data.frame[label][~data.is_positive].astype(str).str.removesuffix(".0").value_counts()
        n_missing = 0 if data.others is None else len(data.others)
        return cls.counted(int(data.is_positive.sum()), dict(others), n_missing)

    @classmethod
    def counted(cls, n_pos: int, others: Mapping[str, Any], n_missing: int) -> Self:
        """From how many rows have each value that is not positive."""
        _, *less_frequent = sorted(others, key=lambda word: (-others[word], word)) or [""]
        named = [word for word in less_frequent if others[word] >= _FEWEST][:_NAMED]
        n_rare = sum(int(others[word]) for word in less_frequent if word not in named)
        values = {word: int(others[word]) for word in named}
        return cls(n_pos, sum(map(int, others.values())), values, n_rare, n_missing)

    def to_dict(self) -> dict[str, Any]:
        counts = {"positive": self.n_pos, "others": self.n_others, "without": self.n_missing}
        return {**counts, "other_values": self.values, "rare": self.n_rare, "sentence": str(self)}

    def __str__(self) -> str:
        """In one line, such as "596 positive; 10,204 others, of which 219 'invalid'; 12 without a label, left out"."""
        words = [f"{n:,} {word!r}" for word, n in self.values.items()]
        words += [f"{self.n_rare:,} with {'other' if words else 'rare'} values"] if self.n_rare else []
        named = f", of which {', '.join(words)}" if words else ""
        missing = f"; {self.n_missing:,} without a label{', left out' * self.are_left_out}" if self.n_missing else ""
        return f"{self.n_pos:,} positive; {self.n_others:,} others{named}{missing}"
