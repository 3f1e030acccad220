"""The server under a name in settings of its own, as an installation would have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.endpoints.server import MODEL, MisbehavingServer

#: quick to give up, so that a test of a fault takes a second
IMPATIENT = {"timeout_seconds": 0.6, "total_seconds": 1.5, "retries": 1}


def name_endpoint(
    server: MisbehavingServer, folder: Path, monkeypatch: pytest.MonkeyPatch, **limits: float | str
) -> str:
    """Write settings that name ``server`` and return the name."""
    lines = {"base_url": server.base_url, "model": MODEL, **limits}
    text = "\n".join(f"{key} = {value!r}".replace("'", '"') for key, value in lines.items())
    path = folder / "endpoints.toml"
    path.write_text(f"[trilens.endpoints.test]\n{text}\n", encoding="utf-8")
    monkeypatch.setenv("TRILENS_SETTINGS", str(path))
    return "test"
