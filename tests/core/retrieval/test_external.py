"""Code of the user's own may do anything; what comes of it is a reason, or one sentence."""

from __future__ import annotations

import sys
import types
import warnings

import pytest

from core.engine.spec import _source_hash
from core.errors import OptionError
from core.retrieval.external import load_factory, rank_external
from core.retrieval.outcome import RankingFailure
from core.retrieval.pool import Pool
from core.schema import Passage
from tests.core.retrieval import hostile_factories

HOSTILE = "tests.core.retrieval.hostile_factories"
POOL_TEXTS = ("one", "two")


@pytest.fixture
def pool() -> Pool:
    return Pool([Passage("d", i, 0, len(text), text) for i, text in enumerate(POOL_TEXTS)], None)


def test_a_reason_can_be_stored(pool: Pool) -> None:
    (outcome,) = rank_external(f"{HOSTILE}:complains", pool, ["?"], 5)
    assert isinstance(outcome, RankingFailure)
    assert outcome.reason.startswith(r"ValueError: half a character \ud800")
    assert len(outcome.reason) <= 300


def test_a_retriever_is_made_once_a_pool(pool: Pool) -> None:
    hostile_factories.MADE.clear()
    for question in ("a", "b"):
        rank_external(f"{HOSTILE}:counts", pool, [question], 5)
    assert hostile_factories.MADE == ["counts"]


def test_leaving_while_it_is_made_is_a_reason(pool: Pool) -> None:
    (outcome,) = rank_external(f"{HOSTILE}:leaves_early", pool, ["?"], 5)
    assert isinstance(outcome, RankingFailure)
    assert "SystemExit" in outcome.reason


def test_a_coroutine_is_refused_without_a_warning(pool: Pool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(OptionError, match="coroutine"):
            rank_external(f"{HOSTILE}:later", pool, ["?"], 5)


def test_leaving_while_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(name: str) -> types.ModuleType:
        raise SystemExit(0)

    monkeypatch.setattr("importlib.import_module", leave)
    with pytest.raises(OptionError, match="cannot be imported \\(SystemExit"):
        load_factory("leaves.at:once")


def test_code_without_a_file_is_known_by_its_module() -> None:
    assert _source_hash(f"{HOSTILE}:without_a_file") == _source_hash(f"{HOSTILE}:counts")
    assert _source_hash("os.path:join")
    assert _source_hash("sys:exit") == ""
    assert "sys" in sys.modules
