"""MiRAGE's and WikiVideo's objects by topic, topics, lists of texts, and labels in a form of our own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.datasets.importers.judged.found import GivenLabel, Response
from core.schema import Nugget
from tests.core.datasets.judged.written import found, lines, objects, refusal, whole

REFERENCES: dict[str, Any] = {
    "The_ferry": {
        "claims_to_supporting_videos": {
            "It runs hourly": {"supporting_videos": ["v1", "v2"]},
            "It is old": {"supporting_videos": []},
            "It is blue": {"supporting_videos": ["v2"]},
        },
        "article": "It runs hourly and is blue.",
        "query_id": "query_5",
        "videos": {"v1": {}, "v2": {}, "v3": {}},
    }
}


def test_references_keep_the_numbers_of_claims(tmp_path: Path) -> None:
    given = found(whole(tmp_path / "r.json", REFERENCES), "mirage-references")
    assert given.nuggets["The_ferry"] == (
        Nugget("1", "It runs hourly", documents=("v1", "v2")),
        Nugget("3", "It is blue", documents=("v2",)),
    )
    assert given.judged["The_ferry"] == ["v1", "v2", "v3"]
    topic = given.topics["The_ferry"]
    assert (topic.text, topic.answer, topic.names) == ("The ferry", "It runs hourly and is blue.", ("query_5",))
    assert given.notes[0].endswith("because nothing could prove them: 1.")


def test_predictions(tmp_path: Path) -> None:
    value = {
        "The_ferry": {"sentences": ["A b.", " "], "citations": [["v1"], []]},
        "T": {"sentences": [], "citations": []},
    }
    given = found(whole(tmp_path / "p.json", value), "mirage-predictions")
    assert given.responses == {"": {"The_ferry": Response(("A b.",), (("v1",),)), "T": Response(())}}
    assert given.notes == ["empty responses, which count as failed because the system gave no answer: 1 ('T')."]
    value["The_ferry"]["citations"] = [["v1"]]
    assert "field 'The_ferry.citations': 1 lists of citations for 2 sentences" in refusal(
        whole(tmp_path / "q.json", value)
    )


def test_votes_and_scores(tmp_path: Path) -> None:
    claims = [{"claim": "It runs hourly", "judgment": True}, {"claim": "It is blue", "judgment": None}]
    votes = found(whole(tmp_path / "v.json", {"The_ferry": {"claims": claims}}), "mirage-labels")
    assert votes.votes == {"": {"The_ferry": {"It runs hourly": True, "It is blue": None}}}
    assert votes.notes == ["claims that this person left undecided: 1."]
    scores = found(whole(tmp_path / "s.json", {"The_ferry": {"f1": 0.5, "nuggets": 2}}), "topic-scores")
    assert scores.scores == {"": {"f1": {"The_ferry": 0.5}, "nuggets": {"The_ferry": 2.0}}}
    claims[0]["judgment"] = "yes"
    assert "'yes' is no judgment; write true, false or null" in refusal(
        whole(tmp_path / "w.json", {"The_ferry": {"claims": claims}})
    )


def test_articles_and_rankings_by_system(tmp_path: Path) -> None:
    articles = {"a+b": {"The ferry": {"query": "query_5", "article": "It runs. It stops."}, "Mill": {"article": ""}}}
    given = found(whole(tmp_path / "a.json", articles), "articles")
    assert given.responses["a+b"]["The ferry"].sentences == ("It runs.", "It stops.")
    assert given.topics["The ferry"].names == ("query_5",)
    assert given.n_rows == 2
    rankings = found(
        whole(tmp_path / "b.json", {"a": {"The ferry": ["v1", "v1", "v2"]}, "b": {"Mill": []}}), "rankings"
    )
    assert rankings.rankings == {"a": {"The ferry": ("v1", "v2")}, "b": {"Mill": ()}}
    one = found(whole(tmp_path / "c.json", {"t1": ["v1"], "t2": [12]}), "rankings")
    assert one.rankings == {"": {"t1": ("v1",), "t2": ("12",)}}


def test_topics_in_every_form(tmp_path: Path) -> None:
    request = {"request_id": "300", "title": "Ferries", "problem_statement": "I need a  report.", "limit": 2000}
    for path, wording in (
        (objects(tmp_path / "a.jsonl", request), "Ferries: I need a report."),
        (objects(tmp_path / "b.jsonl", {"id": 300, "narrative": "Tell me.", "title": "Ferries"}), "Ferries: Tell me."),
        (objects(tmp_path / "c.jsonl", {"qid": "300", "query": "Ferries?"}), "Ferries?"),
        (whole(tmp_path / "d.json", {"300": "Ferries?", "301": "Mills?"}), "Ferries?"),
        (lines(tmp_path / "e.tsv", "300\tFerries?", "301\tMills?"), "Ferries?"),
    ):
        assert found(path, "topics").topics["300"].text == wording, path.name
    assert "topic '300' stands further up" in refusal(lines(tmp_path / "f.tsv", "300\ta", "300\tb"))
    assert "topic '300' has no wording" in refusal(lines(tmp_path / "g.tsv", "300\ta", "300"), format="topics")


def test_lists_of_texts_are_nuggets_by_number(tmp_path: Path) -> None:
    given = found(whole(tmp_path / "n.json", {"300": ["What is it?", "Why is it so?"]}), "nugget-texts")
    assert given.nuggets == {"300": (Nugget("1", "What is it?"), Nugget("2", "Why is it so?"))}
    assert "field '300[1]': the nugget has no text" in refusal(
        whole(tmp_path / "m.json", {"300": ["What is it?", "", "Who was it?"]})
    )


def test_our_own_labels(tmp_path: Path) -> None:
    path = lines(tmp_path / "l.csv", "system,topic,nugget,label,sentence", "r,300,1,Support,2", "r,300,It is blue,huh,")
    given = found(path, "nugget-labels")
    assert given.labels == {"r": {"300": [GivenLabel("1", "support", 2), GivenLabel("It is blue", "failed")]}}
    rows = {"system": "r", "question": "q1", "nugget": "n", "label": "not_support", "answer": "red"}
    assert found(objects(tmp_path / "l.jsonl", rows), "nugget-labels").labels == {
        "r": {"q1": [GivenLabel("n", "not_support", None, "red")]}
    }
    assert "'first' is no number of a sentence" in refusal(objects(tmp_path / "m.jsonl", {**rows, "sentence": "first"}))


def test_a_file_of_no_format_is_none(tmp_path: Path) -> None:
    from core.datasets.importers.judged import format_of

    for path in (
        lines(tmp_path / "LICENSE", "MIT License", "", "Permission is hereby granted"),
        whole(tmp_path / "x.json", {"tool": "x", "vectors": [1, 2]}),
        objects(tmp_path / "y.jsonl", {"question": "Why?", "answer": "So.", "contexts": ["c"], "id": "q1"}),
        lines(tmp_path / "z.csv", "question,answer", "a,b"),
    ):
        assert format_of(path) == "", path.name


def test_broken_and_cut_json_is_refused_in_place(tmp_path: Path) -> None:
    path = whole(tmp_path / "r.json", REFERENCES)
    text = path.read_text()
    path.write_text(text[:-20])
    assert "the file ends in the middle of the object, so it was cut" in refusal(path)
    path.write_text(text.replace('"v3": {}', '"v3" {}'))
    assert "the JSON is broken (" in refusal(path)
    assert f"line {text[: text.index(chr(34) + 'v3')].count(chr(10)) + 1}:" in refusal(path)
    path.write_bytes(b"PK\x03\x04\x00\x00")
    assert "is a binary file, not text" in refusal(path)
    path.write_text("")
    assert "is empty" in refusal(path)
