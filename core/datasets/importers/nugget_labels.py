"""Labels to calibrate the offline matcher on: per row a topic, a nugget's text, an answer, and whether it says it.

Several people may label the same pair, a row each: the majority counts, and a pair they are split on is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.datasets.importers.column_rows import text_of
from core.datasets.importers.place import excerpt, listed
from core.datasets.importers.result import Skip
from core.datasets.importers.rows import columns_of, open_rows
from core.datasets.importers.source import check_source
from core.datasets.importers.system_fields import chosen_columns
from core.errors import InputError

LABEL_FIELDS: Mapping[str, tuple[str, ...]] = {
    "topic": ("topic", "topic id", "question id", "query id", "qid", "question", "query"),
    "nugget": ("nugget", "claim", "statement", "fact"),
    "answer": ("answer", "response", "report", "article", "prediction"),
    "label": ("label", "judgment", "judgement", "assignment", "supported"),
    "language": ("language", "lang"),
}
_YES = frozenset({"true", "yes", "1", "support", "supported"})
#: partial support is not enough for a nugget to be said
_NO = frozenset({"false", "no", "0", "notsupport", "notsupported", "partialsupport", "partiallysupported"})


@dataclass(frozen=True, slots=True)
class NuggetLabelRow:
    """What most people say of one nugget in one answer."""

    topic: str
    nugget: str
    answer: str
    said: bool
    language: str


@dataclass(frozen=True, slots=True)
class LabelReading:
    """The labelled pairs of a file in its order; ``n_split`` pairs had as many labels for as against."""

    labels: tuple[NuggetLabelRow, ...]
    n_rows: int
    n_split: int
    skipped: tuple[Skip, ...]
    notes: tuple[str, ...]


def read_nugget_labels(source: Path, mapping: Mapping[str, str] | None = None) -> LabelReading:
    """Return the labels of any table.

    ``mapping`` (field → column) overrides how columns are guessed. Raises ``InputError`` (file, line, field, what to
    do) at the first cell that cannot be read; ``OptionError`` for a mapped field that does not exist.
    """
    check_source(source)
    rows = open_rows(source)
    names = columns_of(rows.head())
    columns, choices = chosen_columns(source, names, mapping, LABEL_FIELDS)
    if missing := [field for field in LABEL_FIELDS if field != "language" and field not in columns]:
        options = " ".join(f"--map {field}=COLUMN" for field in missing)
        raise InputError(
            f"{source} has no column for {' and '.join(repr(field) for field in missing)} among {listed(names)}; say "
            f"which column holds it with `calibrate {source.name} {options}`."
        )
    votes: dict[tuple[str, str, str], Counter[bool]] = {}
    languages: dict[tuple[str, str, str], str] = {}
    skipped: list[Skip] = []
    n_rows = 0
    for place, row in rows:
        n_rows += 1
        topic, nugget, answer = (
            text_of(place, columns[field], row.get(columns[field])).strip() for field in ("topic", "nugget", "answer")
        )
        empty = next((f for f, text in (("topic", topic), ("nugget", nugget), ("answer", answer)) if not text), "")
        label = row.get(columns["label"])
        if empty or label in (None, ""):
            field = empty or "label"
            skipped.append(Skip(place.line, columns[field], f"no {field} is given"))
            continue
        said = _said(label)
        if said is None:
            raise place.problem(
                columns["label"], f"{excerpt(label)} is no label", "give true or false, or support or not_support"
            )
        pair = (topic, nugget, answer)
        votes.setdefault(pair, Counter())[said] += 1
        if "language" in columns:
            languages[pair] = text_of(place, columns["language"], row.get(columns["language"])).strip()
    decided = {pair: cast[True] > cast[False] for pair, cast in votes.items() if cast[True] != cast[False]}
    return LabelReading(
        labels=tuple(NuggetLabelRow(*pair, said, languages.get(pair, "")) for pair, said in decided.items()),
        n_rows=n_rows,
        n_split=len(votes) - len(decided),
        skipped=tuple(skipped),
        notes=(*rows.notes, *choices),
    )


def _said(label: object) -> bool | None:
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    word = re.sub(r"[^a-z0-9]", "", str(label).casefold())
    return True if word in _YES else False if word in _NO else None
