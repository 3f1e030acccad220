"""What a study's items are made of: the answers of stored runs, or the questions of a generated set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import OptionError
from core.figures.configurations import in_order
from core.people.building import Produced, merged
from core.people.drawing import drawn_questions
from core.people.records import Credit, Design, Item
from core.services.passages import retrieved
from core.services.workspace import workspace
from core.store.database import Store
from core.store.datasets import load_dataset, question_of
from core.store.run_questions import question_items, question_labels
from core.store.runs import run_row

NO_ANSWER = "the run has no answer"


@dataclass(frozen=True, slots=True)
class Drawn:
    """The items of a study, not yet numbered, and what stands around them.

    ``labels`` names each credited system, ``left_out`` counts by reason what cannot be rated, ``options`` are the
    categories of the tree that is asked for.
    """

    items: tuple[Item, ...]
    labels: Mapping[str, str]
    left_out: Mapping[str, int]
    n_questions: int
    options: tuple[str, ...] = ()


def draw_items(design: Design, *, with_passages: bool = True) -> Drawn:
    """Return what a checked design means for what is stored now.

    ``with_passages`` False leaves the passages' texts out: they take most of the time.

    Raises:
        OptionError: no such run, configuration, dataset or dimension; runs of several datasets; nothing to rate.
    """
    drawn = _questions(design) if design.template == "questions" else _answers(design, with_passages)
    if not drawn.items and not design.gold:
        raise OptionError("nothing is there to rate: choose another run, other configurations, or more questions.")
    return drawn


def _answers(design: Design, with_passages: bool) -> Drawn:
    _, store = workspace()
    rows = [run_row(store, run) for run in design.runs]
    labels, systems = _systems(rows, design.configurations)
    chosen = drawn_questions(_relations(store, rows), design.n_questions, design.seed)
    left_out: Counter[str] = Counter()
    produced = list(_produced(store, rows, systems, chosen, left_out))
    items = [
        Item(
            id="",
            ordinal=0,
            question_id=one.question_id,
            relation=one.relation,
            question=one.question,
            reference=one.reference,
            answer=one.answer,
            passages=_texts(one) if with_passages else (),
            credits=credits,
            cluster=one.cluster,
        )
        for one, credits in merged(produced, by_passages=bool(design.second_question))
    ]
    return Drawn(tuple(items), labels, dict(left_out), len(chosen))


def _systems(
    rows: Sequence[Mapping[str, Any]], wanted: Sequence[str]
) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Return the label of every system, and the configurations of each run that take part."""
    if len({row["spec"]["resolved"]["dataset_fingerprint"] for row in rows}) > 1:
        raise OptionError("the runs ask the questions of several datasets: choose runs of one dataset.")
    systems: dict[str, tuple[str, ...]] = {}
    labels: dict[str, str] = {}
    for row in rows:
        there = in_order(list(row["spec"]["configurations"]))
        systems[row["id"]] = tuple(name for name in there if not wanted or name in wanted)
        run = f" · {row['title'] or row['id']}" if len(rows) > 1 else ""
        labels |= {Credit(row["id"], name).key: row["spec"]["labels"][name] + run for name in systems[row["id"]]}
    known = {name for names in systems.values() for name in names}
    if lacking := next((name for name in wanted if name not in known), None):
        raise OptionError(f"no chosen run has a configuration '{lacking[:80]}': choose one that `score` lists.")
    return labels, systems


def _relations(store: Store, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the relation of every question that all runs ask, in the dataset's order."""
    asked = [{row["id"]: row["relation"] or "" for row in question_labels(store, run["id"])} for run in rows]
    return {name: relation for name, relation in asked[0].items() if all(name in others for others in asked)}


def _produced(
    store: Store,
    rows: Sequence[Mapping[str, Any]],
    systems: Mapping[str, Sequence[str]],
    questions: Sequence[str],
    left_out: Counter[str],
) -> Iterator[Produced]:
    for name in questions:
        asked = question_of(store, rows[0]["dataset"], name)
        if asked is None:
            raise OptionError(f"question '{name[:80]}' is not stored any more: import its dataset again.")
        for row in rows:
            stored = {one["configuration"]: one for one in question_items(store, row["id"], systems[row["id"]], name)}
            for configuration in systems[row["id"]]:
                found = stored.get(configuration)
                if found is None or "sentences" not in found["answer"]:
                    left_out[found["similarity_reason"] or NO_ANSWER if found else NO_ANSWER] += 1
                    continue
                yield Produced(
                    credit=Credit(row["id"], configuration),
                    question_id=name,
                    relation=asked.relation or "",
                    question=asked.question,
                    reference=asked.answer,
                    answer=" ".join(found["answer"]["sentences"]),
                    cluster=asked.document_ids[0] if asked.document_ids else name,
                    # in no retriever's order: it would tell whose answer this is
                    passages=tuple(sorted(found["passages"])),
                )


def _texts(one: Produced) -> tuple[str, ...]:
    found = {
        passage.id: "".join(piece.text for piece in passage.pieces)
        for passage in retrieved(one.credit.run, one.question_id, one.credit.configuration).passages
    }
    return tuple(found[name] for name in one.passages if found.get(name))


def _questions(design: Design) -> Drawn:
    _, store = workspace()
    dataset = load_dataset(store, design.dataset)
    dimension = design.dimension
    options = sorted({found for one in dataset.questions if (found := one.categories.get(dimension))})
    if dimension and not options:
        there = sorted({name for one in dataset.questions for name in one.categories})
        known = f"choose of {', '.join(there)}" if there else "it has none, so leave it out"
        raise OptionError(f"no question of '{design.dataset[:80]}' has a category of '{dimension[:80]}': {known}.")
    strata = {one.id: one.categories.get(dimension, "") or one.relation or "" for one in dataset.questions}
    chosen = frozenset(drawn_questions(strata, design.n_questions, design.seed))
    documents = {document.id: document.text for document in dataset.documents}
    items = [
        Item(
            id="",
            ordinal=0,
            question_id=one.id,
            relation=one.relation or "",
            question=one.question,
            reference="",
            answer=one.answer,
            passages=tuple(documents[name] for name in one.document_ids if name in documents),
            cluster=one.document_ids[0] if one.document_ids else one.id,
            assigned=one.categories.get(dimension, ""),
        )
        for one in dataset.questions
        if one.id in chosen
    ]
    return Drawn(tuple(items), {}, {}, len(chosen), tuple(options))
