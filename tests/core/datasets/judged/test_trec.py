"""TREC's line formats: order by score, warnings about what cannot be meant, each broken line refused in place."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from core.datasets.importers.judged.guessing import AMBIGUOUS
from tests.core.datasets.judged.written import found, lines, read, refusal

RUN = ("t1 Q0 d1 1 9.5 mine", "t1 Q0 d2 2 8.5 mine", "t2 Q0 d1 1 3 mine")


def test_a_run_is_ordered_by_score_and_ties_by_id(tmp_path: Path) -> None:
    rows = ("t1 Q0 b 1 2.0 r", "t1 Q0 a 2 2.0 r", "t1 Q0 c 3 7.0 r", "t1 Q0 d 4 -1e3 r")
    run = found(lines(tmp_path / "x.run", *rows), "trec-run")
    assert run.rankings == {"r": {"t1": ("c", "a", "b", "d")}}
    assert run.n_rows == 4
    assert run.notes == ["topics whose ranks and scores disagree: 1 ('t1'); the score decides, as trec_eval has it."]


def test_constant_scores_and_repeated_documents_are_said(tmp_path: Path) -> None:
    rows = ("t1 Q0 b 1 1 r", "t1 Q0 a 2 1 r", "t2 Q0 x 1 3 r", "t2 Q0 y 2 2 r", "t2 Q0 x 3 1 r")
    run = found(lines(tmp_path / "x.run", *rows), "trec-run")
    assert run.rankings["r"] == {"t1": ("a", "b"), "t2": ("x", "y")}
    assert run.notes[0].startswith(
        "topics whose documents all have one score: 1 ('t1'); their order is that of the ids"
    )
    assert run.notes[1] == "topics that rank a document more than once: 1 ('t2'); its best rank counts."
    assert run.n_skipped == 1
    assert run.skipped[0].reason == "topic 't2' ranks 1 of its documents again further down"


def test_a_run_of_several_tags_is_several_systems(tmp_path: Path) -> None:
    run = found(lines(tmp_path / "x.run", *RUN, "t1 Q0 d9 1 1 other one"), "trec-run")
    assert run.systems == ("mine", "other one")


def test_ids_have_one_form_in_every_file(tmp_path: Path) -> None:
    run = found(lines(tmp_path / "x.run", "007 Q0 12.0 1 1 r", "7 Q0 D-1 2 0.5 r"), "trec-run")
    assert run.rankings["r"] == {"7": ("12", "D-1")}


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("t1 Q0 d3 3 high mine", "line 3, field 'score': 'high' is no number"),
        ("t1 Q0 d3 third 1 mine", "line 3, field 'rank': 'third' is no number"),
        ("t1 Q0 d3 3 nan mine", "line 3, field 'score': 'nan' is no number"),
        ("t1 Q0 d3 3 1", "line 3: the line has 5 fields and not 6 (topic Q0 document rank score tag)"),
    ],
)
def test_a_broken_line_of_a_run_is_named(tmp_path: Path, row: str, what: str) -> None:
    path = lines(tmp_path / "x.run", *RUN[:2], row, RUN[2])
    assert what in refusal(path, format="trec-run")


def test_a_cut_file_is_said_to_be_cut(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("\n".join(RUN) + "\nt2 Q0 d7 2", encoding="utf-8")
    assert "line 4: the file ends in the middle of this line, so it was cut" in refusal(path)


def test_qrels_of_both_kinds_are_told_apart(tmp_path: Path) -> None:
    plain = found(lines(tmp_path / "a", "t1 0 d1 2", "t1 0 d2 0", "t1 0 d3 -1", "t2 0 d1 1"), "trec-qrels")
    assert plain.relevant == {"t1": ["d1"], "t2": ["d1"]}
    assert plain.judged == {"t1": ["d1", "d2", "d3"], "t2": ["d1"]}
    diversity = found(lines(tmp_path / "b", "t1 2 d1 1", "t1 10 d1 1", "t1 2 d2 0", "t1 2 d1 1"), "diversity-qrels")
    assert diversity.held == {"t1": {"2": ["d1"], "10": ["d1"]}}
    assert diversity.judged == {"t1": ["d1", "d2"]}
    assert (diversity.n_rows, diversity.n_skipped) == (4, 1)


def test_one_second_column_may_be_either_and_is_asked(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.qrels", "t1 1 d1 1", "t2 1 d2 1")
    assert "say which with --read FILE=FORMAT" in refusal(path)
    assert AMBIGUOUS not in refusal(path)
    assert read(path, format="diversity-qrels").found.held == {"t1": {"1": ["d1"]}, "t2": {"1": ["d2"]}}
    assert read(path, format="trec-qrels").found.relevant == {"t1": ["d1"], "t2": ["d2"]}


def test_grades_are_cut_where_asked_and_said(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.qrels", "t1 0 d1 3", "t1 0 d2 2", "t1 0 d3 0")
    assert read(path).found.relevant == {"t1": ["d1", "d2"]}
    strict = read(path, grade=3).found
    assert strict.relevant == {"t1": ["d1"]}
    assert strict.judged == {"t1": ["d1", "d2", "d3"]}
    assert strict.notes == ["judgments by grade: 0: 1, 2: 1, 3: 1; 3 and above count as yes."]


def test_a_broken_judgment_is_named(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.qrels", "t1 0 d1 1", "t1 0 d2 yes", "t1 0 d3 1")
    assert "line 2, field 'judgment': 'yes' is no number" in refusal(path, format="trec-qrels")
    path = lines(tmp_path / "b.qrels", "t1 0 d1 1", "t1 0 d2 1 extra", "t1 0 d3 1")
    assert "line 2: the line has 5 fields and not 4 (topic subtopic document judgment)" in refusal(
        path, format="trec-qrels"
    )


@pytest.mark.parametrize("encoded", ["utf-8-sig", "utf-16", "cp1252"])
def test_encodings_line_ends_and_gzip(tmp_path: Path, encoded: str) -> None:
    path = tmp_path / "x.run.gz"
    path.write_bytes(gzip.compress("".join(f"{row}\r\n" for row in (*RUN, "t2 Q0 é 2 1 mine")).encode(encoded)))
    run = found(path, "trec-run")
    assert run.rankings["mine"] == {"t1": ("d1", "d2"), "t2": ("d1", "é")}


def test_argue_scores_with_and_without_heading(tmp_path: Path) -> None:
    rows = ("r\tall\tnugget_coverage_macro\t0.5", "r\t300\tnugget_coverage\t0.5")
    for name, heading in (("a.tsv", ("run_id\trequest_id\tmetric\tvalue",)), ("b.tsv", ())):
        scores = found(lines(tmp_path / name, *heading, *rows), "argue-scores")
        assert scores.scores == {"r": {"nugget_coverage_macro": {"all": 0.5}, "nugget_coverage": {"300": 0.5}}}
        assert scores.n_rows == 2
