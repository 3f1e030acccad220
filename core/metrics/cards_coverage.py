"""Cards of the Coverage lens: which nuggets an answer gives."""

from __future__ import annotations

from core.metrics.card import MetricCard

_COVERAGE_SOURCE = "Samuel et al., Beyond Relevance, arXiv 2603.08819"
_NUGGETIZER_SOURCE = "Pradeep et al., Initial Nugget Evaluation Results for the TREC 2024 RAG Track, arXiv 2411.09607"
_OVER_TOPICS = "mean over questions with nuggets (macro); over all nuggets where it says micro"
_MATCHER = "lexical matching under-counts paraphrase and misses negation: name the matcher and its profile"
_NUGGETS = "nuggets; a way to match them: imported labels, the offline matcher or a language model"

COVERAGE_CARDS: tuple[MetricCard, ...] = (
    MetricCard(
        id="nugget_retrieval",
        name="Nuggets retrieved",
        symbol="retrieved",
        formula="nuggets that the passages handed to the answerer hold together / all nuggets",
        range=(0.0, 1.0),
        direction="higher",
        unit="share of nuggets",
        aggregation=_OVER_TOPICS,
        source="this project",
        needs="nuggets; judgments, evidence or a matcher that says which passage holds which",
        blind_spots="a nugget that no passage holds can never be retrieved; nothing is said of the order",
    ),
    MetricCard(
        id="info_recall",
        name="Information recall",
        symbol="InfoR",
        formula="nuggets that the answer says / all nuggets, citations ignored",
        range=(0.0, 1.0),
        direction="higher",
        unit="share of nuggets",
        aggregation=_OVER_TOPICS,
        source=_COVERAGE_SOURCE,
        needs=_NUGGETS,
        blind_spots=f"what the answer says beyond its nuggets, true or not, is not seen; {_MATCHER}",
    ),
    MetricCard(
        id="cited_coverage",
        name="Cited coverage",
        symbol="cited",
        formula="nuggets that a sentence with any citation says / all nuggets; never above InfoR",
        range=(0.0, 1.0),
        direction="higher",
        unit="share of nuggets",
        aggregation=_OVER_TOPICS,
        source="what a recipe in circulation reports as coverage",
        needs=f"{_NUGGETS}; citations of sentences",
        blind_spots="the citation may be wrong: equals InfoR wherever every sentence has one",
    ),
    MetricCard(
        id="grounded_coverage",
        name="Grounded coverage",
        symbol="grounded",
        formula="nuggets that a sentence says which cites a document that holds them / all; never above cited",
        range=(0.0, 1.0),
        direction="higher",
        unit="share of nuggets",
        aggregation=_OVER_TOPICS,
        source=f"nugget coverage of {_COVERAGE_SOURCE}; ARGUE, arXiv 2405.00982",
        needs=f"{_NUGGETS}; citations of sentences; which document holds which nugget",
        blind_spots=(
            "an answerer that copies passages is grounded by construction; a document nobody judged counts as holding "
            f"nothing; {_MATCHER}"
        ),
    ),
    MetricCard(
        id="weighted_coverage",
        name="Weighted coverage",
        symbol="weighted",
        formula="(grounded vital + 0.5 · grounded okay) / (vital + 0.5 · okay)",
        range=(0.0, 1.0),
        direction="higher",
        unit="share of weight",
        aggregation="mean over questions with nuggets",
        source=f"weights of {_NUGGETIZER_SOURCE}",
        needs="what grounded coverage needs; the importance of nuggets",
        blind_spots="0.5 is a convention; what grounded coverage does not see",
    ),
    MetricCard(
        id="soft_coverage",
        name="Soft share of answers",
        symbol="soft",
        formula="mean over nuggets of the share of their answers that are said; 0 or 1 where one answer is enough",
        range=(0.0, 1.0),
        direction="higher",
        unit="share",
        aggregation="mean over questions with nuggets",
        source="partial coverage of ARGUE, arXiv 2405.00982",
        needs=f"{_NUGGETS}; nuggets that need several answers (AND)",
        blind_spots="half of an AND nugget may be worth nothing to a reader; equals InfoR without AND nuggets",
    ),
    MetricCard(
        id="nuggetizer_vital",
        name="Nuggetizer score, vital nuggets",
        symbol="V",
        formula="mean label of vital nuggets: support 1, partial support 0.5, not supported 0; strict: 1, 0, 0",
        range=(0.0, 1.0),
        direction="higher",
        unit="mean label",
        aggregation="mean over questions with vital nuggets",
        source=_NUGGETIZER_SOURCE,
        needs="nuggets with importance and labels",
        blind_spots="citations are ignored; a response with a label that cannot be read is failed, not scored",
    ),
    MetricCard(
        id="nuggetizer_all",
        name="Nuggetizer score, all nuggets",
        symbol="A",
        formula="mean label of all nuggets: support 1, partial support 0.5, not supported 0; strict: 1, 0, 0",
        range=(0.0, 1.0),
        direction="higher",
        unit="mean label",
        aggregation="mean over questions with nuggets",
        source=_NUGGETIZER_SOURCE,
        needs="nuggets with labels",
        blind_spots="vital and okay nuggets count the same; citations are ignored",
    ),
)
