"""The offline matcher: what an answer says of a statement, in which windows, at which profile."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import OptionError
from core.nuggets.matching import PROFILES, Matcher, matcher_named, profile_at, statements_of
from core.schema import Nugget, NuggetAnswer
from core.text.support import DEFAULT, LENIENT, STRICT, is_supported

ANSWER = (
    "The Marlow ferry runs every forty minutes in summer.",
    "In winter it runs twice a day because the harbour freezes.",
    "A ticket costs 3 crowns.",
)


def test_windows_say_where_a_statement_is_said() -> None:
    matcher = Matcher()
    assert matcher.match("A ticket costs 3 crowns.", ANSWER, "en").windows == ((2, 2),)
    both = matcher.match("The ferry of Marlow runs in summer every forty minutes, in winter twice a day.", ANSWER, "en")
    # the two sentences together hold more of it than the first alone
    assert both.windows == ((0, 0), (0, 1))
    assert not matcher.match("The mill ground oats.", ANSWER, "en").said


def test_a_neighbour_that_adds_nothing_is_no_part_of_a_window() -> None:
    match = Matcher().match("A ticket costs 3 crowns.", (*ANSWER, "Nobody knows why."), "en")
    assert match.windows == ((2, 2),)


def test_a_number_that_is_missing_leaves_a_statement_unsaid() -> None:
    assert not Matcher().match("A ticket costs 4 crowns.", ANSWER, "en").said


def test_what_is_scattered_over_an_answer_is_said_by_it_as_a_whole() -> None:
    scattered = (
        "Ferries sail.", "Nobody minds.", "Marlow is old.", "Grass is green.", "Summer comes.", "Count to forty.",
        "Minutes pass.",
    )  # fmt: skip
    match = Matcher().match("The Marlow ferries are green in summer for forty minutes.", scattered, "en")
    assert match.said
    assert match.windows == ()


def test_partial_support_is_less_than_the_strict_profile_asks_for() -> None:
    statement = "The ferry runs every forty minutes and carries twelve horses."
    match = Matcher().match(statement, ANSWER, "en")
    assert (match.said, match.partial) == (True, True)
    assert not Matcher(STRICT).match(statement, ANSWER, "en").said
    assert not Matcher().match("A ticket costs 3 crowns.", ANSWER, "en").partial


@pytest.mark.parametrize("profile", [LENIENT, DEFAULT, STRICT])
@given(st.text("abc 1.", max_size=25), st.lists(st.text("abc 1.", min_size=1, max_size=20), max_size=4))
def test_said_is_the_rule_of_the_texts_and_windows_imply_it(profile: object, statement: str, answer: list[str]) -> None:
    matcher = Matcher(profile)  # type: ignore[arg-type]
    match = matcher.match(statement, answer, "en")
    assert match.said == is_supported(statement, answer, "en", matcher.profile)
    assert match.said or not (match.windows or match.partial)
    assert match.partial == (match.said and not is_supported(statement, answer, "en", STRICT))


def test_other_scripts_are_matched_by_pairs_of_characters() -> None:
    answer = ("渡船夏天每四十分钟一班。", "冬天因为港口结冰每天两班。")
    assert Matcher().match("夏天渡船每四十分钟一班", answer, "zh").windows == ((0, 0),)
    assert not Matcher().match("磨坊建于河边", answer, "zh").said


def test_matchers_by_name() -> None:
    assert matcher_named("offline") == matcher_named(" Offline:default ") == Matcher()
    assert {name: matcher_named(f"offline:{name}").profile for name in PROFILES} == PROFILES
    own = matcher_named("offline:0.42")
    assert (own.profile.name, own.profile.sentence, own.profile.whole) == ("0.42", 0.42, 0.47)
    assert own.label == "offline matcher, 0.42 profile"
    assert own.as_spec() != Matcher().as_spec()
    assert profile_at(1.0).whole == 1.0


@pytest.mark.parametrize("choice", ["", "lenient", "offline:1.2", "offline:0", "offline:-0.4", "offline:soft", "nli"])
def test_a_matcher_that_there_is_not(choice: str) -> None:
    with pytest.raises(OptionError, match="--matcher is") as raised:
        matcher_named(choice)
    assert "offline:0.42" in str(raised.value)


def test_a_nugget_states_its_text_or_its_answers() -> None:
    plain = Nugget("a", "A fact.")
    several = Nugget("b", "Which ones?", answers=(NuggetAnswer("One."), NuggetAnswer("Two.")))
    found = [(one.nugget, one.answer, one.text) for one in statements_of([plain, several])]
    assert found == [(0, None, "A fact."), (1, 0, "One."), (1, 1, "Two.")]
