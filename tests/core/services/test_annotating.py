"""The queue as raters meet it: leases, one-time tokens, undo, skip, notes, time, and every kind of late press."""

from __future__ import annotations

import math

import pytest

from core.errors import InputError, OptionError
from core.people.records import Gold
from core.people.roles import AccessError, Actor
from core.services import annotating, studies
from core.services.annotating import LEASE, NOTE_LIMIT, Accepted, Assigned, Done, Refused
from core.services.rated import ratings
from core.services.workspace import workspace
from tests.core.people.study_samples import OWNER, Clock, make_study, rater

ONE, TWO = rater(1), rater(2)

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def given(actor, study):
    found = annotating.next_assignment(actor, study.id)
    assert isinstance(found, Assigned), found
    return found


def score(actor, study, value=7):
    item = given(actor, study)
    pressed = annotating.vote(actor, item.assignment, item.token, value)
    assert isinstance(pressed, Accepted), pressed
    return item, pressed


def saved(study):
    return [(one.rater, one.value, one.status) for one in ratings(study.id).ratings]


def test_a_vote_is_saved_once_and_read_back(clock):
    study = make_study()
    item = given(ONE, study)
    clock.move(12)
    pressed = annotating.vote(ONE, item.assignment, item.token, 3)
    assert pressed == Accepted(item.assignment, "vote", 3.0, "2027-01-15T08:00:12Z")
    assert pressed.clock == "08:00:12"
    assert annotating.vote(ONE, item.assignment, item.token, 7).reason.startswith("This showing of the item is over")
    (one,) = ratings(study.id).ratings
    assert (one.rater, one.value, one.seconds) == ("Rater 1", 3.0, 12.0)
    history = annotating.history(ONE, study.id)
    assert [(press.action, press.outcome, press.value) for press in history] == [
        ("vote", "accepted", 3.0), ("vote", "refused", 7.0)]  # fmt: skip
    assert annotating.refused_count(ONE, study.id) == 1


def test_an_item_says_nothing_of_whose_answer_it_is():
    item = given(ONE, make_study())
    told = {name: getattr(item, name) for name in item.__dataclass_fields__}
    assert "System" not in str(told)
    assert "run-1" not in str(told)
    assert "causal" not in str(told)


def test_the_same_item_comes_until_it_is_answered_and_raters_have_orders_of_their_own():
    study = make_study(n_items=40, raters_per_item=2)
    assert given(ONE, study) == given(ONE, study)
    orders = []
    for actor in (ONE, TWO):
        orders.append([score(actor, study)[0].answer for _ in range(40)])
        assert annotating.next_assignment(actor, study.id).reason == "finished"
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


def test_an_item_has_no_more_raters_than_it_needs():
    study = make_study(n_items=5, n_raters=3, raters_per_item=2)
    for _ in range(5):
        for number in (1, 2, 3):
            if isinstance(item := annotating.next_assignment(rater(number), study.id), Assigned):
                annotating.vote(rater(number), item.assignment, item.token, 0)
    per_item = {}
    for one in ratings(study.id).ratings:
        per_item.setdefault(one.item, []).append(one.rater)
    assert sorted(len(set(raters)) for raters in per_item.values()) == [2] * 5
    assert len(ratings(study.id).ratings) == 10


def test_shared_and_gold_items_are_seen_by_all():
    study = make_study(n_items=4, n_raters=3, shared=0.5, gold=(Gold("Q?", "R.", "A.", 7.0),))
    seen = dict.fromkeys((1, 2, 3), 0)
    for number in seen:
        while isinstance(item := annotating.next_assignment(rater(number), study.id), Assigned):
            annotating.vote(rater(number), item.assignment, item.token, 7)
            seen[number] += 1
    items = studies.progress(OWNER, study.id).items
    assert sorted(item.answered for item in items) == [1, 1, 3, 3, 3]
    assert sum(seen.values()) == 11


def test_an_expired_lease_returns_to_the_pool_and_its_press_is_refused(clock):
    study = make_study(n_items=1)
    item = given(ONE, study)
    assert annotating.next_assignment(TWO, study.id).reason == "finished"
    clock.move(LEASE + 1)
    late = annotating.vote(ONE, item.assignment, item.token, 7)
    assert late.reason == "Nobody answered the item in time, so it went back."
    taken = given(TWO, study)
    assert taken.answer == item.answer
    assert annotating.next_assignment(ONE, study.id).reason == "finished"
    assert "went back" in annotating.vote(ONE, item.assignment, item.token, 7).reason
    assert isinstance(annotating.vote(TWO, taken.assignment, taken.token, 0), Accepted)
    assert saved(study) == [("Rater 2", 0.0, "scored")]


def test_what_ran_out_comes_back_to_the_same_rater_with_a_new_token(clock):
    study = make_study(n_items=1, n_raters=1)
    item = given(ONE, study)
    clock.move(LEASE + 1)
    again = given(ONE, study)
    assert again.assignment == item.assignment
    assert again.token != item.token
    assert isinstance(annotating.vote(ONE, item.assignment, item.token, 0), Refused)
    assert isinstance(annotating.vote(ONE, again.assignment, again.token, 7), Accepted)
    assert saved(study) == [("Rater 1", 7.0, "scored")]


def test_undo_opens_the_last_answer_with_a_new_token_before_the_item_on_screen():
    study = make_study()
    first, _ = score(ONE, study, 0)
    second = given(ONE, study)
    undone = annotating.undo(ONE, study.id, second.token)
    assert (undone.assignment, undone.value) == (first.assignment, None)
    again = given(ONE, study)
    assert again.assignment == first.assignment
    assert again.token != first.token
    # a second press made on the screen of before undoes nothing, and neither scores
    assert isinstance(annotating.undo(ONE, study.id, second.token), Refused)
    assert isinstance(annotating.vote(ONE, second.assignment, second.token, 7), Refused)
    annotating.vote(ONE, again.assignment, again.token, 3)
    assert given(ONE, study).assignment == second.assignment
    assert saved(study) == [("Rater 1", 3.0, "scored")]


def test_undo_goes_back_step_by_step_and_says_when_there_is_nothing():
    study = make_study()
    assert annotating.undo(ONE, study.id).reason == "There is no earlier answer to undo."
    first, _ = score(ONE, study)
    second, _ = score(ONE, study)
    assert annotating.undo(ONE, study.id).assignment == second.assignment
    assert annotating.undo(ONE, study.id).assignment == first.assignment
    assert isinstance(annotating.undo(ONE, study.id), Refused)
    assert saved(study) == []
    assert [given(ONE, study).assignment, score(ONE, study)[0].assignment] == [first.assignment] * 2
    assert given(ONE, study).assignment == second.assignment


def test_a_refused_undo_leaves_the_item_on_screen_as_it_is():
    study = make_study()
    item = given(ONE, study)
    assert isinstance(annotating.undo(ONE, study.id, item.token), Refused)
    assert given(ONE, study).token == item.token


def test_an_undone_score_stands_again_when_no_other_is_given(clock):
    study = make_study(n_items=2)
    score(ONE, study, 3)
    annotating.undo(ONE, study.id)
    assert saved(study) == []
    clock.move(LEASE + 1)
    given(TWO, study)
    assert saved(study) == [("Rater 1", 3.0, "scored")]
    assert [press.action for press in annotating.history(ONE, study.id)][-1] == "restore"


def test_a_skipped_item_goes_to_others_and_undo_takes_it_back_while_it_has_room():
    study = make_study(n_items=1)
    item = given(ONE, study)
    assert annotating.skip(ONE, item.assignment, item.token) == Accepted(
        item.assignment, "skip", None, annotating.history(ONE, study.id)[0].at[:19] + "Z"
    )
    assert annotating.next_assignment(ONE, study.id).reason == "finished"
    assert isinstance(annotating.undo(ONE, study.id), Accepted)
    item = given(ONE, study)
    annotating.skip(ONE, item.assignment, item.token)
    given(TWO, study)
    assert annotating.undo(ONE, study.id).reason == "Somebody else has taken the skipped item meanwhile."


def test_cannot_judge_is_an_answer_without_a_value():
    study = make_study(n_items=1)
    item = given(ONE, study)
    assert annotating.cannot_judge(ONE, item.assignment, item.token).value is None
    assert saved(study) == [("Rater 1", None, "cannot_judge")]
    assert annotating.next_assignment(TWO, study.id).reason == "finished"


@pytest.mark.parametrize(
    "forged", [5, -1, 3.5, math.nan, math.inf, 10**400, True, None, "7", [7]], ids=lambda one: str(one)[:5]
)
def test_a_value_that_is_not_on_the_scale_is_refused_and_the_item_stays(forged):
    study = make_study()
    item = given(ONE, study)
    refused = annotating.vote(ONE, item.assignment, item.token, forged)
    assert refused.reason.endswith("is not on the scale: 0, 3, 7.")
    assert saved(study) == []
    assert isinstance(annotating.vote(ONE, item.assignment, item.token, 7), Accepted)
    assert [press.outcome for press in annotating.history(ONE, study.id)] == ["refused", "accepted"]


def test_presses_on_what_is_not_theirs_or_not_there_are_refused():
    study = make_study()
    item = given(ONE, study)
    assert "somebody else" in annotating.vote(TWO, item.assignment, item.token, 7).reason
    for action in (annotating.skip, annotating.cannot_judge):
        assert "deleted" in action(ONE, "no such", item.token).reason
        assert "deleted" in action(ONE, "\ud800", item.token).reason
    assert "over" in annotating.vote(ONE, item.assignment, "", 7).reason
    assert given(ONE, study).token == item.token


@pytest.mark.parametrize("change", [studies.pause, studies.close])
def test_a_study_that_is_not_open_takes_nothing_and_goes_on_where_it_was(change):
    study = make_study()
    item = given(ONE, study)
    state = change(OWNER, study.id).state
    assert annotating.next_assignment(ONE, study.id) == Done(state, f"The study is {state}; what you scored is kept.")
    assert annotating.vote(ONE, item.assignment, item.token, 7).reason == f"The study is {state}."
    assert annotating.undo(ONE, study.id).reason == f"The study is {state}."
    studies.resume(OWNER, study.id)
    assert given(ONE, study).token == item.token
    assert isinstance(annotating.vote(ONE, item.assignment, item.token, 7), Accepted)


def test_a_study_deleted_while_it_is_rated_says_so():
    study = make_study()
    item = given(ONE, study)
    studies.delete(OWNER, study.id)
    assert annotating.vote(ONE, item.assignment, item.token, 7).reason.endswith("has been deleted meanwhile.")
    assert annotating.undo(ONE, study.id, item.token).reason.endswith("has been deleted meanwhile.")
    with pytest.raises(InputError, match="deleted meanwhile"):
        annotating.save_note(ONE, item.assignment, "a note")
    with pytest.raises(OptionError, match="no study 'study-one' is stored"):
        annotating.next_assignment(ONE, study.id)
    assert annotating.studies_to_rate(ONE) == []


def test_a_removed_rater_is_told_keeps_scores_and_gives_items_back():
    study = make_study(n_items=2)
    score(ONE, study, 7)
    item = given(ONE, study)
    assert annotating.next_assignment(TWO, study.id).reason == "finished"
    studies.remove_rater(OWNER, study.id, ONE.id)
    assert annotating.next_assignment(ONE, study.id).reason == "removed"
    assert annotating.vote(ONE, item.assignment, item.token, 7).reason == "You have been removed from this study."
    assert given(TWO, study).answer == item.answer
    assert saved(study) == [("Rater 1", 7.0, "scored")]
    # invited again: the same rater with the same scores
    assert studies.invite(OWNER, study.id, ONE.id).label == "Rater 1"
    assert annotating.progress(ONE, study.id).done == 1


def test_a_note_is_plain_text_of_bounded_length_and_survives_the_vote():
    study = make_study()
    item = given(ONE, study)
    annotating.save_note(ONE, item.assignment, " =1+1 <b>0, 3 and 7</b>\x00\ud800 ")
    assert given(ONE, study).note == "=1+1 <b>0, 3 and 7</b>"
    with pytest.raises(InputError, match=r"has 100,000 characters and was not saved: shorten it to 2,000\."):
        annotating.save_note(ONE, item.assignment, "x" * 100_000)
    assert given(ONE, study).note == "=1+1 <b>0, 3 and 7</b>"
    annotating.vote(ONE, item.assignment, item.token, 7)
    assert ratings(study.id).ratings[0].note == "=1+1 <b>0, 3 and 7</b>"
    annotating.save_note(ONE, item.assignment, "y" * NOTE_LIMIT)
    assert ratings(study.id).ratings[0].note == "y" * NOTE_LIMIT
    with pytest.raises(InputError, match="somebody else"):
        annotating.save_note(TWO, item.assignment, "mine")


def test_active_time_is_capped_adds_up_over_showings_and_is_never_negative(clock):
    study = make_study()
    item = given(ONE, study)
    clock.move(20 * 60)
    annotating.vote(ONE, item.assignment, item.token, 7)
    assert ratings(study.id).ratings[0].seconds == 300
    annotating.undo(ONE, study.id)
    clock.move(8)
    score(ONE, study)
    assert ratings(study.id).ratings[0].seconds == 308
    given(ONE, study)
    clock.move(-3600)
    score(ONE, study)
    assert sorted(one.seconds for one in ratings(study.id).ratings) == [0, 308]
    # the order of answers is that of the presses, whatever the clock said
    undone = annotating.undo(ONE, study.id)
    assert undone.assignment == annotating.history(ONE, study.id)[-2].assignment


def test_progress_counts_what_is_left_and_the_pace(clock):
    study = make_study(n_items=6)
    assert annotating.progress(ONE, study.id) == annotating.RaterProgress(0, 6, None, None, 0)
    for seconds in (10, 20, 60):
        given(ONE, study)
        clock.move(seconds)
        score(ONE, study)
    given(TWO, study)
    assert annotating.progress(ONE, study.id) == annotating.RaterProgress(3, 5, 20, 40 / 60, 0)
    (line,) = annotating.studies_to_rate(ONE)
    assert (line.name, line.state, line.progress.done) == ("A study", "open", 3)


def test_after_the_deadline_nothing_is_given_out_but_what_is_in_hand_counts(clock):
    study = make_study(deadline="2027-01-15T08:10")
    item = given(ONE, study)
    clock.move(11 * 60)
    assert isinstance(annotating.vote(ONE, item.assignment, item.token, 7), Accepted)
    assert annotating.next_assignment(ONE, study.id).reason == "late"


def test_the_second_question_and_further_aspects_are_needed_where_asked_only():
    study = make_study(second_question="Do the passages support it?")
    item = given(ONE, study)
    assert annotating.vote(ONE, item.assignment, item.token, 7).reason == "The second question needs yes or no."
    assert isinstance(annotating.vote(ONE, item.assignment, item.token, 7, second=False), Accepted)
    assert ratings(study.id).ratings[0].second is False
    plain = make_study(identifier="study-two")
    item = given(ONE, plain)
    assert annotating.vote(ONE, item.assignment, item.token, 7, second=True).reason == "No second question is asked."
    assert annotating.vote(ONE, item.assignment, item.token, 7, further={"x": 1}).reason == "'x' is not asked."


def test_generated_questions_are_checked_on_all_aspects():
    study = make_study(template="questions", dataset="set", runs=(), options=("who", "why"))
    item = given(ONE, study)
    assert item.scale == (0, 1, 2, 3)
    assert [aspect.name for aspect in item.further] == ["invention", "answerable", "category"]
    whole = {"invention": 0, "answerable": 3, "category": "why"}
    for wrong in ({}, {**whole, "invention": 3}, {**whole, "category": "what"}, {**whole, "answerable": True}):
        assert isinstance(annotating.vote(ONE, item.assignment, item.token, 3, further=wrong), Refused)
    assert isinstance(annotating.vote(ONE, item.assignment, item.token, 3, further=whole), Accepted)
    assert ratings(study.id).ratings[0].further == whole


def test_who_is_not_invited_or_only_looks_may_not_rate():
    study = make_study()
    with pytest.raises(OptionError, match="not invited"):
        annotating.next_assignment(rater(9), study.id)
    looks = Actor("v@example.org", "viewer")
    for use in (lambda: annotating.next_assignment(looks, study.id), lambda: annotating.vote(looks, "a", "b", 7),
                lambda: annotating.undo(looks, study.id), lambda: annotating.save_note(looks, "a", "b"),
                lambda: annotating.skip(looks, "a", "b"), lambda: annotating.studies_to_rate(looks)):  # fmt: skip
        with pytest.raises(AccessError):
            use()


def test_items_keep_their_texts_when_the_store_forgets_the_run():
    study = make_study()
    _, store = workspace()
    assert store.rows("SELECT * FROM runs") == []
    assert given(ONE, study).reference.startswith("Reference")
