"""Words that stand for a missing value, or for a way of writing."""

from __future__ import annotations

ISO = "ISO 8601"  # of dates

# What stands for a missing value in any column; "?" as in the tables of the UCI repository.
MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A", r"\N")
# Beside numbers and dates these stand for a missing one, too; in a column of text they may be words like others.
GAPS = (
    *(word.lower() for word in MISSING),
    *("-", "--", "–", "—", ".", "n.a.", "n. a.", "n.v.", "k.a.", "(null)", "nil", "missing", "unknown"),
    *("n.b.", "n. b.", "n.d.", "n. d.", "nd", "s/d", "tbd", "pending", "not done", "not measured", "nicht bestimmt"),
    *("#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!", "#n/a n/a"),
)
