"""``calibrate`` and ``nuggets``: what they print, write, store and refuse."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.cli import main
from core.services.workspace import workspace
from core.store.datasets import load_dataset
from tests.endpoints.faults import Fault
from tests.endpoints.named import IMPATIENT, name_endpoint
from tests.endpoints.server import MisbehavingServer

pytestmark = pytest.mark.usefixtures("home")
WORDS = ["ferry", "harbour", "winter", "crowns", "keeper", "lantern", "miller", "school", "river", "market"]


def _table(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Two topics, two people who agree but once; what holds six words of ten is said."""
    rows: list[list[object]] = [["topic", "claim", "answer", "judgment", "annotator"]]
    for topic in ("ferry", "mill"):
        for share in range(1, 11):
            for person in (1, 2):
                split = topic == "mill" and share == 6 and person == 2
                rows.append([topic, " ".join(WORDS), " ".join(WORDS[:share]), (share >= 6) ^ split, person])
    rows.append(["mill", "", "An answer.", "true", 1])
    return _table(tmp_path / "labels.csv", rows)


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    return captured.err.strip()


def test_calibrate_says_threshold_kappa_and_what_weakens_them(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", str(labels)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "19 labels of 2 topics; the threshold is 0.51."
    assert lines[1].startswith("  chosen on  threshold 0.51: kappa 1.00, bias +0.000, 10 labels of 1 topics")
    assert lines[2].startswith("  tested on  threshold 0.51: kappa 1.00, bias +0.000, 9 labels of 1 topics")
    assert "  note: 19 labels are few: from 200 on the choice of a threshold can be relied on." in lines
    assert "  note: people were split on 1 pairs, which were left out." in lines
    assert "  skipped line 42: claim: no nugget is given" in lines
    assert lines[-1] == "To use it: evaluate DATASET --matcher offline:0.51"


def test_calibrate_for_machines(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", str(labels), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["n_rows"], found["n_labels"], found["choice"]) == (41, 19, "offline:0.51")
    assert found["calibration"]["tested"]["kappa"] == 1.0
    assert len(found["calibration"]["curve"]) == 71


def test_calibrate_refuses_in_words(labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = _table(tmp_path / "odd.csv", [["topic", "nugget", "answer", "label"], ["t", "n", "a", "perhaps"]])
    assert _refused(capsys, "calibrate", str(odd)) == (
        f"{odd}, line 2, field 'label': 'perhaps' is no label; give true or false, or support or not_support."
    )
    bare = _table(tmp_path / "bare.csv", [["topic", "nugget"], ["t", "n"]])
    assert "has no column for 'answer' and 'label'" in _refused(capsys, "calibrate", str(bare))
    assert "'topik'" in _refused(capsys, "calibrate", str(labels), "--map", "topik=topic")
    same = _table(tmp_path / "same.csv", [["topic", "nugget", "answer", "label"], ["t", "n one", "a", "yes"]])
    assert "give labels of both kinds" in _refused(capsys, "calibrate", str(same))


@pytest.fixture
def marlow(small_csv: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["import", str(small_csv)]) == 0
    capsys.readouterr()
    return "marlow"


def test_proposed_reviewed_and_used(marlow: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "nuggets.csv"
    assert main(["nuggets", marlow, "--out", str(table)]) == 0
    assert "holds 6 proposed nuggets for 6 questions; 0 have nuggets already" in capsys.readouterr().out
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["question id", "question", "answer", "nugget", "importance", "keep"]
    assert rows[1][3:] == ["Every forty minutes.", "vital", "yes"]
    rows[1][3] = "The ferry runs every forty minutes."
    rows[2][4] = "Okay"
    rows[3][5] = "no"
    rows.insert(2, ["q1", "", "", "It is summer.", "", ""])
    _table(table, rows)
    assert main(["nuggets", marlow, "--reviewed", str(table)]) == 0
    assert capsys.readouterr().out == (
        "marlow-nuggets was stored with 6 derived nuggets on 5 questions; 1 were dropped.\n"
    )
    _, store = workspace()
    made = load_dataset(store, "marlow-nuggets")
    assert made.card.notes["nuggets"] == "derived from the reference answers and reviewed in nuggets.csv"
    assert [(nugget.id, nugget.text) for nugget in made.questions[0].nuggets] == [
        ("q1-n1", "The ferry runs every forty minutes."),
        ("q1-n2", "It is summer."),
    ]
    assert made.questions[1].nuggets[0].importance == "okay"
    assert made.questions[2].nuggets == ()
    assert load_dataset(store, marlow).questions[0].nuggets == ()
    # a run of it has coverage at once
    assert main(["evaluate", "marlow-nuggets", "--retrievers", "bm25", "--relations", "none"]) == 0


def test_nuggets_refuse_in_words(marlow: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "nuggets.csv"
    assert "either --out TABLE" in _refused(capsys, "nuggets", marlow)
    both = ("nuggets", marlow, "--reviewed", str(table))
    assert "leave it out with --reviewed" in _refused(capsys, *both, "--endpoint", "x")
    assert "leave it out with --out" in _refused(capsys, "nuggets", marlow, "--out", str(table), "--name", "x")
    assert "which the settings do not name" in _refused(
        capsys, "nuggets", marlow, "--out", str(table), "--endpoint", "nobody"
    )
    assert not table.exists()
    head = ["question id", "nugget", "importance"]
    _table(table, [head, ["zz", "A fact.", ""]])
    assert _refused(capsys, *both) == (
        f"{table}, line 2, field 'question id': the dataset has no question 'zz'; leave the ids as they were written."
    )
    _table(table, [head, ["q1", "A fact.", "central"]])
    assert "'central' is neither of the two; write vital or okay" in _refused(capsys, *both)
    _table(table, [head, ["q1", "  ", "vital"]])
    assert "none of its 1 rows keeps a nugget" in _refused(capsys, *both)
    _table(table, [["id", "nugget"], ["q1", "x"]])
    assert "has no column 'question id'" in _refused(capsys, *both)


def test_a_language_model_proposes(
    marlow: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = json.dumps({"facts": ["=A fact.", "Another one."]})
    table = tmp_path / "nuggets.csv"
    with MisbehavingServer(answer=lambda _: facts) as server:
        name_endpoint(server, tmp_path, monkeypatch, **IMPATIENT)
        server.faults["horn"] = Fault("500")
        assert main(["nuggets", marlow, "--out", str(table), "--endpoint", "test"]) == 1
    out = capsys.readouterr().out
    assert "holds 10 proposed nuggets for 5 questions" in out
    assert "  no nuggets for question 'q6': " in out
    assert main(["nuggets", marlow, "--reviewed", str(table), "--name", "asked"]) == 0
    _, store = workspace()
    # the apostrophe that kept it from being a formula is gone
    assert load_dataset(store, "asked").questions[0].nuggets[0].text == "=A fact."


@pytest.mark.parametrize("name", ["../../z/evil", "a/b", " ", "-x", "a\nb", "n" * 300])
def test_a_reviewed_dataset_gets_no_name_that_leads_elsewhere(
    small_csv: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(small_csv)]) == 0
    table = tmp_path / "t.csv"
    assert main(["nuggets", "marlow", "--out", str(table)]) == 0
    capsys.readouterr()
    assert main(["nuggets", "marlow", "--reviewed", str(table), f"--name={name}"]) == 2
    assert "choose another name" in capsys.readouterr().err


def test_a_table_that_is_there_is_not_overwritten(small_csv: Path, tmp_path: Path) -> None:
    assert main(["import", str(small_csv)]) == 0
    table = tmp_path / "t.csv"
    table.write_text("under review")
    assert main(["nuggets", "marlow", "--out", str(table)]) == 2
    assert table.read_text() == "under review"
