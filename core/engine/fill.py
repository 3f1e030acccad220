"""The one way a stage computes: look up what is stored, compute the rest in batches, store each batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.engine.progress import Progress
from core.store.database import Store
from core.store.stage_results import StageKey, StageResult, get_results, put_results

Input = TypeVar("Input")


@dataclass(frozen=True)
class Workbench:
    """What every stage needs besides its inputs. ``retry`` computes items anew that failed before."""

    store: Store
    progress: Progress
    retry: bool = False

    def fill(
        self,
        key: StageKey,
        inputs: Mapping[str, Input],
        compute: Callable[[Sequence[tuple[str, Input]]], Iterable[StageResult]],
        *,
        batch: int,
        done_before: int = 0,
    ) -> dict[str, StageResult]:
        """Return a result for every item of ``inputs``; computes only what is not stored.

        ``done_before`` is added to the progress, for stages that fill several keys in one count.
        """
        results = get_results(self.store, key, list(inputs))
        if self.retry:
            results = {item: result for item, result in results.items() if result.state != "failed"}
        self._count_failures(results.values())
        missing = [(item, value) for item, value in inputs.items() if item not in results]
        self.progress.found(len(results))
        self.progress.advance(done_before + len(results))
        for start in range(0, len(missing), batch):
            fresh = list(compute(missing[start : start + batch]))
            put_results(self.store, key, fresh)
            results |= {result.item: result for result in fresh}
            self._count_failures(fresh)
            self.progress.advance(done_before + len(results))
        return results

    def _count_failures(self, results: Iterable[StageResult]) -> None:
        self.progress.failures.update(result.reason for result in results if result.state == "failed")
