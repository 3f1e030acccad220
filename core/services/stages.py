"""The stages of a run in their order, so that progress can say how many are still to come."""

from __future__ import annotations

#: as the engine names them; a run leaves out those it has no need of
STAGES = (
    "chunk",
    "encode questions",
    "encode passages",
    "retrieve",
    "retrieve training texts",
    "encode sentences",
    "answer",
    "encode reference answers",
    "encode answers",
    "encode imported texts",
    "fit relations",
    "classify reference answers",
    "classify questions alone",
    "classify",
    "score",
    "match",
    "cover",
)


def place_of(stage: str) -> int:
    """Return the stage's place from 1, or 0 for a run that has not begun."""
    return STAGES.index(stage) + 1 if stage in STAGES else 0
