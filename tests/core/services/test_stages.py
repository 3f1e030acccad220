"""The order in which progress counts stages is that in which a run takes them."""

from __future__ import annotations

from pathlib import Path

from core.engine.progress import Event
from core.engine.spec import Request
from core.services.evaluation import plan, run
from core.services.stages import STAGES, place_of
from tests.core.engine.nugget_samples import ferry, stored


def test_a_run_takes_the_stages_in_this_order(home: Path, small_csv: Path) -> None:
    del home
    seen: list[str] = []

    def listen(event: Event) -> None:
        if event.stage not in seen:
            seen.append(event.stage)

    spec, dataset = plan(Request(str(small_csv)))
    run(spec, dataset, listener=listen)
    places = [place_of(stage) for stage in seen]
    assert 0 not in places
    assert places == sorted(places)
    assert seen[0] == STAGES[0]
    # nothing is matched where there are no nuggets
    assert seen[-1] == "score"
    assert place_of("") == 0


def test_nuggets_come_last(home: Path) -> None:
    del home
    seen: dict[str, None] = {}
    spec, dataset = plan(Request(stored(ferry()), retrievers="bm25", combinations="none"))
    run(spec, dataset, listener=lambda event: seen.setdefault(event.stage))
    assert tuple(seen)[-3:] == STAGES[-3:] == ("score", "match", "cover")
