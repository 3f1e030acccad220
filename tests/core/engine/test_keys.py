"""What a stored result is found by: everything that decides it, and nothing else."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from core.engine import spec as engine_spec
from core.engine.contexts import Context
from core.engine.spec import Request, RunSpec, resolve
from core.errors import OptionError
from core.models.encoders import DEFAULT_ENCODER, EncoderSpec, encoder_spec
from core.schema import Card, ContextSentence, Dataset, Document, Question
from core.services import evaluation
from core.services.workspace import workspace


def _dataset(*splits: str | None, documents: tuple[str, ...] = ("a", "b")) -> Dataset:
    questions = tuple(
        Question(f"q{i}", f"Question {i}?", "Yes.", (documents[i % len(documents)],), relation="causal", split=split)  # type: ignore[arg-type]
        for i, split in enumerate(splits)
    )
    return Dataset(Card("d"), tuple(Document(name, f"Text of {name}.") for name in documents), questions)


def _resolved(dataset: Dataset, **choices: Any) -> RunSpec:
    return resolve(Request("d", **choices), dataset, "fingerprint")


@pytest.mark.parametrize("stage", ["chunk", "retrieve", "answer", "classify", "score"])
def test_a_stage_that_computes_something_else_makes_another_run(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _resolved(_dataset(None)).run_id
    monkeypatch.setitem(engine_spec.VERSIONS, stage, engine_spec.VERSIONS[stage] + 1)  # type: ignore[arg-type]
    assert _resolved(_dataset(None)).run_id != before


def test_languages_that_an_encoders_card_gains_make_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = []
    for languages in (("en",), ("en", "de")):
        monkeypatch.setattr(
            engine_spec, "encoder_spec", lambda name, some=languages: EncoderSpec(name, "", "x", languages=some)
        )
        ids.append(_resolved(_dataset(None)).run_id)
    assert ids[0] != ids[1]


def test_equal_places_with_another_text_are_another_context() -> None:
    one, other = (Context((0,), (ContextSentence("d", 0, 4, text, ("d#0",)),)) for text in ("Yes.", "Nay."))
    assert one.fingerprint != other.fingerprint
    assert one.fingerprint == Context((0, 1), one.sentences).fingerprint


@pytest.mark.usefixtures("home")
def test_a_document_changed_in_place_is_classified_anew(small_csv: Path, tmp_path: Path) -> None:
    """Same questions, same answers, same offsets, another text around them: nothing of the first run may be taken."""

    def classified(path: Path) -> int:
        planned, dataset = evaluation.plan(Request(str(path), retrievers="bm25", combinations="none", k=20))
        evaluation.run(planned, dataset)
        _, store = workspace()
        return int(store.rows("SELECT COUNT(*) AS n FROM stage_results WHERE stage = 'classify'")[0]["n"])

    with small_csv.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    paths = []
    for name, toll in (("first", "three crowns"), ("second", "seven crowns")):
        for row in rows:
            row["context"] = row["context"].replace("three crowns", toll)
            # what is learnt from is the same in both files
            row["extracted_sentences"] = json.dumps([row["context"].partition(". ")[0] + "."])
        paths.append(tmp_path / f"{name}.csv")
        with paths[-1].open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    first, second = map(classified, paths)
    assert second > first


@pytest.mark.usefixtures("home")
def test_a_seed_recomputes_only_what_draws(small_csv: Path) -> None:
    counts = []
    for seed in (0, 1):
        planned, dataset = evaluation.plan(
            Request(str(small_csv), retrievers="knn,bm25,svm", combinations="none", seed=seed)
        )
        evaluation.run(planned, dataset)
        _, store = workspace()
        counts.append(store.rows("SELECT COUNT(*) AS n FROM stage_results WHERE stage = 'retrieve'")[0]["n"])
    assert counts == [18, 24]


_CALLABLE = """
from langchain_core.retrievers import BaseRetriever

class First(BaseRetriever):
    passages: list
    def _get_relevant_documents(self, query, *, run_manager):
        return self.passages[:4]

class Make:
    def __call__(self, passages):
        return First(passages=passages)

make = Make()
"""


def test_an_object_that_can_be_called_is_a_factory_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "callable_retriever.py"
    monkeypatch.syspath_prepend(str(tmp_path))
    ids = []
    for text in (_CALLABLE, _CALLABLE.replace("[:4]", "[-4:]")):
        source.write_text(text, encoding="utf-8")
        sys.modules.pop("callable_retriever", None)
        ids.append(_resolved(_dataset(None), retrievers="callable_retriever:make", combinations="none").run_id)
    assert ids[0] != ids[1]


@pytest.mark.parametrize(
    ("dataset", "choices", "says"),
    [
        (_dataset("train", "test", "train"), {"limit": 1}, "labelled questions of both splits"),
        (_dataset("train", "test", "test"), {}, "document 'a' has questions in the train split and outside it"),
    ],
)
def test_a_split_that_cannot_be_fitted_is_refused_before_any_work(
    dataset: Dataset, choices: dict[str, Any], says: str
) -> None:
    with pytest.raises(OptionError, match=says) as caught:
        _resolved(dataset, relations="train-split", **choices)
    assert "\n" not in str(caught.value)


def test_a_split_by_document_is_taken() -> None:
    assert _resolved(_dataset("train", "test", "train", "test"), relations="train-split").classifier is not None


def test_a_dataset_without_a_split_is_left_to_the_classifier() -> None:
    assert _resolved(_dataset(None, None), relations="train-split").classifier is not None


def test_a_run_remembers_where_its_encoder_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundled = Path(encoder_spec(DEFAULT_ENCODER).path)
    (tmp_path / "mine").symlink_to(bundled)
    monkeypatch.chdir(tmp_path)
    planned = _resolved(_dataset(None), encoder="mine")
    assert Path(planned.request.encoder).is_absolute()
    assert planned.request.similarity_encoder == DEFAULT_ENCODER
    monkeypatch.chdir("/")
    again = resolve(planned.request, _dataset(None), "fingerprint")
    assert again.run_id == planned.run_id
    assert str(bundled.resolve()) in planned.request.command()
