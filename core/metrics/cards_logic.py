"""Cards of the Logic lens: similarity, logical relations, OPI, and what stands beside them."""

from __future__ import annotations

from core.metrics.card import MetricCard

_OPI_SOURCE = "Hu, Zhou, Wang, Intrinsic Evaluation of RAG Systems for Deep-Logic Questions, arXiv 2410.02932"
_OVER_RELATIONS = "mean over questions of a relation; over relations with equal weight (no labels: over questions)"

LOGIC_CARDS: tuple[MetricCard, ...] = (
    MetricCard(
        id="bertsim",
        name="BERTSim",
        symbol="B",
        formula="cos(e(reference answer), e(produced answer))",
        range=(-1.0, 1.0),
        direction="higher",
        unit="cosine",
        aggregation=_OVER_RELATIONS,
        source=_OPI_SOURCE,
        needs="a reference answer; a similarity encoder that covers the language",
        blind_spots=(
            "hardly punishes extra or contradicting information; values of different encoders cannot be compared; "
            "text beyond the encoder's window is not seen"
        ),
    ),
    MetricCard(
        id="lrcr",
        name="Logical-Relation Correctness Ratio",
        symbol="L",
        formula="share of questions whose produced answer is predicted to follow the labelled relation, LR' = LR",
        range=(0.0, 1.0),
        direction="higher",
        unit="share",
        aggregation=_OVER_RELATIONS,
        source=f"{_OPI_SOURCE}, eq. 1",
        needs="relation labels; a relation classifier",
        blind_spots=(
            "bounded by the classifier's accuracy on reference answers; where the question alone gives the relation "
            "away it hardly depends on the retriever; a wrong answer with the right kind of reasoning counts"
        ),
    ),
    MetricCard(
        id="opi",
        name="Overall Performance Index",
        symbol="OPI(β)",
        formula="(1 + β²) · B · L / (β² · B + L); β = 0 gives B, β = ∞ gives L",
        range=(0.0, 1.0),
        direction="higher",
        unit="index",
        aggregation="OPI of the mean B and the mean L over relations, equal weight each (eq. 3)",
        source=f"{_OPI_SOURCE}, eq. 2 and 3",
        needs="BERTSim and LRCR",
        blind_spots=(
            "everything BERTSim and LRCR do not see; never below the mean of the relations' OPIs, as it lets one "
            "relation's logic make up for another's; a negative B counts as 0; the paper's prose says the opposite "
            "of its formula about β"
        ),
    ),
    MetricCard(
        id="opi_mean_of_relations",
        name="Mean of the relations' OPIs",
        symbol="mean OPI(β)",
        formula="mean over relations of OPI(β)",
        range=(0.0, 1.0),
        direction="higher",
        unit="index",
        aggregation="mean over relations with equal weight",
        source=f"the other reading of the average in {_OPI_SOURCE}",
        needs="BERTSim and LRCR in every relation",
        blind_spots=(
            "too low on average when relations have few questions, the more so the smaller β is (six questions a "
            "relation: about 0.02 at β = 1, 0.07 at β = 0.3), because a relation with no hit by chance counts as 0"
        ),
    ),
    MetricCard(
        id="rouge1",
        name="ROUGE-1",
        symbol="R1",
        formula="F measure of shared words",
        range=(0.0, 1.0),
        direction="higher",
        unit="F measure",
        aggregation="mean over questions",
        source="Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004",
        needs="a reference answer",
        blind_spots="paraphrases count as errors; word order and negation are not seen; English alone is stemmed",
    ),
    MetricCard(
        id="rougeL",
        name="ROUGE-L",
        symbol="RL",
        formula="F measure of the longest common subsequence of words",
        range=(0.0, 1.0),
        direction="higher",
        unit="F measure",
        aggregation="mean over questions",
        source="Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004",
        needs="a reference answer",
        blind_spots="paraphrases and reordered sentences count as errors; English alone is stemmed",
    ),
    MetricCard(
        id="bleu",
        name="BLEU-4",
        symbol="BLEU",
        formula="brevity penalty · geometric mean of the precisions of 1- to 4-grams, smoothed",
        range=(0.0, 1.0),
        direction="higher",
        unit="share",
        aggregation="mean over questions of the sentence score",
        source="Papineni et al., ACL 2002; smoothing 4 of Chen and Cherry, WMT 2014",
        needs="a reference answer",
        blind_spots="made for whole corpora: near 0 for free answers; long correct answers lose",
    ),
    MetricCard(
        id="token_f1",
        name="Token F1",
        symbol="F1",
        formula="2 · shared tokens / (tokens of the reference + tokens of the answer)",
        range=(0.0, 1.0),
        direction="higher",
        unit="F measure",
        aggregation="mean over questions",
        source="Rajpurkar et al., SQuAD, EMNLP 2016",
        needs="a reference answer",
        blind_spots="made for short spans: a correct long answer to a short reference loses; order is not seen",
    ),
    MetricCard(
        id="refusal",
        name="Refusals",
        symbol="ref.",
        formula="share of questions that the system declined to answer",
        range=(0.0, 1.0),
        direction="neither",
        unit="share",
        aggregation="share of questions",
        source="this project",
        needs="an answerer that says when it refuses",
        blind_spots="does not say whether the question could have been answered from the corpus",
    ),
    MetricCard(
        id="words_per_question",
        name="Words handed to the answerer",
        symbol="words",
        formula="words of the retrieved sentences",
        range=(0.0, float("inf")),
        direction="neither",
        unit="words a question",
        aggregation="mean over questions",
        source="this project",
        needs="nothing",
        blind_spots="a budget, not a quality: configurations that hand over more text start with an advantage",
    ),
)
