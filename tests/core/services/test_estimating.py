"""What is said before the start holds after the end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.spec import Request
from core.errors import OptionError
from core.models.cache import VectorCache
from core.services import catalogue, corpus_part
from core.services.estimating import estimate
from core.services.evaluation import plan, run
from core.services.importing import import_source
from core.services.workspace import workspace
from core.store.runs import update_run


@pytest.fixture
def request_(home: Path, small_csv: Path) -> Request:
    return Request(import_source(small_csv).name)


def _encoded() -> int:
    home, _ = workspace()
    return VectorCache(home.encodings).size()[0]


def test_a_run_encodes_what_was_counted_and_no_more_than_was_warned_of(request_: Request) -> None:
    before = estimate([request_])
    assert [(one.n_questions, one.n_configurations, one.state) for one in before.runs] == [(6, 14, None)]
    assert (before.answers, before.calls, before.tokens) == (84, 0, 0)
    # six questions, six answers, three documents of one passage each
    assert (before.texts, before.exact) == (15, True)
    assert 0 < before.seconds[0] < before.seconds[1]
    assert before.measured == 0
    assert catalogue.runs() == []

    spec, dataset = plan(request_)
    run(spec, dataset)
    assert before.texts <= _encoded() <= before.texts + before.further
    after = estimate([request_])
    assert after.runs[0].run_id == spec.run_id == before.runs[0].run_id
    assert after.runs[0].is_done
    assert (after.answers, after.texts, after.further, after.seconds) == (0, 0, 0, (0.0, 0.0))
    other = estimate([replace(request_, k=2), request_])
    assert [one.is_done for one in other.runs] == [False, True]
    assert (other.answers, other.texts) == (84, 0)


def test_runs_of_a_sweep_share_their_texts(request_: Request) -> None:
    one = estimate([request_])
    both = estimate([request_, replace(request_, k=2)])
    assert both.texts == one.texts
    assert both.answers == 2 * one.answers
    assert both.seconds[1] > one.seconds[1]
    # the same choices twice are one run
    assert estimate([request_, request_]).answers == one.answers


def test_without_dense_retrievers_no_passage_is_encoded_but_for_the_classifier(request_: Request) -> None:
    lexical = replace(request_, retrievers="bm25", combinations="none")
    # no evidence is marked, so the classifier learns from what kNN finds
    assert estimate([lexical]).texts == 15
    assert estimate([replace(lexical, relations="none")]).texts == 12


def test_a_large_corpus_is_judged_by_a_part(request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = estimate([request_])
    monkeypatch.setattr(corpus_part, "_SAMPLE", 300)
    corpus_part.corpus_part.cache_clear()
    try:
        part = estimate([request_])
    finally:
        corpus_part.corpus_part.cache_clear()
    assert whole.exact
    assert not part.exact
    assert part.texts == pytest.approx(whole.texts, abs=2)


def test_the_time_rests_on_finished_runs(request_: Request) -> None:
    spec, dataset = plan(request_)
    run(spec, dataset)
    _, store = workspace()
    other = replace(request_, k=2)
    slow = {"seconds": {"encode answers": 500.0, "score": 840.0}, "items": {"encode answers": 500, "score": 84}}
    update_run(store, spec.run_id, provenance=slow)
    found = estimate([other])
    assert found.measured == 1
    # ten seconds an answer were measured
    assert found.seconds[0] > 84 * 10 / 2
    # a run of before items were counted, and one that had next to nothing to do, tell no speed
    for silent in ({"seconds": {"score": 9.0}}, {"seconds": {"score": 9.0}, "items": {"score": 3}}):
        update_run(store, spec.run_id, provenance=silent)
        assert estimate([other]).measured == 0


def test_bundled_datasets_are_estimated_without_being_imported(home: Path) -> None:
    del home
    assert estimate([Request("trilens-demo")]).answers > 0
    assert catalogue.datasets() == []


def test_what_cannot_be_evaluated_is_said(request_: Request) -> None:
    for wrong in (
        replace(request_, k=0),
        replace(request_, sample="none"),
        replace(request_, split="test"),
        replace(request_, dataset="gone"),
    ):
        with pytest.raises(OptionError):
            estimate([wrong])
