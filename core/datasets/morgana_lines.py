"""Questions as JSON Lines that DataMorgana users know; the importer ``datamorgana`` reads them back equal."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

from core.schema import Dataset


def morgana_lines(dataset: Dataset, user_dimensions: Collection[str]) -> Iterator[str]:
    """Yield a line for every question: texts, documents with their ids, and categories.

    ``user_dimensions`` are those that describe who asks. What ``meta`` holds stands beside the fixed keys.
    """
    texts = {document.id: document.text for document in dataset.documents}
    for question in dataset.questions:
        labels = [
            (dimension in user_dimensions, {"categorization_name": dimension, "category_name": name})
            for dimension, name in question.categories.items()
        ]
        row: dict[str, Any] = {
            "qa_id": question.id,
            "question": question.question,
            "answer": question.answer,
            "context": [texts[document] for document in question.document_ids],
            "document_ids": list(question.document_ids),
            "question_categories": [label for is_user, label in labels if not is_user],
            "user_categories": [label for is_user, label in labels if is_user],
        }
        yield json.dumps({**question.meta, **row}, ensure_ascii=False) + "\n"
