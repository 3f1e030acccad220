"""Metric cards: one record a measure, from which the interface's help, the reports' appendix and URLs are made."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.errors import OptionError
from core.metrics.card import MetricCard
from core.metrics.cards_agreement import AGREEMENT_CARDS
from core.metrics.cards_correlation import CORRELATION_CARDS
from core.metrics.cards_coverage import COVERAGE_CARDS
from core.metrics.cards_granularity import GRANULARITY_CARDS
from core.metrics.cards_logic import LOGIC_CARDS
from core.metrics.cards_ranking import RANKING_CARDS

CARDS: Mapping[str, MetricCard] = MappingProxyType(
    {
        card.id: card
        for cards in (LOGIC_CARDS, COVERAGE_CARDS, GRANULARITY_CARDS, RANKING_CARDS, CORRELATION_CARDS, AGREEMENT_CARDS)
        for card in cards
    }
)


def metric_card(measure: str) -> MetricCard:
    """Return the card of a measure. Raises OptionError naming the known ids."""
    if measure not in CARDS:
        raise OptionError(f"measure {measure!r} is unknown: use one of {', '.join(CARDS)}")
    return CARDS[measure]
