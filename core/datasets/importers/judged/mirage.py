"""MiRAGE and WikiVideo (arXiv 2510.24870, 2504.00939): objects by topic, in which documents are videos.

References ``{topic: {claims_to_supporting_videos: {claim: {supporting_videos}}, article, query_id, videos}}``,
predictions ``{topic: {sentences, citations: [[id]]}}``, people's labels ``{topic: {claims: [{claim, judgment}]}}``,
scores ``{topic: {measure: value}}``, articles ``{system: {topic: {query, article}}}`` and rankings ``{system: {topic:
[id]}}``. A claim is a nugget, known by its number, from 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from core.datasets.importers.encoding import TextSource
from core.datasets.importers.fields import Fields
from core.datasets.importers.ids import id_at
from core.datasets.importers.judged.found import Found, Response, TopicText, first_of
from core.datasets.importers.judged.json_values import json_values
from core.datasets.importers.judged.naming import document_ids, topic_name
from core.datasets.importers.judged.responses import said_of
from core.datasets.importers.place import excerpt
from core.schema import Nugget
from core.text.sentences import sentence_spans


def read_references(source: TextSource) -> Found:
    """Return the claims of each topic with the videos that support them, its reference article and its other name."""
    found, unsupported = Found(), 0
    for topic, one in _topics(source, found):
        nuggets: list[Nugget] = []
        claims = Fields(one.place, one.mapping("claims_to_supporting_videos"), one.named("claims_to_supporting_videos"))
        for number, claim in enumerate(claims.values, start=1):
            about = claims.child(claim, claims.values[claim])
            if not claim.strip():
                raise about.problem("claim", "the nugget has no text", "fill it in or remove the nugget")
            videos = document_ids(one.place, about.named("supporting_videos"), about.items("supporting_videos"))
            if videos:
                nuggets.append(Nugget(str(number), " ".join(claim.split()), documents=videos))
            else:
                unsupported += 1
        if topic in found.nuggets:
            raise one.place.broken(f"topic '{topic}' stands further up in the file", "leave one of them")
        found.nuggets[topic] = tuple(nuggets)
        found.judged[topic] = list(document_ids(one.place, one.named("videos"), list(one.mapping("videos"))))
        other = one.values.get("query_id")
        found.topics[topic] = TopicText(
            topic.replace("_", " "), " ".join(one.optional_text("article").split()), (str(other),) if other else ()
        )
    if unsupported:
        found.notes.append(
            f"claims that no video supports, which are no nuggets because nothing could prove them: {unsupported:,}."
        )
    return found


def read_predictions(source: TextSource) -> Found:
    """Return one system's sentences with the videos they cite."""
    found = Found()
    given = found.responses.setdefault("", {})
    empty: list[str] = []
    for topic, one in _topics(source, found):
        sentences, citations = one.items("sentences"), one.items("citations")
        if len(citations) not in (0, len(sentences)):
            raise one.problem(
                "citations", f"{len(citations)} lists of citations for {len(sentences)} sentences", "give one to each"
            )
        kept: list[tuple[str, tuple[str, ...]]] = []
        for index, text in enumerate(sentences):
            if not isinstance(text, str):
                raise one.problem(f"sentences[{index}]", f"{excerpt(text)} is not a text", "write it in quotes")
            cited = citations[index] if citations else []
            if not isinstance(cited, list):
                raise one.problem(f"citations[{index}]", f"{excerpt(cited)} is not a list", "write […]")
            if text.strip():
                ids = document_ids(one.place, one.named(f"citations[{index}]"), cited)
                kept.append((" ".join(text.split()), ids))
        given[topic] = Response(tuple(text for text, _ in kept), tuple(ids for _, ids in kept))
        if not kept:
            empty.append(topic)
    found.notes += said_of([], empty)
    return found


def read_votes(source: TextSource) -> Found:
    """Return which claims one person found in one system's articles."""
    found, silent = Found(), 0
    votes = found.votes.setdefault("", {})
    for topic, one in _topics(source, found):
        of_topic = votes.setdefault(topic, {})
        for claim in one.objects("claims"):
            judgment = claim.values.get("judgment")
            if judgment is not None and not isinstance(judgment, bool):
                raise claim.problem("judgment", f"{excerpt(judgment)} is no judgment", "write true, false or null")
            silent += judgment is None
            of_topic[claim.text("claim")] = judgment
    if silent:
        found.notes.append(f"claims that this person left undecided: {silent:,}.")
    return found


def read_topic_scores(source: TextSource) -> Found:
    """Return another evaluator's scores of one system."""
    found = Found()
    by_measure = found.scores.setdefault("", {})
    for topic, one in _topics(source, found):
        for measure, value in one.values.items():
            number = _finite(value)
            if number is None:
                raise one.problem(measure, f"{excerpt(value)} is no number", "correct the score")
            by_measure.setdefault(measure, {})[topic] = number
    return found


def _finite(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # a whole number of hundreds of digits
        return None


def read_articles(source: TextSource) -> Found:
    """Return the articles of several systems, cut into sentences; nothing in them is cited."""
    found = Found()
    empty: list[str] = []
    for system, topics in _topics(source):
        given = found.responses.setdefault(system, {})
        for key in topics.values:
            found.n_rows += 1
            one, topic = topics.child(key, topics.values[key]), topic_name(topics.place, key)
            text = one.optional_text("article")
            given[topic] = Response(tuple(" ".join(text[a:b].split()) for a, b in sentence_spans(text)))
            query = one.values.get("query")
            names = (id_at(one.place, one.named("query"), query),) if query not in (None, "") else ()
            found.topics.setdefault(topic, TopicText(topic, names=names))
            if not given[topic].sentences:
                empty.append(f"{topic} ({system})")
    found.notes += said_of([], empty)
    return found


def read_rankings(source: TextSource) -> Found:
    """Return rankings by system and topic, or those of one system by topic."""
    found = Found()
    repeated: list[str] = []
    for place, row in json_values(source):
        for name, value in row.items():
            of_system = value if isinstance(value, dict) else {name: value}
            rankings = found.rankings.setdefault(name if isinstance(value, dict) else "", {})
            for key, listed in of_system.items():
                found.n_rows += 1
                if not isinstance(listed, list):
                    raise place.problem(key, f"{excerpt(listed)} is not a list", "write the ids, best first")
                topic = topic_name(place, key)
                rankings[topic] = document_ids(place, key, listed)
                if len(rankings[topic]) < len(listed):
                    repeated.append(topic)
    if repeated:
        found.notes.append(f"topics that rank a document more than once: {first_of(repeated)}; its best rank counts.")
    return found


def _topics(source: TextSource, found: Found | None = None) -> Iterator[tuple[str, Fields]]:
    """Yield the members of a file's objects with their names, counting them in ``found``."""
    for place, row in json_values(source):
        members = Fields(place, row)
        for key, value in row.items():
            if found is not None:
                found.n_rows += 1
            yield topic_name(place, key), members.child(key, value)
