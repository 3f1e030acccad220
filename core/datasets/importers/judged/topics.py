"""Topics: what they ask, and lists of nugget texts without anything else.

Topics come as JSON Lines (``{request_id, title, problem_statement}``, ``{id, title, narrative}``, ``{qid, query}``), as
an object ``{id: text}``, or as lines ``id<TAB>text``. Lists of nugget texts are an object ``{topic: [text]}``: each is
known by its number, from 1, as diversity judgments count them.
"""

from __future__ import annotations

from core.datasets.importers.encoding import TextSource
from core.datasets.importers.fields import Fields
from core.datasets.importers.ids import id_at
from core.datasets.importers.judged.found import Found, TopicText
from core.datasets.importers.judged.json_values import begins_like_json, json_values
from core.datasets.importers.judged.naming import topic_name, topic_of, wording_of
from core.datasets.importers.place import Place
from core.schema import Nugget

_LONGEST_TOPIC = 1_000_000


def read_topics(source: TextSource) -> Found:
    """Return what each topic asks. Raises ``InputError`` for a topic without a wording, or with two."""
    found = Found()
    if begins_like_json(source):
        _from_json(source, found)
    else:
        _from_lines(source, found)
    return found


def read_nugget_texts(source: TextSource) -> Found:
    """Return each topic's nuggets as texts. Raises ``InputError`` for one without a text."""
    found = Found()
    for place, row in json_values(source):
        fields = Fields(place, row)
        for key in row:
            found.n_rows += 1
            nuggets = []
            for number, text in enumerate(fields.items(key), start=1):
                if not isinstance(text, str) or not text.strip():
                    raise fields.problem(f"{key}[{number - 1}]", "the nugget has no text", "fill it in or remove it")
                nuggets.append(Nugget(str(number), " ".join(text.split())))
            topic = topic_name(place, key)
            if topic in found.nuggets:
                raise place.broken(f"topic '{topic}' has nuggets further up in the file", "keep one list a topic")
            found.nuggets[topic] = tuple(nuggets)
    return found


def _from_json(source: TextSource, found: Found) -> None:
    for place, row in json_values(source):
        fields = Fields(place, row)
        if row and all(isinstance(value, str) for value in row.values()) and not wording_of(fields):
            for key, text in row.items():
                _add(found, place, topic_name(place, key), text)
            continue
        wording = wording_of(fields)
        _add(found, place, topic_of(fields), wording)


def _from_lines(source: TextSource, found: Found) -> None:
    with source.open(newline=None) as stream:
        for number, line in enumerate(iter(lambda: stream.readline(_LONGEST_TOPIC), ""), start=1):
            if line.strip():
                place = Place(source.path, number)
                identity, _, text = line.strip().partition("\t")
                _add(found, place, id_at(place, "topic", identity), text)


def _add(found: Found, place: Place, topic: str, text: str) -> None:
    found.n_rows += 1
    wording = " ".join(text.split())
    if not wording:
        raise place.problem("topic", f"topic '{topic}' has no wording", "say what it asks")
    if topic in found.topics:
        raise place.broken(f"topic '{topic}' stands further up in the file", "leave one of them")
    found.topics[topic] = TopicText(wording)
