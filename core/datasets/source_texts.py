"""Documents to make questions about: texts, Markdown, JSON Lines, PDF and Word files, each with what was left out."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.datasets.importers.encoding import inspect_text
from core.datasets.language import with_languages
from core.errors import InputError
from core.schema import Document

ENDINGS = (".txt", ".md", ".jsonl", ".pdf", ".docx")
#: files of a folder at most: a folder of documents, not a disk
MOST_FILES = 10_000
#: what a JSON line may call its text, its id and its title
_TEXT, _ID, _TITLE = (
    ("text", "content", "body", "document", "page_content"),
    ("id", "document_id", "doc_id"),
    ("title",),
)


@dataclass(frozen=True, slots=True)
class SourceTexts:
    """The documents in the order of their files' names, and a sentence for each file or line that gave none."""

    documents: tuple[Document, ...]
    left_out: tuple[str, ...]


def read_texts(paths: Iterable[Path], names: Callable[[Path], str] | None = None) -> SourceTexts:
    """Return the documents of files and folders; a folder is searched with all below it, hidden files left out.

    ``names`` says what the owner calls a file, which becomes its document's id. Equal texts are one document. A file
    that gives nothing (a PDF without text, an empty or damaged file) is left out and said.

    Raises:
        InputError: a path is not there, or no file gave a document.
    """
    found: dict[str, Document] = {}
    texts: dict[str, str] = {}
    left_out: list[str] = []
    for path, name in _files(paths, names):
        try:
            read = list(_documents(path, name, left_out))
        except InputError as error:
            left_out.append(str(error))
            continue
        except OSError as error:
            left_out.append(f"{name} cannot be read ({error.strerror or error}): check its permissions.")
            continue
        for document in read:
            if document.text in texts:
                left_out.append(f"{document.id} says the same as {texts[document.text]}: it counts once.")
                continue
            if document.id in found:
                left_out.append(f"{name}: the id '{document.id}' stands for another text already; give it its own.")
                continue
            found[document.id] = document
            texts[document.text] = document.id
    if not found:
        reason = left_out[0] if left_out else f"give files that end in {', '.join(ENDINGS)}."
        raise InputError(f"There is no document to ask about: {reason}")
    return SourceTexts(with_languages(tuple(found.values()), "", ()), tuple(left_out))


def _files(paths: Iterable[Path], names: Callable[[Path], str] | None) -> Iterator[tuple[Path, str]]:
    seen: set[Path] = set()
    for path in paths:
        try:
            if path.is_dir():
                inside = sorted(
                    one
                    for one in path.rglob("*")
                    if one.suffix.lower() in ENDINGS
                    and one.is_file()
                    and not any(part.startswith(".") for part in one.relative_to(path).parts)
                )
                pairs = [(one, one.relative_to(path).as_posix()) for one in inside]
            elif path.exists():
                pairs = [(path, path.name)]
            else:
                raise InputError(f"{path} does not exist: give files or a folder of documents.")
        except OSError as error:
            raise InputError(f"{path} cannot be read ({error.strerror}): check its permissions.") from error
        for one, name in pairs:
            if one.resolve() in seen:
                continue
            seen.add(one.resolve())
            if len(seen) > MOST_FILES:
                raise InputError(f"{path} holds more than {MOST_FILES:,} documents: give a part of them.")
            yield one, names(one) if names else name


def _documents(path: Path, name: str, left_out: list[str]) -> Iterator[Document]:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{name} is no document that can be read: choose files that end in {', '.join(ENDINGS)}.")
    if path.stat().st_size == 0:
        raise InputError(f"{name} is empty: fill it or leave it out.")
    if ending == ".jsonl":
        yield from _lines(path, name, left_out)
        return
    text = {".pdf": _pdf, ".docx": _word}.get(ending, _plain)(path, name)
    if not text.strip():
        raise InputError(f"{name} holds no text: leave it out.")
    yield Document(name, _tidy(text), Path(name).stem)


def _plain(path: Path, name: str) -> str:
    try:
        with inspect_text(path).open(None) as file:
            return file.read()
    except InputError as error:
        # the reader knows where the file lies, its owner what it is called; its advice is for tables
        found = str(error).replace(str(path), name).partition(";")[0].rstrip(".")
        raise InputError(f"{found}; save it as plain text (UTF-8), or leave it out.") from None


def _pdf(path: Path, name: str) -> str:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    # what is wrong with a file is said in one sentence below, not in the library's lines beside it
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(f"{name} is protected by a password: save it without one.")
        text = "\n\n".join(page.extract_text() for page in reader.pages)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError, NotImplementedError) as error:
        # the library raises all of these for damaged files
        raise InputError(f"{name} is no PDF that can be read ({_short(error)}): save it anew.") from None
    if not text.strip():
        raise InputError(f"{name} is a PDF without text (scanned pages?): recognise its text first (OCR).")
    return text


def _word(path: Path, name: str) -> str:
    import zipfile

    import mammoth

    try:
        with path.open("rb") as file:
            return str(mammoth.extract_raw_text(file).value)
    except (zipfile.BadZipFile, KeyError, ValueError, AttributeError, SyntaxError) as error:
        raise InputError(f"{name} is no Word file that can be read ({_short(error)}): save it anew as .docx.") from None


def _lines(path: Path, name: str, left_out: list[str]) -> Iterator[Document]:
    for number, line in enumerate(_plain(path, name).splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            left_out.append(f"{where} is no JSON: correct or remove it.")
            continue
        text = _value(row, _TEXT)
        if not text.strip():
            left_out.append(f"{where} has no text: name it {', '.join(_TEXT[:-1])} or {_TEXT[-1]}.")
            continue
        yield Document(_value(row, _ID).strip() or f"{name}#{number}", _tidy(text), _value(row, _TITLE))


def _value(row: Any, names: tuple[str, ...]) -> str:
    if not isinstance(row, dict):
        return ""
    found = next((row[name] for name in names if row.get(name) not in (None, "")), "")
    return str(found) if isinstance(found, str | int) else ""


def _tidy(text: str) -> str:
    """Without what no text holds: null characters, and halves of characters that a PDF's tables leave behind."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8").strip()


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
