"""Answers and reports with citations: RAG24 and RAG25, RAGTIME, DRAGUN, NeuCLIR and its pilot.

``{run_id, topic_id, references: [ids], answer: [{text, citations: [index]}]}``, ``{metadata: {run_id, topic_id},
responses: [{text, citations: [ids] or {id: score}}]}`` or ``{request_id, run_id, sentences: [{text, citations}]}``. A
citation that is a number counts ``references`` from 0, any other is an id.
"""

from __future__ import annotations

from core.datasets.importers.encoding import TextSource
from core.datasets.importers.fields import Fields
from core.datasets.importers.ids import id_at
from core.datasets.importers.judged.found import Found, Response, TopicText, first_of
from core.datasets.importers.judged.json_values import json_values
from core.datasets.importers.judged.naming import document_ids, run_of, topic_of, wording_of

SENTENCE_KEYS = ("answer", "responses", "sentences")


def read_responses(source: TextSource) -> Found:
    """Return the responses of a file. Raises ``InputError`` at the first row that cannot be read."""
    found = Found()
    strays: list[str] = []
    empty: list[str] = []
    for place, row in json_values(source):
        fields = Fields(place, row)
        found.n_rows += 1
        system, topic = run_of(fields), topic_of(fields)
        response, stray = response_of(fields)
        given = found.responses.setdefault(system, {})
        if topic in given:
            raise place.broken(
                f"a response of system '{system}' to topic '{topic}' stands further up in the file", "leave one of them"
            )
        given[topic] = response
        if wording := wording_of(fields):
            found.topics.setdefault(topic, TopicText(wording))
        strays += [topic] * stray
        if not response.sentences:
            empty.append(topic)
    found.notes += said_of(strays, empty)
    return found


def said_of(strays: list[str], empty: list[str]) -> list[str]:
    """Return in sentences which topics cite what is not there, a name a citation, and which have no text."""
    notes = []
    if strays:
        notes.append(
            f"citations of a reference that is not there, which were left out: {len(strays):,} (in topics "
            f"{first_of(list(dict.fromkeys(strays)))})."
        )
    if empty:
        notes.append(f"empty responses, which count as failed because the system gave no answer: {first_of(empty)}.")
    return notes


def response_of(fields: Fields) -> tuple[Response, int]:
    """Return a row's response, and how many of its citations count a reference that is not there."""
    key = next((key for key in SENTENCE_KEYS if isinstance(fields.values.get(key), list)), SENTENCE_KEYS[0])
    references = document_ids(fields.place, fields.named("references"), fields.items("references"))
    listed = [id_at(fields.place, fields.named("references"), one) for one in fields.items("references")]
    sentences: list[str] = []
    cited: list[tuple[str, ...]] = []
    strays = 0
    for index, item in enumerate(fields.items(key)):
        one = fields.child(f"{key}[{index}]", item)
        text = " ".join(one.optional_text("text").split())
        if not text:
            continue
        ids, stray = _cited(one, listed)
        strays += stray
        sentences.append(text)
        cited.append(ids)
    return Response(tuple(sentences), tuple(cited), references), strays


def _cited(one: Fields, references: list[str]) -> tuple[tuple[str, ...], int]:
    citations = one.values.get("citations")
    # {id: score}: the keys are the citations
    listed = list(citations) if isinstance(citations, dict) else one.items("citations")
    ids: dict[str, None] = {}
    strays = 0
    for index, value in enumerate(listed):
        if isinstance(value, int) and not isinstance(value, bool):
            if not 0 <= value < len(references):
                strays += 1
                continue
            ids[references[value]] = None
        else:
            ids[id_at(one.place, f"{one.named('citations')}[{index}]", value)] = None
    return tuple(ids), strays
