"""Use case *training file*: a dataset's train questions as the chats from which a language model learns relations.

Each line is one chat: the very messages that ``--relations llm`` sends about a reference answer, and the relation as
the reply. A model that was tuned on it is then asked what it was taught.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import OptionError
from core.relations.labelled import document_groups, gold_text, relations_in, splits
from core.relations.prompted import Case, inquiry, instruction
from core.retrieval.lexical import rank_bm25
from core.retrieval.pool import Pool
from core.schema import Dataset, Document, Passage, Question
from core.services.workspace import workspace
from core.services.written_file import written_file
from core.store.datasets import load_dataset
from core.text.chunking import Chunking, chunk

#: passages that stand in for evidence where none is marked: as many as a run hands to the answerer
_PASSAGES = 4


@dataclass(frozen=True, slots=True)
class TrainingFile:
    """What was written: ``n_chats`` lines about ``n_documents`` documents, by relation.

    ``n_retrieved`` chats rest on passages that BM25 found, because no evidence is marked. ``n_held_out`` labelled
    questions are no train questions, ``n_left_out`` have neither reference answer nor text. ``drawn`` says that the
    dataset marks no split and one was drawn; ``on_both_sides`` counts documents with questions inside and outside.
    """

    path: Path
    n_chats: int
    n_documents: int
    n_held_out: int
    n_left_out: int
    n_retrieved: int
    relations: Mapping[str, int]
    drawn: bool
    on_both_sides: int


def write_training_file(name: str, path: Path, *, seed: int = 0) -> TrainingFile:
    """Write the train questions of a stored dataset as JSON Lines of ``{"messages": [system, user, assistant]}``.

    Where the dataset marks no split, the one that ``--relations train-split`` draws from ``seed`` is taken: four fifths
    of the documents, relations balanced.

    Raises:
        OptionError: no such dataset, or it has no labelled train question.
        InputError: the file cannot be written there.
        StoreError: the disk is full.
    """
    _, store = workspace()
    dataset = load_dataset(store, name)
    labelled = [question for question in dataset.questions if question.relation]
    if not labelled:
        raise OptionError(f"no question of '{name}' has a relation, so there is nothing to learn from.")
    sides = splits(labelled, seed)
    train = [question for question, side in zip(labelled, sides, strict=True) if side == "train"]
    if not train:
        raise OptionError(
            f"no labelled question of '{name}' is marked as a train question: mark some in field 'split', or leave the "
            "field out and a split is drawn."
        )
    found = _retrieved(dataset, [q for q in train if not q.evidence])
    documents = {document.id: document for document in dataset.documents}
    cases = {q.id: Case(q.question, q.answer, gold_text(q, documents) or found.get(q.id, "")) for q in train}
    usable = [q for q in train if cases[q.id].answer.strip() and cases[q.id].text]
    system = instruction(relations_in(dataset))
    with written_file(path) as file:
        for question in usable:
            file.write(_line(system, inquiry(cases[question.id]), question.relation or ""))
    groups = dict(zip((q.id for q in labelled), document_groups(labelled), strict=True))
    learnt = {groups[q.id] for q in train}
    relations = [relation.name for relation in relations_in(dataset)]
    return TrainingFile(
        path=path,
        n_chats=len(usable),
        n_documents=len({document for q in usable for document in q.document_ids}),
        n_held_out=len(labelled) - len(train),
        n_left_out=len(train) - len(usable),
        n_retrieved=sum(not q.evidence for q in usable),
        relations={name: sum(q.relation == name for q in usable) for name in relations},
        drawn=not any(question.split for question in labelled),
        on_both_sides=len(learnt & {groups[q.id] for q, side in zip(labelled, sides, strict=True) if side != "train"}),
    )


def _line(system: str, user: str, assistant: str) -> str:
    turns = (("system", system), ("user", user), ("assistant", assistant))
    return json.dumps({"messages": [{"role": r, "content": c} for r, c in turns]}, ensure_ascii=False) + "\n"


def _retrieved(dataset: Dataset, questions: Sequence[Question]) -> dict[str, str]:
    """Return the passages that BM25 ranks first in each question's own documents, in the order of the text."""
    documents: dict[str, Document] = {document.id: document for document in dataset.documents}
    of_documents: dict[tuple[str, ...], list[Question]] = {}
    for question in questions:
        of_documents.setdefault(question.document_ids, []).append(question)
    texts: dict[str, str] = {}
    for ids, asked in of_documents.items():
        passages: list[Passage] = [p for id_ in ids for p in chunk(documents[id_], Chunking())]
        if not passages:
            continue
        rankings = rank_bm25(Pool(passages, None), [question.question for question in asked], _PASSAGES)
        for question, ranking in zip(asked, rankings, strict=True):
            texts[question.id] = "\n".join(passages[place].text for place in sorted(ranking.passages))
    return texts
