"""Files of other evaluation tools, written where a test wants them, and what reading or refusing them gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.datasets.importers.judged import JudgedFile, read_file
from core.datasets.importers.judged.found import Found
from core.errors import TrilensError

SHARED = Path(__file__).parents[5] / "shared" / "data" / "coverage"
needs_coverage = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data/coverage is not here")


def lines(path: Path, *rows: str) -> Path:
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def objects(path: Path, *rows: Any) -> Path:
    return lines(path, *(json.dumps(row, ensure_ascii=False) for row in rows))


def whole(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def read(path: Path, **options: Any) -> JudgedFile:
    """Return a file that must be readable."""
    file = read_file(path, **options)
    assert file is not None, "its format was not told"
    return file


def found(path: Path, format: str, **options: Any) -> Found:
    """Return what a file says that must be told to be of ``format``."""
    file = read(path, **options)
    assert file.format == format
    return file.found


def refusal(path: Path, **options: Any) -> str:
    """Return the one sentence with which a file is refused."""
    with pytest.raises(TrilensError) as caught:
        read_file(path, **options)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message
