"""Cards of the correlations that say whether one measure predicts another."""

from __future__ import annotations

from core.metrics.card import MetricCard

_VIEWS = (
    "pooled over topics and systems; topic means removed; within topic; within system; between system means: named each"
)

CORRELATION_CARDS: tuple[MetricCard, ...] = (
    MetricCard(
        id="pearson",
        name="Pearson correlation",
        symbol="r",
        formula="cov(x, y) / (sd(x) · sd(y))",
        range=(-1.0, 1.0),
        direction="neither",
        unit="correlation",
        aggregation=_VIEWS,
        source="Fisher 1921 for the interval; bootstrap over topics beside it",
        needs="two measures of the same topics and systems",
        blind_spots=(
            "straight lines alone; easy topics and long answers raise it without one side causing the other; ten "
            "systems with r = 0.8 have a 95 % interval of 0.34 to 0.95"
        ),
    ),
    MetricCard(
        id="spearman",
        name="Spearman rank correlation",
        symbol="ρ",
        formula="Pearson correlation of the ranks, ties at their mean rank",
        range=(-1.0, 1.0),
        direction="neither",
        unit="correlation",
        aggregation=_VIEWS,
        source="Bonett and Wright, Psychometrika 2000, for the interval",
        needs="two measures of the same topics and systems",
        blind_spots="how far values lie apart; the interval takes points for independent",
    ),
    MetricCard(
        id="kendall",
        name="Kendall's tau-b",
        symbol="τ",
        formula="(pairs in the same order − pairs in opposite order) / √(pairs untied in x · pairs untied in y)",
        range=(-1.0, 1.0),
        direction="neither",
        unit="correlation",
        aggregation=_VIEWS,
        source="Kendall 1945; Fieller, Hartley, Pearson 1957 for the interval",
        needs="two measures of the same topics and systems",
        blind_spots="how far values lie apart; the interval takes points for independent",
    ),
    MetricCard(
        id="partial",
        name="Correlation at equal length of the answer",
        symbol="r·words",
        formula="(r_xy − r_xz · r_yz) / √((1 − r_xz²)(1 − r_yz²)), z the words of the answer",
        range=(-1.0, 1.0),
        direction="neither",
        unit="correlation",
        aggregation=_VIEWS,
        source="Fisher 1924",
        needs="two measures and the length of the answers of the same topics and systems",
        blind_spots="removes a straight line alone; length may itself be a result of good retrieval",
    ),
)
