"""The order in which progress counts stages is that in which a run takes them."""

from __future__ import annotations

from pathlib import Path

from core.engine.progress import Event
from core.engine.spec import Request
from core.services.evaluation import plan, run
from core.services.stages import STAGES, place_of


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
    assert seen[-1] == STAGES[-1]
    assert place_of("") == 0
