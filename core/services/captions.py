"""The sentences under the Logic page's charts, in plain words. Pure: scores in, sentences out."""

from __future__ import annotations

from core.figures.measures import MeasureName, of_cell
from core.figures.notation import decimal, listed, per_cent
from core.metrics.scores import ConfigurationScores, LogicScores

#: values this close are shared places
TIE = 1e-9


def in_the_ranking(scores: LogicScores) -> list[ConfigurationScores]:
    """The configurations of the ranking, in its order."""
    by_id = {c.id: c for c in scores.configurations}
    return [by_id[row.id] for row in scores.ranking.rows]


def names(scores: LogicScores) -> dict[str, str]:
    """Configuration id to the name people read."""
    return {c.id: c.label for c in scores.configurations}


def extreme_relations(scores: LogicScores, measure: MeasureName) -> str:
    """Return on which relations the ranked configurations score highest and lowest, "" with fewer than two."""
    means: dict[str, float] = {}
    for relation in scores.relations:
        cells = [of_cell(c.relations[relation], measure) for c in in_the_ranking(scores) if relation in c.relations]
        values = [m.value for m in cells if m.value is not None]
        if values:
            means[relation] = sum(values) / len(values)
    if len(means) < 2:
        return ""
    best, worst = max(means.values()), min(means.values())
    if best - worst <= TIE:
        return ""
    highest = [relation for relation, mean in means.items() if best - mean <= TIE]
    lowest = [relation for relation, mean in means.items() if mean - worst <= TIE]
    return (
        f"On average over the ranked configurations, {listed(highest)} {_score(highest)} highest ({decimal(best)}) and "
        f"{listed(lowest)} lowest ({decimal(worst)})."
    )


def _score(names: list[str]) -> str:
    return "scores" if len(names) == 1 else "score"


def chances(scores: LogicScores) -> str:
    """Return how often the leader and its nearest rival come first when the questions are resampled.

    "" if that is unknown, or the lead is shared.
    """
    known = [row for row in scores.ranking.rows if row.probability_best is not None]
    if len(known) < 2 or known[1].rank == 1:
        return ""
    name = names(scores)
    one, other = sorted(known, key=lambda row: -(row.probability_best or 0.0))[:2]
    return (
        f"When the questions are drawn again, {name[one.id]} comes first in {per_cent(one.probability_best or 0.0)} of "
        f"draws and {name[other.id]} in {per_cent(other.probability_best or 0.0)}."
    )


def two_averages(scores: LogicScores) -> str:
    """Return whether both averages name the same leader; "" where there is only one average."""
    rows = [row for row in scores.ranking.rows if row.mean_of_relations_rank is not None]
    if len(rows) < 2:
        return ""
    name = names(scores)
    by_mean = [name[row.id] for row in rows if row.mean_of_relations_rank == 1]
    if len(by_mean) > 2:
        return f"By the mean of the relations' OPIs {len(by_mean)} configurations share the lead."
    if [row.id for row in rows if row.rank == 1] == [row.id for row in rows if row.mean_of_relations_rank == 1]:
        return "The mean of the relations' OPIs puts the same configuration first."
    return f"The mean of the relations' OPIs puts {listed(by_mean)} first instead."
