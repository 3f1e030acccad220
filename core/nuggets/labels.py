"""What somebody judged of an answer's nuggets, as matches: imported labels come before any matcher."""

from __future__ import annotations

from collections.abc import Sequence

from core.nuggets.matching import Match, Statement
from core.schema import Nugget, NuggetLabel

SUPPORT, PARTIAL, NOT, FAILED = "support", "partial_support", "not_support", "failed"


def labelled(
    nuggets: Sequence[Nugget], statements: Sequence[Statement], labels: Sequence[NuggetLabel], found: Sequence[Match]
) -> tuple[Match, ...] | str:
    """Return the matches of ``statements`` by their labels, or why they cannot be told.

    ``found`` are the offline matcher's: they stand for statements without a label, and say which sentences say a
    statement that was judged in the answer as a whole. Partial support is not enough for a statement to be said.
    """
    by_nugget: dict[str, list[NuggetLabel]] = {}
    for label in labels:
        by_nugget.setdefault(label.nugget, []).append(label)
    broken = {label.nugget for label in labels if label.label == FAILED}
    if broken:
        return f"{len(broken)} of {len(nuggets)} nuggets have a label that is none of the known ones"
    matches = []
    for statement, offline in zip(statements, found, strict=True):
        given = [
            label for label in by_nugget.get(nuggets[statement.nugget].id, ()) if label.answer in ("", statement.text)
        ]
        matches.append(_match(given, offline) if given else offline)
    return tuple(matches)


def _match(labels: Sequence[NuggetLabel], offline: Match) -> Match:
    said = any(label.label == SUPPORT for label in labels)
    if not said:
        return Match(said=False, partial=any(label.label == PARTIAL for label in labels))
    if all(label.sentence is None for label in labels):
        return Match(said=True, windows=offline.windows)
    sentences = sorted({label.sentence for label in labels if label.sentence is not None and label.label == SUPPORT})
    return Match(said=True, windows=tuple((sentence, sentence) for sentence in sentences))
