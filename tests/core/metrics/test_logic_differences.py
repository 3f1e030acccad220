"""A map of differences: against exchanging rows by hand, in degenerate cases, and under no difference at all."""

from __future__ import annotations

import dataclasses
import math
import time

import numpy as np
import pytest

from core.errors import OptionError
from core.metrics.logic_differences import Difference, DifferenceMap, difference_map
from core.metrics.logic_pairs import LogicMeasure, swap_draws
from core.metrics.logic_scores import logic_scores, summarise
from core.metrics.scores import NOT_APPLICABLE, LogicObservations
from core.stats.randomisation import sign_flip
from tests.core.metrics.worlds import world


def against(
    observations: LogicObservations,
    baseline: str = "",
    measure: LogicMeasure = "opi",
    beta: float = 1.0,
    seed: str = "",
) -> DifferenceMap:
    summary = summarise(observations)
    contest = summary.contest
    draws = swap_draws(contest, seed)
    return difference_map(contest, summary.relations, baseline or contest.ranked[0], draws, measure, beta)


def exchanged(observations: LogicObservations, generator: np.random.Generator, pair: list[int]) -> LogicObservations:
    """The two configurations' rows, exchanged on a random half of the documents."""
    documents = np.unique(observations.clusters)
    swapped = np.isin(observations.clusters, documents[generator.random(len(documents)) < 0.5])
    parts = {}
    for name in ("similarity", "correct"):
        rows = getattr(observations, name).copy()
        rows[np.ix_(pair, swapped)] = rows[np.ix_(pair[::-1], swapped)]
        parts[name] = rows
    return dataclasses.replace(observations, **parts)


@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_it_is_the_exchange_of_rows_done_by_hand(beta: float) -> None:
    observations = world(seed=6, documents=12)
    first, second = 0, 2
    names = observations.configurations
    ours = against(observations, names[second], beta=beta)

    def gaps(of: LogicObservations) -> np.ndarray:
        scores = logic_scores(of, beta)
        one, two = scores.configurations[first], scores.configurations[second]
        cells = [one.relations[r].opi.value - two.relations[r].opi.value for r in scores.relations]
        return np.array([*cells, one.opi.value - two.opi.value])

    observed = gaps(observations)
    generator = np.random.default_rng(0)
    drawn = np.array([gaps(exchanged(observations, generator, [first, second])) for _ in range(400)])
    by_hand = (1 + (np.abs(drawn) >= np.abs(observed) - 1e-6).sum(axis=0)) / 401
    relations = logic_scores(observations).relations
    found = [ours.cells[names[first], r] for r in relations] + [ours.overall[names[first]]]
    for one, value, p in zip(found, observed, by_hand, strict=True):
        assert one.value == pytest.approx(value)
        if one.p is not None:
            assert one.p == pytest.approx(p, abs=4 * math.sqrt(0.25 / 400))
    assert found[-1].p is not None


def test_bertsim_is_the_sign_flip_of_its_differences() -> None:
    observations = world(seed=8, documents=15)
    found = against(observations, measure="bertsim")
    relation = logic_scores(observations).relations[0]
    inside = np.array([r == relation for r in observations.relations])
    gap = (observations.similarity[1] - observations.similarity[0])[inside]
    one = found.cells[observations.configurations[1], relation]
    assert one.value == pytest.approx(gap.mean())
    if one.p is not None:
        assert one.p == pytest.approx(sign_flip(gap, observations.clusters[inside]), abs=0.02)
    assert (one.wins, one.losses, one.n) == ((gap > 0).sum(), (gap < 0).sum(), gap.size)


def test_turning_the_pair_round_turns_the_signs() -> None:
    observations = world(seed=3, documents=15)
    one, two = observations.configurations[:2]
    there, back = against(observations, one).overall[two], against(observations, two).overall[one]
    assert (there.value, there.low, there.high) == pytest.approx((-back.value, -back.high, -back.low))
    assert there.p == back.p
    assert (there.wins, there.losses) == (back.losses, back.wins)


@pytest.mark.parametrize(("beta", "measure"), [(0.0, "bertsim"), (math.inf, "lrcr")])
def test_at_its_limits_opi_is_a_part_of_it(beta: float, measure: LogicMeasure) -> None:
    observations = world(seed=5, documents=15)
    whole, part = against(observations, beta=beta), against(observations, measure=measure)
    for name, one in part.overall.items():
        assert whole.overall[name].value == pytest.approx(one.value)
        assert whole.overall[name].p == pytest.approx(one.p, abs=1e-12)


def test_identical_configurations_differ_by_nothing() -> None:
    observations = world(seed=2, documents=15)
    parts = {name: getattr(observations, name).copy() for name in ("similarity", "correct")}
    for rows in parts.values():
        rows[1] = rows[0]
    found = against(dataclasses.replace(observations, **parts))
    name = observations.configurations[1]
    mine = [one for (configuration, _), one in found.cells.items() if configuration == name] + [found.overall[name]]
    assert {(one.value, one.low, one.high, one.p, one.verdict) for one in mine} == {(0.0, 0.0, 0.0, 1.0, "equal")}
    assert all(one.ties == one.n for one in mine)


def test_relations_with_few_questions_leave_the_family() -> None:
    found = against(world(seed=2, relations=4, per_relation=5))
    assert found.family + found.set_aside == len(found.cells)
    assert found.set_aside > 0
    aside = [one for one in found.cells.values() if one.verdict == "too few"]
    assert all(one.p is None and one.corrected is None and one.more is not None for one in aside)


def test_what_cannot_be_compared_is_said() -> None:
    observations = world(seed=2)
    with pytest.raises(OptionError, match="'nobody' is not among"):
        against(observations, "nobody")
    lone = dataclasses.replace(
        observations,
        configurations=observations.configurations[:1],
        **{
            name: getattr(observations, name)[:1]
            for name in ("similarity", "similarity_state", "correct", "correct_state", "refused", "words", "sentences")
        },
    )
    with pytest.raises(OptionError, match="two configurations"):
        against(lone)
    unlabelled = dataclasses.replace(
        observations,
        correct=np.full_like(observations.correct, np.nan),
        correct_state=np.full_like(observations.correct_state, NOT_APPLICABLE),
    )
    with pytest.raises(OptionError, match="LRCR is scored on no question"):
        against(unlabelled, measure="lrcr")
    assert against(unlabelled, measure="bertsim").overall


def test_the_same_run_gives_the_same_numbers() -> None:
    observations = world(seed=2, documents=15)
    assert against(observations, seed="run") == against(observations, seed="run")
    assert against(observations, seed="run").overall != against(observations, seed="other").overall


def noise(generator: np.random.Generator, configurations: int, relations: int, each: int) -> LogicObservations:
    """Configurations that are interchangeable on every question."""
    questions = relations * each
    shape = (configurations, questions)
    base = generator.beta(4, 2, questions)
    similarity = np.clip(base + generator.normal(0, 0.1, shape), 0, 1)
    correct = (generator.random(shape) < 0.5).astype(float)
    names = tuple(f"c{i}" for i in range(configurations))
    zeros = np.zeros(shape, np.int8)
    return LogicObservations(
        configurations=names,
        labels={},
        question_ids=tuple(map(str, range(questions))),
        relations=tuple(f"r{i // each}" for i in range(questions)),
        clusters=np.arange(questions),
        similarity=similarity,
        similarity_state=zeros,
        correct=correct,
        correct_state=zeros,
        refused=np.zeros(shape, np.bool_),
        words=np.ones(shape),
        sentences=np.ones(shape),
    )


def found_any(cells: list[Difference]) -> bool:
    return any(one.verdict in ("higher", "lower") for one in cells)


@pytest.mark.slow
def test_over_the_whole_map_one_map_in_twenty_shows_a_false_finding() -> None:
    generator = np.random.default_rng(17)
    sets = 200
    wrong = 0
    for number in range(sets):
        found = against(noise(generator, 4, 4, 25), seed=str(number))
        assert found.family
        wrong += found_any(list(found.cells.values()))
    assert wrong / sets <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / sets)


def test_a_planted_difference_is_found() -> None:
    observations = noise(np.random.default_rng(1), 3, 3, 40)
    better = observations.similarity.copy()
    better[1] += 0.2
    right = observations.correct.copy()
    right[1, ::2] = 1.0
    found = against(dataclasses.replace(observations, similarity=np.clip(better, 0, 1), correct=right))
    assert found.overall["c1"].verdict == "higher"
    assert {one.verdict for (name, _), one in found.cells.items() if name == "c1"} == {"higher"}
    assert not found_any([one for (name, _), one in found.cells.items() if name == "c2"])


@pytest.mark.slow
def test_twenty_by_twenty_cells_over_five_thousand_questions_take_seconds() -> None:
    observations = noise(np.random.default_rng(2), 20, 20, 250)
    summary = summarise(observations)
    started = time.process_time()
    draws = swap_draws(summary.contest, "")
    found = difference_map(summary.contest, summary.relations, "c0", draws)
    # two cores: 5 s on the clock are at most 10 s of processor time
    assert time.process_time() - started < 10
    assert found.draws == 76_000
    assert draws.similarity.nbytes + draws.correct.nbytes < 500e6
