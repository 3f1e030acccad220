"""What a retriever can come back with."""

from __future__ import annotations

from dataclasses import dataclass

from core.schema import Ranking


@dataclass(frozen=True, slots=True)
class RankingFailure:
    """Why a retriever has no ranking for a question, in words; the type of the exception is among them."""

    reason: str


Outcome = Ranking | RankingFailure
