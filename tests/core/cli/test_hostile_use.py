"""Paths, streams and folders that nobody would choose: still one sentence, exit 2, and nothing destroyed."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli import main
from core.cli_progress import _Bars, _json_listener
from core.engine.progress import Event, Stopped
from core.services.workspace import workspace
from tests.core.cli.test_bad_input import _nothing_stored, _refused

ROOT = Path(__file__).resolve().parents[3]
EVENT = Event("chunk", 1, 1, 0, None, None, {})


class Unwritable(io.TextIOBase):
    """A stream whose reader went away."""

    def write(self, _: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")

    def isatty(self) -> bool:
        return False


@pytest.fixture
def run_id(home: Path, small_csv: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["evaluate", str(small_csv), "--retrievers", "bm25", "--combinations", "none", "--json"]) == 0
    name: str = json.loads(capsys.readouterr().out.splitlines()[-1])["run"]
    return name


@pytest.mark.usefixtures("home")
class TestSources:
    @pytest.mark.parametrize("command", ["import", "evaluate"])
    def test_a_pipe_is_refused_and_not_waited_for(
        self, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        os.mkfifo(tmp_path / "pipe.csv")
        assert "pipe" in _refused(capsys, command, str(tmp_path / "pipe.csv"))
        assert "device" in _refused(capsys, command, "/dev/zero")
        _nothing_stored()

    @pytest.mark.parametrize("command", ["import", "evaluate"])
    def test_what_cannot_be_reached(self, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "loop.csv").symlink_to("loop.csv")
        assert "loop.csv cannot be read" in _refused(capsys, command, str(tmp_path / "loop.csv"))
        assert "too long" in _refused(capsys, command, "x" * 300)

    def test_a_line_end_in_a_name_does_not_end_the_sentence(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert r"a\nb.csv" in _refused(capsys, "import", str(tmp_path / "a\nb.csv"))
        assert r"x\x1b[31m" in _refused(capsys, "score", "x\x1b[31m")

    def test_bytes_of_a_file_name_that_are_no_utf8(self, small_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
        odd = small_csv.with_name(os.fsdecode(b"\xff.csv"))
        odd.write_bytes(small_csv.read_bytes())
        assert "--name" in _refused(capsys, "import", str(odd))
        assert main(["import", str(odd), "--name", "odd"]) == 0

    @pytest.mark.parametrize(("name", "says"), [("-x", "dash"), ("名" * 70, "200 bytes")])
    def test_names_that_could_not_be_used(
        self, name: str, says: str, small_csv: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert says in _refused(capsys, "import", str(small_csv), f"--name={name}")
        _nothing_stored()

    @pytest.mark.parametrize("sample", ["9" * 5000, ":3", "balanced:", "٣"])
    def test_samples(self, sample: str, small_csv: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert "--sample" in _refused(capsys, "evaluate", str(small_csv), "--sample", sample)

    def test_all_is_all_however_it_is_written(self, small_csv: Path) -> None:
        from core.engine.spec import Request
        from core.services.evaluation import plan

        spec, _ = plan(Request(str(small_csv), retrievers="bm25", combinations=" ALL"))
        assert spec.combinations == ()


class TestHomes:
    @pytest.mark.parametrize("path", ["~nobody-of-this-name/x", "loop", "file"])
    def test_no_folder(
        self, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "loop").symlink_to("loop")
        (tmp_path / "file").touch()
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("TRILENS_HOME", path)
        assert "TRILENS_HOME" in _refused(capsys, "runs")

    @pytest.mark.parametrize("version", [0, 3, -1])
    def test_a_database_of_somebody_else(self, version: int, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        home.mkdir()
        with sqlite3.connect(home / "trilens.db") as connection:
            connection.execute(f"CREATE TABLE {'t' if version == 3 else 'datasets'} (x)")
            connection.execute(f"PRAGMA user_version = {version}")
        connection.close()
        assert "no Trilens store" in _refused(capsys, "runs")

    def test_a_lock_that_holds_no_number(self, run_id: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (home / "locks" / f"{run_id}.lock").write_bytes(b"\xff\xfe")
        assert "not being evaluated" in _refused(capsys, "stop", run_id)

    def test_a_lock_that_cannot_be_taken(self, run_id: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        lock = home / "locks" / f"{run_id}.lock"
        lock.unlink()
        lock.mkdir()
        assert str(lock) in _refused(capsys, "evaluate", "--resume", run_id)


class TestTargets:
    def test_a_report_takes_the_place_of_no_folder_pipe_or_link(
        self, run_id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        report = ("report", run_id, "--format", "csv", "--out")
        pipe, link, real = tmp_path / "pipe", tmp_path / "link.csv", tmp_path / "real.csv"
        os.mkfifo(pipe)
        link.symlink_to(real)
        assert "pipe" in _refused(capsys, *report, str(pipe))
        assert pipe.is_fifo()
        assert "folder" in _refused(capsys, *report, str(tmp_path))
        assert "folder" in _refused(capsys, *report, "")
        assert "too long" in _refused(capsys, *report, str(tmp_path / ("x" * 300)))
        assert main([*report, str(link)]) == 0
        assert link.is_symlink()
        assert real.is_file()
        assert {path.name for path in tmp_path.iterdir()} == {"home", "marlow.csv", "pipe", "link.csv", "real.csv"}

    @pytest.mark.usefixtures("run_id")
    def test_an_export_that_cannot_be_written(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "too long" in _refused(capsys, "export", "marlow", "--out", "x" * 300)


class TestStreams:
    """Processes where the interpreter's own last flush is what fails; the listeners by themselves."""

    @staticmethod
    def _run(home: Path, redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        line = " ".join((sys.executable, "-m", "core", *arguments, redirection))
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"} | {"TRILENS_HOME": str(home)}
        return subprocess.run(
            ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @pytest.mark.parametrize(
        ("arguments", "redirection", "status", "says"),
        [
            (("runs",), "> /dev/full", 2, "The output cannot be written"),
            (("--help",), "> /dev/full", 2, "The output cannot be written"),
            (("runs",), "| true", 0, ""),
            (("runs",), ">&-", 0, ""),
            (("score", "x"), "2> /dev/full", 2, ""),
            (("score", "x"), "2>&-", 2, ""),
        ],
    )
    def test_output_that_goes_nowhere(
        self, home: Path, arguments: tuple[str, ...], redirection: str, status: int, says: str
    ) -> None:
        done = self._run(home, redirection, *arguments)
        assert done.returncode == status
        assert "no run" not in done.stdout
        assert done.stderr.startswith(says)
        assert len(done.stderr.splitlines()) == bool(says)

    @pytest.mark.usefixtures("home")
    def test_a_terminal_that_knows_no_chinese(self, small_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        written = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
        assert main(["import", str(small_csv), "--name", "渡船"]) == 0
        assert rb"\u6e21\u8239 was imported" in written.getvalue()

    def test_a_run_that_nobody_listens_to_stops_and_does_not_fail(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdout", Unwritable())
        with pytest.raises(Stopped):
            _json_listener()(EVENT)

    def test_progress_that_nobody_sees_is_no_reason_to_stop(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stderr", Unwritable())
        bars = _Bars()
        bars.listen(Event("chunk", 1, 1, 0, None, None, {"no answer": 1}))
        bars.say_failures()


FACTORIES = "tests.core.retrieval.hostile_factories"


@pytest.mark.usefixtures("home")
class TestFactories:
    @pytest.mark.parametrize("name", ["leaves", "cancelled"])
    def test_one_that_leaves_fails_its_questions_and_no_more(
        self, small_csv: Path, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        choice = ("--retrievers", f"bm25,{FACTORIES}:{name}", "--combinations", "none", "--relations", "none")
        assert main(["evaluate", str(small_csv), *choice]) == 0
        assert "6 failed" in capsys.readouterr().err
        _, store = workspace()
        assert store.rows("SELECT state FROM runs") == [{"state": "done"}]

    def test_what_it_found_is_kept_question_by_question(
        self, small_csv: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        from tests.core.retrieval import hostile_factories

        asked: list[str] = []
        monkeypatch.setattr(hostile_factories, "ASKED", asked)
        monkeypatch.setattr(hostile_factories, "INTERRUPT_AT", 4)
        arguments = ["evaluate", str(small_csv), "--retrievers", f"{FACTORIES}:counts", "--combinations", "none"]
        assert main(arguments) == 130
        assert main(arguments) == 0
        # the fourth was interrupted: it alone is asked again
        assert len(asked) == 7
        assert len(set(asked)) == 6
        assert hostile_factories.MADE.count("counts") == 2
        assert "talk" not in capsys.readouterr().out
