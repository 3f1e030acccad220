"""Datasets, their questions and documents as frames for the browser. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from core.figures.notation import per_cent
from core.services.browsing import Page, StoredDataset
from core.services.distributions import lenses

#: names of a cell written out at most
_MOST = 4


def dataset_table(datasets: Sequence[StoredDataset]) -> pd.DataFrame:
    """Return a row a dataset: its size, and which labels it has in a few words."""
    return pd.DataFrame.from_records(
        [
            {
                "Dataset": one.title,
                "Lenses": _lenses(one),
                "Questions": one.n_questions,
                "Documents": one.n_documents,
                **{name: text or "–" for name, text in label_texts(one.labels).items()},
                "Runs": one.n_runs,
                "Imported": one.created[:10],
            }
            for one in datasets
        ]
    )


def label_texts(labels: Mapping[str, Any]) -> dict[str, str]:
    """Return in a few words which labels a dataset has, by kind; "" for none. ``labels`` as validation returns them."""
    n = labels.get("questions", 0)
    nuggets = f"{labels['nuggets'] / labels['with_nuggets']:.1f} a question" if labels.get("with_nuggets") else ""
    return {
        "Relations": _counted(labels.get("relations", {})),
        "Evidence": _share(labels.get("with_evidence", 0), n),
        "Nuggets": nuggets,
        "Categories": _named(list(labels.get("categories", {}))),
        "Splits": _named([f"{name} {number:,}" for name, number in labels.get("splits", {}).items()]),
        "Languages": _named([code or "unknown" for code in labels.get("languages", {})]),
    }


def question_table(page: Page) -> pd.DataFrame:
    """Return a page of questions; columns that would be empty are left out."""
    table = pd.DataFrame.from_records(
        [
            {"Question": row["question"], "Relation": row["relation"], "Split": row["split"], "Answer": row["answer"]}
            for row in page.rows
        ]
    )
    return table.drop(columns=[name for name in ("Relation", "Split") if not table[name].any()])


def document_table(page: Page) -> pd.DataFrame:
    """Return a page of documents; columns that would be empty are left out."""
    table = pd.DataFrame.from_records(
        [
            {
                "Document": row["title"] or row["id"],
                "Questions": row["questions"],
                "Characters": row["characters"],
                "Language": row["language"],
                "Beginning": " ".join(row["beginning"].split()),
            }
            for row in page.rows
        ]
    )
    return table.drop(columns=[name for name in ("Language",) if not table[name].any()])


def _lenses(dataset: StoredDataset) -> str:
    there = lenses(dataset)
    return "all three" if len(there) == 3 else ", ".join(there) or "none"


def _counted(numbers: Mapping[str, int]) -> str:
    """Return "13, 40 each" or "13, 3 to 40 each"."""
    if not numbers:
        return ""
    least, most = min(numbers.values()), max(numbers.values())
    return f"{len(numbers)}, {least:,} each" if least == most else f"{len(numbers)}, {least:,} to {most:,} each"


def _share(part: int, whole: int) -> str:
    return "" if not part else "all" if part == whole else per_cent(part / whole)


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST]) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")
