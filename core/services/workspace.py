"""The opened home: one store a process, shared by all services."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from core.settings import Home, home
from core.store.database import Store


def workspace() -> tuple[Home, Store]:
    """Return the home named by ``TRILENS_HOME`` and its opened store.

    Raises:
        StoreError: the home cannot be made, or its store not opened.
    """
    place = home()
    return place, _opened(place.store)


@lru_cache(maxsize=8)
def _opened(path: Path) -> Store:
    return Store(path)
