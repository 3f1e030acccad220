"""Is this file text, and in which encoding: decided by one pass over its bytes before anything is parsed."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from core.datasets.importers.place import Place
from core.errors import InputError

_BLOCK = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b"
#: Control characters that no text holds (tab, line feed, form feed, carriage return and escape do occur).
_CONTROLS = bytes(b for b in range(1, 32) if b not in b"\t\n\f\r\x1b") + b"\x7f"
_HIGH = bytes(range(128, 256))
#: Bytes to which Windows-1252 gives no character.
_UNDEFINED_1252 = b"\x81\x8d\x8f\x90\x9d"
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
#: A text in Windows-1252 is mostly ASCII; Cyrillic, Greek or Chinese code pages are mostly not, and must not be
#: read as if they were Western European.
_MOST_HIGH_BYTES = 0.25
_UTF16_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class TextSource:
    """A text file with its encoding settled. ``note`` is a sentence worth telling, or ""."""

    path: Path
    gzipped: bool
    encoding: str
    note: str = ""

    @contextmanager
    def open(self, newline: str | None) -> Iterator[TextIO]:
        """Open for reading as text; ``newline`` as in the built-in ``open``."""
        with _binary(self.path, self.gzipped) as stream:
            yield io.TextIOWrapper(cast(BinaryIO, stream), encoding=self.encoding, newline=newline)


@contextmanager
def _binary(path: Path, gzipped: bool) -> Iterator[io.BufferedIOBase]:
    with path.open("rb") as raw:
        if not gzipped:
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as unpacked:
            yield unpacked


def inspect_text(path: Path) -> TextSource:
    """Return how to read ``path``: UTF-8 (with or without BOM), UTF-16 with BOM, else Windows-1252.

    Raises ``InputError`` for a file that is empty, binary, damaged, or in another encoding, with the line of the
    first byte that does not fit. Memory: one block of 1 MB.
    """
    with path.open("rb") as raw:
        gzipped = raw.read(2) == _GZIP_MAGIC
    try:
        return _inspect(path, gzipped)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(
            f"{path}: the gzip stream is damaged or cut short ({error}); get the whole file again."
        ) from None


def _inspect(path: Path, gzipped: bool) -> TextSource:
    with _binary(path, gzipped) as stream:
        head = stream.read(4)
    if head[:2] in _UTF16_BOMS and head != codecs.BOM_UTF32_LE:
        return _inspect_utf16(path, gzipped)
    decoder = codecs.getincrementaldecoder("utf-8")()
    newlines = blank = controls = size = 0
    bad_line, at_end = 0, False
    for block in _blocks(path, gzipped):
        if b"\0" in block:
            raise _binary_file(path)
        size += len(block)
        blank += len(block) if not block.strip(b" \t\r\n\xef\xbb\xbf") else 0
        controls += len(block) - len(block.translate(None, _CONTROLS))
        if not bad_line:
            try:
                decoder.decode(block)
            except UnicodeDecodeError as error:
                bad_line = newlines + 1 + error.object[: error.start].count(b"\n")
        newlines += block.count(b"\n")
    if blank == size:
        raise InputError(f"{path} is empty; give a file with at least one question.")
    if controls > size / 50:
        raise _binary_file(path)
    if not bad_line:
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            bad_line, at_end = newlines + 1, True
    if not bad_line:
        return TextSource(path, gzipped, "utf-8-sig")
    return _western(path, gzipped, bad_line, at_end)


def _western(path: Path, gzipped: bool, bad_line: int, at_end: bool) -> TextSource:
    """Return the source as Windows-1252, unless its bytes say that it is damaged UTF-8 or something else."""
    size = high = in_sequences = 0
    undefined = False
    for block in _blocks(path, gzipped):
        size += len(block)
        high += len(block) - len(block.translate(None, _HIGH))
        in_sequences += sum(len(match[0]) for match in _MULTIBYTE.finditer(block))
        undefined = undefined or len(block.translate(None, _UNDEFINED_1252)) != len(block)
    place = Place(path, bad_line)
    if in_sequences * 2 > high:
        if at_end:
            raise place.broken("the file ends in the middle of a character, so it was cut", "get the whole file again")
        raise place.broken("this line is not valid UTF-8 while the rest of the file is", "repair or remove it")
    if undefined or high > size * _MOST_HIGH_BYTES:
        raise place.broken("the text is neither UTF-8 nor Windows-1252", "save the file as UTF-8")
    return TextSource(path, gzipped, "cp1252", f"{path.name} is not UTF-8 and was read as Windows-1252.")


def _inspect_utf16(path: Path, gzipped: bool) -> TextSource:
    decoder = codecs.getincrementaldecoder("utf-16")()
    newlines, blank = 0, True
    try:
        for block in _blocks(path, gzipped):
            text = decoder.decode(block)
            newlines += text.count("\n")
            blank = blank and not text.strip("\ufeff \t\r\n")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise Place(path, newlines + 1).broken("the text is not valid UTF-16", "save the file as UTF-8") from None
    if blank:
        raise InputError(f"{path} is empty; give a file with at least one question.")
    return TextSource(path, gzipped, "utf-16", f"{path.name} was read as UTF-16.")


def _blocks(path: Path, gzipped: bool) -> Iterator[bytes]:
    with _binary(path, gzipped) as stream:
        while block := stream.read(_BLOCK):
            yield block


def _binary_file(path: Path) -> InputError:
    return InputError(
        f"{path} is a binary file, not text; give CSV, TSV, JSON, JSON Lines (also gzipped), XLSX or Parquet."
    )
