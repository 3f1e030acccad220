"""Files that once ended in a traceback, or changed numbers without a word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.datasets.importers.judged import read_file
from core.datasets.importers.judged.questions import topics_of
from core.datasets.importers.judged.systems import systems_of
from core.errors import InputError
from tests.core.datasets.judged.written import lines, objects, read, whole

BANK = {"t1": ["The ferry runs daily.", "The mill burned down."]}


def test_a_topic_without_a_nugget_is_left_out_and_counted(tmp_path: Path) -> None:
    for name, rows in {
        "nuggetizer": [{"qid": "t0", "query": "q", "nuggets": []},
                       {"qid": "t1", "query": "q", "nuggets": [{"text": "It runs.", "importance": "vital"}]}],
        "bank": [{"query_id": "t0", "nugget_bank": {}},
                 {"query_id": "t1", "nugget_bank": {"Q?": {"question": "Q?", "question_id": "1", "answers": {
                     "red": {"references": ["d1"]}}}}}],
    }.items():  # fmt: skip
        file = read(objects(tmp_path / f"{name}.jsonl", *rows))
        assert [question.id for question in topics_of([], [file])[0]] == ["t1"], name
        assert "topics without a nugget, left out: 1 ('t0')." in file.found.notes, name
        assert file.found.n_skipped == 1, name


def test_judgments_of_nuggets_that_the_bank_does_not_have_are_said_and_not_counted(tmp_path: Path) -> None:
    bank = read(whole(tmp_path / "n.json", BANK))
    judged = read(lines(tmp_path / "q", "t1 1 d1 1", "t1 2 d2 1", "t1 99 d1 1"))
    (question,) = topics_of([], [bank, judged])[0]
    assert [nugget.text for nugget in question.nuggets] == BANK["t1"]
    assert any("bank does not have, left out: 1 ('99 of t1')" in note for note in judged.found.notes)


def test_a_label_for_a_sentence_that_is_not_there_is_said_and_not_counted(tmp_path: Path) -> None:
    said = {"run_id": "r", "topic_id": "t1", "answer": [{"text": "The ferry runs daily.", "citations": []}]}
    label = {"system": "r", "topic": "t1", "nugget": BANK["t1"][0], "label": "support"}
    stray = BANK["t1"][1]
    files = [
        read(whole(tmp_path / "n.json", BANK)),
        read(objects(tmp_path / "r.jsonl", said)),
        read(
            objects(tmp_path / "l.jsonl", {**label, "sentence": 0}, {**label, "nugget": BANK["t1"][1], "sentence": 9})
        ),
    ]
    questions, names = topics_of([], files)
    answer = systems_of(questions, names, files)["r"]["t1"]
    assert [(one.nugget, one.sentence) for one in answer.labels] == [(questions[0].nuggets[0].id, 0)]
    notes = " ".join(note for file in files for note in file.found.notes)
    assert f"not there, left out: 1 ('{stray}, sentence 9')" in notes


@pytest.mark.parametrize("digits", [400, 3000])
def test_a_number_of_hundreds_of_digits_is_refused_with_its_place(tmp_path: Path, digits: int) -> None:
    scores = tmp_path / "scores.json"
    scores.write_text('{"t1": {"f1": ' + "9" * digits + "}}")
    with pytest.raises(InputError, match="is no number"):
        read_file(scores, format="topic-scores")
    labels = tmp_path / "labels.jsonl"
    row = {"system": "r", "topic": "t1", "nugget": "n", "label": "support", "sentence": "9" * digits}
    labels.write_text(json.dumps(row))
    with pytest.raises(InputError, match="is no number of a sentence"):
        read_file(labels)
