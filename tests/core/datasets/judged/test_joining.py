"""What several files say, joined: topics under several names, banks, judgments, systems; what disagrees is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.datasets.importers.judged import JudgedFile
from core.datasets.importers.judged.questions import NAMES, RELEVANCE, UNNAMED, names_of, topics_of
from core.datasets.importers.judged.segments import strip_segments
from core.datasets.importers.judged.systems import merged, systems_of
from core.datasets.importers.judged.topic_names import TopicNames
from core.errors import InputError
from core.schema import NOT_MATCHABLE, Document, NuggetLabel, Question, SystemAnswer, SystemContext
from tests.core.datasets.judged.written import lines, objects, read, whole

QRELS = ("t1 1 d1 1", "t1 2 d2 1", "t1 2 d3 0", "t2 1 d1 1", "t2 10 d4 1", "t2 2 d4 1")
TEXTS = {"t1": ["It runs hourly", "It is blue"]}


def joined(
    files: Sequence[JudgedFile], base: Sequence[Question] = ()
) -> tuple[tuple[Question, ...], dict[str, dict[str, SystemAnswer]]]:
    questions, names = topics_of(base, files)
    return questions, systems_of(questions, names, files)


def refused(*files: JudgedFile) -> str:
    with pytest.raises(InputError) as caught:
        joined(files)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


def test_judgments_get_the_texts_of_a_bank(tmp_path: Path) -> None:
    files = [read(lines(tmp_path / "q", *QRELS)), read(whole(tmp_path / "n.json", TEXTS))]
    for order in (files, files[::-1]):
        (first, second), _ = joined(order)
        assert [(n.id, n.text, n.documents) for n in first.nuggets] == [
            ("1", "It runs hourly", ("d1",)),
            ("2", "It is blue", ("d2",)),
        ]
        assert first.judged == ("d1", "d2", "d3")
        assert NOT_MATCHABLE not in first.meta
        assert [n.text for n in second.nuggets] == ["nugget 1", "nugget 2", "nugget 10"]
        assert second.meta[NOT_MATCHABLE] == UNNAMED


def test_texts_may_come_later(tmp_path: Path) -> None:
    before, _ = joined([read(lines(tmp_path / "q", *QRELS))])
    assert {question.meta[NOT_MATCHABLE] for question in before} == {UNNAMED}
    after, _ = joined([read(whole(tmp_path / "n.json", TEXTS)), read(lines(tmp_path / "t", "t1\tFerries?"))], before)
    at_once, _ = joined(
        [
            read(lines(tmp_path / "q", *QRELS)),
            read(whole(tmp_path / "n.json", TEXTS)),
            read(lines(tmp_path / "t", "t1\tFerries?")),
        ]
    )
    assert after == at_once
    assert joined([read(whole(tmp_path / "n.json", TEXTS))], after)[0] == after, "the same bank again changes nothing"


def test_relevance_alone_is_one_nugget_that_no_answer_can_say(tmp_path: Path) -> None:
    files = [read(lines(tmp_path / "q", "t1 0 d1 2", "t1 0 d2 0")), read(lines(tmp_path / "t", "t1\tFerries?"))]
    (question,), _ = joined(files)
    (nugget,) = question.nuggets
    assert (nugget.id, nugget.text, nugget.stated, nugget.documents) == (
        "relevant",
        "relevant to: Ferries?",
        False,
        ("d1",),
    )
    assert question.meta == {NOT_MATCHABLE: RELEVANCE}
    assert question.judged == ("d1", "d2")
    assert joined([], [question])[0] == (question,)


def test_a_topic_goes_by_all_its_names(tmp_path: Path) -> None:
    articles = {
        "a+b": {"The ferry": {"query": "q5", "article": "It runs."}, "Unknown": {"query": "q9", "article": "No."}}
    }
    files = [
        read(whole(tmp_path / "a.json", articles)),
        read(lines(tmp_path / "q", "q5 0 v1 3")),
        read(whole(tmp_path / "r.json", {"x": {"THE_ferry": ["v1", "v2"]}})),
    ]
    (question,), systems = joined(files)
    assert (question.id, question.question) == ("q5", "The ferry")
    assert question.meta[NAMES] == ["The ferry"]
    assert systems["x"]["q5"].ranking == ("v1", "v2")
    assert systems["a+b"]["q5"].sentences == ("It runs.",)
    assert files[0].found.n_skipped == 1
    assert files[0].found.skipped[0].reason == "the collection has no topic 'Unknown'"
    later = read(whole(tmp_path / "s.json", {"y": {"the ferry": ["v1"]}}))
    assert joined([later], [question])[1]["y"]["q5"].ranking == ("v1",), "names are kept with the topic"


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12), st.permutations(range(6)))
def test_linked_names_mean_one_topic_whatever_the_order(pairs: list[tuple[int, int]], order: list[int]) -> None:
    names = TopicNames()
    for one, other in pairs:
        names.link(f"name {one}", f"Name_{other}")
    for one in order:
        names.claim(f"name {one}")
    for one, other in pairs:
        assert names.known(f"name_{one}") == names.known(f"NAME {other}") is not None
    assert len({names.known(f"name {one}") for one in range(6)}) <= 6


def test_two_topics_cannot_become_one() -> None:
    names = TopicNames()
    names.claim("a")
    names.claim("b")
    with pytest.raises(InputError, match="'a' and 'b' are two topics of the collection"):
        names.link("a", "b")


def test_two_banks_for_one_topic_are_refused(tmp_path: Path) -> None:
    first, second = (
        read(whole(tmp_path / "n.json", TEXTS)),
        read(whole(tmp_path / "m.json", {"t1": ["Other a", "Other b"]})),
    )
    assert refused(first, second) == (
        "topic 't1' has two banks that differ, one in n.json and one in m.json: import one of them, or each into a "
        "collection of its own."
    )


def test_judgments_of_other_nuggets_are_refused(tmp_path: Path) -> None:
    message = refused(read(lines(tmp_path / "q", "t1 a d1 1", "t1 b d1 1")), read(whole(tmp_path / "n.json", TEXTS)))
    assert message.startswith("q: none of its nuggets of topic 't1' (a, b) is in the bank of n.json (1, 2)")


def test_topics_in_the_run_and_not_in_the_judgments_and_the_reverse(tmp_path: Path) -> None:
    run = read(lines(tmp_path / "x.run", "t1 Q0 d1 1 2 r", "t9 Q0 d1 1 2 r", "t9 Q0 d2 2 1 r"))
    _, systems = joined([read(lines(tmp_path / "q", *QRELS)), run])
    assert systems["r"] == {"t1": SystemAnswer((), ranking=("d1",)), "t2": SystemAnswer(())}
    assert run.found.n_skipped == 2
    assert run.found.notes == [
        "topics that the collection does not have, left out: 1 ('t9').",
        "topics that system 'r' leaves out, which count 0: 1 ('t2').",
    ]
    elsewhere = read(lines(tmp_path / "y.run", "t8 Q0 d1 1 2 r"))
    assert "y.run: none of its topics (t8) is one of the collection's" in refused(
        read(lines(tmp_path / "q", *QRELS)), elsewhere
    )


def test_ids_of_another_scheme_are_refused(tmp_path: Path) -> None:
    qrels = read(lines(tmp_path / "q", *QRELS))
    message = refused(qrels, read(lines(tmp_path / "x.run", "t1 Q0 doc-1 1 2 r")))
    assert message == (
        "system 'r' ranks no document that was judged ('doc-1' against 'd1'): use the ids of the same collection."
    )
    parts = lines(tmp_path / "y.run", "t1 Q0 d1#4_5 1 9 r", "t1 Q0 d1#2 2 8 r", "t1 Q0 d2#1 3 7 r")
    assert "they are parts of those documents, for which they may stand (--strip-segments)." in refused(
        qrels, read(parts)
    )
    stripped = read(parts)
    strip_segments(stripped.found)
    _, systems = joined([qrels, stripped])
    assert systems["r"]["t1"].ranking == ("d1", "d2")
    assert "parts of a document that stands higher in the ranking already, left out: 1." in stripped.found.notes
    cites = objects(tmp_path / "r", {"run_id": "s", "topic_id": "t1", "references": ["z"], "answer": [
        {"text": "X.", "citations": [0]}]})  # fmt: skip
    assert "system 's' cites no document that was judged" in refused(qrels, read(cites))


def response(*sentences: tuple[str, list[str]], system: str = "r", **more: Any) -> dict[str, Any]:
    return {
        "metadata": {"run_id": system, "topic_id": "t1"},
        "responses": [{"text": text, "citations": ids} for text, ids in sentences],
        **more,
    }


def test_ranking_response_and_labels_of_one_system_are_one_answer(tmp_path: Path) -> None:
    said = response(("It is blue.", ["d2"]), ("It runs.", []), ("So.", ["d1", "d2"]), references=["d2", "d9"])
    labels = {"system": "r", "topic": "t1", "nugget": "it is  BLUE", "label": "support", "sentence": 0}
    files = [
        read(lines(tmp_path / "q", *QRELS)),
        read(whole(tmp_path / "n.json", TEXTS)),
        read(lines(tmp_path / "x.run", "t1 Q0 d1 1 2 r")),
        read(objects(tmp_path / "r.jsonl", said)),
        read(objects(tmp_path / "l.jsonl", labels, {**labels, "nugget": "It flies"})),
    ]
    _, systems = joined(files)
    assert systems["r"]["t1"] == SystemAnswer(
        ("It is blue.", "It runs.", "So."),
        (SystemContext("", "d2"), SystemContext("", "d9"), SystemContext("", "d1")),
        ((0, 0), (2, 2), (2, 0)),
        ranking=("d1",),
        labels=(NuggetLabel("2", "support", 0),),
        cited_only=True,
    )
    notes = [note for file in files for note in file.found.notes]
    assert "labels of system 'r' for nuggets or sentences that are not there, left out: 1 ('It flies')." in notes


def test_judged_reports_say_what_was_not_found(tmp_path: Path) -> None:
    matched = [{"question_text": "It is blue", "matched_answer": []}]
    judgment = {"judgment_type_id": "SENTENCE_ANSWERS_QUESTION", "response": {"matched_nuggets": matched}}
    row = {"report": response(("X.", ["d2"])), "judgments": [{"text": "X.", "judgments": [judgment]}]}
    bank = read(whole(tmp_path / "n.json", TEXTS))
    _, systems = joined([bank, read(objects(tmp_path / "j.jsonl", row))])
    assert systems["r"]["t1"].labels == (NuggetLabel("2", "support", 0), NuggetLabel("1", "not_support"))


def test_the_more_telling_response_is_taken_and_two_equal_ones_refused(tmp_path: Path) -> None:
    bank = {"qid": "t1", "query": "?", "nuggets": [{"text": "It is blue", "assignment": "support"}], "run_id": "r"}
    files = [
        read(objects(tmp_path / "a.jsonl", {**bank, "answer_text": "It is blue."})),
        read(objects(tmp_path / "r.jsonl", response(("It is blue.", ["d1"])))),
    ]
    _, systems = joined(files)
    assert systems["r"]["t1"].citations == ((0, 0),)
    assert systems["r"]["t1"].labels == (NuggetLabel("1", "support"),)
    other = read(objects(tmp_path / "s.jsonl", response(("It is red.", ["d1"]))))
    assert "system 'r' has two responses for topic 't1', one in r.jsonl and one in s.jsonl" in refused(*files, other)
    runs = [read(lines(tmp_path / name, f"t1 Q0 {name} 1 1 r")) for name in ("a", "b")]
    assert "has two rankings for topic 't1', one in a and one in b" in refused(files[0], *runs)


def votes(path: Path, *judgments: bool | None) -> JudgedFile:
    claims = [{"claim": claim, "judgment": judgment} for claim, judgment in zip(TEXTS["t1"], judgments, strict=True)]
    return read(whole(path, {"t1": {"claims": claims}}))


def test_peoples_votes_are_joined_by_the_names_of_files(tmp_path: Path) -> None:
    predictions = {"t1": {"sentences": ["It is blue."], "citations": [["d1"]]}}
    files = [
        read(whole(tmp_path / "n.json", TEXTS)),
        read(whole(tmp_path / "big_rag_citations.json", predictions)),
        read(whole(tmp_path / "big_cag_citations.json", predictions)),
        votes(tmp_path / "metric_reference_big_rag_annotator_1_DONE.json", True, True),
        votes(tmp_path / "metric_reference_big_rag_annotator_2_DONE.json", False, True),
        votes(tmp_path / "metric_reference_big_rag_annotator_3_DONE.json", None, False),
        votes(tmp_path / "metric_reference_other_annotator_1.json", True, True),
    ]
    _, systems = joined(files)
    assert systems["big_rag_citations"]["t1"].labels == (NuggetLabel("1", "not_support"), NuggetLabel("2", "support"))
    assert systems["big_cag_citations"]["t1"].labels == ()
    assert files[-1].found.skipped[0].reason == "topic 't1': no system of this import is meant by the file"


def test_a_person_may_name_the_system(tmp_path: Path) -> None:
    named = read(lines(tmp_path / "x.run", "t1 Q0 d1 1 1 r"), system="my, system")
    bank = read(whole(tmp_path / "n.json", TEXTS))
    assert list(joined([bank, named])[1]) == ["my- system"]
    assert "system 'r' is called 'my- system' here." in named.found.notes
    nameless = read(whole(tmp_path / "best.run.json", {"t1": ["d1"]}))
    assert list(joined([bank, nameless])[1]) == ["best"]


def test_documents_of_ours_come_with_their_texts(tmp_path: Path) -> None:
    question = Question("t1", "Ferries?", "Hourly.", ("d1",))
    file = read(objects(tmp_path / "r.jsonl", response(("It runs.", ["d1#3", "d1"]), ("Not ours.", ["z"]))))
    names = names_of([question])
    text = "It runs hourly."
    systems = systems_of([question], names, [file], documents={"d1": Document("d1", text)})
    assert systems["r"]["t1"].contexts == (SystemContext(text, "d1", 0, len(text)), SystemContext("", "z"))
    assert systems["r"]["t1"].citations == ((0, 0), (1, 1))
    ranks = read(lines(tmp_path / "x.run", "t1 Q0 elsewhere 1 1 r"))
    with pytest.raises(InputError, match="system 'r' ranks no document of the dataset"):
        systems_of([question], names, [ranks], documents={"d1": Document("d1", text)})


def test_answers_are_merged_where_they_agree() -> None:
    ranked, said = SystemAnswer((), ranking=("d1",)), SystemAnswer(("X.",), (SystemContext("", "d1"),), ((0, 0),))
    labelled = SystemAnswer((), labels=(NuggetLabel("1", "support"),))
    whole_answer = SystemAnswer(said.sentences, said.contexts, said.citations, False, ranked.ranking, labelled.labels)
    both = merged(ranked, said)
    assert both is not None
    assert merged(both, labelled) == merged(labelled, both) == whole_answer == merged(whole_answer, ranked)
    assert merged(whole_answer, SystemAnswer((), ranking=("d2",))) is None
    assert merged(whole_answer, SystemAnswer(("Y.",))) is None
