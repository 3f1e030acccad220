"""The stages of a run, one after the other: from the documents to a row for every (configuration, question)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.answering.extractive import Extractive
from core.engine.answer import Answers, answers_of
from core.engine.calls import Calls
from core.engine.contexts import Context, contexts_of
from core.engine.encode import Encodings
from core.engine.fill import Workbench
from core.engine.imported import taken_over
from core.engine.nuggets import cover
from core.engine.prepare import Corpus, prepare
from core.engine.relate import Relations, relations_of
from core.engine.repeats import repeated
from core.engine.retrieve import Retrieval
from core.engine.score import items_of
from core.engine.spec import EVIDENCE, RunSpec
from core.models.cache import VectorCache
from core.relations.classifier import LocalClassifier
from core.relations.predictions import ImportedPredictions
from core.retrieval.names import needs_vectors, parse_retriever
from core.schema import Dataset, Question
from core.settings import Home
from core.store.run_items import save_items


def run_stages(bench: Workbench, home: Home, spec: RunSpec, dataset: Dataset, calls: Calls | None) -> dict[str, Any]:
    """Run all stages and store the run's rows; return its diagnostics (classifier, chunking).

    ``calls`` reach the run's language model, None where it has none.

    Raises:
        Stopped: the run was asked to stop; everything finished so far is stored.
        EndpointUnreachable, EndpointRefused, SpendingLimitReached: as ``Calls.complete`` raises them.
    """
    by_id = {question.id: question for question in dataset.questions}
    questions = [by_id[question_id] for question_id in spec.questions]
    corpus = prepare(bench.store, spec, dataset, bench.progress)
    given = taken_over(bench.store, spec, corpus, questions, dataset.language_of)
    cache = VectorCache(home.encodings)
    retrieval_encodings = Encodings(spec.retrieval_encoder, cache, bench.progress)
    same = spec.similarity_encoder == spec.retrieval_encoder
    similarity_encodings = retrieval_encodings if same else Encodings(spec.similarity_encoder, cache, bench.progress)

    # where nothing is retrieved, questions without a relation are compared with nothing
    retrieval_encodings.add("questions", (q.question for q in questions if spec.retrievers or q.relation))
    if any(needs_vectors(retriever) for retriever in spec.retrievers):
        retrieval_encodings.add("passages", (p.text for p in corpus.passages))
    retrieval = Retrieval(spec, corpus, retrieval_encodings, bench)
    bench.progress.begin("retrieve", len(questions) * len(spec.retrievers))
    rankings = {
        retriever.id: retrieval.rankings(retriever, questions, done_before=place * len(questions))
        for place, retriever in enumerate(spec.retrievers)
    }
    # equal question texts are ranked once, so the count may end below the total
    bench.progress.advance(len(questions) * len(spec.retrievers))
    contexts = contexts_of(spec, corpus, questions, rankings)
    usable = {pair: context for pair, context in contexts.items() if isinstance(context, Context)}
    texts = _training_texts(spec, corpus, questions, usable, retrieval, retrieval_encodings)

    sentences = [s.text for context in (*usable.values(), *texts.values()) for s in context.sentences]
    learns = isinstance(spec.classifier, LocalClassifier)
    if isinstance(spec.answerer, Extractive) or (same and learns):
        retrieval_encodings.add("sentences", sentences)
    # from here on each repeat of a sampled answer goes its own way, until they are one row again
    contexts, usable = repeated(contexts, spec.repeats), repeated(usable, spec.repeats)
    produced = answers_of(spec, by_id, dataset.language_of, usable, retrieval_encodings, bench, calls)
    answers = dict(produced.given)
    similarity_encodings.add("reference answers", (q.answer for q in questions if q.answer))
    similarity_encodings.add("answers", (answer.text for answer in answers.values()))
    if not same and learns:
        similarity_encodings.add("questions", (q.question for q in questions))
        similarity_encodings.add("sentences", sentences)
    taken = {pair: context for pair, context in given.contexts.items() if isinstance(context, Context)}
    classified = [c for (_, name), c in taken.items() if learns and by_id[name].relation]
    compared = [a.text for (_, name), a in given.answers.items() if by_id[name].answer or by_id[name].relation]
    imported = [*compared, *(s.text for c in classified for s in c.sentences)]
    # after everything of our own, so that its batches, and with them its last digits, are those of a run without them
    similarity_encodings.add("imported texts", imported)
    contexts |= given.contexts
    answers |= given.answers
    usable |= taken
    relations = relations_of(spec, dataset, questions, texts, usable, answers, similarity_encodings, bench, calls)

    bench.progress.begin("score", len(contexts))
    save_items(
        bench.store,
        spec.run_id,
        items_of(
            spec, questions, dataset.language_of, contexts, answers, produced.failed, relations, similarity_encodings
        ),
    )
    bench.progress.advance(len(contexts))
    all_answers = Answers(answers, produced.failed)
    cover(bench, spec, dataset, corpus, questions, rankings, contexts, all_answers, given, calls)
    bench.progress.finish()
    references = [q.answer for q in questions if q.answer]
    similar = [answer.text for (_, name), answer in answers.items() if by_id[name].answer]
    return _diagnostics(corpus, relations) | {
        "truncated_answers": similarity_encodings.truncated(references + similar),
        "encoder_tokens": spec.similarity_encoder.max_tokens,
    }


def _training_texts(
    spec: RunSpec,
    corpus: Corpus,
    questions: list[Question],
    usable: dict[tuple[str, str], Context],
    retrieval: Retrieval,
    encodings: Encodings,
) -> dict[str, Context]:
    """What the relation classifier learns from: the gold evidence, else what kNN retrieves for the question."""
    if spec.classifier is None or isinstance(spec.classifier, ImportedPredictions):
        return {}
    labelled = [q for q in questions if q.relation]
    texts = {q.id: usable[EVIDENCE, q.id] for q in labelled if (EVIDENCE, q.id) in usable}
    without = [q for q in labelled if q.id not in texts]
    if without and corpus.passages:
        knn = parse_retriever("knn")
        encodings.add("passages", (p.text for p in corpus.passages))
        encodings.progress.begin("retrieve training texts", len(without))
        found = contexts_of(
            replace(spec, retrievers=(knn,), combinations=()),
            corpus,
            without,
            {knn.id: retrieval.rankings(knn, without)},
        )
        texts |= {q.id: c for q in without if isinstance(c := found[knn.id, q.id], Context)}
    return texts


def _diagnostics(corpus: Corpus, relations: Relations) -> dict[str, Any]:
    return {
        "classifier": dict(relations.diagnostics) or None,
        "no_relations_because": relations.reason,
        "chunks_per_document": corpus.chunks_per_document,
        "n_documents": len(corpus.documents),
        "n_passages": len(corpus.passages),
    }
