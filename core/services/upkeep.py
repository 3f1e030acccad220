"""What the store takes on disk, and giving back what can be computed again."""

from __future__ import annotations

from dataclasses import dataclass

from core.models.cache import VectorCache
from core.services.at_rest import at_rest
from core.services.workspace import workspace
from core.store.stage_results import clear_stage_results, stage_results_size


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes on disk of the store and of the encodings, and how many things they hold."""

    store: int
    datasets: int
    runs: int
    stage_results: int
    stage_bytes: int
    encodings: int
    encoded_texts: int


def sizes() -> Sizes:
    """Return what is stored and how large it is."""
    home, store = workspace()
    files = [store.path, store.path.with_name(store.path.name + "-wal")]
    (counts,) = store.rows("SELECT (SELECT COUNT(*) FROM datasets) AS d, (SELECT COUNT(*) FROM runs) AS r")
    results, result_bytes = stage_results_size(store)
    texts, encodings = VectorCache(home.encodings).size()
    return Sizes(
        store=sum(file.stat().st_size for file in files if file.exists()),
        datasets=counts["d"],
        runs=counts["r"],
        stage_results=results,
        stage_bytes=result_bytes,
        encodings=encodings,
        encoded_texts=texts,
    )


def clear_encodings() -> None:
    """Forget all encodings; the next run computes those it needs.

    Raises:
        BusyError: a run is being evaluated.
    """
    home, _ = workspace()
    with at_rest("clear"):
        VectorCache(home.encodings).clear()


def clear_intermediate() -> None:
    """Forget what the stages of all runs computed on the way; runs keep their answers and scores.

    A run that has not finished begins anew when it is resumed.

    Raises:
        BusyError: a run is being evaluated.
    """
    _, store = workspace()
    with at_rest("clear"):
        clear_stage_results(store)
