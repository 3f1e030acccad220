"""What the Granularity lens measures questions by: any per-question number of a run, one configuration at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.errors import OptionError
from core.figures.configurations import in_order
from core.figures.coverage_measures import card_id
from core.figures.coverage_measures import full_name as coverage_name
from core.figures.coverage_measures import symbol as coverage_symbol
from core.metrics.coverage_observations import CoverageObservations
from core.metrics.scores import SCORED, LogicObservations
from core.metrics.similarity import bleu, rouge_f, token_f1
from core.services import coverage, lenses
from core.services.catalogue import RunSummary
from core.services.question_filter import run_questions
from core.services.workspace import workspace
from core.store.database import Store
from core.store.runs import run_row

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Quality:
    """A per-question number: its ``id`` in the URL, its name for a choice, and the short one beside a number.

    ``card`` is the id of its metric card, "" where it has none of its own.
    """

    id: str
    name: str
    symbol: str
    lower_is_better: bool = False
    card: str = ""


_LOGIC = (
    Quality("bertsim", "Similarity of answer and reference, BERTSim", "BERTSim", card="bertsim"),
    Quality("lrcr", "Answer of the right relation, LRCR", "LRCR", card="lrcr"),
    Quality("refusal", "Refusals", "refused", lower_is_better=True, card="refusal"),
)
#: measures of wording, each computed when it is asked for: of reference, answer and language
_COMPARE: Mapping[str, Callable[[str, str, str], float]] = {
    "rouge1": lambda reference, answer, language: rouge_f(reference, answer, language).rouge1,
    "rouge_l": lambda reference, answer, language: rouge_f(reference, answer, language).rouge_l,
    "bleu": lambda reference, answer, _: bleu(reference, answer),
    "token_f1": token_f1,
}
_WORDING = (
    Quality("rouge1", "Shared words, ROUGE-1", "ROUGE-1", card="rouge1"),
    Quality("rouge_l", "Longest common sequence of words, ROUGE-L", "ROUGE-L", card="rougeL"),
    Quality("bleu", "Shared word sequences, BLEU-4", "BLEU", card="bleu"),
    Quality("token_f1", "Shared tokens, F1", "token F1", card="token_f1"),
)
#: measures of the coverage lens, by its own names
_COVERAGE = ("grounded", "said", "retrieved", "alpha_ndcg@10", "strec@10", "map", "mrr")


def qualities(run: RunSummary) -> dict[str, Quality]:
    """Return the measures that any configuration of a finished run is scored by, by id, the primary one first."""
    _, store = workspace()
    seen = _logic(store, run.id, run.stamp)
    there = {
        "bertsim": bool(np.isfinite(seen.similarity).any()),
        "lrcr": bool(np.isfinite(seen.correct).any()),
        "refusal": bool(seen.refused.any()),
    }
    found = [one for one in _LOGIC if there[one.id]]
    if not coverage.missing(run):
        covered = coverage.observations(run)
        names = [n for n in _COVERAGE if _stored(covered, n) and np.isfinite(covered.values(n)).any()]
        found += [Quality(card_id(n), coverage_name(n), coverage_symbol(n)) for n in names]
    if there["bertsim"] or np.isfinite(seen.sentences).any():
        found += _WORDING
    return {one.id: one for one in found}


def quality(run: RunSummary, identifier: str) -> Quality:
    """Return one of ``qualities``. Raises OptionError where the run has none of that id."""
    found = qualities(run)
    if identifier not in found:
        raise OptionError(f"this run has no measure '{identifier[:80]}': choose one that is listed.")
    return found[identifier]


def configurations(run: RunSummary) -> dict[str, str]:
    """Return a run's configurations, id to name, in the order of every page."""
    _, store = workspace()
    labels = _logic(store, run.id, run.stamp).labels
    return {name: labels[name] for name in in_order(list(labels))}


def scores(run: RunSummary, identifier: str, configuration: str) -> Floats:
    """Return a measure of every question of a run under one configuration, NaN where it is not scored: (Q,).

    Questions stand in the order of ``run_questions``.

    Raises:
        OptionError: the run has no such measure or configuration.
    """
    _, store = workspace()
    seen = _logic(store, run.id, run.stamp)
    quality(run, identifier)
    if configuration not in seen.configurations:
        raise OptionError(f"this run has no configuration '{configuration[:80]}': choose one that is listed.")
    if identifier in _COMPARE:
        return _wording(store, run.id, run.stamp, configuration, identifier)
    line = seen.configurations.index(configuration)
    if identifier == "bertsim":
        found = seen.similarity[line]
    elif identifier == "lrcr":
        found = seen.correct[line]
    elif identifier == "refusal":
        answered = (seen.similarity_state[line] == SCORED) | seen.refused[line]
        found = np.where(answered, seen.refused[line].astype(np.float64), np.nan)
    else:
        covered = coverage.observations(run)
        name = next(name for name in _COVERAGE if card_id(name) == identifier)
        found = covered.values(name)[covered.configurations.index(configuration)]
        return _in_order(run.id, dict(zip(covered.question_ids, found, strict=True)))
    return _in_order(run.id, dict(zip(seen.question_ids, found, strict=True)))


def documents(run_id: str) -> tuple[Hashable, ...]:
    """Return what questions share: the first source document of each, in the order of ``run_questions``."""
    _, store = workspace()
    dataset = run_row(store, run_id)["dataset"]
    rows = store.rows(
        "SELECT id, json_extract(record, '$.document_ids[0]') AS document FROM questions WHERE dataset = ?", (dataset,)
    )
    # a question without a document of ours stands for itself
    of = {row["id"]: row["document"] or ("", row["id"]) for row in rows}
    return tuple(of[name] for name in run_questions(run_id).ids)


def _stored(seen: CoverageObservations, name: str) -> bool:
    return name in seen.numbers or f"{name}_vital" in seen.numbers


def _in_order(run_id: str, of: Mapping[str, float]) -> Floats:
    return np.array([of.get(name, np.nan) for name in run_questions(run_id).ids], dtype=np.float64)


@lru_cache(maxsize=4)
def _logic(store: Store, run_id: str, stamp: str) -> LogicObservations:
    del stamp
    return lenses.observations(store, run_id)


@lru_cache(maxsize=64)
def _wording(store: Store, run_id: str, stamp: str, configuration: str, identifier: str) -> Floats:
    """Compare one configuration's answers with the references, word by word; repeats are averaged."""
    del stamp
    compare, found = _COMPARE[identifier], {}
    rows = store.rows(
        """
        SELECT i.question, i.answer, q.answer AS reference, d.language
        FROM run_items i
        JOIN runs r ON r.id = i.run
        JOIN questions q ON q.dataset = r.dataset AND q.id = i.question
        LEFT JOIN documents d ON d.dataset = r.dataset AND d.id = json_extract(q.record, '$.document_ids[0]')
        WHERE i.run = ? AND i.configuration = ? AND i.answer <> '{}' AND q.answer <> ''
        """,
        (run_id, configuration),
    )
    for row in rows:
        answer = json.loads(row["answer"])
        produced = [one.get("sentences") for one in answer.get("repeats", [answer])]
        # an answer that failed in one of its repeats is no score, and an imported ranking has no answer at all
        if not all(sentences for sentences in produced):
            continue
        each = [compare(row["reference"], " ".join(some), row["language"] or "") for some in produced]
        found[row["question"]] = float(np.mean(each))
    return _in_order(run_id, found)
