"""Reading what other evaluation tools wrote: rankings, judgments, nuggets, responses and labels, one file at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.datasets.importers import stem
from core.datasets.importers.encoding import TextSource, inspect_text
from core.datasets.importers.judged.argue import read_bank
from core.datasets.importers.judged.argue_judgments import read_judgments
from core.datasets.importers.judged.found import Found, first_of
from core.datasets.importers.judged.guessing import AMBIGUOUS, FORMATS, guessed
from core.datasets.importers.judged.labels import read_labels
from core.datasets.importers.judged.mirage import (
    read_articles,
    read_predictions,
    read_rankings,
    read_references,
    read_topic_scores,
    read_votes,
)
from core.datasets.importers.judged.nuggetizer import read_nuggetizer
from core.datasets.importers.judged.responses import read_responses
from core.datasets.importers.judged.topics import read_nugget_texts, read_topics
from core.datasets.importers.judged.trec import read_diversity_qrels, read_qrels, read_run, read_scores
from core.datasets.importers.place import listed
from core.datasets.importers.rows import open_rows
from core.datasets.importers.source import check_source, text_name
from core.errors import InputError, OptionError

__all__ = ["FORMATS", "SYSTEM_FORMATS", "JudgedFile", "format_of", "looks_judged", "read_file"]

#: formats that hold what a system ranked, said or was judged to say
SYSTEM_FORMATS = (
    "trec-run",
    "rankings",
    "responses",
    "articles",
    "mirage-predictions",
    "argue-judgments",
    "mirage-labels",
    "nugget-labels",
)


_READERS: Mapping[str, Callable[[TextSource], Found]] = {
    "trec-run": read_run,
    "rankings": read_rankings,
    "nugget-texts": read_nugget_texts,
    "topics": read_topics,
    "nuggetizer": read_nuggetizer,
    "argue-judgments": read_judgments,
    "argue-scores": read_scores,
    "responses": read_responses,
    "mirage-references": read_references,
    "mirage-predictions": read_predictions,
    "mirage-labels": read_votes,
    "topic-scores": read_topic_scores,
    "articles": read_articles,
}


_ENDINGS = (".run", ".qrels", ".divqrels", ".trec", ".tsv", ".txt", ".json", ".jsonl", ".csv", ".gz")


def looks_judged(path: Path) -> bool:
    """Return whether a file's name ends like one of another evaluation tool; its content is only looked at later."""
    return path.suffix.lower() in _ENDINGS


@dataclass(frozen=True, slots=True)
class JudgedFile:
    """A file that was read: what its owner calls it, its format, what it says, and the system that a person named."""

    called: str
    format: str
    found: Found
    system: str = ""


def format_of(source: Path) -> str:
    """Return the format of a file, "" where nothing tells it.

    Raises ``InputError`` for what cannot be opened, is broken in its first rows, or may be of two formats.
    """
    return _told(_opened(source))


def read_file(
    source: Path, *, format: str = "", called: str = "", system: str = "", grade: int = 1
) -> JudgedFile | None:
    """Return what a file says, None where nothing tells its format and ``format`` does not.

    ``called`` is its name as its owner knows it, ``system`` the system that it is about where it says none or another
    one, ``grade`` the lowest judgment that counts as yes. Streams: what is kept are ids and texts, each once. Raises
    ``InputError`` (file, line, field, what to do) at the first problem, ``OptionError`` for an unknown format.
    """
    if format and format not in FORMATS:
        raise OptionError(f"There is no format '{format}' of judgments; the formats are {listed(FORMATS)}.")
    text = _opened(source)
    chosen = format or _told(text)
    if not chosen:
        return None
    name = called or text_name(source)
    if chosen == "nugget-labels":
        found = read_labels(open_rows(source))
    elif chosen == "argue-bank":
        found = read_bank(text, stem(Path(name)))
    elif chosen in ("trec-qrels", "diversity-qrels"):
        found = (read_qrels if chosen == "trec-qrels" else read_diversity_qrels)(text, grade)
    else:
        found = _READERS[chosen](text)
    if text.note:
        found.notes.insert(0, text.note)
    if bare := [topic for topic, nuggets in found.nuggets.items() if not nuggets]:
        for topic in bare:
            del found.nuggets[topic]
        found.n_skipped += len(bare)
        found.notes.append(f"topics without a nugget, left out: {first_of(bare)}.")
    return JudgedFile(name, chosen, found, system)


def _opened(source: Path) -> TextSource:
    check_source(source)
    if source.is_dir():
        raise InputError(f"{source} is a folder: give its files.")
    return inspect_text(source)


def _told(source: TextSource) -> str:
    format = guessed(source)
    if format == AMBIGUOUS:
        raise InputError(
            f"{source.path}: its second column is the same on every line, so it may be relevance judgments "
            "(trec-qrels) or those of one subtopic (diversity-qrels): say which with --read FILE=FORMAT."
        )
    return format
