"""No run starts while the store is changed as a whole, and the other way round."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BusyError
from core.services import backup, upkeep
from core.services.at_rest import at_rest, nobody_starts, starting

pytestmark = pytest.mark.usefixtures("home")


def test_runs_start_together_but_not_while_the_store_is_changed() -> None:
    with starting(), starting():
        pass
    with at_rest("clear"):
        with pytest.raises(BusyError, match="start the run again in a moment"), starting():
            pass
        with pytest.raises(BusyError, match="being changed already"), nobody_starts():
            pass
    with starting():
        pass


def test_the_store_is_not_changed_while_a_run_starts(tmp_path: Path) -> None:
    backup.backup(tmp_path / "copy.db")
    with starting():
        for change in (upkeep.clear_encodings, upkeep.clear_intermediate, lambda: backup.restore(tmp_path / "copy.db")):
            with pytest.raises(BusyError, match="just being started"):
                change()
    assert backup.backups() == []
    backup.restore(tmp_path / "copy.db")
