"""A run's rows, question by question, with the texts they are about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.engine.spec import EVIDENCE
from core.engine.systems import is_system
from core.figures.configurations import in_order
from core.nuggets.evidence import Held
from core.schema import Document, Question
from core.services.drilldown import state, verdict
from core.services.evidence import Piece, marked_spans
from core.services.passages import (
    RunPassages,
    asked_question,
    documents_about,
    evidence_held,
    marked,
    unsure,
)
from core.services.workspace import workspace
from core.store.run_questions import documents_of, question_items
from core.store.runs import run_row


@dataclass(frozen=True, slots=True)
class Repeat:
    """One of several answers to a question; ``text`` is "" where it failed."""

    text: str
    similarity: float | None
    predicted: str | None
    cut: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one configuration did with a question.

    ``sentences`` are the produced answer's with the places (from 1) of the passages each rests on, 0 for a passage
    that was not retrieved. ``state`` says in words what is scored, refused, failed or not applicable, ``verdict``
    whether the predicted relation is right ("" where that is not scored). ``cut`` says that the model was cut off at
    its bound of tokens. ``repeats`` are all answers where it was asked for several times, the first of them shown and
    the scores their means, else (). ``evidence`` says whether the passages hold
    the question's evidence, None where none is marked.
    """

    id: str
    label: str
    is_reference: bool
    sentences: tuple[tuple[str, tuple[int, ...]], ...]
    refused: bool
    similarity: float | None
    predicted: str | None
    verdict: str
    state: str
    words: int
    n_sentences: int
    passage_ids: tuple[str, ...]
    evidence: Held | None
    cut: bool = False
    repeats: tuple[Repeat, ...] = ()


@dataclass(frozen=True)
class QuestionView:
    """A question of a run with what every configuration made of it, in the order of every page.

    ``documents`` are its source documents. ``outcomes`` is empty while the run has stored no rows; ``labels`` then
    still names the configurations.
    """

    question: Question
    documents: tuple[Document, ...]
    labels: Mapping[str, str]
    outcomes: tuple[Outcome, ...]


def question_rows(run_id: str) -> Iterator[dict[str, Any]]:
    """Yield every (question, configuration) of a run in the dataset's order.

    Raises:
        OptionError: there is no such run.
    """
    _, store = workspace()
    run_row(store, run_id)
    yield from store.db.query(
        """
        SELECT q.id AS question_id, q.question, q.answer AS reference, q.relation, i.*
        FROM run_items i
        JOIN runs r ON r.id = i.run
        JOIN questions q ON q.dataset = r.dataset AND q.id = i.question
        WHERE i.run = ?
        ORDER BY q.ordinal, i.configuration
        """,
        (run_id,),
    )


def question(run_id: str, question_id: str) -> QuestionView:
    """Return a question of a run with every configuration's answer and scores.

    Raises:
        OptionError: there is no such run, or it does not ask this question.
    """
    _, store = workspace()
    row = run_row(store, run_id)
    asked = asked_question(store, row, question_id)
    documents = documents_of(store, row["dataset"], documents_about(asked))
    configurations, labels = row["spec"]["configurations"], row["spec"]["labels"]
    stored = {item["configuration"]: item for item in question_items(store, run_id, configurations, question_id)}
    chunks = RunPassages(store, row)
    outcomes = []
    for name in in_order([name for name in configurations if name in stored]):
        ids = stored[name]["passages"]
        if not is_system(name):  # evidence lies in these documents alone, so the others' passages need not be cut
            ids = [passage for passage in ids if passage.rpartition("#")[0] in documents]
        passages = chunks.cut(name, question_id, ids, documents)
        held = evidence_held(asked, list(passages.values()), documents)
        if held != "all" and unsure(ids, passages):
            held = None
        outcomes.append(_outcome(stored[name], labels[name], held))
    return QuestionView(
        question=asked,
        documents=tuple(documents[name] for name in asked.document_ids if name in documents),
        labels=labels,
        outcomes=tuple(outcomes),
    )


def marked_document(question: Question, document: Document) -> tuple[Piece, ...]:
    """Return a whole document with a question's evidence marked."""
    return marked(document, 0, len(document.text), marked_spans(question))


def _outcome(item: Mapping[str, Any], label: str, held: Held | None) -> Outcome:
    answer, ids = item["answer"], item["passages"]
    place = {identifier: number for number, identifier in enumerate(ids, start=1)}
    cited: dict[int, dict[int, None]] = {}
    for citation in answer.get("citations", ()):
        cited.setdefault(citation["sentence"], {})[place.get(citation["passage_id"], 0)] = None
    return Outcome(
        id=item["configuration"],
        label=label,
        is_reference=item["configuration"] == EVIDENCE,
        sentences=tuple(
            (sentence, tuple(sorted(cited.get(number, ()), key=lambda found: (found == 0, found))))
            for number, sentence in enumerate(answer.get("sentences", ()))
        ),
        refused=bool(item["refused"]),
        similarity=item["similarity"],
        predicted=item["predicted"],
        verdict=verdict(item),
        state=state(item),
        words=item["words"],
        n_sentences=item["sentences"],
        passage_ids=tuple(ids),
        evidence=held,
        cut=answer.get("cut", False),
        repeats=tuple(
            Repeat(" ".join(one.get("sentences", ())), one["similarity"], one["predicted"], one.get("cut", False))
            for one in answer.get("repeats", ())
        ),
    )
