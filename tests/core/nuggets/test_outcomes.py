"""What became of a nugget: the order of said, cited and grounded, and the parts every nugget falls into."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics.coverage_observations import PARTS
from core.nuggets.holding import Item, Support, said_by_text
from core.nuggets.matching import Match, Matcher
from core.nuggets.outcomes import NuggetOutcome, Pool, outcome_of_record, outcomes_of
from core.schema import Nugget, NuggetAnswer, Question

HOLDER, OTHER = Item("h", "h"), Item("o", "o")
EMPTY = Pool(frozenset(), frozenset())
ALL = Pool(frozenset({0}), frozenset({0}))


def _outcomes(
    nuggets: tuple[Nugget, ...],
    matches: list[Match],
    cited: dict[int, list[Item]],
    *,
    pool: Pool = ALL,
    handed_on: list[Item] | None = None,
) -> tuple[NuggetOutcome, ...]:
    question = Question("q", "What?", "", (), nuggets=nuggets, judged=("h", "o"))
    support = Support(question, {}, said_by_text(Matcher(), "en"))
    return outcomes_of(nuggets, support, pool, handed_on, matches, cited)


NUGGET = Nugget("n", "A fact.", documents=("h",))


@pytest.mark.parametrize(
    ("match", "cited", "expected"),
    [
        (Match(True, windows=((0, 0),)), {0: [HOLDER]}, (True, True, True)),
        (Match(True, windows=((0, 0),)), {0: [OTHER]}, (True, True, False)),
        (Match(True, windows=((0, 0),)), {0: [OTHER, HOLDER]}, (True, True, True)),
        (Match(True, windows=((0, 0),)), {}, (True, False, False)),
        (Match(True, windows=((0, 0),)), {1: [HOLDER]}, (True, False, False)),
        # the citations of both sentences of a window count
        (Match(True, windows=((0, 1),)), {1: [HOLDER]}, (True, True, True)),
        # only the answer as a whole says it: there is no sentence whose citations could prove it
        (Match(True), {0: [HOLDER]}, (True, False, False)),
        (Match(False), {0: [HOLDER]}, (False, False, False)),
    ],
)
def test_cited_and_grounded(match: Match, cited: dict[int, list[Item]], expected: tuple[bool, ...]) -> None:
    (outcome,) = _outcomes((NUGGET,), [match], cited, handed_on=[HOLDER])
    assert (outcome.said, outcome.cited, outcome.grounded) == expected


@pytest.mark.parametrize(
    ("said", "grounded", "handed_on", "pool", "part"),
    [
        (True, True, [HOLDER], ALL, "grounded"),
        (True, False, [HOLDER], ALL, "said_not_grounded"),
        (True, False, [OTHER], EMPTY, "said_not_grounded"),
        (False, False, [HOLDER], ALL, "retrieved_not_said"),
        (False, False, [OTHER], ALL, "not_retrieved"),
        (False, False, [], EMPTY, "nowhere"),
        (False, False, None, ALL, None),
        (True, True, None, ALL, "grounded"),
    ],
)
def test_parts(said: bool, grounded: bool, handed_on: list[Item] | None, pool: Pool, part: str | None) -> None:
    match = Match(said, windows=((0, 0),) if said else ())
    (outcome,) = _outcomes((NUGGET,), [match], {0: [HOLDER if grounded else OTHER]}, pool=pool, handed_on=handed_on)
    assert outcome.part == part


def test_all_answers_are_needed_each_with_a_proof_of_its_own() -> None:
    answers = (NuggetAnswer("one", documents=("h",)), NuggetAnswer("two", documents=("o",)))
    nugget = Nugget("n", "Both.", aggregator="AND", answers=answers)
    said = [Match(True, windows=((0, 0),)), Match(True, windows=((1, 1),))]
    (right,) = _outcomes((nugget,), said, {0: [HOLDER], 1: [OTHER]}, handed_on=[HOLDER, OTHER])
    assert (right.grounded, right.share_of_answers, right.retrieved, right.sentences) == (True, 1.0, True, (0, 1))
    (crossed,) = _outcomes((nugget,), said, {0: [OTHER], 1: [HOLDER]}, handed_on=[HOLDER])
    assert (crossed.said, crossed.cited, crossed.grounded, crossed.retrieved) == (True, True, False, False)
    (half,) = _outcomes((nugget,), [said[0], Match(False)], {0: [HOLDER]})
    assert (half.said, half.share_of_answers, half.retrieved) == (False, 0.5, None)
    (either,) = _outcomes((replace(nugget, aggregator="OR"),), [said[0], Match(False)], {0: [HOLDER]})
    assert (either.said, either.grounded, either.share_of_answers) == (True, True, 1.0)


def test_support_is_partial_where_nothing_that_counts_is_supported_fully() -> None:
    answers = (NuggetAnswer("one"), NuggetAnswer("two"))
    nugget = Nugget("n", "Either.", answers=answers)
    (outcome,) = _outcomes((nugget,), [Match(True, partial=True), Match(True)], {})
    assert not outcome.partial
    (outcome,) = _outcomes((nugget,), [Match(True, partial=True), Match(False)], {})
    assert (outcome.said, outcome.partial) == (True, True)
    (outcome,) = _outcomes((nugget,), [Match(False, partial=True), Match(False)], {})
    assert (outcome.said, outcome.partial) == (False, True)


_windows = st.lists(st.sampled_from([(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)]), max_size=3).map(tuple)
_match = st.builds(lambda said, windows: Match(said, windows=windows if said else ()), st.booleans(), _windows)
_items = st.lists(st.sampled_from([HOLDER, OTHER]), max_size=2)


@given(
    st.lists(_match, min_size=3, max_size=3),
    st.dictionaries(st.integers(0, 2), _items),
    st.sampled_from(["OR", "AND"]),
    st.one_of(st.none(), _items),
    st.sampled_from([ALL, EMPTY]),
)
def test_said_is_at_least_cited_is_at_least_grounded(
    matches: list[Match], cited: dict[int, list[Item]], aggregator: str, handed_on: list[Item] | None, pool: Pool
) -> None:
    answers = (NuggetAnswer("one", documents=("h",)), NuggetAnswer("two", documents=("o",)))
    nuggets = (NUGGET, Nugget("m", "t", aggregator=aggregator, answers=answers))  # type: ignore[arg-type]
    for outcome in _outcomes(nuggets, matches, cited, handed_on=handed_on, pool=pool):
        assert outcome.said >= outcome.cited >= outcome.grounded
        assert outcome.part in PARTS or (outcome.part is None and handed_on is None)
        assert (outcome.share_of_answers == 1.0) == outcome.said
        assert outcome_of_record(outcome.as_record()) == outcome
