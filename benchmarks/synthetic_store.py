"""A seeded store of the size the pages are budgeted for: 5,000 questions x 20 configurations x 13 relations.

The dataset and the rows are made up; everything is written by the product's own functions, so the pages cannot tell.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from benchmarks.synthetic_coverage import NUGGETS, save_synthetic_coverage
from core.datasets.validation import labels
from core.engine.spec import Request, RunSpec, resolve
from core.schema import Card, Dataset, Document, Nugget, Question, Span
from core.store.database import Store, now
from core.store.datasets import dataset_fingerprint, save_dataset
from core.store.run_items import RunItem, save_items
from core.store.runs import create_run, update_run
from core.taxonomy.relations import BUNDLED

QUESTIONS, DOCUMENTS, WORDS = 5_000, 500, 400
NAME = "synthetic"
_VOCABULARY = (
    *("harbour", "mill", "tower", "river", "keeper", "lamp", "bridge", "salt", "rope", "winter", "barge", "market"),
    *("clerk", "garden", "bell", "stone", "road", "ferry", "signal", "engine", "ledger", "copper", "timber", "wool"),
    *("grain", "lantern", "quarry", "chapel", "orchard", "canal"),
)
_REQUEST = Request(
    NAME,
    scope="corpus",
    retrievers="dps,knn,bm25,svm,tfidf,mmr,edi,bm25/langchain,tfidf/langchain,tfidf/paper",
    combinations="a-seven,a-four,a-two,s-seven,s-four,s-two,a:knn+bm25,a:knn+tfidf,s:knn+bm25",
)
_TREES = {"QC": {"simple": ["one_fact", "two_facts"], "complex": ["inference", "comparison"]}, "split_in": ["a", "b"]}


def build(home: Path, seed: int = 0) -> str:
    """Fill the store of ``home`` and return the id of its run, which is done."""
    home.mkdir(parents=True, exist_ok=True)
    store = Store(home / "trilens.db")
    generator = np.random.default_rng(seed)
    dataset = _dataset(generator)
    save_dataset(
        store, dataset, source="made up", source_hash="synthetic", format="trilens", labels=labels(dataset), name=NAME
    )
    spec = resolve(_REQUEST, dataset, dataset_fingerprint(dataset))
    create_run(store, spec.run_id, NAME, spec.stored())
    save_items(store, spec.run_id, _items(spec, dataset, generator))
    save_synthetic_coverage(store, spec, dataset, generator)
    names = [relation.name for relation in BUNDLED]
    update_run(
        store, spec.run_id, state="done", finished=now(), seconds=1.0, version=1,
        provenance={"trilens": "0", "packages": {}, "seconds": {}},
        diagnostics={
            "classifier": {
                "accuracy": 0.5, "macro_f1": 0.5, "question_only": 0.4, "majority": 0.1, "n": QUESTIONS,
                "confusion": {"labels": names, "matrix": np.eye(len(names), dtype=int).tolist()},
            },
            "no_relations_because": "", "chunks_per_document": 5.0, "n_documents": DOCUMENTS,
            "n_passages": DOCUMENTS * 5, "truncated_answers": 0, "encoder_tokens": 256,
        },
    )  # fmt: skip
    store.close()
    return spec.run_id


def _dataset(generator: np.random.Generator) -> Dataset:
    documents = []
    for number in range(DOCUMENTS):
        words = generator.choice(_VOCABULARY, size=WORDS)
        sentences = [" ".join(words[at : at + 10]).capitalize() + "." for at in range(0, WORDS, 10)]
        text = "\n\n".join(" ".join(sentences[at : at + 8]) for at in range(0, len(sentences), 8))
        documents.append(Document(f"d{number}", text, f"Document {number}", "en"))
    leaves = [leaf for level in _TREES["QC"].values() for leaf in level]  # type: ignore[union-attr]
    questions = []
    for number in range(QUESTIONS):
        document = documents[number % DOCUMENTS]
        start = 0 if number % 2 else document.text.index(". ") + 2
        span = Span(document.id, start, document.text.index(".", start) + 1)
        text = document.text[span.start : span.end]
        questions.append(
            Question(
                id=f"q{number}",
                question=f"What of {' '.join(generator.choice(_VOCABULARY, size=6))} in case {number}?",
                answer=text,
                document_ids=(document.id,),
                relation=BUNDLED[number % len(BUNDLED)].name,
                evidence=((span,),),
                nuggets=tuple(
                    Nugget(f"q{number}-n{n}", text, "vital" if n < 3 else "okay", evidence=((span,),))
                    for n in range(1, NUGGETS + 1)
                ),
                categories={"QC": leaves[number % len(leaves)], "split_in": "ab"[number % 2]},
                split="test" if number % DOCUMENTS % 4 == 0 else "train",
            )
        )
    return Dataset(Card(NAME, "Synthetic", trees=_TREES), tuple(documents), tuple(questions))


def _items(spec: RunSpec, dataset: Dataset, generator: np.random.Generator) -> list[RunItem]:
    names = [relation.name for relation in BUNDLED]
    shape = (len(spec.configurations), QUESTIONS)
    similarity = np.round(generator.beta(6, 4, size=shape), 6)
    correct = generator.random(shape) < 0.3
    picks = generator.integers(DOCUMENTS, size=(*shape, 4))
    items = []
    for line, configuration in enumerate(spec.configurations):
        for column, question in enumerate(dataset.questions):
            passages = [f"d{document}#{place}" for place, document in enumerate(picks[line, column].tolist())]
            answer = {
                "sentences": [question.answer],
                "citations": [{"sentence": 0, "document_id": passages[0].split("#")[0], "passage_id": passages[0]}],
                "refused": False,
            }
            right = bool(correct[line, column])
            items.append(
                RunItem(
                    configuration, question.id, json.dumps(passages), json.dumps(answer), 0, 240, 24,
                    float(similarity[line, column]), "scored", "",
                    question.relation if right else names[(column + line + 1) % len(names)], int(right), "scored", "",
                )
            )  # fmt: skip
    return items
