"""The measures and parts of the coverage lens as figures and sentences name them."""

from __future__ import annotations

from collections.abc import Sequence

from core.figures.configurations import in_order
from core.metrics.coverage_observations import Part
from core.metrics.coverage_scores import ConfigurationCoverage, CoverageScores
from core.metrics.scores import Measure

#: measure id without its cutoff -> the name at its first use, and the short one beside a number
NAMES: dict[str, tuple[str, str]] = {
    "grounded": ("Nugget coverage: said with a citation that holds it", "coverage"),
    "said": ("Information recall, InfoR: said, with or without a citation", "InfoR"),
    "cited": ("Said in a sentence with any citation", "cited"),
    "retrieved": ("Held by the retrieved passages", "retrieved"),
    "weighted": ("Coverage, an okay nugget counting half", "weighted coverage"),
    "alpha_ndcg": ("α-nDCG: new nuggets early in the ranking", "α-nDCG"),
    "strec": ("Subtopic recall, StRecall: nuggets that the first k hold", "StRecall"),
    "ndcg_binary": ("nDCG, a passage counting when it holds any nugget", "nDCG (binary)"),
    "ndcg_count": ("nDCG, a passage counting by its nuggets", "nDCG (count)"),
    "judged": ("Judged share of the first k", "judged"),
    "map": ("Mean average precision, MAP", "MAP"),
    "mrr": ("Reciprocal rank of the first passage that holds a nugget, MRR", "MRR"),
}
#: measure id without its cutoff -> its card's id, where that is another: the name in URLs and files
_CARDS = {
    "grounded": "grounded_coverage",
    "said": "info_recall",
    "cited": "cited_coverage",
    "retrieved": "nugget_retrieval",
    "weighted": "weighted_coverage",
    "strec": "subtopic_recall",
}
#: part -> what became of the nugget
PARTS: dict[Part, str] = {
    "grounded": "grounded",
    "said_not_grounded": "said without the right citation",
    "retrieved_not_said": "retrieved, not said",
    "not_retrieved": "not retrieved",
    "nowhere": "in no passage",
}
#: what stands in no part, see ``Losses.unknown``
UNKNOWN = "not said, passages not known"
#: the bar's most surprising part needs a word more
NOWHERE = "in no passage: no passage of the run's pool holds it and the answer does not say it"


def symbol(measure: str) -> str:
    """Return a measure as written beside a number: "coverage", "α-nDCG@10"."""
    name, at, k = measure.partition("@")
    return f"{NAMES[name][1]}{at}{k}"


def card_id(measure: str) -> str:
    """Return what a measure is called in URLs and files: "grounded_coverage", "subtopic_recall@10"."""
    name, at, k = measure.partition("@")
    return f"{_CARDS.get(name, name)}{at}{k}"


def full_name(measure: str) -> str:
    """Return a measure's name for a choice: spelled out, with its cutoff."""
    name, at, k = measure.partition("@")
    return f"{NAMES[name][0]}{f', k = {k}' if at else ''}"


def rows_of(scores: CoverageScores, measure: str = "grounded") -> list[ConfigurationCoverage]:
    """Return the configurations by their mean of a measure, best first; unscored ones after them, references last."""
    by_id = {configuration.id: configuration for configuration in scores.configurations}
    rows = [by_id[identifier] for identifier in in_order(list(by_id))]
    rows.sort(key=lambda c: -value if (value := of(c, measure).value) is not None else float("inf"))
    rows.sort(key=lambda c: c.id in scores.reference)
    return rows


def of(configuration: ConfigurationCoverage, measure: str) -> Measure:
    """Return a configuration's mean of a measure, one without a value where the run has not stored it."""
    return configuration.macro.get(measure, _ABSENT)


def states(measure: Measure, what: str = "question") -> str:
    """Return "518 of 520 questions scored, 2 failed, 3 refusals"."""
    total = measure.n_scored + measure.n_failed + measure.n_not_applicable
    parts = [f"{measure.n_scored:,} of {total:,} {what}{'' if total == 1 else 's'} scored"]
    parts += [f"{measure.n_failed:,} failed"] if measure.n_failed else []
    parts += [f"{measure.n_not_applicable:,} not applicable"] if measure.n_not_applicable else []
    parts += [f"{measure.n_refused:,} refused"] if measure.n_refused else []
    return ", ".join(parts)


def labels_of(configurations: Sequence[ConfigurationCoverage]) -> dict[str, str]:
    """Return configuration id to the name people read."""
    return {c.id: c.label for c in configurations}


_ABSENT = Measure(None, None, None, 0, 0, 0, 0, "this run has not stored it")
