"""Datasets with nuggets for tests of the engine: one with documents and evidence, one judged collection without any."""

from __future__ import annotations

from collections.abc import Mapping

from core.datasets.validation import labels
from core.schema import (
    Card,
    Dataset,
    Document,
    EvidenceGroup,
    Nugget,
    NuggetAnswer,
    Question,
    Span,
    SystemAnswer,
)
from core.services.workspace import workspace
from core.store.datasets import save_dataset
from core.store.systems import save_system

FERRY = (
    "The Marlow ferry runs every forty minutes in summer. In winter it runs twice a day because the harbour freezes. "
    "A ticket costs three crowns."
)
MILL = "The Marlow mill was built in 1871 by Anna Rusk. It ground oats until the river was dammed in 1902."


def _group(document: str, text: str, *pieces: str) -> EvidenceGroup:
    return tuple(Span(document, text.index(piece), text.index(piece) + len(piece)) for piece in pieces)


def ferry() -> Dataset:
    """Two documents, three questions: two with nuggets of every kind, one without any."""
    winter = "In winter it runs twice a day because the harbour freezes."
    questions = (
        Question(
            "q1",
            "How often does the Marlow ferry run in summer and in winter?",
            "Every forty minutes in summer, twice a day in winter.",
            ("ferry",),
            evidence=(_group("ferry", FERRY, "every forty minutes in summer", winter),),
            nuggets=(
                Nugget("n1", "The ferry runs every forty minutes in summer.",
                       evidence=(_group("ferry", FERRY, "every forty minutes in summer"),)),
                Nugget("n2", "In winter the ferry runs twice a day.", "okay",
                       evidence=(_group("ferry", FERRY, winter),)),
            ),
        ),
        Question(
            "q2",
            "When was the Marlow mill built and when was the river dammed?",
            "It was built in 1871, the river was dammed in 1902.",
            ("mill",),
            nuggets=(
                Nugget(
                    "n1",
                    "The years of the mill.",
                    aggregator="AND",
                    answers=(
                        NuggetAnswer("The mill was built in 1871.", (_group("mill", MILL, "built in 1871"),)),
                        NuggetAnswer("The river was dammed in 1902.", (_group("mill", MILL, "dammed in 1902"),)),
                    ),
                ),
                Nugget("n2", "Anna Rusk built the mill."),
            ),
        ),
        Question("q3", "What does a ferry ticket cost?", "Three crowns.", ("ferry",)),
    )  # fmt: skip
    documents = (Document("ferry", FERRY, language="en"), Document("mill", MILL, language="en"))
    return Dataset(Card("marlow", language="en"), documents, questions)


def judged() -> Dataset:
    """Two topics of a collection of which we know the documents' ids alone."""
    topics = (
        Question(
            "t1",
            "What is known of the ferry?",
            "",
            (),
            nuggets=(
                Nugget("n1", "The ferry runs every forty minutes in summer.", documents=("d1", "d2")),
                Nugget("n2", "A ticket costs three crowns.", "okay", documents=("d2",)),
                Nugget("n3", "The ferry was painted green in spring."),
            ),
            judged=("d1", "d2", "d3"),
        ),
        Question(
            "t2",
            "What is known of the mill?",
            "",
            (),
            nuggets=(
                Nugget(
                    "n1",
                    "The years of the mill",
                    aggregator="AND",
                    answers=(
                        NuggetAnswer("built in 1871", documents=("m1",)),
                        NuggetAnswer("river dammed in 1902", documents=("m2",)),
                    ),
                ),
            ),
            judged=("m1", "m2"),
        ),
    )
    return Dataset(Card("judged", language="en"), (), topics)


def stored(dataset: Dataset, **systems: Mapping[str, SystemAnswer]) -> str:
    """Store a dataset with systems by name and return the dataset's name."""
    _, store = workspace()
    name = save_dataset(
        store, dataset, source="made", source_hash=dataset.card.name, format="trilens", labels=labels(dataset)
    )
    for system, answers in systems.items():
        save_system(store, name, system, answers, source="made")
    return name
