"""The draw is a function of the plan; filters, label checks and measures of diversity follow their definitions."""

from __future__ import annotations

import zlib
from collections import Counter

import pytest

from core.answering.refusal import is_refusal
from core.errors import OptionError
from core.generation import filters
from core.generation.categories import Categorization, Category, at_level
from core.generation.diversity import SAMPLE, diversity
from core.generation.plan import FEWEST_WORDS, SHOWN_WORDS, Plan, draw, plan_of, slots, usable
from core.generation.prompts import Pair
from core.schema import Document
from core.taxonomy.bundled import BUNDLED_TREES
from core.text.tokens import count_words
from tests.core.generation.marlow import LIGHT, MILL

DOCUMENTS = (Document("mill", MILL, language="en"), Document("light", LIGHT, language="en"))


def _plan(**choices):
    return Plan(**{"sets": (at_level(BUNDLED_TREES["QC"], "coarse"),), "per_category": 3, **choices})


def test_bundled_trees_have_two_four_and_eight_categories_each_described():
    for dimension in ("QC", "AT", "LV"):
        tree = BUNDLED_TREES[dimension]
        assert [len(level) for level in tree.levels] == [2, 4, 8]
        for level in ("coarse", "medium", "fine"):
            described = [one.description for one in at_level(tree, level).categories]
            assert all(len(one) > 20 and "of the category" not in one for one in described)
    for tree in (BUNDLED_TREES["phrasing"], BUNDLED_TREES["user_expertise"]):
        # a description of its own, not one made of the name
        assert all("of the category" not in one.description for one in at_level(tree, "").categories)
    with pytest.raises(OptionError, match="no level 'deep'"):
        at_level(BUNDLED_TREES["QC"], "deep")


def test_draws_are_the_same_for_a_seed_and_others_for_another():
    plan, other = _plan(), _plan(seed=1)
    first = [draw(plan, slot, 0, DOCUMENTS) for slot in slots(plan)]
    assert first == [draw(plan, slot, 0, DOCUMENTS) for slot in slots(plan)]
    assert first != [draw(other, slot, 0, DOCUMENTS) for slot in slots(other)]
    assert len({one.repeat for one in first}) == len(first)
    assert plan_of(plan.as_record()) == plan


def test_categories_are_drawn_by_their_probability():
    weights = Categorization(
        "kind", "", (Category("often", "a", 3.0), Category("seldom", "b", 1.0), Category("no", "c", 0))
    )
    plan = Plan(drawn=(weights,), questions=4000)
    counts = Counter(draw(plan, slot, 0, DOCUMENTS).categories["kind"] for slot in slots(plan))
    assert counts["no"] == 0
    # four standard errors of a share of 4,000
    assert abs(counts["often"] / 4000 - 0.75) < 4 * (0.75 * 0.25 / 4000) ** 0.5


def test_a_long_document_is_shown_in_whole_sentences_from_anywhere():
    text = " ".join(f"Sentence number {number} tells of the mill and its wheel." for number in range(400))
    document = (Document("long", text, language="en"),)
    plan = _plan(per_category=50)
    pieces = [draw(plan, slot, 0, document) for slot in slots(plan)]
    assert len({one.start for one in pieces}) > 20
    for one in pieces:
        shown = text[one.start : one.end]
        assert shown.startswith("Sentence")
        assert shown.rstrip().endswith(".")
        assert SHOWN_WORDS - 20 <= count_words(shown) <= SHOWN_WORDS


def test_a_text_without_an_end_is_cut():
    text = "word " * (5 * SHOWN_WORDS)
    found = draw(_plan(), slots(_plan())[0], 0, (Document("d", text, language="en"),))
    assert count_words(text[found.start : found.end]) <= 2 * SHOWN_WORDS


def test_a_document_shorter_than_a_question_is_not_asked_about():
    short = Document("short", "Too short.")
    assert usable((*DOCUMENTS, short)) == (DOCUMENTS, ("short",))
    with pytest.raises(OptionError, match=f"{FEWEST_WORDS} words"):
        usable((short,))


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("Who built the Marlow mill?", "Anna Rusk", ""),
        ("Who built the Marlow mill?", "1871", ""),
        ("Who built the Marlow mill?", "1872", filters.UNGROUNDED),
        ("Who?", "Anna Rusk", filters.TOO_SHORT),
        ("Who built the Marlow mill?", "", filters.NO_ANSWER),
        ("Who built it? " * 60, "Anna Rusk", filters.TOO_LONG),
        ("Who built the Marlow mill? " * 18, "Anna Rusk", filters.LONGER_THAN_DOCUMENT),
        ("Who built the Marlow mill?", "I do not know the answer.", filters.REFUSED),
        ("According to the text, who built the mill?", "Anna Rusk", filters.MENTIONS),
        ("What does this article say about the mill?", "Anna Rusk", filters.MENTIONS),
        ("Was it Anna Rusk who built the mill?", "Anna Rusk.", filters.GIVEN_AWAY),
        (f"{MILL[:110]}, right?", "dammed in 1902", filters.COPIED),
        ("Which text taught pupils in the Marlow school?", "forty pupils", ""),
    ],
)
def test_the_first_fault_that_applies_is_the_reason(question, answer, reason):
    assert filters.fault(Pair(question, answer), MILL, "en", is_refusal) == reason


@pytest.mark.parametrize(
    ("label", "question", "agrees"),
    [
        ("similar_to_document", "When was the river dammed?", True),
        ("distant_from_document", "When was the river dammed?", False),
        ("distant_from_document", "Which structure halted grinding grain there?", True),
        ("high_lexical_overlap", "When was the river dammed?", True),
        ("conceptual_rephrase", "When was the river dammed?", None),
    ],
)
def test_labels_of_linguistic_variation_are_held_against_the_overlap(label, question, agrees):
    assert filters.label_agrees(label, question, MILL, "en") is agrees


def test_diversity_by_hand():
    found = diversity(["one two three four five", "one two three four six"])
    assert found is not None
    assert (found.n, found.sample) == (2, 2)
    # 10 words, 6 distinct; 8 pairs, 5; 6 triples, 4; 4 fours, 3
    assert found.distinct == (0.6, 5 / 8, 4 / 6, 3 / 4)
    assert found.repeated == 1.0
    raw = b"one two three four five\none two three four six"
    assert found.compression == pytest.approx(len(raw) / len(zlib.compress(raw, 9)))
    assert diversity([]) is None


def test_diversity_is_taken_at_a_fixed_size():
    questions = [f"what is known about item number {number} of list {number % 7}" for number in range(5 * SAMPLE)]
    small, large = diversity(questions[:SAMPLE]), diversity(questions)
    assert small is not None
    assert large is not None
    assert small.sample == large.sample == SAMPLE
    assert large == diversity(questions)
    # measured on all of it the share of distinct words would be a third of this
    assert large.distinct[0] == pytest.approx(small.distinct[0], rel=0.1)
