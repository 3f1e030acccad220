"""One row of the level table: the measures of a level, or why it has none."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.metrics.granularity_added import Added, nothing_added
from core.metrics.granularity_chance import noise_powers
from core.metrics.granularity_groups import FEWEST_QUESTIONS, CategoryMean, Estimate, Grouped, questions
from core.metrics.granularity_information import level_information
from core.metrics.granularity_power import corrected_estimate, discriminative_power, mean_draws, omega_squared
from core.stats.clustering import Floats
from core.stats.permutation import upper_p


@dataclass(frozen=True, slots=True)
class LevelRow:
    """One level. ``k`` categories of ``n`` scored questions count; all numbers but ``n_not_scored`` are of those.

    ``power`` is the paper's, ``corrected`` ours; ``noise_floor`` is the power below which noise alone stays in 95 % of
    draws, ``p`` how often chance reaches the power seen. ``information`` is information content, ``ami`` its
    form corrected for chance with ``ami_p``. ``added``: what this level's split adds to the level above. Numbers that
    do not exist are None and ``reason`` says why; ``note`` names the categories set aside.
    """

    level: int
    name: str
    categories: tuple[CategoryMean, ...]
    k: int
    n: int
    n_not_scored: int
    range: float | None
    power: float | None
    corrected: Estimate
    noise_floor: float | None
    p: float | None
    omega_squared: float | None
    information: float | None
    ami: float | None
    ami_p: float | None
    added: Added
    reason: str = ""
    note: str = ""


def empty_row(level: int, name: str, grouped: Grouped, means: tuple[CategoryMean, ...]) -> LevelRow:
    """Return a level's row before it is measured, with the reason where it cannot be."""
    small = [one for one in means if not one.counted and (one.n or one.n_not_scored)]
    note = ""
    if small and grouped.k:
        listed = ", ".join(f"'{one.name}'" for one in small[:6]) + (" and more" if len(small) > 6 else "")
        note = f"{len(small)} of {len(means)} categories have too few questions and count nowhere here: {listed}."
    reason = _why_not(grouped, means)
    return LevelRow(
        level, name, means, grouped.k, grouped.scores.size, sum(one.n_not_scored for one in means), None, None,
        Estimate(None, None, None, reason), None, None, None, None, None, None, nothing_added(reason), reason, note,
    )  # fmt: skip


def _why_not(grouped: Grouped, means: tuple[CategoryMean, ...]) -> str:
    """Return why a level has no measures, "" where it has."""
    if len(means) == 1:
        return f"the level has one category, '{means[0].name}': there is nothing to compare it with"
    scored = sum(one.n for one in means)
    if not scored:
        return (
            "no question is scored at this level"
            if any(m.n_not_scored for m in means)
            else "no question has a label here"
        )
    if grouped.k < 2:
        few = "no category has" if grouped.k == 0 else f"only '{grouped.names[0]}' has"
        documents = " from two documents" if grouped.clustered else ""
        return f"too few: {few} {FEWEST_QUESTIONS} scored questions{documents}, and a level needs two such categories"
    if grouped.all_equal:
        same = f"all {questions(grouped.scores.size)} have the same score, {grouped.scores[0]:.3g}"
        return f"{same}: nothing can separate them"
    return ""


def filled_row(
    row: LevelRow,
    grouped: Grouped,
    by_chance: Floats,
    weights: Floats | None,
    edges: Floats,
    seed_text: str,
    draws: int,
) -> LevelRow:
    """Return the row with its measures, but for what its split adds.

    ``by_chance`` (draws, K) are the category means without any difference; ``weights`` (draws, G) the resamples of
    documents, None where no two questions share one.
    """
    power = discriminative_power(grouped.means)
    drawn = None if weights is None else mean_draws(grouped, weights)
    information, ami, ami_p = level_information(grouped, edges, seed_text, draws)
    return replace(
        row,
        range=float(np.ptp(grouped.means)),
        power=power,
        corrected=corrected_estimate(grouped, drawn),
        noise_floor=float(np.quantile(noise_powers(grouped, by_chance, seed_text, draws), 0.95)),
        p=upper_p(power, by_chance.std(axis=1)),
        omega_squared=omega_squared([grouped.scores[grouped.codes == k] for k in range(grouped.k)]),
        information=information,
        ami=ami,
        ami_p=ami_p,
    )
