"""Every measure has a complete card under the name that files and code use."""

from __future__ import annotations

import dataclasses

import pytest

from core.errors import OptionError
from core.metrics.cards import CARDS, metric_card
from core.metrics.scores import ConfigurationScores

MEASURES = {
    "bertsim", "lrcr", "opi", "opi_mean_of_relations", "rouge1", "rougeL", "bleu", "token_f1", "refusal",
    "words_per_question",
}  # fmt: skip


def test_the_cards_are_those_of_the_measures() -> None:
    assert set(CARDS) == MEASURES
    assert all(name == card.id for name, card in CARDS.items())


def test_every_reported_measure_has_a_card() -> None:
    reported = {field.name for field in dataclasses.fields(ConfigurationScores) if field.name in MEASURES}
    assert {"bertsim", "lrcr", "opi", "opi_mean_of_relations", "words_per_question"} <= reported


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_no_field_is_empty(card: object) -> None:
    for name, value in dataclasses.asdict(card).items():  # type: ignore[call-overload]
        assert value not in ("", None), name
    low, high = card.range  # type: ignore[attr-defined]
    assert low < high
    assert card.direction in ("higher", "lower", "neither")  # type: ignore[attr-defined]


def test_ids_fit_into_a_url() -> None:
    assert all(name.isascii() and name.isidentifier() for name in CARDS)


def test_an_unknown_measure_is_named_with_the_known_ones() -> None:
    with pytest.raises(OptionError, match=r"'bertscore' is unknown: use one of bertsim, lrcr"):
        metric_card("bertscore")
    assert metric_card("opi").symbol == "OPI(β)"
