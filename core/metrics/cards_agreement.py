"""Cards of the measures of agreement between raters."""

from __future__ import annotations

from core.metrics.card import MetricCard

_NEEDS = "two or more raters' scores of the same items"
_OVER = "over items with two or more ratings; percentile bootstrap over items"


def _card(
    name: str, title: str, symbol: str, formula: str, source: str, blind: str, low: float = -1.0, over: str = _OVER
) -> MetricCard:
    unit = "share" if low == 0.0 else "agreement"
    return MetricCard(name, title, symbol, formula, (low, 1.0), "higher", unit, over, source, _NEEDS, blind)


_PAIR = "a pair of raters, over the items both rated; percentile bootstrap over items"
_SKEW = "low or below 0 where nearly all ratings are one value, however often raters agree"

AGREEMENT_CARDS: tuple[MetricCard, ...] = (
    _card(
        "alpha_ordinal", "Krippendorff's alpha, ordinal", "α ord", "1 − observed / expected disagreement, of ranks",
        "Krippendorff 2019, ch. 12", _SKEW,
    ),
    _card(
        "alpha_interval", "Krippendorff's alpha, interval", "α int",
        "1 − observed / expected disagreement, of squared differences in points", "Krippendorff 2019, ch. 12",
        _SKEW + "; takes the points' gaps for real distances",
    ),
    _card(
        "fleiss_kappa", "Fleiss' kappa", "κ Fleiss", "(agreement − chance) / (1 − chance), chance = Σ share²",
        "Fleiss 1971; Gwet 2014, ch. 2, for unequal numbers of ratings", _SKEW + "; a near miss counts as a miss",
    ),
    _card(
        "kappa", "Cohen's kappa", "κ", "(agreement − chance) / (1 − chance), chance from each rater's own shares",
        "Cohen 1960", _SKEW + "; a near miss counts as a miss", over=_PAIR,
    ),
    _card(
        "kappa_quadratic", "Cohen's kappa, quadratic", "κ²",
        "1 − observed / expected disagreement, of squared differences in places on the scale", "Cohen 1968",
        _SKEW + "; weighs by places on the scale, not by points", over=_PAIR,
    ),
    _card(
        "raw_agreement", "Raw agreement", "agree", "share of an item's pairs of ratings that are equal, averaged",
        "share of equal pairs", "how much of it chance alone would give", low=0.0,
    ),
    _card(
        "gwet_ac1", "Gwet's AC1", "AC1",
        "(agreement − chance) / (1 − chance), chance = Σ share · (1 − share) / (K − 1), K the values of the scale",
        "Gwet 2008", "the size of a miss; adding unused values to the scale raises it",
    ),
)  # fmt: skip
