from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.datasets.export import write_trilens
from core.datasets.importers import read_dataset
from core.datasets.importers.ids import canonical_id
from core.errors import InputError, StoreError
from core.schema import Card, Dataset, Document, EvidenceGroup, Nugget, NuggetAnswer, Question, Span
from tests.core.datasets.samples import HIERARAG, MILL, needs_hierarag, write_folder

# Lone surrogates are no text: no file in UTF-8 and no database can hold them.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
WRITTEN = TEXT.filter(str.strip)
NAME = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)
LANGUAGE = st.sampled_from(["", "en", "zh-Hant", "de"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
META = st.dictionaries(TEXT, JSON, max_size=3)
IDS = WRITTEN.map(canonical_id)
NODES = ["simple", "complex", "so ja", "no"]


@st.composite
def evidences(draw: st.DrawFn, documents: tuple[Document, ...]) -> tuple[EvidenceGroup, ...]:
    def span() -> Span:
        document = draw(st.sampled_from(documents))
        start = draw(st.integers(0, len(document.text) - 1))
        return Span(document.id, start, draw(st.integers(start + 1, len(document.text))))

    return tuple(tuple(span() for _ in range(draw(st.integers(1, 2)))) for _ in range(draw(st.integers(0, 2))))


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    documents = tuple(
        Document(identity, draw(WRITTEN), draw(TEXT), draw(LANGUAGE), draw(META))
        for identity in draw(st.lists(IDS, min_size=1, max_size=3, unique=True))
    )
    relations = draw(st.dictionaries(WRITTEN, WRITTEN, max_size=2))
    ids = [document.id for document in documents]

    def nugget(identity: str) -> Nugget:
        answers = tuple(NuggetAnswer(draw(WRITTEN), draw(evidences(documents))) for _ in range(draw(st.integers(0, 1))))
        importance, aggregator = draw(st.sampled_from(["vital", "okay"])), draw(st.sampled_from(["OR", "AND"]))
        return Nugget(
            identity, draw(WRITTEN), importance, draw(st.booleans()), aggregator, answers, draw(evidences(documents))
        )

    questions = tuple(
        Question(
            id=identity,
            question=draw(WRITTEN),
            answer=draw(WRITTEN),
            document_ids=tuple(draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))),
            relation=draw(st.none() | (st.sampled_from(sorted(relations)) if relations else WRITTEN)),
            evidence=draw(evidences(documents)),
            nuggets=tuple(map(nugget, draw(st.lists(IDS, max_size=2, unique=True)))),
            categories={"QC": draw(st.sampled_from(NODES)), **draw(st.dictionaries(NAME, WRITTEN, max_size=1))},
            split=draw(st.sampled_from([None, "train", "test"])),
            meta=draw(META),
        )
        for identity in draw(st.lists(IDS, min_size=1, max_size=3, unique=True))
    )
    card = Card(
        name=draw(NAME),
        title=draw(TEXT),
        description=draw(TEXT),
        licence=draw(TEXT),
        language=draw(LANGUAGE),
        source=draw(TEXT),
        trees=draw(st.just({}) | st.just({"QC": {"simple": ["so ja"], "complex": None, "no": []}})),
        relations=relations,
        notes=draw(st.dictionaries(NAME, JSON, max_size=2)),
    )
    return Dataset(card, documents, questions)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(dataset=datasets())
def test_what_is_written_reads_back_equal(tmp_path_factory: pytest.TempPathFactory, dataset: Dataset) -> None:
    folder = tmp_path_factory.mktemp("round") / "trip"
    write_trilens(dataset, folder)
    result = read_dataset(folder)
    assert result.dataset == dataset
    assert (result.skipped, result.notes) == ((), ())


@needs_hierarag
def test_the_real_file_round_trips(tmp_path: Path) -> None:
    dataset = read_dataset(HIERARAG / "rq3_interactions_all.jsonl").dataset
    write_trilens(dataset, tmp_path / "new" / "d")
    assert read_dataset(tmp_path / "new" / "d").dataset == dataset
    assert sorted(os.listdir(tmp_path / "new")) == ["d"]


def sample(tmp_path: Path) -> Dataset:
    return read_dataset(write_folder(tmp_path / "source")).dataset


def test_spans_are_written_with_offsets_and_text(tmp_path: Path) -> None:
    write_trilens(sample(tmp_path), tmp_path / "d")
    first = json.loads((tmp_path / "d" / "questions.jsonl").read_text("utf-8").splitlines()[0])
    start = MILL.index("the river fell to three feet")
    assert first["evidence"][0][0] == {
        "document": "mill",
        "start": start,
        "end": start + 28,
        "text": "the river fell to three feet",
    }


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    dataset = sample(tmp_path)
    folder = tmp_path / "d"
    folder.mkdir()
    write_trilens(dataset, folder)
    (folder / "mine.txt").write_text("precious")
    with pytest.raises(InputError, match=f"{folder} is not empty"):
        write_trilens(dataset, folder)
    assert (folder / "mine.txt").exists()
    write_trilens(dataset, folder, overwrite=True)
    assert sorted(os.listdir(folder)) == ["dataset.yaml", "documents.jsonl", "questions.jsonl"]
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file"):
        write_trilens(dataset, tmp_path / "file", overwrite=True)


@pytest.mark.parametrize("failing", ["documents.jsonl", "questions.jsonl"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    dataset = sample(tmp_path)
    folder = tmp_path / "d"
    write_trilens(dataset, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    real_open = Path.open

    def full(self: Path, mode: str = "r", **options: Any) -> Any:
        if self.name == failing and "w" in mode:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real_open(self, mode, **options)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(StoreError, match="No space left on device"):
        write_trilens(dataset, folder, overwrite=True)
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert sorted(os.listdir(tmp_path)) == ["d", "source"]


def test_what_was_there_comes_back_when_the_new_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = sample(tmp_path)
    write_trilens(dataset, tmp_path / "d")
    real_rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real_rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(StoreError, match="Permission denied"):
        write_trilens(dataset, tmp_path / "d", overwrite=True)
    monkeypatch.undo()
    assert read_dataset(tmp_path / "d").dataset == dataset
    assert sorted(os.listdir(tmp_path)) == ["d", "source"]


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), object()])
def test_meta_that_json_cannot_say(tmp_path: Path, value: object) -> None:
    documents = (Document("a", MILL, meta={"x": value}),)
    dataset = Dataset(Card("t"), documents, (Question("q", "?", "!", ("a",)),))
    with pytest.raises(InputError, match="'a' holds in its meta"):
        write_trilens(dataset, tmp_path / "d")
    assert os.listdir(tmp_path) == []
