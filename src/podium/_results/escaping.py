"""Text from tables and files on its way out: a function per target, so that nothing in it is taken for an instruction.

For HTML this is `html.escape`, which templates apply by themselves; an Excel sheet and Parquet have types, ONNX names
are never interpreted.
"""

from __future__ import annotations

import re
import unicodedata

# A cell that begins so is run as a formula by one spreadsheet or another, unless it is a number.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_MARKUP = re.compile(r"([\\`*_\[\]<>|#&~]|(?<=\bhttp)(?=:)|(?<=\bhttps)(?=:)|(?<=\bftp)(?=:)|(?<=\bwww)(?=\.))", re.I)
_ITEM = re.compile(r"^(\d*)([-+=.)])(?=[-=\s]|$)")  # a list, or the line under a heading


def terminal(text: str) -> str:
    r"""Visible characters and line feeds: what would move the cursor, set colors or turn the writing is shown as code.

    >>> terminal("\x1b[31mred")
    '\\x1b[31mred'
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character == "\n" or character.isprintable() or unicodedata.category(character) == "Zs":
        return character
    return character.encode("unicode_escape").decode()


def spreadsheet(text: str) -> str:
    """A cell of a CSV file: an apostrophe in front of what a spreadsheet would compute; numbers stay.

    >>> spreadsheet("=1+1"), spreadsheet("-1.5"), spreadsheet("a-b")
    ("'=1+1", '-1.5', 'a-b')
    """
    return f"'{text}" if text.startswith(FORMULA) and not _NUMBER.fullmatch(text) else text


def markdown(text: object) -> str:
    r"""Text inside a line or a table cell of Markdown: no markup, link or list.

    >>> markdown("*a* http://b")
    '\\*a\\* http\\://b'
    """
    return _ITEM.sub(r"\1\\\2", _MARKUP.sub(r"\\\1", " ".join(terminal(str(text)).split())))


def sql_name(text: str) -> str:
    """A name of a column or a table, whatever is in it."""
    return '"' + text.replace('"', '""') + '"'


def sql_text(text: str) -> str:
    """A constant text."""
    return "'" + text.replace("'", "''") + "'"


def sql_comment(text: str) -> str:
    """A comment of one line."""
    return "-- " + " ".join(terminal(text).split())
