"""``rag12000``: the files of RAG-Dataset-12000, on which the Overall Performance Index was first computed.

Source: Hu, Zhou, Wang, arXiv 2410.02932. The public files name their columns ``context, question, answer,
extracted_sentences, logical_category``, the paper says ``retrieved_sentences`` and ``logical_relation``; both are
read. The sentences are located in the context and become the question's evidence, needed together. Some rows of the
public files have no question or no answer: they are left out and reported.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.datasets.importers.column_rows import read_columns
from core.datasets.importers.result import Reading
from core.datasets.importers.rows import RowFile


def read_rag12000(rows: RowFile, mapping: Mapping[str, str] | None) -> Reading:
    """Return the file's questions and documents; raises ``InputError`` at the first row that cannot be used."""
    required = ("question", "answer", "context", "evidence", "relation")
    return read_columns(rows, mapping, required=required, when_empty="skip")
