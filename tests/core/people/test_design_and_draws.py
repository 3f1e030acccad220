"""What an owner may choose, which questions are drawn, and what becomes of answers that several systems gave."""

from __future__ import annotations

from collections import Counter

import hypothesis
import hypothesis.strategies as st
import pytest

from core.errors import OptionError
from core.people.answers import is_number
from core.people.building import Produced, merged, with_gold
from core.people.design import as_record, checked, design_of, further_aspects
from core.people.drawing import drawn_questions, rater_order, shared_places, system_order
from core.people.guidelines import sanitised
from core.people.records import Credit, Design, Gold, Item
from core.people.roles import AccessError, Actor, require


def design(**choices):
    return Design(**{"name": "x", "runs": ("r",), **choices})


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"name": "  "}, "the name is empty"),
        ({"name": "x" * 121}, "121 characters"),
        ({"runs": ()}, "no run is chosen"),
        ({"runs": ("r", "r")}, "named twice"),
        ({"scale": (7.0, 3.0, 0.0)}, "do not rise"),
        ({"scale": (0.0, 0.0)}, "do not rise"),
        ({"scale": (1.0,)}, "2 to 11 numbers"),
        ({"scale": (0.0, float("nan"))}, "2 to 11 numbers"),
        ({"raters_per_item": 0}, "choose 1 to 50"),
        ({"n_questions": -1}, "choose 0 to"),
        ({"shared": 1.1}, "from 0 to 1"),
        ({"shared": float("nan")}, "from 0 to 1"),
        ({"deadline": "tomorrow"}, "write it such as"),
        ({"guidelines": "x" * 20_001}, "20,001 characters"),
        ({"template": "stories"}, "choose answers or questions"),
        ({"template": "questions"}, "no question set is chosen"),
        ({"gold": (Gold("q", "r", "a", 5.0),)}, "known score 1 is 5, which is not on the scale"),
        ({"gold": (Gold("", "r", "a", 7.0),)}, "the question of known score 1 is empty"),
    ],
)
def test_a_choice_out_of_range_is_refused_in_words(choices, says):
    with pytest.raises(OptionError, match=says):
        checked(design(**choices))


def test_a_design_survives_the_store_and_is_kept_in_one_form():
    made = checked(
        design(name=" x ", scale=(0, 1), deadline="2027-01-01T12:00+02:00", gold=(Gold("q", "r", "", 1.0, ("p",)),))
    )
    assert (made.name, made.scale, made.deadline) == ("x", (0.0, 1.0), "2027-01-01T10:00:00Z")
    assert design_of(as_record(made)) == made
    assert checked(made) == made


def test_generated_questions_have_a_scale_and_aspects_of_their_own():
    made = checked(Design("x", template="questions", dataset="d"))
    assert made.scale == (0, 1, 2, 3)
    aspects = further_aspects(made, ("who", "why"))
    assert [(one.name, one.scale, one.options) for one in aspects] == [
        ("invention", (0, 1, 2), ()), ("answerable", (0, 1, 2, 3), ()), ("category", (), ("who", "why"))]  # fmt: skip
    assert [one.name for one in further_aspects(made)] == ["invention", "answerable"]
    assert further_aspects(design()) == ()


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("# Fine\n**bold** [a page](https://example.org)", "# Fine\n**bold** [a page](https://example.org)"),
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("![who reads this](https://example.org/p.png)", "who reads this"),
        ("[press](javascript:alert(1))", "press)"),
        ("[press][1]\n\n[1]: javascript:alert(1)", "[press][1]\n\n"),
        ("[press]( data:text/html,x 'title')", "press"),
    ],
)
def test_guidelines_hold_no_markup_that_runs_or_calls_home(written, kept):
    assert sanitised(written) == kept
    assert sanitised(kept) == kept


@hypothesis.given(
    st.dictionaries(st.text("abc123", min_size=1, max_size=4), st.sampled_from("rst"), min_size=1), st.integers(1, 30),
    st.integers(0, 3),
)  # fmt: skip
def test_draws_are_balanced_over_relations_as_far_as_they_go(relations, n, seed):
    drawn = drawn_questions(relations, n, seed)
    assert drawn == drawn_questions(relations, n, seed)
    assert len(drawn) == min(n, len(relations))
    there, taken = Counter(relations.values()), Counter(relations[one] for one in drawn)
    for relation, count in taken.items():
        # nobody has more than one above another that could have given one more
        assert all(count <= taken[other] + 1 for other in there if taken[other] < there[other]), relation


def test_seeds_decide_draws_and_raters_have_orders_of_their_own():
    relations = {f"q{number}": "" for number in range(60)}
    assert drawn_questions(relations, 10, 1) != drawn_questions(relations, 10, 2)
    assert drawn_questions(relations, 0, 1) == tuple(relations)
    orders = {rater_order("s", rater, 0, 60) for rater in ("a", "b", "c")}
    assert len(orders) == 3
    assert all(sorted(order) == list(range(60)) for order in orders)
    assert len(shared_places(60, 0.25, 0)) == 15
    assert sorted(system_order("abcd", 0, "a", "i")) == list("abcd")


def produced(configuration, answer, passages=("p1",), question="q1"):
    return Produced(Credit("r", configuration), question, "causal", "Q?", "R.", answer, "d", tuple(passages))


def test_equal_answers_are_one_item_credited_to_all():
    answers = [
        produced("a", "It is  so."), produced("b", "It is so.\n", ["p2"]), produced("evidence", "Otherwise."),
        produced("c", "It is so.", question="q2"),
    ]  # fmt: skip
    found = [
        (one.answer, [credit.configuration for credit in credits])
        for one, credits in merged(answers, by_passages=False)
    ]
    assert found == [("It is  so.", ["a", "b"]), ("Otherwise.", ["evidence"]), ("It is so.", ["c"])]
    # whether passages support an answer is another question for other passages
    assert len(merged(answers, by_passages=True)) == 4


def test_known_scores_are_items_for_all_and_credited_to_none():
    loose = [Item("", 0, f"q{number}", "", "Q", "R", "A") for number in range(4)]
    items = with_gold(loose, design(shared=0.5, gold=(Gold("q", "r", "a", 7.0),)), "study-x")
    assert [item.id for item in items] == [f"study-x-{number:05d}" for number in range(5)]
    assert sum(item.is_shared for item in items) == 3
    assert (items[-1].gold, items[-1].credits, items[-1].is_shared) == (7.0, (), True)


def test_roles_reach_as_far_as_their_order():
    for role, may in (("viewer", ["viewer"]), ("rater", ["viewer", "rater"]), ("owner", ["viewer", "rater", "owner"])):
        for needed in ("viewer", "rater", "owner"):
            if needed in may:
                require(Actor("x", role), needed)
            else:
                with pytest.raises(AccessError):
                    require(Actor("x", role), needed)
    with pytest.raises(AccessError):
        require(Actor("x", "admin"), "viewer")


def test_truth_is_no_number():
    assert [is_number(one) for one in (0, 3.5, True, None, "3", float("nan"), float("inf"), 10**400)] == [
        True, True, False, False, False, False, False, False]  # fmt: skip
