"""Nuggets in runs: what became of each, how early rankings show them, for our configurations and for imported ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.engine.spec import Request
from core.errors import OptionError
from core.metrics.coverage_observations import PARTS
from core.nuggets.outcomes import NuggetOutcome, outcome_of_record
from core.schema import NuggetLabel, SystemAnswer, SystemContext
from core.services import evaluation
from core.services.run_admin import delete
from core.services.workspace import workspace
from core.store.coverage import CoverageRow, coverage_rows, coverage_states, load_measures
from core.store.runs import run_row
from tests.core.engine.nugget_samples import FERRY, ferry, judged, stored

pytestmark = pytest.mark.usefixtures("home")


def _evaluate(dataset: str, **choices: Any) -> str:
    spec, data = evaluation.plan(Request(dataset, **{"relations": "none", **choices}))
    outcome = evaluation.run(spec, data)
    assert outcome.state == "done"
    return outcome.run_id


def _row(run_id: str, configuration: str, question: str) -> CoverageRow:
    _, store = workspace()
    return coverage_rows(store, run_id, question, [configuration])[configuration]


def _outcomes(run_id: str, configuration: str, question: str) -> list[NuggetOutcome]:
    return [outcome_of_record(record) for record in _row(run_id, configuration, question).record["nuggets"]]


def _numbers(run_id: str, configuration: str, question: str) -> dict[str, float]:
    """The numbers of a row that are scored."""
    _, store = workspace()
    names, array = load_measures(store, run_id)[configuration]
    place = run_row(store, run_id)["spec"]["resolved"]["questions"].index(question)
    return {name: round(float(v), 4) for name, v in zip(names, array[place], strict=True) if not np.isnan(v)}


def test_every_nugget_of_every_configuration_has_an_outcome() -> None:
    run_id = _evaluate(stored(ferry()), retrievers="bm25,knn", combinations="a:bm25+knn,s:bm25+knn", k=1)
    _, store = workspace()
    row = run_row(store, run_id)
    assert row["spec"]["resolved"]["matcher"]["profile"] == "default"
    measures = load_measures(store, run_id)
    assert list(measures) == row["spec"]["configurations"] == ["bm25", "knn", "a:bm25+knn", "s:bm25+knn", "evidence"]
    for configuration, (names, array) in measures.items():
        assert array.shape == (3, len(names))
        column = {name: array[:, place] for place, name in enumerate(names)}
        for importance in ("vital", "okay"):
            # the second question marks no evidence of its own
            n_answered = 1 if configuration == "evidence" else 2
            parts = sum(column[f"{part}_{importance}"][:n_answered] for part in PARTS)
            assert parts.tolist() == column[f"n_{importance}"][:n_answered].tolist()
        # the third question has no nuggets
        assert np.isnan(array[2]).all()
    states = coverage_states(store, run_id)
    assert {(question, state, reason) for _, question, state, reason in states} == {
        ("q2", "not_applicable", "the dataset marks no evidence for this question"),
        ("q3", "not_applicable", "this question has no nuggets"),
    }
    gold = _outcomes(run_id, "evidence", "q1")
    assert all(outcome.retrieved and outcome.reachable for outcome in gold)
    assert gold[0].grounded


def test_what_is_retrieved_said_and_grounded() -> None:
    run_id = _evaluate(stored(ferry()), retrievers="bm25", combinations="none", k=1)
    summer, winter = _outcomes(run_id, "bm25", "q1")
    assert (summer.retrieved, summer.supported, summer.derived) == (True, True, False)
    assert summer.said
    assert summer.grounded
    assert summer.part == "grounded"
    assert winter.retrieved
    years, anna = _outcomes(run_id, "bm25", "q2")
    assert years.retrieved
    # no evidence is marked and nobody judged: the matcher finds it in the passage
    assert anna.derived
    assert anna.supported
    assert anna.retrieved
    numbers = _numbers(run_id, "bm25", "q1")
    assert (numbers["n_vital"], numbers["n_okay"], numbers["retrieved_vital"]) == (1, 1, 1)
    assert numbers["alpha_ndcg@1"] == numbers["strec@20"] == numbers["judged@5"] * 5 / 2 == 1.0
    evidence = _row(run_id, "evidence", "q2")
    assert evidence.reason == "the dataset marks no evidence for this question"
    assert evidence.record["no_ranking"] == "gold evidence is a set and has no ranking"


def test_in_document_scope_only_that_documents_passages_can_hold_anything() -> None:
    made = ferry()
    elsewhere = replace(made.questions[0], document_ids=("mill",))
    name = stored(replace(made, questions=(elsewhere, *made.questions[1:])))
    corpus = _outcomes(_evaluate(name, retrievers="bm25", combinations="none"), "bm25", "q1")
    document = _outcomes(_evaluate(name, retrievers="bm25", combinations="none", scope="document"), "bm25", "q1")
    assert [(one.supported, one.reachable, one.retrieved) for one in corpus] == [(True, True, True)] * 2
    assert [(one.supported, one.reachable, one.retrieved) for one in document] == [(False, False, False)] * 2
    assert [one.part for one in document] == ["nowhere"] * 2


def test_another_matcher_is_another_run_where_there_are_nuggets() -> None:
    name = stored(ferry())
    plans = [evaluation.plan(Request(name, matcher=matcher))[0] for matcher in ("offline", "offline:strict")]
    assert plans[0].run_id != plans[1].run_id
    assert plans[1].request.options() == "--matcher offline:strict"
    without = [
        evaluation.plan(Request(name, matcher=matcher, split="", sample="", limit=None))[0]
        for matcher in ("offline", "offline:default")
    ]
    assert without[0].run_id == without[1].run_id


@pytest.mark.parametrize("matcher", ["exact", "offline:2", "offline:0", "offline:", "llm:strict", ""])
def test_a_matcher_that_does_not_exist_is_refused(matcher: str) -> None:
    name = stored(ferry())
    if matcher == "offline:":
        assert evaluation.plan(Request(name, matcher=matcher))[0].matcher
        return
    with pytest.raises(OptionError, match="--matcher is"):
        evaluation.plan(Request(name, matcher=matcher))


def test_a_judge_needs_an_endpoint() -> None:
    name = stored(ferry())
    with pytest.raises(OptionError, match="--matcher llm asks a language model: name one with --endpoint"):
        evaluation.plan(Request(name, matcher="llm"))


def test_a_run_without_nuggets_stores_no_coverage_and_keeps_its_id(small_csv: Any) -> None:
    spec, data = evaluation.plan(Request(str(small_csv), retrievers="bm25", combinations="none", relations="none"))
    other, _ = evaluation.plan(
        Request(str(small_csv), retrievers="bm25", combinations="none", relations="none", matcher="offline:strict")
    )
    assert spec.run_id == other.run_id
    assert "matcher" not in spec.resolved()
    assert "match" not in spec.resolved()["versions"]
    evaluation.run(spec, data)
    _, store = workspace()
    assert load_measures(store, spec.run_id) == {}


RANKING = {
    "t1": SystemAnswer((), ranking=("d9", "d2", "d1")),
    "t2": SystemAnswer((), ranking=("m1",)),
}


def test_a_judged_collection_needs_a_system() -> None:
    with pytest.raises(OptionError, match="has no documents to retrieve from"):
        evaluation.plan(Request(stored(judged())))


def test_rankings_alone_are_scored_against_judgments() -> None:
    run_id = _evaluate(stored(judged(), found=RANKING), k=1)
    _, store = workspace()
    assert run_row(store, run_id)["spec"]["configurations"] == ["system:found"]
    row = _row(run_id, "system:found", "t1")
    assert (row.state, row.reason) == ("not_applicable", "a ranking without answers was imported")
    assert row.record["ranking"] == ["d9", "d2", "d1"]
    assert row.record["held"] == {"d2": [0, 1], "d1": [0]}
    numbers = _numbers(run_id, "system:found", "t1")
    assert numbers["supported_vital"] == 1  # nobody holds the third nugget
    assert numbers["strec@1"] == 0
    assert numbers["strec@2"] == 1
    assert numbers["judged@5"] == pytest.approx(2 / 5)
    assert numbers["mrr"] == 0.5
    # (2 / log2(3) + .5 / log2(4)) / (2 / log2(2) + .5 / log2(3))
    assert numbers["alpha_ndcg@20"] == pytest.approx((2 / np.log2(3) + 0.25) / (2 + 0.5 / np.log2(3)), abs=1e-4)
    # of the first k = 1 nothing was judged to hold anything
    assert (numbers["retrieved_vital"], numbers["retrieved_okay"]) == (0, 0)
    assert "said_vital" not in numbers
    both = _outcomes(run_id, "system:found", "t2")[0]
    assert both.supported
    assert both.reachable
    assert not both.retrieved


ANSWERED = {
    "t1": SystemAnswer(
        ("The ferry runs every forty minutes in summer.", "A ticket costs three crowns."),
        contexts=(SystemContext("", "d1"), SystemContext("", "d3")),
        citations=((0, 0), (1, 1)),
    ),
    "t2": SystemAnswer(
        ("The mill was built in 1871.", "The river was dammed in 1902."),
        contexts=(SystemContext("", "m1"), SystemContext("", "m2")),
        citations=((0, 0), (1, 1)),
    ),
}


def test_responses_whose_citations_are_known_by_id_alone() -> None:
    run_id = _evaluate(stored(judged(), wrote=ANSWERED))
    summer, ticket, green = _outcomes(run_id, "system:wrote", "t1")
    assert (summer.said, summer.cited, summer.grounded, summer.part) == (True, True, True, "grounded")
    # it is cited, but to a document that does not hold it
    assert (ticket.said, ticket.cited, ticket.grounded, ticket.part) == (True, True, False, "said_not_grounded")
    assert ticket.sentences == (1,)
    assert (green.said, green.supported, green.part) == (False, False, "nowhere")
    (years,) = _outcomes(run_id, "system:wrote", "t2")
    assert years.grounded  # each answer in a sentence that cites what was judged for that very answer
    numbers = _numbers(run_id, "system:wrote", "t1")
    assert numbers["answer_words"] == 8 + 5
    assert numbers["strec@20"] == 0.5  # contexts in their order stand for a ranking
    _, store = workspace()
    items = store.rows("SELECT similarity_state, similarity_reason FROM run_items WHERE run = ?", (run_id,))
    assert {row["similarity_reason"] for row in items} == {"this question has no reference answer"}


def test_an_answer_that_needs_several_parts_is_covered_by_all_of_them_only() -> None:
    half = {"t2": SystemAnswer(("The mill was built in 1871.",), (SystemContext("", "m2"),), ((0, 0),))}
    run_id = _evaluate(stored(judged(), half=half))
    (years,) = _outcomes(run_id, "system:half", "t2")
    assert (years.said, years.share_of_answers) == (False, 0.5)
    assert not years.retrieved
    row = _row(run_id, "system:half", "t1")
    assert (row.state, row.reason) == ("not_applicable", "no answer of this system was imported for this question")


def test_imported_labels_come_before_the_matcher() -> None:
    answer = ANSWERED["t1"]
    labelled = SystemAnswer(
        answer.sentences,
        answer.contexts,
        answer.citations,
        labels=(
            NuggetLabel("n1", "partial_support"),
            NuggetLabel("n2", "not_support"),
            NuggetLabel("n3", "support", sentence=0),
        ),
    )
    broken = SystemAnswer(answer.sentences, labels=(NuggetLabel("n1", "failed"),))
    run_id = _evaluate(stored(judged(), labelled={"t1": labelled}, broken={"t1": broken}))
    summer, ticket, green = _outcomes(run_id, "system:labelled", "t1")
    assert (summer.said, summer.partial) == (False, True)
    assert not ticket.said
    assert (green.said, green.cited, green.grounded, green.sentences) == (True, True, False, (0,))
    row = _row(run_id, "system:broken", "t1")
    assert row.state == "failed"
    assert row.reason == "1 of 3 nuggets have a label that is none of the known ones"
    numbers = _numbers(run_id, "system:broken", "t1")
    assert "said_vital" not in numbers
    # neither ranking nor contexts: what was retrieved is not known
    assert "retrieved_vital" not in numbers


def test_a_refusal_says_nothing() -> None:
    refused = {"t1": SystemAnswer(("The ferry runs every forty minutes in summer.",), refused=True)}
    run_id = _evaluate(stored(judged(), shy=refused))
    assert not any(outcome.said for outcome in _outcomes(run_id, "system:shy", "t1"))
    row = _row(run_id, "system:shy", "t1")
    assert (row.state, row.record["refused"]) == ("scored", True)
    assert _numbers(run_id, "system:shy", "t1")["said_vital"] == 0


def test_systems_beside_our_own_rank_documents_or_texts_and_change_nothing_of_ours() -> None:
    alone = _evaluate(stored(ferry()), retrievers="bm25", combinations="none")
    whole = {"q1": SystemAnswer((), ranking=("mill", "ferry"))}
    text = {
        "q1": SystemAnswer(
            ("It runs every forty minutes in summer.",),
            contexts=(
                SystemContext("Elsewhere the ferry runs every forty minutes in summer."),
                SystemContext(FERRY, "ferry", 0, len(FERRY)),
            ),
            citations=((0, 0),),
        )
    }
    run_id = _evaluate(stored(ferry(), whole=whole, text=text), retrievers="bm25", combinations="none")
    assert run_id != alone
    assert _numbers(run_id, "bm25", "q1") == _numbers(alone, "bm25", "q1")
    assert _row(run_id, "system:whole", "q1").record["held"] == {"ferry": [0, 1]}
    assert _numbers(run_id, "system:whole", "q1")["strec@2"] == 1
    summer, winter = _outcomes(run_id, "system:text", "q1")
    # the text from elsewhere says it, which the matcher tells
    assert (summer.said, summer.grounded) == (True, True)
    assert winter.retrieved
    assert _row(run_id, "system:text", "q1").record["held"] == {"system:text#1": [0], "system:text#2": [0, 1]}


def test_judgments_of_documents_of_ours_hold_for_all_their_passages() -> None:
    made = ferry()
    (first, *others), question = made.questions[1].nuggets, made.questions[1]
    judged_by_document = replace(others[0], documents=("mill", "elsewhere"))
    gone = replace(others[0], id="n3", documents=("elsewhere",))
    question = replace(question, nuggets=(first, judged_by_document, gone), judged=("mill", "ferry"))
    name = stored(replace(made, questions=(question,)))
    run_id = _evaluate(name, retrievers="bm25", combinations="none", chunk_words=10)
    _, anna, nobody = _outcomes(run_id, "bm25", "q2")
    assert (anna.supported, anna.reachable, anna.derived) == (True, True, False)
    assert (nobody.supported, nobody.reachable, nobody.retrieved) == (False, False, False)
    held = _row(run_id, "bm25", "q2").record["held"]
    assert {id_ for id_, nuggets in held.items() if 1 in nuggets} == {id_ for id_ in held if id_.startswith("mill#")}
    assert len(held) > 1


def test_a_run_goes_with_its_coverage() -> None:
    run_id = _evaluate(stored(judged(), found=RANKING))
    delete(run_id)
    _, store = workspace()
    for table in ("run_coverage", "run_measures"):
        assert store.rows(f"SELECT COUNT(*) AS n FROM {table}") == [{"n": 0}]
