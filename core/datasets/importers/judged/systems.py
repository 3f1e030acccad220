"""The systems of a judged collection, joined from rankings, responses, labels and votes of any number of files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.datasets.importers.judged import JudgedFile
from core.datasets.importers.judged.found import GivenLabel, Response, first_of
from core.datasets.importers.judged.naming import FAILED, same_text
from core.datasets.importers.judged.system_names import SystemNames
from core.datasets.importers.judged.topic_names import TopicNames
from core.errors import InputError
from core.schema import Document, Nugget, NuggetLabel, Question, SystemAnswer, SystemContext

#: of two responses to a topic the one whose format is more telling is taken
_TELLING = {"nuggetizer": 2, "argue-judgments": 1}


@dataclass(slots=True)
class _Part:
    """What files say of one system and topic, each with the file's name."""

    ranking: tuple[str, tuple[str, ...]] | None = None
    response: tuple[JudgedFile, Response] | None = None
    labels: list[GivenLabel] = field(default_factory=list)
    exhaustive: bool = False
    votes: list[Mapping[str, bool | None]] = field(default_factory=list)


def systems_of(
    questions: Sequence[Question],
    names: TopicNames,
    files: Sequence[JudgedFile],
    known: Collection[str] = (),
    documents: Mapping[str, Document] | None = None,
) -> dict[str, dict[str, SystemAnswer]]:
    """Return what each system gave, by question id in the questions' order; ``known`` are systems that are there.

    ``documents`` are those of the dataset by id, None for a judged collection, whose documents nobody has. A system
    with rankings has an entry for every topic: an empty one where its run leaves the topic out. What cannot be used is
    counted among its file's skipped rows. Raises ``InputError`` where two files say different things of one answer,
    and where no document of a system is one of the collection's.
    """
    parts = _parts(files, names, SystemNames(files, known), {question.id for question in questions})
    joined: dict[str, dict[str, SystemAnswer]] = {}
    for system, by_topic in parts.items():
        _check_scheme(system, by_topic, questions, documents)
        ranked = any(part.ranking for part in by_topic.values())
        lost: list[str] = []
        answers: dict[str, SystemAnswer] = {}
        for question in questions:
            if (part := by_topic.get(question.id)) is not None:
                answers[question.id] = _answer(part, question, documents or {}, lost)
            elif ranked:
                answers[question.id] = SystemAnswer(())
        _say(files, system, by_topic, questions, lost, ranked=ranked)
        joined[system] = answers
    return joined


def _parts(
    files: Sequence[JudgedFile], names: TopicNames, systems: SystemNames, known: Collection[str]
) -> dict[str, dict[str, _Part]]:
    parts: dict[str, dict[str, _Part]] = {}
    for file in files:
        found = file.found
        foreign: dict[str, int] = {}

        def part(
            system: str, topic: str, rows: int, file: JudgedFile = file, foreign: dict[str, int] = foreign
        ) -> _Part | None:
            called, identity = systems.of(file, system), names.known(topic)
            if called is None:
                file.found.skip(0, "system", f"topic '{topic}': no system of this import is meant by the file", rows)
            elif identity is None or identity not in known:
                foreign[topic] = foreign.get(topic, 0) + rows
            else:
                return parts.setdefault(called, {}).setdefault(identity, _Part())
            return None

        for system, rankings in found.rankings.items():
            for topic, ranking in rankings.items():
                if one := part(system, topic, len(ranking) if file.format == "trec-run" else 1):
                    _put_ranking(one, file, systems.of(file, system) or "", topic, ranking)
        for system, responses in found.responses.items():
            for topic, response in responses.items():
                if one := part(system, topic, 1):
                    _put_response(one, file, systems.of(file, system) or "", topic, response)
        for system, labels in found.labels.items():
            for topic, given in labels.items():
                if one := part(system, topic, 0 if system in found.responses else 1):
                    one.labels += given
                    one.exhaustive |= found.exhaustive
        for system, votes in found.votes.items():
            for topic, vote in votes.items():
                if one := part(system, topic, 1):
                    one.votes.append(vote)
        for topic, rows in foreign.items():
            found.skip(0, "topic", f"the collection has no topic '{topic}'", rows)
        if foreign:
            found.notes.append(f"topics that the collection does not have, left out: {first_of(list(foreign))}.")
            about = {
                topic for of in (found.rankings, found.responses, found.labels) for by in of.values() for topic in by
            }
            if about and about <= foreign.keys():
                raise InputError(
                    f"{file.called}: none of its topics ({', '.join(sorted(about)[:5])}) is one of the collection's: "
                    "give the judgments of just these topics, or a file of topics that says both names."
                )
    return parts


def _put_ranking(one: _Part, file: JudgedFile, system: str, topic: str, ranking: tuple[str, ...]) -> None:
    if one.ranking is not None and one.ranking[1] != ranking:
        raise _two(system, topic, "rankings", one.ranking[0], file.called)
    one.ranking = (file.called, ranking)


def _put_response(one: _Part, file: JudgedFile, system: str, topic: str, response: Response) -> None:
    if one.response is None:
        one.response = (file, response)
        return
    other, before = one.response
    if before == response:
        return
    telling = _TELLING.get(file.format, 0), _TELLING.get(other.format, 0)
    by_sentence = "argue-judgments" in (file.format, other.format)
    if telling[0] == telling[1] or (by_sentence and len(before.sentences) != len(response.sentences)):
        raise _two(system, topic, "responses", other.called, file.called)
    if telling[0] < telling[1]:
        one.response = (file, response)


def _two(system: str, topic: str, what: str, first: str, second: str) -> InputError:
    return InputError(
        f"system '{system}' has two {what} for topic '{topic}', one in {first} and one in {second}: leave one of "
        "them, or give one another name with --system FILE=NAME."
    )


def _answer(part: _Part, question: Question, documents: Mapping[str, Document], lost: list[str]) -> SystemAnswer:
    response = part.response[1] if part.response else Response(())
    cited = [[_held_by(one, documents) for one in ids] for ids in response.cited]
    every = dict.fromkeys(
        (*(_held_by(one, documents) for one in response.references), *(one for ids in cited for one in ids))
    )
    place = {identity: number for number, identity in enumerate(every)}
    pairs = ((sentence, place[one]) for sentence, ids in enumerate(cited) for one in ids)
    return SystemAnswer(
        response.sentences,
        tuple(_context(one, documents) for one in every),
        tuple(dict.fromkeys(pairs)),
        ranking=part.ranking[1] if part.ranking else (),
        labels=tuple(dict.fromkeys(_labels(part, question, lost))),
        # the references of these formats are what is cited, too
        cited_only=bool(every),
    )


def _held_by(identity: str, documents: Mapping[str, Document]) -> str:
    """Return the document that an id means: its own, or the one whose passage ``<document>#<number>`` it is."""
    document = identity.partition("#")[0]
    return document if identity not in documents and document in documents else identity


def _context(identity: str, documents: Mapping[str, Document]) -> SystemContext:
    known = documents.get(identity)
    return SystemContext("", identity) if known is None else SystemContext(known.text, identity, 0, len(known.text))


def _labels(part: _Part, question: Question, lost: list[str]) -> Iterator[NuggetLabel]:
    labelled: set[str] = set()
    n_sentences = len(part.response[1].sentences) if part.response else 0
    for given in part.labels:
        meant = _meant(given, question.nuggets)
        if not meant:
            lost.append(given.nugget)
        elif given.sentence is not None and given.sentence >= n_sentences:
            lost.append(f"{given.nugget}, sentence {given.sentence}")
            continue
        for nugget in meant:
            labelled.add(nugget.id)
            yield NuggetLabel(nugget.id, given.label, given.sentence, given.answer)
    if part.exhaustive:
        yield from (NuggetLabel(one.id, "not_support") for one in question.nuggets if one.id not in labelled)
    for claim in dict.fromkeys(claim for vote in part.votes for claim in vote):
        meant = _meant(GivenLabel(claim, ""), question.nuggets)
        if not meant:
            lost.append(claim)
        given_votes = [vote[claim] for vote in part.votes if vote.get(claim) is not None]
        yield from (NuggetLabel(one.id, _majority(given_votes)) for one in meant)


def _majority(votes: Sequence[bool | None]) -> str:
    """Return "support" where more than half of those say so who decided, "failed" where nobody did."""
    if not votes:
        return FAILED
    return "support" if sum(bool(vote) for vote in votes) * 2 > len(votes) else "not_support"


def _meant(given: GivenLabel, nuggets: Sequence[Nugget]) -> list[Nugget]:
    """Return the nuggets of this id or text; of several that ask the same, those that have the matched answer."""
    wanted, answer = same_text(given.nugget), same_text(given.answer)
    found = [nugget for nugget in nuggets if nugget.id == given.nugget] or [
        nugget for nugget in nuggets if same_text(nugget.text) == wanted
    ]
    if len(found) > 1 and answer:
        found = [one for one in found if answer in {same_text(known.text) for known in one.answers}] or found
    return found


def _check_scheme(
    system: str, parts: Mapping[str, _Part], questions: Sequence[Question], documents: Mapping[str, Document] | None
) -> None:
    """Refuse a system that speaks of other documents than the collection."""
    known: set[str] = set(documents or ())
    if documents is None:
        known.update(identity for one in questions if one.id in parts for identity in one.judged)
    for what, named in (("ranks", _ranked(parts)), ("cites", _cited(parts))):
        ids = set(named)
        if not known or not ids or ids & known or (documents and {one.partition("#")[0] for one in ids} & known):
            continue
        whose = "of the dataset" if documents is not None else "that was judged"
        remedy = "use the ids of the same collection"
        if {one.partition("#")[0] for one in ids} & known:
            remedy = "they are parts of those documents, for which they may stand (--strip-segments)"
        raise InputError(
            f"system '{system}' {what} no document {whose} ({_example(ids)} against {_example(known)}): {remedy}."
        )


def _ranked(parts: Mapping[str, _Part]) -> Iterator[str]:
    return (identity for part in parts.values() if part.ranking for identity in part.ranking[1])


def _cited(parts: Mapping[str, _Part]) -> Iterator[str]:
    return (one for part in parts.values() if part.response for ids in part.response[1].cited for one in ids)


def _example(ids: set[str]) -> str:
    return f"'{min(ids)}'"


def _say(
    files: Sequence[JudgedFile],
    system: str,
    parts: Mapping[str, _Part],
    questions: Sequence[Question],
    lost: Sequence[str],
    *,
    ranked: bool,
) -> None:
    """Say of a system what its files cannot know by themselves, in the notes of the first that is about it."""
    of = next((part for part in parts.values() if part.ranking or part.response), None)
    called = "" if of is None else of.ranking[0] if of.ranking else of.response[0].called if of.response else ""
    notes = next((file.found.notes for file in files if file.called == called), files[0].found.notes)
    missing = [question.id for question in questions if question.id not in parts]
    if missing:
        what = "which count 0" if ranked else "which are not scored for it"
        notes.append(f"topics that system '{system}' leaves out, {what}: {first_of(missing)}.")
    if lost:
        notes.append(
            f"labels of system '{system}' for nuggets or sentences that are not there, left out: "
            f"{first_of(list(dict.fromkeys(lost)))}."
        )


def merged(before: SystemAnswer, new: SystemAnswer) -> SystemAnswer | None:
    """Return both together, None where they say different things of the same answer."""
    ranking = before.ranking or new.ranking
    labels = before.labels or new.labels
    if (new.ranking and ranking != new.ranking) or (new.labels and labels != new.labels):
        return None
    bare = replace(before, ranking=(), labels=()), replace(new, ranking=(), labels=())
    if bare[0].sentences and bare[1].sentences and bare[0] != bare[1]:
        return None
    told = bare[0] if bare[0].sentences or bare[0].contexts else bare[1]
    return replace(told, ranking=ranking, labels=labels)
