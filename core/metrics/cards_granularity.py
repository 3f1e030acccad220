"""Cards of the Granularity lens: how far categories lie apart, and what of it is noise."""

from __future__ import annotations

import math

from core.metrics.card import MetricCard

_PAPER = "Fensore et al., How Fine-Grained Should a RAG Benchmark Be?, arXiv 2606.12789"
_OVER_CATEGORIES = "over the categories of a level with at least five scored questions, equal weight each"
_OVER_QUESTIONS = "over the scored questions of a level's categories with at least five of them"
_LABELS = "category labels that form a tree; any measure of a question"
_NOISE = "noise alone makes it grow with the number of categories and with few questions a category"

GRANULARITY_CARDS: tuple[MetricCard, ...] = (
    MetricCard(
        id="discriminative_power",
        name="Discriminative power",
        symbol="DP",
        formula="standard deviation (ddof 0) of the category means",
        range=(0.0, math.inf),
        direction="neither",
        unit="that of the score",
        aggregation=_OVER_CATEGORIES,
        source=_PAPER,
        needs=_LABELS,
        blind_spots=f"{_NOISE}: compare with the noise floor; the finest level mostly wins",
    ),
    MetricCard(
        id="corrected_power",
        name="Corrected power",
        symbol="DP*",
        formula="sqrt(max(0, var(category means) - noise)), noise = (K-1)/K · mean of s²/n, by document where shared",
        range=(0.0, math.inf),
        direction="neither",
        unit="that of the score",
        aggregation=_OVER_CATEGORIES,
        source="this project, after Hays, Statistics for Psychologists, 1963 (variance components)",
        needs=_LABELS,
        blind_spots="0 is no proof of equal categories: read the upper limit; it cannot fall with depth but by chance",
    ),
    MetricCard(
        id="omega_squared",
        name="Omega squared",
        symbol="ω²",
        formula="(SSB - (K-1) · MSW) / (SST + MSW)",
        range=(-1.0, 1.0),
        direction="neither",
        unit="share of variance",
        aggregation=_OVER_QUESTIONS,
        source="Hays, Statistics for Psychologists, 1963",
        needs=_LABELS,
        blind_spots="a little below 0 where categories hardly differ; weighs categories by their questions; takes "
        "questions for independent, whatever they share",
    ),
    MetricCard(
        id="information_content",
        name="Information content",
        symbol="IC",
        formula="I(category; score bin) / H(category), 5 bins of equal width shared by all levels",
        range=(0.0, 1.0),
        direction="neither",
        unit="share of the category's entropy",
        aggregation=_OVER_QUESTIONS,
        source=f"{_PAPER}, there called NMI",
        needs=_LABELS,
        blind_spots="never 0 in a sample, however little categories tell: at usual sizes it is as large as its bias",
    ),
    MetricCard(
        id="ami",
        name="Adjusted mutual information",
        symbol="AMI",
        formula="(I - E I) / ((H(category) + H(bin)) / 2 - E I), E by chance with both margins fixed",
        range=(-1.0, 1.0),
        direction="neither",
        unit="share of the mean entropy",
        aggregation=_OVER_QUESTIONS,
        source="Vinh, Epps and Bailey, Information Theoretic Measures for Clusterings Comparison, JMLR 11, 2010",
        needs=_LABELS,
        blind_spots="depends on the bins; small by nature where the numbers of categories and bins differ much",
    ),
    MetricCard(
        id="coherence_ratio",
        name="Coherence ratio",
        symbol="ρ",
        formula="σ / (δ + 0.001); σ = standard deviation of the children's means, δ = |their mean - parent's mean|",
        range=(0.0, math.inf),
        direction="neither",
        unit="ratio",
        aggregation="per split; mean over the deepest splits (the paper's) or over all",
        source=_PAPER,
        needs="category labels at two levels, the parent's on questions of its own",
        blind_spots=(
            "a ratio of two small differences: noise alone gives any value, so it is inconclusive unless both differ "
            "from 0; rolled-up parents make δ about 0 by construction"
        ),
    ),
)
