"""Stage *classify* by the local classifier: fitted on gold answers, it never saw the document it judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.engine.contexts import Context
from core.engine.encode import Encodings
from core.engine.fill import Workbench
from core.engine.relations import Pair, Relations, movable
from core.engine.spec import VERSIONS
from core.relations.classifier import FittedRelations, LocalClassifier, Unfittable, fit
from core.relations.cues import cues
from core.relations.labelled import document_groups, splits
from core.schema import Answer, Question, content_hash
from core.store.stage_results import StageKey, StageResult, get_results, put_results

_BATCH = 2_000


def local_relations(
    classifier: LocalClassifier,
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
    labelled = [question for question in questions if question.relation and question.id in texts]
    if not labelled:
        return Relations(reason="no labelled question has a text to learn from: no evidence is marked, and kNN failed")
    index = {question.id: place for place, question in enumerate(labelled)}
    fit_key = content_hash(
        VERSIONS["classify"],
        classifier.as_spec(),
        encodings.spec.as_spec(),
        [
            (q.id, q.question, q.answer, q.relation, q.document_ids, q.split, [s.text for s in texts[q.id].sentences])
            for q in labelled
        ],
    )
    bench.progress.begin("fit relations", 1)
    try:
        fitted = _fitted(classifier, fit_key, labelled, texts, encodings, bench)
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
    judged = [q for q in labelled if q.id not in unpredicted]
    diagnostics = fitted.diagnostics.as_dict() | {"movable": movable(judged, predicted, answers)}
    return Relations(predicted, unpredicted, diagnostics)


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
        documents=document_groups(labelled),
        splits=splits(labelled, classifier.seed) if classifier.mode == "train_split" else None,
    )
    put_results(bench.store, key, [StageResult("model", fitted.save())])
    return fitted


def _mean(context: Context, encodings: Encodings, means: dict[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    """Mean of the unit vectors of a context's sentences; no text beyond the encoder's window is ever encoded."""
    if context.fingerprint not in means:
        units = encodings.unit([sentence.text for sentence in context.sentences])
        means[context.fingerprint] = (
            units.mean(axis=0) if len(units) else np.zeros(encodings.spec.dimension, np.float32)
        )
    return means[context.fingerprint]
