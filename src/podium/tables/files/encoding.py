"""The encoding of a CSV file: UTF-8, or that of Western Windows, in which Excel saves there."""

from __future__ import annotations

import codecs
import gzip
import re
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, cast

from podium.exceptions import InputError

UTF_8, WINDOWS = "utf-8", "cp1252"
_BLOCK = 1 << 22
_LETTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")  # of UTF-8, beyond ASCII
_UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # in the encoding of Windows


def encoding_of(path: Path) -> str:
    """UTF-8 where all of the file is; else that of Windows, unless some letters are UTF-8: such a file is damaged."""
    facts = path.stat()
    return _encoding(path, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=64)
def _encoding(path: Path, size: int, modified: int) -> str:
    decoder = codecs.getincrementaldecoder(UTF_8)()
    is_utf8, has_letters, is_windows = True, False, True
    with path.open("rb") as packed, unpacked(packed, path) as file:
        while block := file.read(_BLOCK):
            if block.isascii() and not decoder.getstate()[0]:
                continue
            has_letters = has_letters or _LETTER.search(block) is not None
            is_windows = is_windows and _UNDEFINED.search(block) is None
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                is_utf8 = False
                decoder.reset()
    if is_utf8 and not decoder.getstate()[0]:
        return UTF_8
    if has_letters or not is_windows:
        raise wrong_encoding(path)
    return WINDOWS


def unpacked(packed: BinaryIO, path: Path) -> BinaryIO:
    """The bytes of a file, unpacked if gzipped."""
    return cast(BinaryIO, gzip.GzipFile(fileobj=packed)) if path.suffix.lower() == ".gz" else packed


def wrong_encoding(path: Path) -> InputError:
    """The refusal of text that cannot be read."""
    return InputError(
        f"A CSV file must be text in UTF-8; {path} is in another encoding, or damaged.",
        "save it as CSV in UTF-8 in the program that wrote it.",
    )
