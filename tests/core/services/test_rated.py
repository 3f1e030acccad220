"""Reading a study: tables with gaps, final scores with reasons, and how many ratings would tell the best two apart."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import InputError, OptionError
from core.people.roles import AccessError, Actor
from core.services import annotating, studies
from core.services.annotating import Assigned
from core.services.rated import adjudicate, rater_names, ratings
from core.services.study_power import ratings_needed
from core.stats.power import questions_needed
from tests.core.people.study_samples import OWNER, make_study, rater

pytestmark = pytest.mark.usefixtures("home")


def rate(study, number, value_of):
    """Let a rater answer all that is there; None says that it cannot be judged."""
    while isinstance(shown := annotating.next_assignment(rater(number), study.id), Assigned):
        value = value_of(shown.answer)
        if value is None:
            annotating.cannot_judge(rater(number), shown.assignment, shown.token)
        else:
            annotating.vote(rater(number), shown.assignment, shown.token, value)


def number_of(answer):
    return int(answer.removeprefix("Answer ").rstrip("."))


def test_a_table_has_a_gap_where_nobody_scored_and_never_a_nought():
    study = make_study(n_items=4, n_raters=3, raters_per_item=2)
    rate(study, 1, lambda answer: None if answer == "Answer 0." else 7)
    rate(study, 2, lambda _: 3)
    table = ratings(study.id).table()
    assert table.raters == ("Rater 1", "Rater 2", "Rater 3")
    expected = [[np.nan, 7, 7, 7], [3, 3, 3, 3], [np.nan] * 4]
    np.testing.assert_array_equal(table.values, expected)
    first = ratings(study.id).items[0]
    assert (first.values, first.spread, first.score(adjudicated=False)) == ((3.0,), 0.0, 3.0)
    assert ratings(study.id).table(models=True).values.shape == (0, 4)


def test_an_adjudicated_score_counts_where_it_is_wanted_and_the_history_keeps_both():
    study = make_study(n_items=2, raters_per_item=2)
    rate(study, 1, lambda _: 0)
    rate(study, 2, lambda _: 7)
    item = ratings(study.id).items[0].item.id
    adjudicate(OWNER, study.id, item, 7, "too harsh")
    final = adjudicate(OWNER, study.id, item, 3, " half of it\x00 ")
    assert (final.value, final.reason, final.by) == (3.0, "half of it", OWNER.id)
    rated = ratings(study.id)
    assert [one.adjudication and one.adjudication.value for one in rated.items] == [3.0, None]
    assert rated.items[0].spread == 7
    assert rated.question_scores() == {"run-1/a": {"q0": 3.0}, "run-1/b": {"q0": 3.5}}
    assert rated.question_scores(adjudicated=False) == {"run-1/a": {"q0": 3.5}, "run-1/b": {"q0": 3.5}}
    assert [(press.value, press.reason) for press in annotating.history(Actor(OWNER.id, "owner"), study.id)] == [
        (7.0, "too harsh"), (3.0, "half of it")]  # fmt: skip


def test_adjudication_needs_an_owner_a_value_of_the_scale_a_reason_and_an_item_of_the_study():
    study, other = make_study(), make_study(identifier="study-two")
    item, foreign = (ratings(one.id).items[0].item.id for one in (study, other))
    with pytest.raises(AccessError):
        adjudicate(rater(1), study.id, item, 3, "because")
    for value in (5, True, float("nan"), "7", None):
        with pytest.raises(OptionError, match="not on the study's scale"):
            adjudicate(OWNER, study.id, item, value, "because")
    with pytest.raises(OptionError, match="needs a reason"):
        adjudicate(OWNER, study.id, item, 3, " ")
    with pytest.raises(InputError, match="characters"):
        adjudicate(OWNER, study.id, item, 3, "x" * 2_001)
    with pytest.raises(OptionError, match="no item"):
        adjudicate(OWNER, study.id, foreign, 3, "because")
    assert all(one.adjudication is None for one in ratings(study.id).items)


def test_names_are_for_owners():
    study = make_study(n_raters=2)
    studies.invite(OWNER, study.id, "z@example.org")
    assert rater_names(OWNER, study.id) == {"Rater 1": "Rita 1", "Rater 2": "Rita 2", "Rater 3": "z@example.org"}
    for actor in (rater(1), Actor("v", "viewer")):
        with pytest.raises(AccessError):
            rater_names(actor, study.id)


def test_the_ratings_it_takes_follow_from_the_paired_differences():
    study = make_study(n_items=40, raters_per_item=2)
    # system a (even answers) is ahead by 7, 4, 3 or 0 points, in turn
    lead = {0: (7, 0), 1: (7, 3), 2: (3, 0), 3: (3, 3)}
    for number in (1, 2):
        rate(study, number, lambda answer: lead[number_of(answer) // 2 % 4][number_of(answer) % 2])
    found = ratings_needed(study.id)
    differences = np.array([lead[question % 4][0] - lead[question % 4][1] for question in range(20)], dtype=float)
    assert (found.first, found.second, found.n) == ("System A", "System B", 20)
    assert found.difference.value == pytest.approx(differences.mean())
    # one document a question, so the variance of the mean is the plain one; one pair of systems
    variance = differences.var(ddof=1) / 20
    assert found.worth == pytest.approx(0.35)
    assert found.questions == questions_needed(variance, 20, 1, 0.35)
    assert found.questions_observed == questions_needed(variance, 20, 1, differences.mean())
    assert found.ratings == found.questions * 4
    assert f"{found.ratings:,} ratings" in found.sentence


def test_it_says_why_it_cannot_say_how_many():
    study = make_study(n_items=40)
    assert ratings_needed(study.id).sentence == "Fewer than two systems have scores yet."
    shown = [annotating.next_assignment(rater(1), study.id)]
    annotating.vote(rater(1), shown[0].assignment, shown[0].token, 7)
    assert ratings_needed(study.id).ratings is None
    rate(study, 2, lambda _: 7)
    level = ratings_needed(study.id)
    assert (level.questions, level.difference.value) == (None, 0.0)
    assert "no spread" in level.sentence
