"""The topics of a judged collection, joined from all that files say of them: wording, nuggets, judged documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.datasets.importers.judged import JudgedFile
from core.datasets.importers.judged.found import TopicText, first_of
from core.datasets.importers.judged.naming import same_text
from core.datasets.importers.judged.topic_names import TopicNames
from core.errors import InputError
from core.schema import NOT_MATCHABLE, Nugget, NuggetAnswer, Question

#: values of ``NOT_MATCHABLE``
UNNAMED = "the nuggets have numbers and no texts"
RELEVANCE = "there are relevance judgments and no nuggets"
#: key of ``Question.meta``: the other names that files give the topic
NAMES = "names"
#: id of the nugget that stands for relevance to the topic
RELEVANT = "relevant"
_DIGITS = re.compile(r"(\d+)")


@dataclass(slots=True)
class _Topic:
    """What is known of one topic; sources are named beside what they say."""

    texts: list[TopicText] = field(default_factory=list)
    banks: list[tuple[str, tuple[Nugget, ...]]] = field(default_factory=list)
    held: dict[str, dict[str, None]] = field(default_factory=dict)
    holders: str = ""
    relevant: dict[str, None] = field(default_factory=dict)
    is_relevance: bool = False
    judged: dict[str, None] = field(default_factory=dict)
    before: Question | None = None


def topics_of(base: Sequence[Question], files: Sequence[JudgedFile]) -> tuple[tuple[Question, ...], TopicNames]:
    """Return the topics of ``base`` and of the files' judgments and nuggets, joined, and all names they go by.

    A topic without nuggets and judgments is none: it is counted among its file's skipped rows. Raises ``InputError``
    for two banks that say different things of one topic, and for judgments of other nuggets than its bank has.
    """
    names = names_of(base)
    topics = {question.id: _of_base(question) for question in base}
    for file in files:
        for topic, text in file.found.topics.items():
            for name in text.names:
                names.link(topic, name)
    for file in sorted(files, key=lambda one: not one.found.held and not one.found.relevant):
        for topic in (*file.found.held, *file.found.relevant, *file.found.nuggets):
            topics.setdefault(names.claim(topic), _Topic())
    for file in files:
        _take(file, topics, names)
    # what a file of topics says comes before what stands beside an answer
    for file in sorted(files, key=lambda one: one.format != "topics"):
        _take_texts(file, topics, names)
    lost: dict[str, list[str]] = {}
    found = tuple(_question(name, topic, lost) for name, topic in topics.items())
    for file in files:
        if strangers := lost.get(file.called):
            file.found.notes.append(
                f"judgments of nuggets that their topic's bank does not have, left out: {first_of(strangers)}."
            )
    return found, names


def names_of(questions: Sequence[Question]) -> TopicNames:
    """Return the names that questions go by: their ids, and what files have called them so far."""
    names = TopicNames()
    for question in questions:
        names.claim(question.id)
    for question in questions:
        for name in question.meta.get(NAMES, ()):
            names.link(question.id, str(name))
    return names


def _of_base(question: Question) -> _Topic:
    topic = _Topic(before=question, judged=dict.fromkeys(question.judged))
    reason = question.meta.get(NOT_MATCHABLE)
    if reason == UNNAMED:
        topic.held = {nugget.id: dict.fromkeys(nugget.documents) for nugget in question.nuggets}
        topic.holders = "the collection"
    elif reason == RELEVANCE:
        topic.is_relevance = True
        topic.relevant = dict.fromkeys(question.nuggets[0].documents)
    else:
        topic.banks.append(("the collection", question.nuggets))
    return topic


def _take(file: JudgedFile, topics: Mapping[str, _Topic], names: TopicNames) -> None:
    found = file.found
    for name, nuggets in found.nuggets.items():
        _of(topics, names, name).banks.append((file.called, nuggets))
    for name, held in found.held.items():
        topic = _of(topics, names, name)
        topic.holders = file.called
        for nugget, documents in held.items():
            topic.held.setdefault(nugget, {}).update(dict.fromkeys(documents))
    for name, relevant in found.relevant.items():
        topic = _of(topics, names, name)
        topic.is_relevance = True
        topic.relevant.update(dict.fromkeys(relevant))
    for name, judged in found.judged.items():
        _of(topics, names, name).judged.update(dict.fromkeys(judged))


def _take_texts(file: JudgedFile, topics: Mapping[str, _Topic], names: TopicNames) -> None:
    without: list[str] = []
    for name, text in file.found.topics.items():
        known = names.known(name)
        if known is None:
            without.append(name)
            continue
        other = tuple(one for one in (name, *text.names) if one != known)
        topics[known].texts.append(replace(text, names=other))
    if without and file.format == "topics":
        for name in without:
            file.found.skip(0, "topic", f"no file has judgments or nuggets of topic '{name}'")
        file.found.notes.append(f"topics without judgments or nuggets, which were left out: {first_of(without)}.")


def _of(topics: Mapping[str, _Topic], names: TopicNames, name: str) -> _Topic:
    return topics[names.claim(name)]


def _question(name: str, topic: _Topic, lost: dict[str, list[str]]) -> Question:
    """``lost`` takes up, by file, what it judged of nuggets that the topic's bank does not have."""
    before = topic.before
    wording = next((text.text for text in topic.texts if text.text), "")
    own = _wording_of(name)
    if before is not None and before.question != own:
        wording = before.question
    answer = (before.answer if before else "") or next((text.answer for text in topic.texts if text.answer), "")
    nuggets, reason = _nuggets(name, topic, wording or own)
    if topic.banks and topic.holders:
        there = {nugget.id for nugget in nuggets}
        lost.setdefault(topic.holders, []).extend(f"{one} of {name}" for one in topic.held if one not in there)
    meta = {key: value for key, value in (before.meta if before else {}).items() if key not in (NAMES, NOT_MATCHABLE)}
    given = [*(before.meta.get(NAMES, ()) if before else ()), *(one for text in topic.texts for one in text.names)]
    if given:
        meta[NAMES] = list(dict.fromkeys(given))
    if reason:
        meta[NOT_MATCHABLE] = reason
    holding = (document for nugget in nuggets for document in holders(nugget))
    judged = tuple(dict.fromkeys((*topic.judged, *holding)))
    return Question(name, wording or own, answer, (), nuggets=nuggets, meta=meta, judged=judged)


def _nuggets(name: str, topic: _Topic, wording: str) -> tuple[tuple[Nugget, ...], str]:
    """Return a topic's nuggets with their documents, and why they cannot be compared with answers, "" if they can."""
    if topic.banks:
        bank = _one_bank(name, topic.banks)
        if topic.held and not topic.held.keys() & bank.keys():
            raise InputError(
                f"{topic.holders}: none of its nuggets of topic '{name}' ({_shown(topic.held)}) is in the bank of "
                f"{topic.banks[0][0]} ({_shown(bank)}): give the bank that the judgments were made with."
            )
        return tuple(_with(nugget, topic.held.get(nugget.id, ())) for nugget in bank.values()), ""
    if topic.held:
        return tuple(_unnamed(one, topic.held[one]) for one in _ordered(topic.held)), UNNAMED
    relevance = Nugget(RELEVANT, f"relevant to: {wording}", stated=False, documents=tuple(topic.relevant))
    return (relevance,), RELEVANCE


def _one_bank(name: str, banks: Sequence[tuple[str, tuple[Nugget, ...]]]) -> dict[str, Nugget]:
    """Return a topic's nuggets by id; several banks must have the same, of which each may know other documents."""
    first, nuggets = banks[0]
    bank = {nugget.id: nugget for nugget in nuggets}
    for called, other in banks[1:]:
        if [(n.id, same_text(n.text)) for n in other] != [(n.id, same_text(n.text)) for n in nuggets]:
            raise InputError(
                f"topic '{name}' has two banks that differ, one in {first} and one in {called}: import one of them, or "
                "each into a collection of its own."
            )
        for nugget in other:
            mine = bank[nugget.id]
            answers = {answer.text: answer for answer in mine.answers}
            for answer in nugget.answers:
                known = answers.get(answer.text, NuggetAnswer(answer.text))
                documents = tuple(dict.fromkeys((*known.documents, *answer.documents)))
                answers[answer.text] = replace(known, documents=documents)
            bank[nugget.id] = replace(_with(mine, nugget.documents), answers=tuple(answers.values()))
    return bank


def holders(nugget: Nugget) -> tuple[str, ...]:
    """Return the documents that were judged to hold a nugget or one of its answers."""
    return (*nugget.documents, *(document for answer in nugget.answers for document in answer.documents))


def _with(nugget: Nugget, documents: Iterable[str]) -> Nugget:
    return replace(nugget, documents=tuple(dict.fromkeys((*nugget.documents, *documents))))


def _unnamed(identity: str, documents: Iterable[str]) -> Nugget:
    return Nugget(identity, f"nugget {identity}", documents=tuple(documents))


def _ordered(ids: Iterable[str]) -> list[str]:
    """Return ids as people count: 2 before 10."""
    return sorted(ids, key=lambda one: [(not p.isdigit(), int(p) if p.isdigit() else 0, p) for p in _DIGITS.split(one)])


def _shown(ids: Iterable[str]) -> str:
    return ", ".join(_ordered(ids)[:5])


def _wording_of(name: str) -> str:
    return name if " " in name else name.replace("_", " ")
