"""Relations that somebody else's classifier predicted for the answers of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: stands in place of a configuration: what was predicted for the reference answers, from which the ceiling is told
GOLD = "gold"


@dataclass(frozen=True, slots=True)
class ImportedPredictions:
    """Predictions that were imported for a dataset: their name, and the hash of all of them."""

    name: str
    fingerprint: str

    def as_spec(self) -> dict[str, Any]:
        """Return what decides a prediction."""
        return {"name": "imported", "predictions": self.name, "fingerprint": self.fingerprint}
