"""Use case *look at a run through the coverage lens*: stored numbers become the scores that pages and reports show."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from core.engine.spec import EVIDENCE, Request
from core.engine.systems import PREFIX, is_system
from core.errors import OptionError
from core.metrics.coverage_observations import ANSWER, CURVES, CUTOFFS, CoverageObservations, Importance
from core.metrics.coverage_scores import CoverageScores, Curves, by_group, coverage_scores
from core.metrics.coverage_scores import curves as curves_of
from core.metrics.scores import FAILED, NOT_APPLICABLE, SCORED, Measure
from core.services.catalogue import RunSummary
from core.services.catalogue import run as run_summary
from core.services.question_filter import EVERYTHING, Where, filtered_sentence, matching, run_questions
from core.services.workspace import workspace
from core.store.coverage import coverage_states, load_measures
from core.store.database import Store
from core.store.runs import run_row

#: the dimension of maps that every labelled dataset has; the others are those of its category trees
RELATION = "relation"
#: what StRecall divides by, as pages and exports name it
DENOMINATOR = "supported"
_CODES = {"scored": SCORED, "failed": FAILED, "not_applicable": NOT_APPLICABLE}


@dataclass(frozen=True)
class CoverageLens:
    """The coverage lens of one run.

    ``matcher`` names who decided what is said; ``by_construction`` is True where our answerer can only say what it
    cites. ``k`` passages were handed on, 0 where imported systems alone were evaluated. ``filtered`` says which
    questions the scores are about, "" for all.
    """

    run: RunSummary
    scores: CoverageScores
    matcher: str
    denominator: str
    by_construction: bool
    k: int
    command: str
    provenance: Mapping[str, Any]
    filtered: str = ""


@dataclass(frozen=True)
class CoverageMap:
    """The means of one measure by configuration id and column; ``columns`` stand in the order they are shown."""

    measure: str
    dimension: str
    columns: tuple[str, ...]
    groups: Mapping[str, Mapping[str, Measure]]


def missing(run: RunSummary) -> str:
    """Return in words why a run has no coverage, "" where it has."""
    _, store = workspace()
    if run.version == 0:
        return f"Run '{run.id}' is {run.state} and has no scores yet."
    if _has(store, run.id, run.stamp):
        return ""
    with_nuggets = store.rows(
        "SELECT 1 FROM runs AS r CROSS JOIN json_each(r.spec, '$.resolved.questions') AS asked "
        "CROSS JOIN questions AS q ON q.dataset = r.dataset AND q.id = asked.value "
        "WHERE r.id = ? AND json_array_length(q.record, '$.nuggets') > 0 LIMIT 1",
        (run.id,),
    )
    if with_nuggets:
        return (
            "This run was evaluated before coverage was measured. Evaluate again with the same command: a new run "
            "takes over what this one has computed and adds its coverage."
        )
    return (
        "No question of this run has nuggets, the facts that a full answer needs. Give each question its nuggets and "
        "import the dataset again, or import judgments that others made."
    )


def command(run_id: str) -> str:
    """Return the command that evaluates the same again. Raises OptionError where there is no such run."""
    _, store = workspace()
    return Request(**run_row(store, run_id)["spec"]["request"]).command()


def coverage(
    run_id: str, importance: Importance = "all", k: int = CUTOFFS[1], where: Where = EVERYTHING
) -> CoverageLens:
    """Return the scores of a finished run, on the questions that match ``where`` alone.

    Configurations are ranked by nugget coverage, by InfoR where nobody knows what holds the nuggets, or by α-nDCG@k
    where only rankings are there and no answer.

    Raises:
        OptionError: there is no such run, it has no coverage, or no question matches.
    """
    run = run_summary(run_id)
    seen = observations(run, where)
    _, store = workspace()
    row = run_row(store, run_id)
    resolved = row["spec"]["resolved"]
    ours = any(name != EVIDENCE and not is_system(name) for name in seen.configurations)
    answered = [stage for stage in ANSWER if np.isfinite(seen.values(stage)).any()]
    return CoverageLens(
        run=run,
        scores=coverage_scores(seen, importance, answered[0] if answered else f"{CURVES[0]}@{k}"),
        matcher=matcher_of(run_id),
        denominator=DENOMINATOR,
        by_construction=ours and resolved["answerer"].get("name") == "extractive",
        k=resolved["k"] if ours else 0,
        command=Request(**row["spec"]["request"]).command(),
        provenance={**row["provenance"], "started": row["started"], "finished": row["finished"], "spec": row["spec"]},
        filtered=filtered_sentence(run_id, where),
    )


def dimensions(run_id: str) -> tuple[str, ...]:
    """Return what a run's questions can be told apart by: relation and the dimensions of its trees. May be empty."""
    questions = run_questions(run_id)
    return (*((RELATION,) if questions.relations else ()), *questions.trees)


def coverage_map(
    run_id: str, measure: str, dimension: str, importance: Importance = "all", where: Where = EVERYTHING
) -> CoverageMap:
    """Return the means of a measure for every configuration and relation, or category as the questions carry it.

    Raises:
        OptionError: as ``coverage`` does, or no question has such a dimension.
    """
    run = run_summary(run_id)
    if dimension not in dimensions(run_id):
        raise OptionError(f"no question of this run has a category of '{dimension[:80]}': choose another one.")
    seen = observations(run, where)
    label_of = group_labels(run_id, dimension)
    found = by_group(seen, measure, [label_of[question] for question in seen.question_ids], importance)
    there = {name for row in found.values() for name in row}
    questions = run_questions(run_id)
    order = questions.relations if dimension == RELATION else questions.trees[dimension].nodes
    return CoverageMap(measure, dimension, tuple(name for name in order if name in there), found)


def group_labels(run_id: str, dimension: str) -> dict[str, str]:
    """Return the relation or category of each of a run's questions by id, "" where it has none."""
    questions = run_questions(run_id)
    if dimension == RELATION:
        return dict(zip(questions.ids, questions.relation_of, strict=True))
    found = zip(questions.ids, questions.categories_of, strict=True)
    return {identifier: categories.get(dimension, "") for identifier, categories in found}


def curves(run_id: str, where: Where = EVERYTHING) -> tuple[Curves, ...]:
    """Return α-nDCG and StRecall over k of the configurations that have a ranking. Raises as ``coverage`` does."""
    seen = observations(run_summary(run_id), where)
    return tuple(curves_of(seen, name) for name in CURVES)


def matcher_of(run_id: str) -> str:
    """Return who decided what a run's answers say. Raises OptionError where there is no such run."""
    _, store = workspace()
    row = run_row(store, run_id)
    return matcher_words(
        row["spec"]["resolved"]["matcher"], _labelled(store, row["dataset"], row["spec"]["configurations"])
    )


def matcher_words(spec: Mapping[str, Any], labelled: bool = False) -> str:
    """Return who decided what an answer says, as pages and exports name it.

    ``labelled``: labels were imported with some of the answers, and come before the matcher.
    """
    if spec["name"] == "offline":
        words = f"offline matcher, {spec['profile']} profile"
    else:
        words = f"language model {spec['model']['model']}"
    return f"imported labels where there are any, else {words}" if labelled else words


def observations(run: RunSummary, where: Where = EVERYTHING) -> CoverageObservations:
    """Return what was observed of a run's nuggets on the questions that match.

    Raises:
        OptionError: the run has no coverage, or no question matches.
    """
    _, store = workspace()
    if reason := missing(run):
        raise OptionError(f"{reason[0].lower()}{reason[1:]}")
    wanted = matching(run.id, where)
    if not wanted:
        raise OptionError(filtered_sentence(run.id, where))
    seen = _observations(store, run.id, run.stamp)
    return among(seen, wanted) if where else seen


def among(seen: CoverageObservations, question_ids: Collection[str]) -> CoverageObservations:
    """Return what was observed on some of the questions."""
    wanted = frozenset(question_ids)
    kept = np.flatnonzero([question in wanted for question in seen.question_ids])
    return replace(
        seen,
        question_ids=tuple(seen.question_ids[i] for i in kept),
        clusters=seen.clusters[kept],
        numbers={name: found[:, kept] for name, found in seen.numbers.items()},
        state=seen.state[:, kept],
        refused=seen.refused[:, kept],
    )


def _labelled(store: Store, dataset: str, configurations: Sequence[str]) -> bool:
    """Return whether labels came with any answer of the systems among the configurations."""
    names = [name.removeprefix(PREFIX) for name in configurations if is_system(name)]
    rows = store.rows(
        "SELECT 1 FROM json_each(?) AS chosen CROSS JOIN system_answers AS a ON a.dataset = ? "
        "AND a.system = chosen.value WHERE json_array_length(a.record, '$.labels') > 0 LIMIT 1",
        (json.dumps(names, ensure_ascii=False), dataset),
    )
    return bool(rows)


@lru_cache(maxsize=256)
def _has(store: Store, run_id: str, stamp: str) -> bool:
    del stamp
    return bool(store.rows("SELECT 1 FROM run_measures WHERE run = ? AND lens = 'coverage' LIMIT 1", (run_id,)))


@lru_cache(maxsize=4)
def _observations(store: Store, run_id: str, stamp: str) -> CoverageObservations:
    """Read once for all filters; ``stamp`` changes whenever a run's rows do, so what is cached is never stale."""
    del stamp
    row = run_row(store, run_id)
    configurations: list[str] = row["spec"]["configurations"]
    question_ids: list[str] = row["spec"]["resolved"]["questions"]
    line = {name: i for i, name in enumerate(configurations)}
    column = {name: i for i, name in enumerate(question_ids)}
    shape = (len(configurations), len(question_ids))
    numbers: dict[str, np.ndarray[Any, np.dtype[np.float32]]] = {}
    state = np.full(shape, NOT_APPLICABLE, dtype=np.int8)
    for configuration, (names, array) in load_measures(store, run_id).items():
        state[line[configuration]] = SCORED
        for name, values in zip(names, array.T, strict=True):
            numbers.setdefault(name, np.full(shape, np.nan, dtype=np.float32))[line[configuration]] = values
    for configuration, question, found, _ in coverage_states(store, run_id):
        state[line[configuration], column[question]] = _CODES[found]
    refused = np.zeros(shape, dtype=bool)
    for item in store.rows("SELECT configuration, question FROM run_items WHERE run = ? AND refused", (run_id,)):
        refused[line[item["configuration"]], column[item["question"]]] = True
    documents = store.rows(
        "SELECT id, json_extract(record, '$.document_ids[0]') AS document FROM questions WHERE dataset = ?",
        (row["dataset"],),
    )
    # a topic without documents of ours stands for itself
    document_of = {found["id"]: found["document"] or ("", found["id"]) for found in documents}
    cluster = {name: i for i, name in enumerate(dict.fromkeys(document_of[q] for q in question_ids))}
    return CoverageObservations(
        configurations=tuple(configurations),
        labels=row["spec"]["labels"],
        question_ids=tuple(question_ids),
        clusters=np.array([cluster[document_of[q]] for q in question_ids], dtype=np.int64),
        numbers=numbers,
        state=state,
        refused=refused,
        reference=frozenset({EVIDENCE}),
    )
