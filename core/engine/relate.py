"""Stage *classify*: the relation of every produced answer, by a classifier that never saw its document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.engine.contexts import Context
from core.engine.encode import Encodings
from core.engine.fill import Workbench
from core.engine.spec import EVIDENCE, VERSIONS, RunSpec
from core.engine.systems import is_system
from core.relations.classifier import FittedRelations, LocalClassifier, Unfittable, fit
from core.relations.diagnostics import movable_share
from core.relations.features import cues
from core.relations.folds import grouped_folds
from core.schema import Answer, Question, Split, content_hash
from core.store.stage_results import StageKey, StageResult, get_results, put_results

_BATCH = 2_000
#: one part of so many is the test side of a split that is drawn
_FIFTHS = 5

Pair = tuple[str, str]


@dataclass(frozen=True)
class Relations:
    """Predicted relations by (configuration id, question id), or ``reason`` why there are none.

    ``unpredicted`` says for single questions why none of their answers gets a prediction.
    """

    predicted: Mapping[Pair, str] = field(default_factory=dict)
    unpredicted: Mapping[str, str] = field(default_factory=dict)
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""


def relations_of(
    spec: RunSpec,
    questions: Sequence[Question],
    texts: Mapping[str, Context],
    contexts: Mapping[Pair, Context],
    answers: Mapping[Pair, Answer],
    encodings: Encodings,
    bench: Workbench,
) -> Relations:
    """Fit the classifier on gold answers and predict the relation of every produced answer.

    ``texts`` maps question ids to the text the classifier learns from: the gold evidence, else what kNN retrieved.
    Refusals are not predicted: their relation is wrong by definition.
    """
    if spec.classifier is None:
        return Relations(reason="relations were switched off for this run")
    if not any(question.relation for question in questions):
        return Relations(reason="the dataset has no relation labels")
    labelled = [question for question in questions if question.relation and question.id in texts]
    if not labelled:
        return Relations(reason="no labelled question has a text to learn from: no evidence is marked, and kNN failed")
    index = {question.id: place for place, question in enumerate(labelled)}
    fit_key = content_hash(
        VERSIONS["classify"],
        spec.classifier.as_spec(),
        encodings.spec.as_spec(),
        [
            (q.id, q.question, q.answer, q.relation, q.document_ids, q.split, [s.text for s in texts[q.id].sentences])
            for q in labelled
        ],
    )
    bench.progress.begin("fit relations", 1)
    try:
        fitted = _fitted(spec.classifier, fit_key, labelled, texts, encodings, bench)
    except Unfittable as error:
        return Relations(reason=str(error))
    bench.progress.advance(1)

    asked = {
        pair: answer
        for pair, answer in answers.items()
        if pair[1] in index and not answer.refused and not contexts[pair].no_relation
    }
    items = {pair: content_hash(pair[1], answer.text, contexts[pair].fingerprint) for pair, answer in asked.items()}
    inputs = {items[pair]: pair for pair in asked}
    bench.progress.begin("classify", len(inputs))
    means: dict[str, NDArray[np.float32]] = {}

    def compute(batch: Sequence[tuple[str, Pair]]) -> list[StageResult]:
        rows = [labelled[index[pair[1]]] for _, pair in batch]
        produced = [asked[pair].text for _, pair in batch]
        labels = fitted.predict(
            np.array([index[pair[1]] for _, pair in batch]),
            encodings.unit([q.question for q in rows]),
            encodings.unit(produced),
            np.stack([_mean(contexts[pair], encodings, means) for _, pair in batch]),
            np.stack([cues(q.question, text) for q, text in zip(rows, produced, strict=True)]),
        )
        return [StageResult(item, label) for (item, _), label in zip(batch, labels, strict=True)]

    results = bench.fill(StageKey("classify", fit_key), inputs, compute, batch=_BATCH)
    predicted = {pair: label for pair, item in items.items() if (label := str(results[item].value))}
    unpredicted = {q.id: reason for q, reason in zip(labelled, fitted.reasons, strict=True) if reason}
    return Relations(predicted, unpredicted, _diagnostics(fitted, labelled, predicted, answers))


def _fitted(
    classifier: LocalClassifier,
    fit_key: str,
    labelled: Sequence[Question],
    texts: Mapping[str, Context],
    encodings: Encodings,
    bench: Workbench,
) -> FittedRelations:
    key = StageKey("fit relations", fit_key)
    stored = get_results(bench.store, key, ["model"])
    if stored:
        return FittedRelations.load(stored["model"].value)
    means: dict[str, NDArray[np.float32]] = {}
    fitted = fit(
        classifier,
        question=encodings.unit([q.question for q in labelled]),
        answer=encodings.unit([q.answer for q in labelled]),
        text=np.stack([_mean(texts[q.id], encodings, means) for q in labelled]),
        cues=np.stack([cues(q.question, q.answer) for q in labelled]),
        labels=[q.relation or "" for q in labelled],
        documents=_document_groups(labelled),
        splits=_splits(classifier, labelled),
    )
    put_results(bench.store, key, [StageResult("model", fitted.save())])
    return fitted


def _splits(classifier: LocalClassifier, questions: Sequence[Question]) -> list[Split | None]:
    """Return the dataset's split, or where it has none the paper's 80/20: seeded, by document, relations balanced."""
    given = [question.split for question in questions]
    if classifier.mode != "train_split" or any(given):
        return given
    relations = [question.relation or "" for question in questions]
    folds = grouped_folds(relations, _document_groups(questions), _FIFTHS, classifier.seed)
    return ["test" if fold == 0 else "train" for fold in folds]


def _document_groups(questions: Sequence[Question]) -> list[str]:
    """Name of each question's group: documents that a question joins are held out together, so that none leaks."""
    group = {document: document for question in questions for document in question.document_ids}

    def first(document: str) -> str:
        while group[document] != document:
            document = group[document]
        return document

    for question in questions:
        for document in question.document_ids[1:]:
            group[first(document)] = first(question.document_ids[0])
    return [first(question.document_ids[0]) for question in questions]


def _mean(context: Context, encodings: Encodings, means: dict[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    """Mean of the unit vectors of a context's sentences; no text beyond the encoder's window is ever encoded."""
    if context.fingerprint not in means:
        units = encodings.unit([sentence.text for sentence in context.sentences])
        means[context.fingerprint] = (
            units.mean(axis=0) if len(units) else np.zeros(encodings.spec.dimension, np.float32)
        )
    return means[context.fingerprint]


def _diagnostics(
    fitted: FittedRelations, labelled: Sequence[Question], predicted: Mapping[Pair, str], answers: Mapping[Pair, Answer]
) -> dict[str, Any]:
    """The classifier's held-out quality, and how far retrieval can move LRCR at all.

    A refusal is a wrong relation; a question that some configuration could not answer compares nothing. What other
    systems answered says nothing of retrieval.
    """
    configurations = sorted({name for name, _ in answers if name != EVIDENCE and not is_system(name)})
    judged = [
        q
        for q, reason in zip(labelled, fitted.reasons, strict=True)
        if not reason and all((name, q.id) in answers for name in configurations)
    ]
    table = [[predicted.get((name, q.id)) == q.relation for q in judged] for name in configurations]
    return {**fitted.diagnostics.as_dict(), "movable": movable_share(np.array(table, dtype=bool))}
