"""Use case *make nuggets*: facts proposed from reference answers, reviewed in a table, then used as a new dataset."""

from __future__ import annotations

import csv
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.datasets.importers import name_fault
from core.datasets.importers.nugget_table import COLUMNS, read_nugget_table
from core.datasets.importers.source import text_name
from core.datasets.validation import labels
from core.engine.models import connected
from core.engine.spec import Request
from core.errors import InputError, OptionError
from core.models.llm.calls import CallFailure, Outcome
from core.models.llm.purse import Spent
from core.models.llm.structured import Unparsable
from core.nuggets.creation import created_facts, creation_call, facts_of
from core.schema import Dataset, Nugget, Question
from core.services.spreadsheet import neutral
from core.services.workspace import workspace
from core.services.written_file import written_file
from core.store.datasets import load_dataset, save_dataset

#: what a dataset is stored as whose nuggets were made here
FORMAT = "nuggets"


@dataclass(frozen=True, slots=True)
class ProposedNuggets:
    """What was written to ``path`` for review.

    ``failed`` says by question id why it has no facts. ``n_passed_over`` questions have nuggets already, or no
    reference answer to take them from.
    """

    path: Path
    n_questions: int
    n_nuggets: int
    n_passed_over: int
    failed: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AdoptedNuggets:
    """The dataset that has the reviewed nuggets, how many, on how many questions; ``n_dropped`` were crossed out."""

    name: str
    n_nuggets: int
    n_questions: int
    n_dropped: int


def propose_nuggets(name: str, path: Path, *, endpoint: str = "") -> ProposedNuggets:
    """Write a table of facts taken from the reference answers of a stored dataset.

    By offline rules, or by the language model ``endpoint`` where one is named.

    Raises:
        OptionError: no such dataset or endpoint, or nothing to take facts from.
        InputError: the file is there already, or cannot be written there.
        ModelError: the language model cannot be reached, refuses, or reached its limit.
    """
    if path.exists():
        raise InputError(f"{path} is there already, and may be a table under review: choose another --out.")
    _, store = workspace()
    dataset = load_dataset(store, name)
    wanted = without_nuggets(dataset, name)
    if endpoint:
        facts, failed = _asked(name, endpoint, wanted)
    else:
        facts, failed = offline_facts(dataset, wanted), {}
    with written_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for question in wanted:
            for fact in facts.get(question.id, ()):
                cells = (question.id, question.question, question.answer, fact, "vital", "yes")
                writer.writerow([neutral(cell) for cell in cells])
    return ProposedNuggets(
        path=path,
        n_questions=sum(bool(found) for found in facts.values()),
        n_nuggets=sum(len(found) for found in facts.values()),
        n_passed_over=len(dataset.questions) - len(wanted),
        failed=failed,
    )


def adopt_nuggets(name: str, table: Path, *, called: str | None = None) -> AdoptedNuggets:
    """Store a dataset like ``name`` with the nuggets of a reviewed table; its card says that they are derived.

    It is called ``called``, else ``<name>-nuggets``. Nuggets that a question had stay.

    Raises:
        InputError: the table cannot be read or holds a problem.
        OptionError: no such dataset, or ``called`` is taken by other content or no usable name.
    """
    if called is not None and (fault := name_fault(called)):
        raise OptionError(f"--name {called!r} {fault}: choose another name.")
    _, store = workspace()
    dataset = load_dataset(store, name)
    reviewed = read_nugget_table(table, dataset)
    source = text_name(table)
    derived = f"derived from the reference answers and reviewed in {source}"
    made = with_nuggets(dataset, name, reviewed.nuggets, derived)
    stored = save_dataset(store, made, source=source, source_hash="", format=FORMAT, labels=labels(made), name=called)
    used = [nuggets for question, nuggets in reviewed.nuggets.items() if not _had(dataset, question)]
    return AdoptedNuggets(stored, sum(len(nuggets) for nuggets in used), len(used), reviewed.n_dropped)


def without_nuggets(dataset: Dataset, name: str) -> list[Question]:
    """Return the questions that can get nuggets: a reference answer and none yet. Raises OptionError for none."""
    wanted = [question for question in dataset.questions if question.answer.strip() and not question.nuggets]
    if not wanted:
        raise OptionError(
            f"'{name}' has no question with a reference answer and without nuggets: there is nothing to do."
        )
    return wanted


def offline_facts(dataset: Dataset, questions: Sequence[Question]) -> dict[str, list[str]]:
    """Return the facts of reference answers by question id, by surface rules."""
    languages = dataset.language_of
    return {question.id: facts_of(question.answer, languages[question.id]) for question in questions}


def with_nuggets(dataset: Dataset, name: str, nuggets: Mapping[str, tuple[Nugget, ...]], derived: str) -> Dataset:
    """Return the dataset stored as ``name`` with nuggets by question id; those that a question had stay.

    ``derived`` is what its card says of where they come from.
    """
    card = replace(
        dataset.card,
        name=f"{name}-nuggets",
        title=f"{dataset.card.title or name}, with nuggets",
        notes={**dataset.card.notes, "nuggets": derived},
    )
    questions = tuple(
        replace(question, nuggets=question.nuggets or nuggets.get(question.id, ())) for question in dataset.questions
    )
    return Dataset(card, dataset.documents, questions)


def _had(dataset: Dataset, question_id: str) -> bool:
    return any(question.id == question_id and question.nuggets for question in dataset.questions)


def _asked(name: str, endpoint: str, questions: Sequence[Question]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return facts by question id, and why others have none."""
    facts: dict[str, list[str]] = {}
    failed: dict[str, str] = {}

    def arrived(question: str, outcome: Outcome) -> None:
        found = Unparsable(outcome.reason) if isinstance(outcome, CallFailure) else created_facts(outcome.text)
        if isinstance(found, Unparsable):
            failed[question] = found.reason
        else:
            facts[question] = found

    calls = {question.id: creation_call(question.question, question.answer) for question in questions}
    with connected(Request(name, endpoint=endpoint), Spent()) as model:
        model.run(calls, on_outcome=arrived, stop=threading.Event())
    return facts, failed
