"""AutoNuggetizer's files (Pradeep et al., arXiv 2411.09607): nuggets of a query, and what of them an answer holds.

Created: ``{qid, query, nuggets: [{text, importance}]}``, in old files ``nuggets: [text], importance: [word]``.
Assigned to an answer: ``{qid, run_id, answer_text, nuggets: [{text, importance, assignment}]}``; to a document, the
same with ``docid``. Any of them may come in an envelope ``{schema_version, artifacts: [{name, data}]}``. A nugget is
known by its number, from 1; a document holds it where the assignment is "support".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.datasets.importers.encoding import TextSource
from core.datasets.importers.fields import Fields
from core.datasets.importers.ids import id_at
from core.datasets.importers.judged.found import Found, GivenLabel, Response, TopicText
from core.datasets.importers.judged.json_values import json_values
from core.datasets.importers.judged.naming import (
    FAILED,
    importance_of,
    label_of,
    run_of,
    same_text,
    topic_of,
    wording_of,
)
from core.datasets.importers.place import Place
from core.schema import Nugget
from core.text.sentences import sentence_spans


def read_nuggetizer(source: TextSource) -> Found:
    """Return nuggets, assignments and answers. Raises ``InputError`` at the first row that cannot be read."""
    found, odd, failed = Found(), 0, 0
    for place, row in json_values(source):
        for fields in _records(Fields(place, row)):
            found.n_rows += 1
            topic = topic_of(fields)
            nuggets, assigned, unknown = _nuggets(fields)
            odd += unknown
            _define(fields, found, topic, nuggets)
            if wording := wording_of(fields):
                found.topics.setdefault(topic, TopicText(wording))
            if fields.values.get("docid") not in (None, ""):
                _judge_document(fields, found, topic, nuggets, assigned)
            elif assigned:
                failed += _label_answer(fields, found, topic, nuggets, assigned)
    if odd:
        found.notes.append(f"nuggets whose importance is neither vital nor okay, taken as okay: {odd:,}.")
    if failed:
        found.notes.append(f"assignments in another word than the three labels, which count as failed: {failed:,}.")
    return found


def _records(fields: Fields) -> Iterator[Fields]:
    """Yield the row, or what an envelope holds."""
    if "artifacts" not in fields.values:
        yield fields
        return
    for artifact in fields.objects("artifacts"):
        data: Any = artifact.values.get("data")
        if isinstance(data, dict):
            yield from _records(artifact.child("data", data))
        else:
            yield from artifact.objects("data")


def _nuggets(fields: Fields) -> tuple[tuple[Nugget, ...], list[str | None], int]:
    """Return a row's nuggets, their assignments (None where there is none), and how many importances are unknown."""
    items = fields.items("nuggets")
    listed = fields.values.get("importance")
    if isinstance(listed, list) and len(listed) != len(items):
        raise fields.problem(
            "importance", f"it lists {len(listed)} importances for {len(items)} nuggets", "give one to each nugget"
        )
    nuggets: list[Nugget] = []
    assigned: list[str | None] = []
    unknown = 0
    for index, item in enumerate(items):
        one = Fields(fields.place, {"text": item}) if isinstance(item, str) else fields.child(f"nuggets[{index}]", item)
        raw = listed[index] if isinstance(listed, list) else one.values.get("importance")
        importance, known = importance_of(raw)
        unknown += not known
        text = one.values.get("text")
        if not isinstance(text, str) or not text.strip():
            raise fields.problem(f"nuggets[{index}].text", "the nugget has no text", "fill it in or remove the nugget")
        nuggets.append(Nugget(str(index + 1), text.strip(), importance))
        assigned.append(label_of(one.values["assignment"]) if "assignment" in one.values else None)
    return tuple(nuggets), assigned if any(assigned) else [], unknown


def _define(fields: Fields, found: Found, topic: str, nuggets: tuple[Nugget, ...]) -> None:
    """Keep a topic's nuggets once: assignments repeat them for every answer."""
    before = found.nuggets.setdefault(topic, nuggets)
    if [same_text(one.text) for one in before] != [same_text(one.text) for one in nuggets]:
        raise fields.problem(
            "nuggets", f"topic '{topic}' has other nuggets further up in the file", "keep one set of nuggets a topic"
        )


def _judge_document(
    fields: Fields, found: Found, topic: str, nuggets: tuple[Nugget, ...], assigned: list[str | None]
) -> None:
    document = id_at(fields.place, fields.named("docid"), fields.values["docid"])
    found.judged.setdefault(topic, []).append(document)
    held = found.held.setdefault(topic, {})
    for nugget, label in zip(nuggets, assigned, strict=False):
        documents = held.setdefault(nugget.id, [])
        if label == "support" and document not in documents:
            documents.append(document)


def _label_answer(
    fields: Fields, found: Found, topic: str, nuggets: tuple[Nugget, ...], assigned: list[str | None]
) -> int:
    system = run_of(fields)
    labels = found.labels.setdefault(system, {})
    if topic in labels:
        raise _twice(fields.place, system, topic)
    labels[topic] = [GivenLabel(n.id, FAILED if a is None else a) for n, a in zip(nuggets, assigned, strict=True)]
    answer = fields.values.get("answer_text")
    if isinstance(answer, str):
        sentences = tuple(" ".join(answer[start:end].split()) for start, end in sentence_spans(answer))
        found.responses.setdefault(system, {})[topic] = Response(sentences)
    return sum(label.label == FAILED for label in labels[topic])


def _twice(place: Place, system: str, topic: str) -> Exception:
    who = f" of system '{system}'" if system else ""
    return place.broken(f"an answer{who} to topic '{topic}' stands further up in the file", "leave one of them")
