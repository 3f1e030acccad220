"""Use case *check a dataset*: everything that can be said of its labels by looking at the texts alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.datasets import duplicates, evidence_checks, nugget_checks, wording_checks
from core.datasets.validation import Finding, warnings
from core.models.cache import VectorCache
from core.models.embeddings import DEFAULT_ENCODER, Encoder, encoder_spec
from core.schema import Dataset
from core.services.workspace import workspace
from core.store.datasets import load_dataset

#: share of coarse labels of linguistic variation that measured overlap should confirm
AGREEMENT = 0.80
#: name of a check, what yields the ids it faults, and its sentence
_LEXICAL: tuple[tuple[str, Callable[[Dataset], Iterator[str]], str], ...] = (
    ("evidence-overlaps", evidence_checks.overlapping, "questions with spans of evidence that overlap: {n}"),
    ("evidence-redundant", evidence_checks.redundant,
     "questions with alternative evidence that holds another alternative: {n}"),
    ("nugget-outside-evidence", evidence_checks.nuggets_outside,
     "nuggets whose evidence is no part of their question's: {n}"),
    ("nugget-beyond-answer", nugget_checks.beyond_the_answer,
     "nuggets that say what the reference answer does not: {n}"),
    ("answer-not-covered", nugget_checks.not_covered,
     "questions whose nuggets leave out much of the reference answer: {n}"),
    ("nugget-not-found", nugget_checks.not_found,
     "stated nuggets that the offline matcher does not find in their document: {n}"),
    ("nugget-without-evidence", nugget_checks.found_without_evidence,
     "stated nuggets that the text still supports when their evidence is dropped: {n}"),
    ("copied-answer", wording_checks.copied_answers, "answers that repeat a whole sentence of the text: {n}"),
)  # fmt: skip


def check_dataset(name: str) -> list[Finding]:
    """Return what the checks found in a stored dataset, each with the ids it is about; empty when nothing.

    Texts that have not been encoded yet are encoded (about 400 a second on two cores).

    Raises:
        OptionError: there is no such dataset.
        ModelError: the encoder is missing or damaged.
    """
    _, store = workspace()
    dataset = load_dataset(store, name)
    return [*warnings(dataset), *lexical_findings(dataset), *duplicate_findings(dataset)]


def lexical_findings(dataset: Dataset) -> list[Finding]:
    """Return what comparing spans and words finds: evidence, nuggets, copied answers, linguistic variation."""
    found = (_about(name, check(dataset), message) for name, check, message in _LEXICAL)
    return [*(one for one in found if one), *_variation(dataset)]


def duplicate_findings(dataset: Dataset) -> Iterator[Finding]:
    """Yield near-duplicates among questions and among documents."""
    home, _ = workspace()
    encoder = Encoder(encoder_spec(DEFAULT_ENCODER), VectorCache(home.encodings))
    questions, documents = dataset.questions, dataset.documents
    for what, ids, groups, texts in (
        ("questions", [q.id for q in questions], [q.document_ids[0] if q.document_ids else q.id for q in questions],
         [q.question for q in questions]),
        ("documents", [d.id for d in documents], [d.id for d in documents], [d.text for d in documents]),
    ):  # fmt: skip
        if not texts:
            continue
        pairs = duplicates.near_duplicates(ids, groups, encoder.encode(texts).unit)
        if pairs:
            named = ", ".join(f"{first} and {second} ({cosine:.2f})" for first, second, cosine in pairs[:3])
            yield Finding(
                f"near-duplicate-{what}",
                f"pairs of {what} that say nearly the same: {len(pairs)} (such as {named}).",
                tuple(dict.fromkeys(one for first, second, _ in pairs for one in (first, second))),
            )


def _variation(dataset: Dataset) -> Iterator[Finding]:
    measured = wording_checks.variations(dataset)
    if not measured:
        return
    share = sum(one.agrees for one in measured) / len(measured)
    if share < AGREEMENT:
        against = tuple(one.question for one in measured if not one.agrees)
        yield Finding(
            "variation-disagrees",
            f"measured overlap confirms only {100 * share:.0f} % of the coarse labels of linguistic variation.",
            against,
        )
    outside = tuple(one.question for one in measured if one.in_band is False)
    if outside:
        yield Finding(
            "variation-outside-band",
            f"questions whose overlap lies outside the band their category is named after: {len(outside)}.",
            outside,
        )


def _about(check: str, ids: Iterator[str], message: str) -> Finding | None:
    found = tuple(dict.fromkeys(ids))
    return Finding(check, message.format(n=len(found)) + ".", found) if found else None
