"""Small files that look like those people have, written where a test wants them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.datasets.importers import read_dataset
from core.errors import InputError

SHARED = Path(__file__).parents[4] / "shared" / "data"
HIERARAG = SHARED / "hierarag"
needs_hierarag = pytest.mark.skipif(not HIERARAG.is_dir(), reason="../shared/data/hierarag is not here")

MILL = (
    "The mill at Alder Creek ran three shifts. Its wheel turned whenever the river stood above four feet. "
    "In the dry summer of 1911 the river fell to three feet, and the owner sent the night shift home."
)
FERRY = "The ferry crossed twice a day. Fog stopped it in March, and nobody reached the island for a week."

DOCUMENTS: list[dict[str, Any]] = [{"id": "mill", "text": MILL}, {"id": "ferry", "text": FERRY, "language": "en"}]
QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "q1",
        "question": "Why did the night shift stop?",
        "answer": "The river was too low to turn the wheel.",
        "documents": ["mill"],
        "relation": "causal",
        "evidence": [[{"text": "the river fell to three feet"}, {"document": "mill", "start": 42, "end": 51}]],
        "nuggets": [
            {"text": "the river fell", "importance": "vital", "stated": True, "evidence": [[{"text": "river fell"}]]},
            {
                "id": "n",
                "text": "shifts",
                "importance": "okay",
                "stated": False,
                "aggregator": "AND",
                "answers": [{"text": "three", "evidence": [[{"text": "three shifts"}]]}],
            },
        ],
        "categories": {"QC": "complex"},
        "split": "test",
        "meta": {"author": "me", "score": 3},
    },
    {"id": 2, "question": "When was there fog?", "answer": "In March.", "documents": ["ferry"]},
]


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]], *, delimiter: str = ",", encoding: str = "utf-8") -> Path:
    with path.open("w", encoding=encoding, newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_folder(
    folder: Path,
    *,
    card: str | None = "name: trial\n",
    documents: Sequence[Mapping[str, Any]] = DOCUMENTS,
    questions: Sequence[Mapping[str, Any]] = QUESTIONS,
) -> Path:
    folder.mkdir(exist_ok=True)
    if card is not None:
        (folder / "dataset.yaml").write_text(card, encoding="utf-8")
    write_jsonl(folder / "documents.jsonl", documents)
    write_jsonl(folder / "questions.jsonl", questions)
    return folder


def table_rows(count: int = 3) -> list[dict[str, Any]]:
    return [
        {"id": f"q{i}", "question": f"What is {i}?", "answer": f"It is {i}.", "context": f"Fact {i % 2}: {MILL}"}
        for i in range(count)
    ]


def refusal(source: Path, **options: Any) -> str:
    """Return the one sentence with which a source is refused, after checking that it is one sentence."""
    with pytest.raises(InputError) as caught:
        read_dataset(source, **options)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    assert "Traceback" not in message
    return message


Change = Callable[[dict[str, Any]], object]
