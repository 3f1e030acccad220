"""How many ratings would tell a study's two best systems apart, from the paired variance seen so far."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.figures.notation import count
from core.metrics.scores import Measure
from core.services.rated import RatedStudy, ratings
from core.stats.clustering import clustered_mean
from core.stats.intervals import mean_t
from core.stats.power import POWER, WORTH_FINDING, questions_needed

#: fewer questions say nothing about a variance
FEWEST_QUESTIONS = 5
#: a lead below this is rounding
_LEVEL = 1e-9


@dataclass(frozen=True, slots=True)
class TopTwo:
    """The two systems with the highest mean score, and what it would take to tell them apart.

    ``difference`` is in points of the scale, paired over the ``n`` questions that all rated systems have scored,
    variance by document. ``questions`` and ``ratings`` in all would show a difference of ``worth`` points with 80 %
    power at 5 % over all pairs of systems; ``questions_observed`` and ``ratings_observed`` one as large as was seen.
    Each is None where it cannot be said; ``sentence`` says why.
    """

    first: str
    second: str
    difference: Measure | None
    n: int
    worth: float
    questions: int | None
    ratings: int | None
    questions_observed: int | None
    ratings_observed: int | None
    sentence: str


def ratings_needed(study_id: str) -> TopTwo:
    """Return what would tell a study's two best systems apart. Raises OptionError where there is no such study."""
    return top_two(ratings(study_id))


def top_two(rated: RatedStudy) -> TopTwo:
    """Return the same for a study that was read already."""
    scale = rated.study.scale
    worth = WORTH_FINDING * (scale[-1] - scale[0])
    scores = {key: found for key, found in rated.question_scores().items() if found}
    if len(scores) < 2:
        return _unknown(worth, "Fewer than two systems have scores yet.")
    common = sorted(set.intersection(*(set(found) for found in scores.values())))
    if len(common) < FEWEST_QUESTIONS:
        return _unknown(
            worth,
            f"All {len(scores)} systems have scores on {count(len(common), 'question')}; from {FEWEST_QUESTIONS} on it "
            "can be said how many ratings tell the best two apart.",
        )
    means = {key: float(np.mean([found[name] for name in common])) for key, found in scores.items()}
    first, second = sorted(means, key=lambda key: (-means[key], key))[:2]
    labels = rated.study.labels
    clusters = rated.clusters()
    _, documents = np.unique([clusters[name] for name in common], return_inverse=True)
    paired = clustered_mean([scores[first][name] - scores[second][name] for name in common], documents)
    names = labels.get(first, first), labels.get(second, second)
    if paired.mean is None or paired.variance is None or paired.df is None:
        return _unknown(worth, f"The interval of the lead cannot be told: {paired.reason}.", names, len(common))
    low, high = mean_t(paired.mean, paired.variance, paired.df)
    difference = Measure(paired.mean, float(low), float(high), len(common), 0, 0, 0)
    family = len(list(combinations(scores, 2)))
    if paired.variance < _LEVEL:
        return TopTwo(
            *names, difference, len(common), worth, None, None, None, None,
            f"{names[0]} and {names[1]} differ by the same {paired.mean:.2f} points on every question, so no spread "
            "says how many ratings it takes.",
        )  # fmt: skip
    answers = _answers_a_question(rated, first, second, common) * rated.study.design.raters_per_item
    wanted = int(questions_needed(paired.variance, len(common), family, worth))
    observed = (
        int(questions_needed(paired.variance, len(common), family, paired.mean)) if paired.mean > _LEVEL else None
    )
    in_ratings = math.ceil(wanted * answers)
    as_seen = (
        f" One as large as the lead seen takes {count(observed, 'question')}."
        if observed is not None
        else " They are level, and no number of ratings shows a difference of nothing."
    )
    return TopTwo(
        *names, difference, len(common), worth, wanted, in_ratings,
        observed, None if observed is None else math.ceil(observed * answers),
        f"{names[0]} leads {names[1]} by {paired.mean:.2f} points ({float(low):.2f} to {float(high):.2f}; "
        f"{count(len(common), 'question')}). A difference of {worth:.2f} points takes about "
        f"{count(wanted, 'question')}, {in_ratings:,} ratings, to show with {POWER:.0%} power.{as_seen}",
    )  # fmt: skip


def _answers_a_question(rated: RatedStudy, first: str, second: str, common: list[str]) -> float:
    """Return how many items a question of both systems is on average: one where they answer alike, else two."""
    wanted = set(common)
    items = sum(
        one.item.question_id in wanted and any(credit.key in (first, second) for credit in one.item.credits)
        for one in rated.items
    )
    return items / len(common)


def _unknown(worth: float, why: str, names: tuple[str, str] = ("", ""), n: int = 0) -> TopTwo:
    return TopTwo(*names, None, n, worth, None, None, None, None, why)
