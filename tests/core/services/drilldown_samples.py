"""A small run made by hand, row by row, in a real store: every state, evidence in pieces, nuggets of every kind."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from core.datasets.validation import labels
from core.engine.spec import Request, resolve
from core.schema import Card, Dataset, Document, Nugget, NuggetAnswer, Question, Span
from core.services.workspace import workspace
from core.store.database import now
from core.store.datasets import dataset_fingerprint, save_dataset
from core.store.run_items import RunItem, save_items
from core.store.runs import create_run, update_run

HOSTILE = (
    "<script>alert(1)</script> **bold** <img src=x onerror=alert(2)> :red[r] $z$ [l](http://evil.example) </mark> &amp;"
)
FERRY = (
    "The Marlow ferry runs every forty minutes in summer. In winter it runs twice a day because the harbour freezes. "
    "A ticket costs three crowns, and a season ticket costs forty crowns a year. Children below six travel free. "
    "The crew sleeps on board from May to September. The bell is rung before each departure."
)
MILL = (
    "The Marlow mill was built in 1871 by Anna Rusk. It ground oats until the river was dammed in 1902. Afterwards it "
    "served as a school for thirty years. The wheel still turns on market days. ÄPFEL und Straße stand on its sign."
)
TREES = {"QC": {"simple": ["one fact", "two facts"], "complex": ["inference"]}, "style": ["plain", "odd"]}


def span(text: str, piece: str, document: str) -> Span:
    start = text.index(piece)
    return Span(document, start, start + len(piece))


def dataset() -> Dataset:
    summer = span(FERRY, "The Marlow ferry runs every forty minutes in summer.", "ferry")
    winter = span(FERRY, "In winter it runs twice a day because the harbour freezes.", "ferry")
    bell = span(FERRY, "The bell is rung before each departure.", "ferry")
    dam = span(MILL, "It ground oats until the river was dammed in 1902.", "mill")
    questions = (
        Question(
            "q1", "How often does the ferry run?", "Every forty minutes, in winter twice a day.", ("ferry",),
            relation="temporal", evidence=((summer, winter),), split="train",
            categories={"QC": "two facts", "style": "plain"},
            nuggets=(
                Nugget("n1", "It runs every forty minutes in summer.", evidence=((summer,),)),
                Nugget("n2", "A bell is heard.", importance="okay", stated=False, evidence=((bell,),)),
                Nugget("n3", "Nobody marked where.", importance="okay"),
                Nugget(
                    "n4", "Why or how often in winter.", aggregator="OR",
                    answers=(NuggetAnswer("twice", ((winter,),)), NuggetAnswer("bell", ((bell,),))),
                ),
                Nugget(
                    "n5", "All of it.", aggregator="AND",
                    answers=(NuggetAnswer("twice", ((winter,),)), NuggetAnswer("bell", ((bell,),))),
                ),
            ),
        ),
        Question(
            "q2", "Why does it run less in winter?", "Because the harbour freezes.", ("ferry",), "causal",
            evidence=((winter,),), categories={"QC": "one fact", "style": "odd"}, split="test",
        ),
        Question(
            "q3", "What ended the milling?", "The damming of the river.", ("mill",), "causal",
            evidence=((dam,),), categories={"QC": "inference", "style": "plain"}, split="test",
        ),
        Question("q4", "Was steht auf dem Schild?", "Äpfel und STRASSE.", ("mill",), "causal", split="train"),
        Question("q5", "Who built it? " + HOSTILE, "Anna Rusk. " + HOSTILE, ("odd",), "temporal", split="test"),
        Question("q6", "Unlabelled?", "Yes.", ("mill",)),
    )  # fmt: skip
    documents = (
        Document("ferry", FERRY, "The ferry", "en"),
        Document("mill", MILL, "The mill", "en"),
        Document("odd", HOSTILE, HOSTILE, "en"),
    )
    return Dataset(Card("marlow", "Marlow", trees=TREES), documents, questions)


def item(configuration: str, question: str, **changes: Any) -> RunItem:
    made = RunItem(
        configuration=configuration, question=question, passages=json.dumps(["ferry#0", "ferry#1"]),
        answer=json.dumps(
            {
                "sentences": ["It runs every forty minutes.", "The harbour freezes."],
                "citations": [
                    {"sentence": 0, "document_id": "ferry", "passage_id": "ferry#0"},
                    {"sentence": 1, "document_id": "ferry", "passage_id": "ferry#1"},
                    {"sentence": 1, "document_id": "ferry", "passage_id": "ferry#0"},
                    {"sentence": 1, "document_id": "mill", "passage_id": "mill#0"},
                ],
                "refused": False,
            }
        ),
        refused=0, words=40, sentences=4, similarity=0.5, similarity_state="scored", similarity_reason="",
        predicted="causal", correct=0, correct_state="scored", correct_reason="",
    )  # fmt: skip
    return replace(made, **changes)


def said(*sentences: str) -> str:
    return json.dumps({"sentences": list(sentences), "citations": [], "refused": False}, ensure_ascii=False)


def items() -> list[RunItem]:
    failed = {"similarity": None, "predicted": None, "correct": None, "passages": "[]", "answer": "{}", "words": 0}
    return [
        item("knn", "q1", similarity=0.9, predicted="temporal", correct=1),
        item("knn", "q2", similarity=0.2),
        item("knn", "q3", similarity=0.4, correct=1, passages='["mill#0"]', answer=said("The dam of 1902.")),
        item(
            "knn", "q4", similarity=0.1, refused=1, predicted=None, answer=said("ich weiß es nicht"),
            passages='["mill#1", "ferry#0"]',
        ),
        item(
            "knn", "q5", **failed, similarity_state="failed", correct_state="failed", sentences=0,
            similarity_reason=f"timeout {HOSTILE}", correct_reason=f"timeout {HOSTILE}",
        ),
        item(
            "knn", "q6", similarity=0.7, predicted=None, correct=None, correct_state="not_applicable",
            correct_reason="this question has no relation label",
        ),
        *(item("bm25", f"q{n}", similarity=n / 10, answer=said(f"Answer {n}. {HOSTILE}")) for n in range(1, 7)),
        *(item("evidence", f"q{n}", similarity=0.8) for n in range(1, 4)),
        *(
            item(
                "evidence", f"q{n}", **failed, similarity_state="not_applicable", correct_state="not_applicable",
                similarity_reason="the dataset marks no evidence", correct_reason="the dataset marks no evidence",
            )
            for n in range(4, 7)
        ),
    ]  # fmt: skip


def make_run(*, rows: list[RunItem] | None = None, made: Dataset | None = None, **choices: Any) -> str:
    """Store the dataset and a run of it that is done (still going, without rows, for ``rows=[]``); return its id."""
    _, store = workspace()
    made = made or dataset()
    name = save_dataset(store, made, source="made", source_hash="x", format="trilens", labels=labels(made))
    request = Request(name, scope="corpus", retrievers="knn,bm25", combinations="none", chunk_words=20, **choices)
    spec = resolve(request, made, dataset_fingerprint(made))
    create_run(store, spec.run_id, name, spec.stored())
    rows = items() if rows is None else rows
    save_items(store, spec.run_id, rows)
    update_run(
        store, spec.run_id, state="done" if rows else "stopped", version=int(bool(rows)), finished=now(),
        provenance={"seconds": {}},
        diagnostics={
            "classifier": None, "no_relations_because": "", "chunks_per_document": 3.0, "n_documents": 3,
            "n_passages": 9, "truncated_answers": 0, "encoder_tokens": 256,
        },
    )  # fmt: skip
    return spec.run_id


def hostile_run() -> str:
    """A run in which every text that a dataset or an answerer can bring is hostile."""
    made = dataset()
    document = replace(made.documents[2], text=f"{HOSTILE} Second. {HOSTILE}", title=HOSTILE)
    first = replace(
        made.questions[4], relation=HOSTILE, categories={HOSTILE: HOSTILE}, evidence=made.questions[0].evidence,
        nuggets=tuple(replace(n, text=HOSTILE) for n in made.questions[0].nuggets),
    )  # fmt: skip
    made = replace(made, documents=(*made.documents[:2], document), questions=(first, made.questions[0]))
    rows = [
        item(
            "knn",
            "q5",
            answer=said(HOSTILE, f"{HOSTILE} again"),
            passages='["odd#0", "ferry#0", "<b>#0"]',
            predicted=HOSTILE,
        ),
        item("bm25", "q5", similarity=None, similarity_state="failed", similarity_reason=HOSTILE),
    ]
    run = make_run(made=made, rows=rows)
    _, store = workspace()
    spec = json.loads(store.rows("SELECT spec FROM runs")[0]["spec"])
    spec["labels"]["knn"] = HOSTILE
    update_run(store, run, spec=spec, title=HOSTILE)
    return run
