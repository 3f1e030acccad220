"""Every measure has a complete card under the name that files and code use."""

from __future__ import annotations

import dataclasses

import pytest

from core.errors import OptionError
from core.metrics.cards import CARDS, metric_card
from core.metrics.cards_agreement import AGREEMENT_CARDS
from core.metrics.cards_correlation import CORRELATION_CARDS
from core.metrics.cards_coverage import COVERAGE_CARDS
from core.metrics.cards_granularity import GRANULARITY_CARDS
from core.metrics.cards_logic import LOGIC_CARDS
from core.metrics.cards_ranking import RANKING_CARDS
from core.metrics.curves import RankingCurves
from core.metrics.scores import ConfigurationScores
from core.stats.panel import View

MEASURES = {
    "bertsim", "lrcr", "opi", "opi_mean_of_relations", "rouge1", "rougeL", "bleu", "token_f1", "refusal",
    "words_per_question",
    "nugget_retrieval", "info_recall", "cited_coverage", "grounded_coverage", "weighted_coverage", "soft_coverage",
    "nuggetizer_vital", "nuggetizer_all",
    "alpha_ndcg", "alpha_dcg", "subtopic_recall", "ndcg_binary", "ndcg_count", "judged", "map", "mrr", "recall",
    "precision", "recipe_alpha_ndcg",
    "pearson", "spearman", "kendall", "partial",
    "alpha_ordinal", "alpha_interval", "fleiss_kappa", "kappa", "kappa_quadratic", "raw_agreement", "gwet_ac1",
    "discriminative_power", "corrected_power", "omega_squared", "information_content", "ami", "coherence_ratio",
}  # fmt: skip


def test_the_cards_are_those_of_the_measures() -> None:
    assert set(CARDS) == MEASURES
    assert all(name == card.id for name, card in CARDS.items())


def test_every_reported_measure_has_a_card() -> None:
    reported = {field.name for field in dataclasses.fields(ConfigurationScores) if field.name in MEASURES}
    assert {"bertsim", "lrcr", "opi", "opi_mean_of_relations", "words_per_question"} <= reported


def test_every_coefficient_and_curve_has_a_card() -> None:
    coefficients = {"pearson", "spearman", "kendall", "partial"}
    assert coefficients <= {field.name for field in dataclasses.fields(View)} & set(CARDS)
    curves = {field.name for field in dataclasses.fields(RankingCurves)} - {"average_precision", "reciprocal_rank"}
    assert curves <= set(CARDS)


def test_ids_are_given_once() -> None:
    families = (LOGIC_CARDS, COVERAGE_CARDS, GRANULARITY_CARDS, RANKING_CARDS, CORRELATION_CARDS, AGREEMENT_CARDS)
    ids = [card.id for cards in families for card in cards]
    assert len(ids) == len(set(ids))


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
