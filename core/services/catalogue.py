"""What is stored, as the pages and the command line list it: datasets and runs with their living state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from core.engine.spec import Request
from core.jobs.worker import is_alive
from core.services.workspace import workspace
from core.store.datasets import dataset_rows
from core.store.runs import run_row, run_summaries

RunState = Literal["done", "running", "stopped", "interrupted", "failed"]


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

    ``options`` are the choices that differ from the defaults, as typed (scope left out); ``rate`` is items a second
    and ``seconds_left`` what the current stage still takes; ``has_lrcr`` says whether relations were classified.
    """

    id: str
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
    version: int


def datasets() -> list[DatasetSummary]:
    """Return the stored datasets, newest first."""
    _, store = workspace()
    names = DatasetSummary.__dataclass_fields__
    return [DatasetSummary(**{name: row[name] for name in names}) for row in dataset_rows(store)]


def runs() -> list[RunSummary]:
    """Return the stored runs, newest first."""
    _, store = workspace()
    known = {row["name"]: row for row in dataset_rows(store)}
    return [_summary(row, known[row["dataset"]]) for row in run_summaries(store)]


def run(run_id: str) -> RunSummary:
    """Return one run.

    Raises:
        OptionError: there is no such run.
    """
    _, store = workspace()
    run_row(store, run_id)
    (row,) = run_summaries(store, run_id)
    return _summary(row, next(d for d in dataset_rows(store) if d["name"] == row["dataset"]))


def _summary(row: Mapping[str, Any], dataset: Mapping[str, Any]) -> RunSummary:
    home, store = workspace()
    if row["state"] == "running" and not is_alive(home, row["id"]):
        # the worker may have ended, and said so, since the row was read; a killed one cannot say so, its lock does
        (row,) = run_summaries(store, row["id"])
        if row["state"] == "running":
            row = {**row, "state": "interrupted"}
    state: RunState = row["state"]
    left = (row["total"] - row["done"]) / row["rate"] if state == "running" and row["rate"] else None
    return RunSummary(
        id=row["id"],
        dataset=row["dataset"],
        dataset_title=dataset["title"],
        state=state,
        message=row["message"],
        scope=row["scope"],
        options=replace(Request(**row["request"]), scope="").options(),
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
        has_relations=bool(dataset["labels"].get("relations")),
        has_lrcr=bool(dataset["labels"].get("relations")) and not row["no_relations_because"],
        version=row["version"],
    )
