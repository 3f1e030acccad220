"""Use case *export*: a stored dataset as a Trilens folder."""

from __future__ import annotations

from pathlib import Path

from core.datasets.export import write_trilens
from core.services.workspace import workspace
from core.store.database import store_errors
from core.store.datasets import load_dataset


def export_dataset(name: str, folder: Path) -> None:
    """Write a stored dataset.

    Raises:
        OptionError: there is none of that name.
        InputError: the folder is not empty or cannot be written.
    """
    _, store = workspace()
    with store_errors(folder):
        write_trilens(load_dataset(store, name), folder)
