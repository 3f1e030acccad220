"""Which format a file of another evaluation tool is in, told from what its first rows hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from core.datasets.importers.encoding import TextSource
from core.datasets.importers.judged.json_values import begins_like_json, json_values
from core.datasets.importers.judged.labels import looks_like_labels
from core.datasets.importers.judged.naming import TOPIC_KEYS
from core.datasets.importers.judged.responses import SENTENCE_KEYS

#: Format → one line for people.
FORMATS: Mapping[str, str] = {
    "trec-run": "TREC run: topic Q0 document rank score tag",
    "rankings": "rankings as JSON: documents by system and topic, best first",
    "trec-qrels": "TREC relevance judgments: topic 0 document grade",
    "diversity-qrels": "diversity judgments: topic subtopic document judgment",
    "nugget-texts": "texts of nuggets by topic",
    "topics": "topics: what each asks",
    "nuggetizer": "AutoNuggetizer: nuggets, or what answers and documents hold of them",
    "argue-bank": "ARGUE nugget bank: questions with answers and documents",
    "argue-judgments": "Auto-ARGUE judgments: reports with the nuggets each sentence answers",
    "argue-scores": "Auto-ARGUE scores: run_id request_id metric value",
    "responses": "answers or reports with citations (RAG24, RAG25, RAGTIME, DRAGUN, NeuCLIR)",
    "mirage-references": "MiRAGE references: claims with the videos that support them",
    "mirage-predictions": "MiRAGE predictions: sentences with citations by topic",
    "mirage-labels": "one person's labels of MiRAGE claims",
    "topic-scores": "another evaluator's scores by topic",
    "articles": "WikiVideo articles by system and topic",
    "nugget-labels": "nugget labels: system, topic, nugget, label",
}
#: what a file that could be either is asked to be
AMBIGUOUS = "qrels of one kind or the other"
_LINES = 200
_MEASURES = ("nugget_coverage", "sentence_support", "citation_support", "citation_relevance", "sentences", "f1")


def guessed(source: TextSource) -> str:
    """Return the format, ``AMBIGUOUS`` for judgments that may be of either kind, "" where nothing tells it.

    Raises ``InputError`` where the first rows are broken.
    """
    if begins_like_json(source):
        first = next((row for _, row in json_values(source)), None)
        return _of_object(first) if first else ""
    return _of_lines(list(islice(_lines(source), _LINES)))


def _lines(source: TextSource) -> Iterator[str]:
    with source.open(newline=None) as stream:
        while line := stream.readline(100_000):
            if line.strip():
                yield line


def _of_lines(lines: list[str]) -> str:
    heading = [cell.strip().strip('"') for cell in lines[0].replace("\t", ",").split(",")]
    if looks_like_labels(heading):
        return "nugget-labels"
    rows = [line.split() for line in lines]
    if rows[0] == ["run_id", "request_id", "metric", "value"]:
        return "argue-scores"
    # a few broken lines, or a cut one, do not make another format: its reader says where they are
    ranked = [row for row in rows if len(row) >= 6 and _is_number(row[3]) and _is_number(row[4])]
    if len(ranked) * 2 >= len(rows):
        return "trec-run"
    judged = [row for row in rows if len(row) == 4 and _is_number(row[3])]
    if len(judged) * 2 >= len(rows):
        # scores are written as 1.0, judgments as 1
        if all("." in row[3] for row in judged) and any(row[2].startswith(_MEASURES) for row in judged):
            return "argue-scores"
        return _kind_of_judgments([row[1] for row in judged])
    if all("\t" in line.strip() for line in lines) and len({len(line.strip().split("\t")) for line in lines}) == 1:
        return "topics" if len(lines[0].strip().split("\t")) == 2 else ""
    return ""


def _kind_of_judgments(second: list[str]) -> str:
    """Tell relevance from diversity judgments by their second column, which the former do not use."""
    kinds = set(second)
    if kinds <= {"0", "Q0", "q0"}:
        return "trec-qrels"
    return "diversity-qrels" if len(kinds) > 1 else AMBIGUOUS


def _of_object(row: Mapping[str, Any]) -> str:
    for format, fits in _OBJECTS.items():
        if fits(row):
            return format
    return _of_members(list(row.values()))


def _of_members(values: list[Any]) -> str:
    """Tell the format of an object whose keys are topics or systems by what stands under them."""
    if all(isinstance(value, list) for value in values):
        if all(_is_old_nugget(value) for value in values):
            return "argue-bank"
        return _of_texts([item for value in values for item in value])
    if not all(isinstance(value, dict) and value for value in values):
        return "topics" if all(isinstance(value, str) for value in values) else ""
    inner = [one for value in values for one in value.values()]
    for format, fits in _MEMBERS.items():
        if all(fits(value) for value in values):
            return format
    if all(_is_old_nugget(one) for one in inner):
        return "argue-bank"
    if all(isinstance(one, list) for one in inner):
        return "rankings" if _of_texts([item for one in inner for item in one]) == "rankings" else ""
    return "articles" if all(isinstance(one, dict) and "article" in one for one in inner) else ""


def _of_texts(items: list[Any]) -> str:
    """Tell texts from ids: an id holds no blank."""
    if not items or not all(isinstance(item, str | int) and not isinstance(item, bool) for item in items):
        return ""
    worded = sum(" " in str(item).strip() for item in items)
    return "nugget-texts" if worded * 2 > len(items) else "" if worded else "rankings"


def _is_old_nugget(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and value[0] in ("OR", "AND") and isinstance(value[1], dict)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _has_topic(row: Mapping[str, Any]) -> bool:
    metadata = row.get("metadata")
    return any(key in row or (isinstance(metadata, dict) and key in metadata) for key in TOPIC_KEYS)


_OBJECTS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "argue-judgments": lambda row: isinstance(row.get("report"), dict) and isinstance(row.get("judgments"), list),
    "argue-bank": lambda row: (
        isinstance(row.get("nugget_bank"), dict)
        or isinstance(row.get("claim_bank"), dict)
        or (isinstance(row.get("items"), list) and _has_topic(row))
    ),
    "nuggetizer": lambda row: (
        isinstance(row.get("artifacts"), list) or (isinstance(row.get("nuggets"), list) and _has_topic(row))
    ),
    "responses": lambda row: _has_topic(row) and any(isinstance(row.get(key), list) for key in SENTENCE_KEYS),
    "nugget-labels": lambda row: looks_like_labels(list(row)),
    "topics": lambda row: (
        _has_topic(row)
        and any(isinstance(row.get(key), str) for key in ("title", "query", "text", "question", "problem_statement"))
        and not any(key in row for key in ("answer", "contexts", "context"))
    ),
}
_MEMBERS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "mirage-references": lambda value: isinstance(value.get("claims_to_supporting_videos"), dict),
    "mirage-predictions": lambda value: isinstance(value.get("sentences"), list) and "citations" in value,
    "mirage-labels": lambda value: (
        isinstance(value.get("claims"), list)
        and all(isinstance(claim, dict) and "judgment" in claim for claim in value["claims"])
    ),
    "topic-scores": lambda value: all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in value.values()
    ),
}
