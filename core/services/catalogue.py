"""What is stored, as the pages and the command line list it: datasets and runs with their living state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from core.engine.spec import Request
from core.jobs.worker import is_alive
from core.services.workspace import workspace
from core.settings import Home
from core.store.datasets import dataset_rows
from core.store.runs import UNDER_WAY, no_run, run_count, run_states, run_summaries

RunState = Literal["done", "running", "queued", "stopped", "paused", "interrupted", "failed"]
#: states of runs that did not reach their end and that nobody evaluates: resuming does what is missing
RESUMABLE: tuple[RunState, ...] = ("stopped", "paused", "interrupted", "failed")


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """A stored dataset and which labels it carries."""

    name: str
    title: str
    n_documents: int
    n_questions: int
    format: str
    source: str
    created: str
    labels: Mapping[str, Any]
    card: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A stored run.

    ``title`` is the name its owner gave it, "" at first.
    ``options`` are the choices that differ from the defaults, as typed (scope left out); ``rate`` is items a second
    and ``seconds_left`` what the current stage still takes; ``cost`` is what the language model took so far of one
    that has no results yet, None where it took nothing; ``limit`` is the spending limit that stopped it ("max_calls" or
    "max_tokens"), else ""; ``has_lrcr`` says whether relations were classified,
    ``is_collection`` that the run compares what other systems retrieved and said on a judged collection.
    """

    id: str
    title: str
    dataset: str
    dataset_title: str
    state: RunState
    message: str
    scope: str
    options: str
    n_questions: int
    n_configurations: int
    started: str
    finished: str | None
    seconds: float
    stage: str
    done: int
    total: int
    rate: float | None
    seconds_left: float | None
    failures: Mapping[str, int]
    has_relations: bool
    has_lrcr: bool
    is_collection: bool
    version: int
    source_hash: str
    cost: Mapping[str, Any] | None = None
    limit: str = ""

    @property
    def searched(self) -> str:
        """What was searched, in a word: "corpus", "document", or "collection" where others did the searching."""
        return "collection" if self.is_collection else self.scope

    @property
    def stamp(self) -> str:
        """What caches of the run's scores are keyed by: another one after every change.

        That is, when rows are written, when a backup brings older ones back, and when the dataset gets another card,
        whose trees say which questions a category holds (``source_hash``).
        """
        return f"{self.version} {self.finished} {self.source_hash}"


def datasets() -> list[DatasetSummary]:
    """Return the stored datasets, newest first."""
    _, store = workspace()
    names = DatasetSummary.__dataclass_fields__
    return [DatasetSummary(**{name: row[name] for name in names}) for row in dataset_rows(store)]


def runs() -> list[RunSummary]:
    """Return the stored runs, newest first."""
    _, store = workspace()
    return _summaries(run_summaries(store))


def n_runs(search: str = "") -> int:
    """Return how many runs a search finds, see ``run_page``."""
    _, store = workspace()
    return run_count(store, _tidy(search))


def run_page(search: str = "", *, page: int = 1, size: int = 10) -> list[RunSummary]:
    """Return a page (from 1), newest first, of the runs whose id, title or dataset's title holds ``search``."""
    _, store = workspace()
    return _summaries(run_summaries(store, search=_tidy(search), limit=size, offset=max(page - 1, 0) * size))


def states_of(run_ids: Sequence[str]) -> dict[str, RunState]:
    """Return the states of those of the runs that are stored."""
    home, store = workspace()
    return {row["id"]: _state(row["state"], row["id"], home) for row in run_states(store, run_ids)}


def runs_under_way(limit: int | None = None) -> list[RunSummary]:
    """Return the runs that somebody evaluates, then those that wait, in the order of the queue; at most ``limit``."""
    _, store = workspace()
    place = {run_id: number for number, run_id in enumerate(_alive()[:limit])}
    # one may have ended since
    going = [run for run in _summaries(run_summaries(store, list(place))) if run.state in ("running", "queued")]
    return sorted(going, key=lambda run: (run.state == "queued", place[run.id]))


def n_under_way() -> int:
    """Return how many runs are evaluated or wait for it."""
    return len(_alive())


def _alive() -> list[str]:
    home, store = workspace()
    found = [(_state(row["state"], row["id"], home), row["id"]) for row in run_states(store)]
    return [run_id for wanted in ("running", "queued") for state, run_id in found if state == wanted]


def run_versions() -> tuple[tuple[str, RunState, int, str], ...]:
    """Return (id, state, version, title) of every run: equal as long as no list of runs has to be drawn anew."""
    home, store = workspace()
    found = (
        (row["id"], _state(row["state"], row["id"], home), row["version"], row["title"]) for row in run_states(store)
    )
    return tuple(sorted(found))


def run(run_id: str) -> RunSummary:
    """Return one run.

    Raises:
        OptionError: there is no such run.
    """
    _, store = workspace()
    found = _summaries(run_summaries(store, [run_id]))
    if not found:
        raise no_run(run_id)
    return found[0]


def _summaries(rows: list[dict[str, Any]]) -> list[RunSummary]:
    return [_summary(row) for row in rows]


def _tidy(search: str) -> str:
    return " ".join(search.encode("utf-8", "ignore").decode().split())[:200]


def _state(stored: str, run_id: str, home: Home) -> RunState:
    """The state as people see it: one whose evaluation nobody holds was interrupted."""
    if stored in UNDER_WAY and not is_alive(home, run_id):
        return "interrupted"
    return "running" if stored == "stopping" else cast(RunState, stored)


def _summary(row: Mapping[str, Any]) -> RunSummary:
    home, store = workspace()
    state, message = _state(row["state"], row["id"], home), row["message"]
    if state == "interrupted":
        # the worker may have ended, and said so, since the row was read; a killed one cannot say so, its lock does
        found = run_summaries(store, [row["id"]])
        row = found[0] if found else row
        state = _state(row["state"], row["id"], home)
    if row["state"] == "stopping" and state == "running":
        message = "asked to stop: ends at the next safe point"
    left = (row["total"] - row["done"]) / row["rate"] if state == "running" and row["rate"] else None
    request = Request(**row["request"])
    everything = row["is_collection"] and len(request.systems.split(",")) == row["n_systems"]
    return RunSummary(
        id=row["id"],
        title=row["title"],
        dataset=row["dataset"],
        dataset_title=row["dataset_title"],
        state=state,
        message=message,
        scope=row["scope"],
        # a collection's runs have all its systems, unless somebody chose among them
        options=replace(request, scope="", systems="" if everything else request.systems).options(),
        n_questions=row["n_questions"],
        n_configurations=row["n_configurations"],
        started=row["started"],
        finished=row["finished"],
        seconds=row["seconds"],
        stage=row["stage"],
        done=row["done"],
        total=row["total"],
        rate=row["rate"],
        seconds_left=left,
        failures=row["failures"],
        has_relations=bool(row["has_relations"]),
        has_lrcr=bool(row["has_relations"]) and not row["no_relations_because"],
        is_collection=bool(row["is_collection"]),
        version=row["version"],
        source_hash=row["source_hash"],
        cost=row["cost"],
        limit=(row["spending_limit"] or "") if state == "stopped" else "",
    )
