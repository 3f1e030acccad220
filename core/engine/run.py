"""The driver: takes a run through its stages, the only writer of its progress and results."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core import __version__
from core.engine.answer import answers_of
from core.engine.contexts import Context, contexts_of
from core.engine.encode import Encodings
from core.engine.fill import Workbench
from core.engine.imported import taken_over
from core.engine.prepare import Corpus, prepare
from core.engine.progress import Listener, Progress, Stopped
from core.engine.relate import Relations, relations_of
from core.engine.retrieve import Retrieval
from core.engine.score import items_of
from core.engine.spec import EVIDENCE, RunSpec
from core.errors import TrilensError
from core.jobs.lock import hold
from core.models.cache import VectorCache
from core.retrieval.names import needs_vectors, parse_retriever
from core.schema import Dataset, Question
from core.settings import Home
from core.store.database import Store, now
from core.store.runs import create_run, failure_reasons, run_row, save_items, update_run

_PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "sentence-transformers", "langchain-core", "sentencex", "regex")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: ``state`` is "done" or "stopped"; ``worked`` is False when all of it was stored already."""

    run_id: str
    state: str
    worked: bool


def evaluate(
    store: Store,
    home: Home,
    spec: RunSpec,
    dataset: Dataset,
    *,
    listener: Listener | None = None,
    progress: Progress | None = None,
    retry_failed: bool = False,
    claimed: bool = False,
) -> Outcome:
    """Evaluate a run, or what is missing of it.

    ``claimed`` says that the caller holds the run's lock and has set its state to running.

    Raises:
        BusyError: another process is evaluating this very run.
        StoreError: the store cannot be written; what was stored is kept and the run can be resumed.
    """
    run_id = spec.run_id
    with nullcontext() if claimed else hold(home.lock(run_id), f"run '{run_id}'"):
        create_run(store, run_id, spec.request.dataset, spec.stored())
        row = run_row(store, run_id)
        if row["state"] == "done" and not (retry_failed and row["failures"]):
            return Outcome(run_id, "done", worked=False)
        progress = progress or Progress(store, run_id, listener)
        # results that are there stay, with when they were made and what failed in them, until new ones take their place
        progress.keeps_failures = row["version"] > 0
        # somebody may have asked a claimed run to stop, which its state says
        update_run(store, run_id, **({} if claimed else {"state": "running"}), message="")
        began = time.monotonic()
        try:
            diagnostics = _stages(Workbench(store, progress, retry_failed), home, spec, dataset)
        except Stopped:
            state = "done" if row["version"] > 0 else "stopped"
            update_run(store, run_id, state=state, seconds=row["seconds"] + time.monotonic() - began)
            return Outcome(run_id, "stopped", worked=True)
        except Exception as error:
            record_failure(store, run_id, error)
            raise
        update_run(
            store,
            run_id,
            state="done",
            stage="",
            finished=now(),
            seconds=row["seconds"] + time.monotonic() - began,
            version=row["version"] + 1,
            failures=failure_reasons(store, run_id),
            diagnostics=diagnostics,
            provenance=_provenance(progress),
        )
        return Outcome(run_id, "done", worked=True)


def _stages(bench: Workbench, home: Home, spec: RunSpec, dataset: Dataset) -> dict[str, Any]:
    """Run all stages; return the diagnostics of the run (classifier, chunking)."""
    by_id = {question.id: question for question in dataset.questions}
    questions = [by_id[question_id] for question_id in spec.questions]
    corpus = prepare(bench.store, spec, dataset, bench.progress)
    given_contexts, given_answers = taken_over(bench.store, spec, corpus, questions)
    cache = VectorCache(home.encodings)
    retrieval_encodings = Encodings(spec.retrieval_encoder, cache, bench.progress)
    same = spec.similarity_encoder == spec.retrieval_encoder
    similarity_encodings = retrieval_encodings if same else Encodings(spec.similarity_encoder, cache, bench.progress)

    retrieval_encodings.add("questions", (q.question for q in questions))
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
    retrieval_encodings.add("sentences", sentences)
    answers = answers_of(spec, by_id, usable, retrieval_encodings, bench)
    produced = [answer.text for answer in answers.values()]
    similarity_encodings.add("reference answers", (q.answer for q in questions))
    similarity_encodings.add("answers", produced)
    if not same:
        similarity_encodings.add("questions", (q.question for q in questions))
        similarity_encodings.add("sentences", sentences)
    taken = {pair: context for pair, context in given_contexts.items() if isinstance(context, Context)}
    classified = [c for (_, name), c in taken.items() if spec.classifier is not None and by_id[name].relation]
    imported = [*(a.text for a in given_answers.values()), *(s.text for c in classified for s in c.sentences)]
    # after everything of our own, so that its batches, and with them its last digits, are those of a run without them
    similarity_encodings.add("imported texts", imported)
    contexts |= given_contexts
    answers |= given_answers
    usable |= taken
    relations = relations_of(spec, questions, texts, usable, answers, similarity_encodings, bench)

    bench.progress.begin("score", len(contexts))
    save_items(
        bench.store,
        spec.run_id,
        items_of(spec, corpus, questions, contexts, answers, relations, similarity_encodings),
    )
    bench.progress.advance(len(contexts))
    bench.progress.finish()
    compared = [q.answer for q in questions] + [answer.text for answer in answers.values()]
    return _diagnostics(corpus, relations) | {
        "truncated_answers": similarity_encodings.truncated(compared),
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
    if spec.classifier is None:
        return {}
    labelled = [q for q in questions if q.relation]
    texts = {q.id: usable[EVIDENCE, q.id] for q in labelled if (EVIDENCE, q.id) in usable}
    without = [q for q in labelled if q.id not in texts]
    if without:
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


def record_failure(store: Store, run_id: str, error: Exception) -> None:
    """Say in the store why a run ended, unless it is the store that cannot be written any more."""
    message = str(error) if isinstance(error, TrilensError) else f"{type(error).__name__}: {error}"
    try:
        update_run(store, run_id, state="failed", message=message)
    except TrilensError as second:
        error.add_note(f"the run's state could not be stored either: {second}")


def _provenance(progress: Progress) -> dict[str, Any]:
    return {
        "trilens": __version__,
        "revision": _revision(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
        "seconds": {stage: round(seconds, 3) for stage, seconds in progress.seconds.items()},
        "items": dict(progress.items),
    }


def _revision() -> str:
    """The checkout's commit, marked where files were changed since, or "" where there is no git."""
    try:
        answer = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""
