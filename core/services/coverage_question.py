"""Use case *look at one question's nuggets*: which passage holds which, which sentence says which, what would help."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.engine.imported import handed_on
from core.engine.systems import is_system
from core.errors import OptionError
from core.figures.notation import count
from core.figures.nugget_matrix import Mark
from core.nuggets.outcomes import NuggetOutcome
from core.schema import Nugget
from core.services.coverage_list import outcome_words, outcomes_of
from core.services.evidence import Piece
from core.services.helpful_passages import helpful
from core.services.matched_words import matched_words
from core.services.passages import RunPassages, asked_question, documents_about
from core.services.workspace import workspace
from core.store.coverage import CoverageRow, coverage_rows
from core.store.database import Store
from core.store.run_questions import documents_of, question_items
from core.store.runs import run_row

#: how much of a passage a hover shows
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class NuggetView:
    """A nugget with what became of it in words; ``derived``: the matcher decided what holds it.

    ``retrieved``: the passages handed on hold it together, None where nobody knows them. Of one that ``needs_all`` its
    answers what holds or says any of them is marked.
    """

    text: str
    importance: str
    outcome: str
    derived: bool
    retrieved: bool | None = None
    needs_all: bool = False


@dataclass(frozen=True, slots=True)
class PassageView:
    """A passage: its id, the number it goes by, the beginning of its text ("" where that is not at hand)."""

    id: str
    head: str
    text: str


@dataclass(frozen=True, slots=True)
class SentenceView:
    """A sentence of the answer, the words of the nuggets it says marked, and the heads of what it cites."""

    pieces: tuple[Piece, ...]
    cites: tuple[str, ...]


@dataclass(frozen=True)
class NuggetMatrices:
    """One question under one configuration.

    ``held[n][p]`` and ``says[n][s]`` say how nugget n goes with passage p and sentence s. The first ``handed_on``
    passages were given to the answerer; ``no_ranking`` says why they have no ranks, "" where they have. ``state`` is
    the answer's, with its ``reason``. ``helpful`` holds sentences about passages that would raise StRecall.
    """

    label: str
    nuggets: tuple[NuggetView, ...]
    passages: tuple[PassageView, ...]
    held: tuple[tuple[Mark, ...], ...]
    handed_on: int
    no_ranking: str
    sentences: tuple[SentenceView, ...]
    says: tuple[tuple[Mark, ...], ...]
    state: str
    reason: str
    helpful: tuple[str, ...]


def nugget_matrices(
    run_id: str, question_id: str, configuration: str, k: int = 5, rank: int = 3
) -> NuggetMatrices | None:
    """Return a question's matrices under a configuration, None where the run has no coverage of it.

    ``helpful`` is about StRecall@k with a passage put in at ``rank``.

    Raises:
        OptionError: there is no such run or configuration, the run does not ask this question, or ``rank`` is not
            among the first k.
    """
    if not 1 <= rank <= k:
        raise OptionError(f"rank {rank} is not among the first {k}: choose one from 1 to {k}.")
    _, store = workspace()
    row = run_row(store, run_id)
    if configuration not in row["spec"]["configurations"]:
        raise OptionError(f"this run has no configuration '{configuration[:80]}': choose one that is listed.")
    asked = asked_question(store, row, question_id)
    rows = coverage_rows(store, run_id, question_id, row["spec"]["configurations"])
    stored = rows.get(configuration)
    if stored is None or not stored.record.get("nuggets"):
        return None
    outcomes = outcomes_of(stored)
    items = question_items(store, run_id, [configuration], question_id)
    answer: Mapping[str, Any] = items[0]["answer"] if items else {}
    ranking: list[str] = stored.record["ranking"]
    called = _ranked_as(store, row["dataset"], configuration, question_id)
    given = list(dict.fromkeys(called.get(name, name) for name in (items[0]["passages"] if items else ())))
    ids = list(dict.fromkeys([*ranking, *given]))
    inside = frozenset(given)
    # of some systems only what they cite is known
    given_are_known = all(outcome.retrieved is not None for outcome in outcomes)
    cited: dict[int, list[str]] = {}
    for citation in answer.get("citations", ()):
        name = citation["passage_id"]
        cited.setdefault(citation["sentence"], []).append(called.get(name, name))
    held = {name: frozenset(nuggets) for name, nuggets in stored.record["held"].items()}
    texts = _texts(store, row, configuration, question_id, ids)
    head = {name: str(place) for place, name in enumerate(ids, start=1)}
    language = _language(store, row["dataset"], documents_about(asked))
    sentences: Sequence[str] = answer.get("sentences", ())
    everywhere = frozenset(name for names in cited.values() for name in names)
    supported = sum(outcome.supported for outcome in outcomes)
    pool = {
        name: frozenset(nuggets)
        for one in rows.values()
        for name, nuggets in one.record.get("held", {}).items()
        # texts that another system gave have ids of their own
        if one.configuration == configuration or not is_system(name)
    }
    return NuggetMatrices(
        label=row["spec"]["labels"][configuration],
        nuggets=tuple(
            NuggetView(
                nugget.text,
                nugget.importance,
                _outcome(outcome, stored, _alone(place, given or ranking, held)),
                outcome.derived,
                outcome.retrieved,
                _needs_all(nugget),
            )
            for place, (nugget, outcome) in enumerate(zip(asked.nuggets, outcomes, strict=True))
        ),
        passages=tuple(PassageView(name, head[name], texts.get(name, "")) for name in ids),
        held=tuple(
            tuple(_held(place in held.get(name, ()), name in everywhere) for name in ids)
            for place in range(len(outcomes))
        ),
        handed_on=len(inside) if given_are_known and set(ids[: len(inside)]) == inside else 0,
        no_ranking="" if ranking else stored.record["no_ranking"],
        sentences=tuple(
            SentenceView(
                matched_words(sentence, _said_in(number, asked.nuggets, outcomes), language),
                tuple(head.get(name, "not retrieved") for name in cited.get(number, ())),
            )
            for number, sentence in enumerate(sentences)
        ),
        says=tuple(
            _says(place, _needs_all(nugget), outcome, len(sentences), cited, held)
            for place, (nugget, outcome) in enumerate(zip(asked.nuggets, outcomes, strict=True))
        ),
        state=stored.state,
        reason=stored.reason,
        helpful=helpful(ranking, pool, supported, k, rank) if ranking else (),
    )


def matrix_sentence(found: NuggetMatrices) -> str:
    """Return in words what happened to a question's nuggets under a configuration."""
    of = f"of {count(len(found.nuggets), 'nugget')}"
    if any(nugget.retrieved is None for nugget in found.nuggets):
        text = f"{found.label}: nobody knows what passages it was given"
    elif found.handed_on:
        text = f"{found.label}: the passages it was given hold {sum(bool(n.retrieved) for n in found.nuggets)} {of}"
    else:  # a ranking without an answer
        hit = sum(any(mark != "none" for mark in row) for row in found.held)
        text = f"{found.label}: the {len(found.passages)} passages it ranks hold {hit} {of}"
    if found.state != "scored":
        return f"{text}; its answer is {found.state.replace('_', ' ')} ({found.reason})."
    grounded = sum(nugget.outcome.startswith("grounded") for nugget in found.nuggets)
    return f"{text}; its answer says {grounded} with a citation that holds it."


def _ranked_as(store: Store, dataset: str, configuration: str, question_id: str) -> dict[str, str]:
    """Return, of what a system names and is known by its document alone, what rankings call it."""
    if not is_system(configuration):
        return {}
    given = handed_on(store, dataset, configuration, question_id)
    return {name: one.document_id for name, one in given.items() if not one.text and one.document_id}


def _needs_all(nugget: Nugget) -> bool:
    return nugget.aggregator == "AND" and len(nugget.answers) > 1


def _outcome(outcome: NuggetOutcome, stored: CoverageRow, alone: bool) -> str:
    words = outcome_words(outcome, stored)
    if stored.state == "scored" and outcome.said and not outcome.sentences:
        words += " (the answer as a whole says it, no sentence alone)"
    if outcome.retrieved and not alone:
        words += " (its passages hold it together, none alone)"
    return words


def _alone(place: int, given: Sequence[str], held: Mapping[str, Collection[int]]) -> bool:
    return any(place in held.get(name, ()) for name in given)


def _held(holds: bool, is_cited: bool) -> Mark:
    return "none" if not holds else "held_cited" if is_cited else "held"


def _says(
    place: int,
    needs_all: bool,
    outcome: NuggetOutcome,
    n_sentences: int,
    cited: Mapping[int, Sequence[str]],
    held: Mapping[str, Collection[int]],
) -> tuple[Mark, ...]:
    """Of a grounded nugget those sentences are marked whose citations hold it, or all that cite where none does alone.

    (Two neighbouring sentences may say it together, or several citations hold it together.) Each sentence says a part
    of what ``needs_all``, and only of a grounded one it is known that every part has its proof.
    """
    saying = frozenset(outcome.sentences)
    proving = {s for s in saying if any(place in held.get(name, ()) for name in cited.get(s, ()))}
    if not proving:
        proving = {s for s in saying if cited.get(s)}
    marks: list[Mark] = []
    for sentence in range(n_sentences):
        if sentence not in saying:
            marks.append("none")
        elif outcome.grounded and sentence in proving:
            marks.append("grounded")
        elif needs_all and outcome.grounded is False:
            marks.append("said_part")
        else:
            marks.append("said_cited" if cited.get(sentence) else "said")
    return tuple(marks)


def _said_in(number: int, nuggets: Sequence[Nugget], outcomes: Sequence[NuggetOutcome]) -> list[str]:
    return [
        text
        for nugget, outcome in zip(nuggets, outcomes, strict=True)
        if number in outcome.sentences
        for text in ([answer.text for answer in nugget.answers] or [nugget.text])
    ]


def _texts(
    store: Store, row: Mapping[str, Any], configuration: str, question_id: str, ids: Sequence[str]
) -> dict[str, str]:
    """Return the beginnings of those passages whose text is at hand."""
    cut = RunPassages(store, row).cut(configuration, question_id, ids)
    documents = documents_of(store, row["dataset"], list({passage.document_id for passage in cut.values()}))
    found = {}
    for name, passage in cut.items():
        document = documents.get(passage.document_id)
        text = passage.text if document is None else document.text[passage.start : passage.end]
        found[name] = text[:_SHOWN]
    return found


def _language(store: Store, dataset: str, documents: Sequence[str]) -> str:
    """Return the language of the first source document, else that of the dataset's card."""
    spoken = next(iter(documents_of(store, dataset, documents[:1]).values()), None)
    if spoken is not None and spoken.language:
        return spoken.language
    rows = store.rows("SELECT json_extract(card, '$.language') AS language FROM datasets WHERE name = ?", (dataset,))
    return (rows[0]["language"] if rows else "") or "en"
