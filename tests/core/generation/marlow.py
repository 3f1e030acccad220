"""A folder of two documents, and a generation over them."""

from __future__ import annotations

from pathlib import Path

from core.services import generating, generating_run
from core.services.generating import Choices, Prepared

MILL = (
    "The Marlow mill was built in 1871 by Anna Rusk. It ground oats until the river was dammed in 1902. Afterwards it "
    "served as a school for forty pupils. The wheel still turns on market days. Visitors pay two crowns to see it."
)
LIGHT = (
    "The keeper of the Marlow light climbs 188 steps twice a day. The lamp burns from dusk to dawn. Fog makes the "
    "keeper sound the horn each minute. No keeper may leave before relief arrives. The tower is painted white."
)


def folder_of(path: Path) -> Path:
    folder = path / "documents"
    folder.mkdir(exist_ok=True)
    (folder / "mill.txt").write_text(MILL, encoding="utf-8")
    (folder / "light.md").write_text(LIGHT, encoding="utf-8")
    return folder


def prepared(folder: Path, endpoint: str = "test", **choices: object) -> Prepared:
    chosen = {"sets": ("QC:coarse",), "per_category": 2, "endpoint": endpoint, **choices}
    return generating.prepare(generating.sources_of([folder]), Choices(**chosen))  # type: ignore[arg-type]


def generated(folder: Path, **choices: object) -> generating_run.Generation:
    identifier = generating.register(prepared(folder, **choices))
    generating_run.run(identifier)
    return generating_run.generation(identifier)
