"""A metric card: what one must know to read a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["higher", "lower", "neither"]


@dataclass(frozen=True, slots=True)
class MetricCard:
    """What one must know to read a number.

    ``id`` is the measure's name in URLs, files and code. ``formula`` is plain text. ``range`` is closed;
    ``direction`` says which end is better. ``needs`` names labels and models without which it does not exist,
    ``blind_spots`` what it cannot see.
    """

    id: str
    name: str
    symbol: str
    formula: str
    range: tuple[float, float]
    direction: Direction
    unit: str
    aggregation: str
    source: str
    needs: str
    blind_spots: str
