"""Use case *generate*, afterwards: look through the accepted pairs, edit or drop them, check the set, save it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.datasets.importers import name_fault
from core.datasets.language import common_language
from core.datasets.morgana_lines import morgana_lines
from core.datasets.validation import labels
from core.errors import OptionError
from core.generation.diversity import Diversity, diversity
from core.generation.filters import FEWEST_CHARACTERS, LONGEST_ANSWER, LONGEST_QUESTION, label_agrees
from core.generation.plan import plan_of
from core.schema import Card, Dataset, Document, Question
from core.services.workspace import workspace
from core.services.written_file import written_file
from core.store.datasets import save_dataset
from core.store.generation import (
    StoredPair,
    generation_documents,
    generation_row,
    pairs,
    review_pair,
    update_generation,
)

#: what a dataset is stored as that was made here
FORMAT = "generated"
#: reasons of rejection that are listed with their pairs at most
MOST_REJECTED = 500
_FIELDS = frozenset({"keep", "question", "answer"})


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """An accepted pair as a reviewer sees it, edits included. ``key`` names it within its question set."""

    key: str
    keep: bool
    question: str
    answer: str
    categories: Mapping[str, str]
    document: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Rejected:
    """A pair that was not accepted, and why; both texts are "" for a call that gave no pair."""

    reason: str
    question: str
    answer: str
    document: str


@dataclass(frozen=True, slots=True)
class Checks:
    """What the kept pairs are like: how varied, and how many labels of linguistic variation agree with what was
    measured (``agreeing`` of ``judged``; labels that cannot be measured are not judged).
    """

    n: int
    diversity: Diversity | None
    judged: int
    agreeing: int


def review_rows(identifier: str) -> list[ReviewRow]:
    """Return the accepted pairs in the order in which they came. Raises OptionError where there is no such set."""
    _, store = workspace()
    generation_row(store, identifier)
    return [_review_row(pair) for pair in pairs(store, identifier, accepted=True)]


def rejected(identifier: str) -> list[Rejected]:
    """Return what was not accepted, newest last, at most 500 of it."""
    _, store = workspace()
    found = pairs(store, identifier, accepted=False)[-MOST_REJECTED:]
    return [Rejected(pair.reason, pair.question, pair.answer, pair.document) for pair in found]


def change(identifier: str, key: str, values: Mapping[str, Any]) -> None:
    """Store what a reviewer made of one pair: "keep", "question" or "answer".

    Raises:
        OptionError: no such pair, or a value that no pair may have; nothing was changed.
    """
    _, store = workspace()
    pair = next((one for one in pairs(store, identifier, accepted=True) if _key(one) == key), None)
    if pair is None:
        raise OptionError("this pair is no longer there: load the page again.")
    if unknown := set(values) - _FIELDS:
        raise OptionError(f"'{min(unknown)[:40]}' is nothing that a review changes: keep, question and answer are.")
    if "keep" in values:
        if not isinstance(values["keep"], bool):
            raise OptionError("keep is either on or off.")
        pair = replace(pair, keep=values["keep"])
    if "question" in values:
        text = _text("question", values["question"], FEWEST_CHARACTERS, LONGEST_QUESTION)
        pair = replace(pair, edited_question="" if text == pair.question else text)
    if "answer" in values:
        text = _text("answer", values["answer"], 1, LONGEST_ANSWER)
        pair = replace(pair, edited_answer="" if text == pair.answer else text)
    review_pair(store, identifier, pair)


def checks(identifier: str) -> Checks:
    """Return what the kept pairs are like, as a review has left them."""
    _, store = workspace()
    texts = {document.id: document for document in generation_documents(store, identifier)}
    kept = [pair for pair in pairs(store, identifier, accepted=True) if pair.keep]
    seed = plan_of(generation_row(store, identifier)["plan"]).seed
    verdicts = [_agrees(pair, texts[pair.document]) for pair in kept]
    judged = [verdict for verdict in verdicts if verdict is not None]
    return Checks(len(kept), diversity([_question(pair) for pair in kept], seed), len(judged), sum(judged))


def made(identifier: str, name: str) -> Dataset:
    """Return the kept pairs as a dataset of its documents, labelled at the level each was asked for.

    Raises:
        OptionError: no such set, or nothing is kept.
    """
    _, store = workspace()
    row = generation_row(store, identifier)
    kept = [pair for pair in pairs(store, identifier, accepted=True) if pair.keep]
    if not kept:
        raise OptionError(f"question set '{identifier}' keeps no pair: accept some, or generate more.")
    documents = generation_documents(store, identifier)
    used = {pair.document for pair in kept}
    card = Card(
        name=name,
        title=name,
        description=f"{len(kept)} questions generated by {row['model']['model']} from {row['title']}.",
        language=common_language(documents),
        source=row["title"],
        trees=row["trees"],
        notes={"made": _how(row), "checked": _checked(kept)},
    )
    return Dataset(card, tuple(one for one in documents if one.id in used), tuple(_as_question(pair) for pair in kept))


def save(identifier: str, name: str) -> str:
    """Store the kept pairs as a dataset and return its name; equal content keeps the name it has.

    Raises:
        OptionError: nothing is kept, or the name is taken by other content or no usable name.
    """
    if fault := name_fault(name):
        raise OptionError(f"{name!r} {fault}: choose another name.")
    _, store = workspace()
    dataset = made(identifier, name)
    stored = save_dataset(
        store, dataset, source=dataset.card.source, source_hash="", format=FORMAT, labels=labels(dataset), name=name
    )
    update_generation(store, identifier, dataset=stored)
    return stored


def proposed_name(title: str) -> str:
    """Return a name for what is made of documents of this title."""
    plain = re.sub(r"[^\w.-]+", "-", title).strip("-.")[:60]
    return f"{plain or 'documents'}-questions"


def as_morgana(identifier: str) -> str:
    """Return the kept pairs as JSON Lines in DataMorgana's format. Raises as ``made`` does."""
    return "".join(morgana_lines(made(identifier, identifier), _user_dimensions(identifier)))


def write_morgana(identifier: str, path: Path) -> None:
    """Write the kept pairs as JSON Lines in DataMorgana's format.

    Raises:
        OptionError: nothing is kept.
        InputError: the file cannot be written there.
    """
    lines = as_morgana(identifier)
    with written_file(path) as file:
        file.write(lines)


def _user_dimensions(identifier: str) -> frozenset[str]:
    _, store = workspace()
    plan = plan_of(generation_row(store, identifier)["plan"])
    return frozenset(one.dimension for one in plan.users)


def _text(field: str, value: Any, low: int, high: int) -> str:
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if not low <= len(text) <= high:
        raise OptionError(f"the {field} has {len(text):,} characters: write {low} to {high:,}, or drop the pair.")
    return text


def _review_row(pair: StoredPair) -> ReviewRow:
    return ReviewRow(
        key=_key(pair),
        keep=pair.keep,
        question=_question(pair),
        answer=_answer(pair),
        categories=_categories(pair),
        document=pair.document,
        changed=bool(pair.edited_question or pair.edited_answer),
    )


def _as_question(pair: StoredPair) -> Question:
    return Question(
        id=_key(pair),
        question=_question(pair),
        answer=_answer(pair),
        document_ids=(pair.document,),
        categories=_categories(pair),
        meta={"question_set": pair.question_set} if pair.question_set else {},
    )


def _key(pair: StoredPair) -> str:
    """A slot accepts one pair, so its name is the question's, whichever attempt it was."""
    return pair.slot


def _question(pair: StoredPair) -> str:
    return pair.edited_question or pair.question


def _answer(pair: StoredPair) -> str:
    return pair.edited_answer or pair.answer


def _categories(pair: StoredPair) -> dict[str, str]:
    return {**pair.record["categories"], **pair.record["users"]}


def _agrees(pair: StoredPair, document: Document) -> bool | None:
    start, end = pair.record["shown"]
    label = pair.record["categories"].get("LV", "")
    return label_agrees(label, _question(pair), document.text[start:end], document.language) if label else None


def _how(row: Mapping[str, Any]) -> str:
    plan = row["plan"]
    return (
        f"question set {row['id']}: {row['model']['model']}, prompts {row['model']['prompts']}, seed {plan['seed']}, "
        f"{plan['pairs']} pairs a call, at most {plan['attempts']} calls a question; sets of different levels are "
        "independent of each other"
    )


def _checked(kept: Sequence[StoredPair]) -> str:
    edited = sum(bool(pair.edited_question or pair.edited_answer) for pair in kept)
    return (
        f"filtered by rules (grounded in the document, no near-duplicate, does not mention the document); {edited} of "
        f"{len(kept)} pairs edited by a person"
    )


def report_json(identifier: str) -> dict[str, Any]:
    """Return the checks as JSON-able values."""
    found = checks(identifier)
    return {
        "kept": found.n,
        "labels": {"judged": found.judged, "agreeing": found.agreeing},
        "diversity": None if found.diversity is None else _plain(found.diversity),
    }


def _plain(found: Diversity) -> dict[str, Any]:
    return {
        "n": found.n,
        "sample": found.sample,
        "distinct": list(found.distinct),
        "repeated": found.repeated,
        "compression": found.compression,
    }


def check_sentences(found: Checks) -> Iterator[str]:
    """Yield the checks in words."""
    if found.diversity is None:
        yield "No pair is kept, so there is nothing to check."
        return
    varied = found.diversity
    shares = ", ".join("none" if share is None else f"{share:.3f}" for share in varied.distinct)
    size = f"on {varied.sample:,} questions" if varied.sample == varied.n else f"on samples of {varied.sample:,}"
    yield f"Distinct n-grams (1 to 4 words): {shares}, {size}."
    yield f"Questions with a 4-word sequence that another one has too: {varied.repeated:.1%}."
    yield f"Compression ratio: {varied.compression:.2f} (raw by compressed; higher is more repetitive)."
    if found.judged:
        yield (
            f"Linguistic variation: {found.agreeing:,} of {found.judged:,} labels agree with the measured overlap of "
            "words (reported, not forced)."
        )
