"""Who holds what: by judgments, by evidence, by the matcher, each where it applies."""

from __future__ import annotations

from core.nuggets.holding import Item, Support, claims_of, said_by_text
from core.nuggets.matching import Matcher
from core.schema import Document, Nugget, NuggetAnswer, Question, Span

TEXT = "The ferry runs in summer. The harbour freezes in winter. A ticket costs three crowns."
DOCUMENTS = {"d": Document("d", TEXT)}


def _span(piece: str) -> Span:
    start = TEXT.index(piece)
    return Span("d", start, start + len(piece))


SUMMER, WINTER, TICKET = (_span(piece) for piece in TEXT[:-1].split(". "))


def _support(*nuggets: Nugget, judged: tuple[str, ...] = ()) -> Support:
    question = Question("q", "What?", "That.", ("d",), nuggets=nuggets, judged=judged)
    return Support(question, DOCUMENTS, said_by_text(Matcher(), "en"))


def _passage(span: Span, name: str = "p") -> Item:
    return Item(name, "d", span.start, span.end, TEXT[span.start : span.end])


def test_each_statement_has_one_basis() -> None:
    answers = (NuggetAnswer("summer", ((SUMMER,),)), NuggetAnswer("winter", documents=("x",)), NuggetAnswer("spring"))
    nuggets = (
        Nugget("a", "Marked.", evidence=((SUMMER,),)),
        Nugget("b", "Judged.", documents=("x",), evidence=((SUMMER,),)),
        Nugget("c", "Neither."),
        Nugget("d", "Several.", answers=answers, documents=("y",)),
    )
    question = Question("q", "What?", "That.", ("d",), nuggets=nuggets)
    assert [claim.basis for claim in claims_of(question)] == [
        "evidence", "judged", "derived", "evidence", "judged", "judged",
    ]  # fmt: skip
    # an answer without evidence and documents has its nugget's
    assert claims_of(question)[-1].documents == {"y"}


def test_where_documents_were_judged_one_without_any_is_held_by_none() -> None:
    support = _support(Nugget("a", "The ferry runs in summer."), judged=("d",))
    assert support.claims[0].basis == "judged"
    assert support.holds(_passage(SUMMER)) == frozenset()


def test_a_group_of_evidence_may_be_completed_by_several_items_but_not_by_one_of_them() -> None:
    support = _support(Nugget("a", "Both.", evidence=((SUMMER, WINTER),)))
    first, second = _passage(SUMMER, "p"), _passage(WINTER, "q")
    assert support.together([first, second]) == {0}
    assert support.holds(first) == support.holds(second) == frozenset()


def test_a_nugget_of_several_answers_is_held_by_any_or_by_all() -> None:
    answers = (NuggetAnswer("In summer.", ((SUMMER,),)), NuggetAnswer("In winter.", ((WINTER,),)))
    support = _support(Nugget("a", "t", answers=answers), Nugget("b", "t", aggregator="AND", answers=answers))
    one, both = support.together([_passage(SUMMER)]), support.together([_passage(SUMMER), _passage(WINTER, "q")])
    assert support.nuggets_held(one) == {0}
    assert support.nuggets_held(both) == {0, 1}
    # in judgments of single items any answer will do
    assert support.holds(_passage(SUMMER)) == {0, 1}


def test_judged_documents_are_known_by_their_id_alone() -> None:
    support = _support(Nugget("a", "The ferry runs in summer.", documents=("far",)))
    assert support.holds(Item("anything", "far")) == {0}
    # that its text says so does not make a document of another id a judged one
    assert support.holds(Item("p", "other", text="The ferry runs in summer.")) == frozenset()


def test_a_text_from_nowhere_is_decided_by_the_matcher_on_any_basis() -> None:
    support = _support(
        Nugget("a", "The ferry runs in summer.", documents=("far",)),
        Nugget("b", "The harbour freezes in winter.", evidence=((WINTER,),)),
        Nugget("c", "A ticket costs three crowns."),
    )
    assert support.holds(Item("t", text=TEXT)) == {0, 1, 2}
    assert support.holds(Item("t", text="Nothing of that.")) == frozenset()
    assert support.holds(Item("t")) == frozenset()
    # one that is placed in a document of ours is held against the evidence
    assert support.holds(_passage(TICKET)) == {2}
