"""One row for every (question, configuration), one column a measure, a state column beside each."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import IO, Any

from core.services.questions import question_rows
from core.services.spreadsheet import neutral

_COLUMNS = (
    "run",
    "question_id",
    "question",
    "reference",
    "relation",
    "configuration",
    "answer",
    "passages",
    "refused",
    "words",
    "sentences",
    "bertsim",
    "bertsim_state",
    "bertsim_reason",
    "predicted_relation",
    "relation_correct",
    "relation_state",
    "relation_reason",
)


def write_csv(run_id: str, file: IO[str]) -> None:
    """Write a run's rows. Cells that a spreadsheet would run as a formula are neutralised."""
    writer = csv.writer(file)
    writer.writerow(_COLUMNS)
    writer.writerows([neutral(cell) for cell in row] for row in _rows(run_id))


def _rows(run_id: str) -> Iterator[tuple[Any, ...]]:
    for row in question_rows(run_id):
        answer = json.loads(row["answer"])
        yield (
            run_id,
            row["question_id"],
            row["question"],
            row["reference"],
            row["relation"],
            row["configuration"],
            " ".join(answer.get("sentences", ())),
            " ".join(json.loads(row["passages"])),
            row["refused"],
            row["words"],
            row["sentences"],
            row["similarity"],
            row["similarity_state"],
            row["similarity_reason"],
            row["predicted"],
            row["correct"],
            row["correct_state"],
            row["correct_reason"],
        )
