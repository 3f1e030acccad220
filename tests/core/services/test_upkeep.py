"""Clearing what can be computed again leaves what cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.engine.spec import Request
from core.errors import BusyError
from core.jobs.lock import hold
from core.services import catalogue, upkeep
from core.services.evaluation import plan, run
from core.services.lenses import logic
from core.services.workspace import workspace


def test_clearing_keeps_runs_and_their_scores(home: Path, small_csv: Path) -> None:
    spec, dataset = plan(Request(str(small_csv), retrievers="knn,bm25", combinations="none", relations="none"))
    run(spec, dataset)
    before, scores = upkeep.sizes(), logic(spec.run_id).scores
    assert before.encoded_texts > 0
    assert before.stage_results > 0
    upkeep.clear_encodings()
    upkeep.clear_intermediate()
    after = upkeep.sizes()
    assert (after.encoded_texts, after.stage_results, after.stage_bytes) == (0, 0, 0)
    assert (after.runs, after.datasets) == (1, 1)
    assert logic(spec.run_id).scores == scores
    assert catalogue.run(spec.run_id).state == "done"


def test_nothing_is_cleared_under_a_living_run(home: Path, small_csv: Path) -> None:
    spec, dataset = plan(Request(str(small_csv), retrievers="bm25", combinations="none", relations="none"))
    run(spec, dataset)
    place, _ = workspace()
    with hold(place.lock(spec.run_id), "the run"):
        for clear in (upkeep.clear_encodings, upkeep.clear_intermediate):
            with pytest.raises(BusyError, match="stop it or wait"):
                clear()
    assert upkeep.sizes().stage_results > 0
