"""How well the offline matcher agrees with people's labels, and the threshold at which it agrees best. Pure.

The threshold is chosen on every other topic and judged on the rest, so that the kappa reported was not chosen for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import OptionError
from core.metrics.agreement import binary_kappa
from core.nuggets.matching import profile_at
from core.stats.bootstrap import DRAWS, cluster_weights, percentile_interval
from core.text.support import DEFAULT, sentence_support, whole_support

#: labels under which the choice of a threshold rests on too few
WANTED = 200
THRESHOLDS = tuple(round(0.20 + 0.01 * step, 2) for step in range(71))


@dataclass(frozen=True, slots=True)
class Labelled:
    """What people say of one statement in one answer (its sentences): whether the answer says it."""

    topic: str
    statement: str
    sentences: tuple[str, ...]
    said: bool
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Agreement:
    """The matcher at one threshold against people on ``n`` labels of ``n_topics`` topics.

    ``kappa`` in [-1, 1] with its 95 % interval over topics, each None where it is not defined. ``bias`` is the share
    the matcher calls said minus the share people do.
    """

    threshold: float
    kappa: float | None
    low: float | None
    high: float | None
    bias: float
    n: int
    n_topics: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """``chosen`` is the best threshold on the topics it was chosen on, ``tested`` the same one on the other topics.

    ``default`` is the default profile on those other topics. Where labels are of one topic there are no others:
    ``split`` is False and all three are of the same labels, which flatters. ``curve`` is kappa on the topics chosen
    on, by threshold, None where it is not defined.
    """

    chosen: Agreement
    tested: Agreement
    default: Agreement
    split: bool
    curve: tuple[tuple[float, float | None], ...]


def calibrate(labels: Sequence[Labelled]) -> Calibration:
    """Return the threshold of highest kappa; of equals the one with the least bias, then the one nearest the default.

    Topics are numbered as they come: even ones choose, odd ones test. Raises OptionError where the labels cannot
    choose anything: there are none, or people say the same of all that the threshold is chosen on.
    """
    if not labels:
        raise OptionError(
            "there are no labels to calibrate on: give some that say whether an answer supports a nugget."
        )
    numbers = {topic: number for number, topic in enumerate(dict.fromkeys(label.topic for label in labels))}
    topics = np.array([numbers[label.topic] for label in labels])
    people = np.array([label.said for label in labels])
    shares = np.array([_shares(label) for label in labels])
    split = len(numbers) > 1
    tuning = topics % 2 == 0 if split else np.ones(len(labels), np.bool_)
    testing = ~tuning if split else tuning
    curve = [_agreement(threshold, shares, people, topics, tuning, 0) for threshold in THRESHOLDS]
    usable = [one for one in curve if one.kappa is not None]
    if people[tuning].all() or not people[tuning].any() or not usable:
        raise OptionError(
            "people say the same of all labels that the threshold is chosen on (every other topic), so none is better "
            "than another: give labels of both kinds."
        )
    best = max(usable, key=lambda one: (one.kappa, -abs(one.bias), -abs(one.threshold - DEFAULT.sentence)))
    return Calibration(
        chosen=_agreement(best.threshold, shares, people, topics, tuning),
        tested=_agreement(best.threshold, shares, people, topics, testing),
        default=_agreement(DEFAULT.sentence, shares, people, topics, testing),
        split=split,
        curve=tuple((one.threshold, one.kappa) for one in curve),
    )


def _shares(label: Labelled) -> tuple[float, float]:
    """What the rule compares with its two thresholds: the best window's share, and the whole answer's."""
    windows = sentence_support(label.statement, label.sentences, label.language)
    best = max((share for _, _, share in windows), default=0.0)
    return best, whole_support(label.statement, " ".join(label.sentences), label.language)


def _agreement(
    threshold: float,
    shares: NDArray[np.float64],
    people: NDArray[np.bool_],
    topics: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    draws: int = DRAWS,
) -> Agreement:
    profile = profile_at(threshold)
    matcher = (shares[:, 0] >= profile.sentence) | (shares[:, 1] >= profile.whole)
    ours, theirs, clusters = matcher[chosen], people[chosen], topics[chosen]
    groups, place = np.unique(clusters, return_inverse=True)
    tables = np.zeros((4, len(groups)))
    for row, cell in enumerate((ours & theirs, ours & ~theirs, ~ours & theirs, ~ours & ~theirs)):
        tables[row] = np.bincount(place, weights=cell, minlength=len(groups))
    kappa = float(binary_kappa(*tables.sum(axis=1)))
    low = high = float("nan")
    if draws and len(groups) > 1:
        weights = cluster_weights(clusters, draws, "calibration")
        low, high = percentile_interval(binary_kappa(*(weights @ tables.T).T))
    return Agreement(
        threshold=threshold,
        kappa=_known(kappa),
        low=_known(low),
        high=_known(high),
        bias=float(ours.mean() - theirs.mean()),
        n=len(ours),
        n_topics=len(groups),
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value
