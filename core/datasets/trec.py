"""TREC files that ndeval, pyndeval and ir-measures read: runs and diversity judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from core.errors import InputError


def run_lines(rankings: Mapping[str, Sequence[str]], tag: str) -> Iterator[str]:
    """Yield ``topic Q0 document rank score tag`` for rankings (topic → ids, best first), with line ends.

    The score is 1 / rank, so that every tool keeps the order whatever it does with ties. Raises ``InputError`` where
    two ids are the same without their blanks, which the format cannot hold.
    """
    words = _Words()
    name = words("system", tag)
    for topic, ranking in rankings.items():
        for rank, document in enumerate(dict.fromkeys(ranking), start=1):
            yield f"{words('topic', topic)} Q0 {words('document', document)} {rank} {1 / rank!r} {name}\n"


def diversity_lines(
    judgments: Mapping[str, Mapping[str, AbstractSet[str]]], nuggets: Mapping[str, str]
) -> Iterator[str]:
    """Yield ``topic nugget document judgment`` for topic → document → ids of the nuggets it holds, with line ends.

    A document that was judged and holds none is written with judgment 0 for the nugget of its topic in ``nuggets``. A
    topic's lines are contiguous, as pyndeval needs them. Raises ``InputError`` as ``run_lines`` does.
    """
    words = _Words()
    for topic, documents in judgments.items():
        for document, held in documents.items():
            for nugget, judgment in _judged(held, nuggets[topic]):
                row = (
                    words("topic", topic),
                    words(f"nugget of {topic}", nugget),
                    words("document", document),
                    judgment,
                )
                yield " ".join(map(str, row)) + "\n"


def _judged(held: Iterable[str], first: str) -> list[tuple[str, int]]:
    return [(nugget, 1) for nugget in sorted(held)] or [(first, 0)]


class _Words:
    """Ids as single words: white space becomes an underscore."""

    def __init__(self) -> None:
        self._meant: dict[tuple[str, str], str] = {}

    def __call__(self, kind: str, identity: str) -> str:
        word = "_".join(identity.split())
        meant = self._meant.setdefault((kind, word), identity)
        if meant != identity:
            raise InputError(
                f"The {kind} ids {meant!r} and {identity!r} are the same without their blanks, which a TREC file "
                "cannot hold: rename one of them."
            )
        return word
