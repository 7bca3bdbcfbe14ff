"""The text of a CSV file: unpacked, in UTF-8, UTF-16 or the encoding of Western Windows, in which Excel saves there."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

from podium._memory import check_unpacked
from podium.exceptions import InputError

Found = TypeVar("Found")

UTF_8, UTF_16, WINDOWS = "utf-8", "utf-16", "cp1252"
_BLOCK = 1 << 22
_LETTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")  # of UTF-8, beyond ASCII
_UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # in the encoding of Windows


def encoding_of(path: Path) -> str:
    """UTF-16 where its mark comes first, UTF-8 where all of the file is; else that of Windows.

    Unless some letters are UTF-8: such a file is damaged.
    """
    return _examined(path)[0]


def unpacked_size(path: Path) -> int:
    """The number of bytes of a file once unpacked."""
    return _examined(path)[1]


def _examined(path: Path) -> tuple[str, int]:
    encoding, size = _examine(path)
    if is_gzip(path):
        check_unpacked(path, size)
    return encoding, size


def once(examine: Callable[[Path], Found]) -> Callable[[Path], Found]:
    """Cache what a function learns from a file until the file changes."""

    @lru_cache(maxsize=1024)
    def known(path: Path, size: int, modified: int) -> Found:
        return examine(path)

    @wraps(examine)
    def look_up(path: Path) -> Found:
        facts = path.stat()
        return known(path, facts.st_size, facts.st_mtime_ns)

    return look_up


@once
def _examine(path: Path) -> tuple[str, int]:
    """Encoding and size after one pass over the whole file, which ends where it unpacks to more than is allowed."""
    decoder = codecs.getincrementaldecoder(UTF_8)()
    is_utf8, has_letters, is_windows, n_bytes, start = True, False, True, 0, b""
    with errors_in_words(path), path.open("rb") as packed, unpacked(packed, path) as file:
        while block := file.read(_BLOCK):
            start = start or block[:2]
            n_bytes += len(block)
            if is_gzip(path):
                check_unpacked(path, n_bytes)
            if block.isascii() and not decoder.getstate()[0]:
                continue
            has_letters = has_letters or _LETTER.search(block) is not None
            is_windows = is_windows and _UNDEFINED.search(block) is None
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                is_utf8 = False
                decoder.reset()
    if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return UTF_16, n_bytes
    if is_utf8 and not decoder.getstate()[0]:
        return UTF_8, n_bytes
    if has_letters or not is_windows:
        raise wrong_encoding(path)
    return WINDOWS, n_bytes


def is_gzip(path: Path) -> bool:
    """By the end of its name."""
    return path.suffix.lower() == ".gz"


@contextmanager
def errors_in_words(path: Path) -> Iterator[None]:
    """Translate errors in opening or unpacking a file into refusals."""
    try:
        yield
    except PermissionError:
        raise not_permitted(path) from None
    except (EOFError, OSError, zlib.error) as error:
        if not is_gzip(path):
            raise
        raise InputError(f"{path} must be a complete gzip file; it could not be unpacked: {error}.") from None


def not_permitted(path: Path) -> InputError:
    """The refusal of a file that this user may not read."""
    return InputError(f"A table must be a file you may read; {path} does not permit it.", "see ls -l.")


def unpacked(packed: BinaryIO, path: Path) -> BinaryIO:
    """The bytes of a file, unpacked if gzipped."""
    return cast(BinaryIO, gzip.GzipFile(fileobj=packed)) if is_gzip(path) else packed


def wrong_encoding(path: Path) -> InputError:
    """The refusal of text that cannot be read."""
    return InputError(
        f"A CSV file must be text in UTF-8; {path} is in another encoding, or damaged.",
        "save it as CSV in UTF-8 in the program that wrote it.",
    )


class TextFile(io.RawIOBase):
    """The text of a CSV file in UTF-8, unpacked if gzipped; a NUL is refused as soon as it is met."""

    def __init__(self, path: Path) -> None:
        self.path = path
        encoding = encoding_of(path)
        self._decoder = None if encoding == UTF_8 else codecs.getincrementaldecoder(encoding)()
        self._packed: BinaryIO = path.open("rb")
        self._size = max(path.stat().st_size, 1)
        self._file = unpacked(self._packed, path)
        self._left = b""  # of a block that was longer in UTF-8 than what was asked for

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._left:
            block, self._left = self._left[:size], self._left[size:]
            return block
        block = self._next(size)
        if b"\0" in block:
            raise InputError(
                f"A CSV file holds text; {self.path} has NUL bytes.",
                "it may be a binary file, or damaged; save it as CSV in UTF-8.",
            )
        if self._decoder is not None and size >= 0:
            block, self._left = block[:size], block[size:]
        return block

    def _next(self, size: int) -> bytes:
        """Some bytes in UTF-8; none at the end only, though a letter may have been cut in two."""
        block = b"\0"
        while block:
            with errors_in_words(self.path):
                block = self._file.read(size)
            if self._decoder is None:
                return block
            try:
                text = self._decoder.decode(block, final=not block)
            except UnicodeDecodeError:
                raise wrong_encoding(self.path) from None
            if text:
                return text.encode()
        return block

    @property
    def share_read(self) -> float:
        """Of the bytes of the file as it lies on disk."""
        return self._packed.tell() / self._size

    def close(self) -> None:
        if not self.closed:
            self._file.close()
            self._packed.close()
        super().close()
