"""What calls took: each counts once for everything that needed it, and nothing is made of what is not known."""

from __future__ import annotations

import pytest

from core.engine.ledger import Ledger, Price, Used


def _used(seconds: float | None = 2.0, *, tokens: tuple[int, int] = (100, 10), cached: bool = False) -> Used:
    return Used(*(tokens if seconds is not None else (0, 0)), seconds, cached)


def test_without_calls_there_is_nothing_to_tell() -> None:
    assert Ledger().record() == {}


def test_a_shared_call_counts_once_in_all_and_for_each_configuration() -> None:
    ledger = Ledger(Price(1.0, 2.0))
    ledger.note("answer", "a", _used(), ["knn", "dps"])
    ledger.note("answer", "a", _used(), ["knn"])
    ledger.note("answer", "b", _used(4.0, cached=True), ["knn"])
    ledger.note("answer", "c", _used(None), ["dps"])
    ledger.note("classify", "d", _used(1.0), [])
    ledger.sent(3, 2.5)
    found = ledger.record()
    assert (
        found["total"] | {"calls": 4, "cached": 1, "failed": 1, "input_tokens": 300, "output_tokens": 30}
        == (found["total"])
    )
    assert found["total"]["seconds"] == 7.0
    assert found["total"]["price"] == pytest.approx(3 * (100 + 20) / 1e6)
    assert found["total"]["spent"] == pytest.approx(2 * (100 + 20) / 1e6)
    assert {name: one["calls"] for name, one in found["configurations"].items()} == {"knn": 2, "dps": 2}
    # of answers that came, a shared one for each pair it served
    assert found["configurations"]["knn"]["median_seconds"] == 2.0
    assert found["configurations"]["dps"]["median_seconds"] == 2.0
    assert {name: one["calls"] for name, one in found["purposes"].items()} == {"answer": 3, "classify": 1}
    assert found["speed"] == {"calls": 3, "seconds": 2.5}


@pytest.mark.parametrize("price", [Price(), Price(1.0, None), Price(None, 1.0)])
def test_without_both_prices_there_is_no_sum(price: Price) -> None:
    ledger = Ledger(price)
    ledger.note("answer", "a", _used(), ["knn"])
    assert ledger.record()["total"]["price"] is None


def test_a_configuration_without_any_answer_has_no_median() -> None:
    ledger = Ledger()
    ledger.note("answer", "a", _used(None), ["knn"])
    assert ledger.record()["configurations"]["knn"]["median_seconds"] is None
