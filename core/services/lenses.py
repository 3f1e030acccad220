"""Use case *look at a run through a lens*: one run's rows become the scores that pages and reports show."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from shlex import quote
from typing import Any

import numpy as np

from core.engine.spec import EVIDENCE, Request
from core.engine.systems import is_system
from core.errors import OptionError
from core.metrics.comparability import Comparability, comparable
from core.metrics.logic_scores import LogicSummary, summarise
from core.metrics.scores import FAILED, NOT_APPLICABLE, SCORED, LogicObservations, LogicScores
from core.services.catalogue import RunSummary
from core.services.catalogue import run as run_summary
from core.services.cautions import cut_off
from core.services.question_filter import EVERYTHING, Where, filtered_sentence, matching
from core.services.workspace import workspace
from core.store.database import Store
from core.store.run_items import item_rows
from core.store.runs import run_row

#: the share of a corpus that k chunks cover from which on retrieval hardly matters
MUCH = 0.25
#: the arrays of ``LogicObservations`` with a column a question
_PER_QUESTION = (
    "similarity", "similarity_state", "correct", "correct_state", "refused", "words", "sentences",
)  # fmt: skip
_CODES = {"scored": SCORED, "failed": FAILED, "not_applicable": NOT_APPLICABLE}


@dataclass(frozen=True)
class LogicLens:
    """The logic lens of one run at one beta.

    ``missing`` says in words which label the dataset lacks and how to get it; ``command`` makes the run again.
    ``filtered`` says which questions the scores are about, "" where they are about all; the classifier's diagnostics
    and the warnings are the whole run's.
    """

    run: RunSummary
    scores: LogicScores
    classifier: Mapping[str, Any] | None
    missing: str
    warnings: tuple[str, ...]
    comparability: Comparability
    command: str
    provenance: Mapping[str, Any]
    chunks_per_document: float
    k: int
    filtered: str = ""


def logic(run_id: str, beta: float = 1.0, convention: str = "formula", where: Where = EVERYTHING) -> LogicLens:
    """Return the scores of a finished run, on the questions that match ``where`` alone.

    Raises:
        OptionError: there is no such run, it is not finished, beta or convention is out of range, or no question
            matches.
    """
    run = run_summary(run_id)
    if run.version == 0:
        raise OptionError(
            f"run '{run_id}' is {run.state} and has no scores yet: "
            f"`.venv/bin/python -m core evaluate --resume {quote(run_id)}` finishes it."
        )
    _, store = workspace()
    row = run_row(store, run_id)
    filtered = filtered_sentence(run_id, where)
    if not matching(run_id, where):
        raise OptionError(filtered)
    summary = _summary(store, run_id, run.stamp, where)
    diagnostics = row["diagnostics"]
    return LogicLens(
        run=run,
        scores=summary.at(beta, convention),
        classifier=diagnostics["classifier"],
        missing=_missing(run, diagnostics["no_relations_because"]),
        warnings=_warnings(row, diagnostics),
        comparability=comparable(summary),
        command=Request(**row["spec"]["request"]).command(),
        provenance={**row["provenance"], "started": row["started"], "finished": row["finished"], "spec": row["spec"]},
        chunks_per_document=diagnostics["chunks_per_document"],
        k=row["spec"]["resolved"]["k"],
        filtered=filtered,
    )


@lru_cache(maxsize=32)
def _summary(store: Store, run_id: str, stamp: str, where: Where) -> LogicSummary:
    """``stamp`` changes whenever a run's rows do, so a cached summary is never stale."""
    seen = _observations(store, run_id, stamp)
    return summarise(among(seen, matching(run_id, where)) if where else seen, seed=run_id)


@lru_cache(maxsize=4)
def _observations(store: Store, run_id: str, stamp: str) -> LogicObservations:
    """Read once for all filters: 100,000 rows take half a second."""
    del stamp
    return observations(store, run_id)


def among(seen: LogicObservations, question_ids: Collection[str]) -> LogicObservations:
    """Return what was observed on some of the questions."""
    wanted = frozenset(question_ids)
    kept = np.flatnonzero([question in wanted for question in seen.question_ids])
    return replace(
        seen,
        question_ids=tuple(seen.question_ids[i] for i in kept),
        relations=tuple(seen.relations[i] for i in kept),
        clusters=seen.clusters[kept],
        **{name: getattr(seen, name)[:, kept] for name in _PER_QUESTION},
    )


def observations(store: Store, run_id: str) -> LogicObservations:
    """Return a run's per-question values as arrays (configurations x questions)."""
    row = run_row(store, run_id)
    configurations: list[str] = row["spec"]["configurations"]
    question_ids: list[str] = row["spec"]["resolved"]["questions"]
    column = {name: i for i, name in enumerate(question_ids)}
    line = {name: i for i, name in enumerate(configurations)}
    shape = (len(configurations), len(question_ids))
    similarity, correct = np.full(shape, np.nan), np.full(shape, np.nan)
    similarity_state, correct_state = (np.full(shape, NOT_APPLICABLE, dtype=np.int8) for _ in range(2))
    refused = np.zeros(shape, dtype=bool)
    words, sentences = np.full(shape, np.nan), np.full(shape, np.nan)
    for configuration, question, no, n_words, n_sentences, cosine, cosine_state, right, right_state in item_rows(
        store, run_id
    ):
        at = line[configuration], column[question]
        similarity_state[at], correct_state[at] = _CODES[cosine_state], _CODES[right_state]
        refused[at] = no
        if cosine_state == "scored":
            similarity[at] = cosine
        if right_state == "scored":
            correct[at] = right
        # a retriever that found nothing hands over 0 words, to which a refusal answers; a failed one nothing to count
        # what an imported system handed over without contexts is not known
        if n_sentences or (no and not is_system(configuration)):
            words[at], sentences[at] = n_words, n_sentences
    labels = store.rows(
        "SELECT id, relation, json_extract(record, '$.document_ids[0]') AS document FROM questions WHERE dataset = ?",
        (row["dataset"],),
    )
    by_id = {label["id"]: label for label in labels}
    documents = [by_id[q]["document"] for q in question_ids]
    cluster = {name: i for i, name in enumerate(dict.fromkeys(documents))}
    return LogicObservations(
        configurations=tuple(configurations),
        labels=row["spec"]["labels"],
        question_ids=tuple(question_ids),
        relations=tuple(by_id[q]["relation"] or "" for q in question_ids),
        clusters=np.array([cluster[name] for name in documents], dtype=np.int64),
        similarity=similarity,
        similarity_state=similarity_state,
        correct=correct,
        correct_state=correct_state,
        refused=refused,
        words=words,
        sentences=sentences,
        reference=frozenset({EVIDENCE}),
    )


def _missing(run: RunSummary, reason: str) -> str:
    if not reason:
        return ""
    if not run.has_relations:
        return (
            "This dataset has no relation labels, so LRCR and OPI are not applicable. To get them, add a column that "
            "names each question's relation and import the file again."
        )
    return f"LRCR and OPI are not applicable: {reason}."


def _coverage_warning(resolved: Mapping[str, Any], diagnostics: Mapping[str, Any]) -> list[str]:
    """Say when every configuration hands over so much of what there is that they can hardly differ."""
    if not resolved["retrievers"]:  # systems alone: what they searched is not known
        return []
    k = resolved["k"]
    if resolved["scope"] == "document":
        chunks, what = diagnostics["chunks_per_document"], "Each question was asked against its own document"
        there = f"{chunks:.1f} chunks on average"
    else:
        chunks, what = diagnostics["n_passages"], "The corpus is small"
        there = f"{chunks} chunks in all"
    share = min(1.0, k / chunks)
    if share < MUCH and resolved["scope"] == "corpus":
        return []
    so = "so configurations cannot differ in what they find" if share == 1 else "so configurations can hardly differ"
    return [f"{what} ({there}): {k} chunks cover about {100 * share:.0f} % of it, {so}."]


def _warnings(row: Mapping[str, Any], diagnostics: Mapping[str, Any]) -> tuple[str, ...]:
    found = []
    found += _coverage_warning(row["spec"]["resolved"], diagnostics)
    cut = diagnostics["truncated_answers"]
    if cut:
        found.append(
            f"{cut:,} different answers are longer than the {diagnostics['encoder_tokens']} tokens the similarity "
            "encoder reads: BERTSim compares their beginnings."
        )
    ended_early = cut_off(row["provenance"].get("cost"), row["spec"]["resolved"]["answerer"].get("max_tokens"))
    found += [ended_early] if ended_early else []
    failed = sum(row["failures"].values())
    if failed:
        reason = next(iter(row["failures"]))
        found.append(
            f"{failed} answers failed, got no relation or were not judged and are left out, most often because: "
            f"{reason}."
        )
    return tuple(found)
