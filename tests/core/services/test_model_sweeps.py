"""Language models in a form: names of the settings alone, and the requests a person would type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.cli import main
from core.engine.spec import Request
from core.errors import OptionError
from core.models import local_llm
from core.services import endpoints
from core.services.endpoints import endpoint_choices, endpoint_names, try_endpoint
from core.services.importing import import_source
from core.services.prompts import shown_prompts
from core.services.sweeps import Sweep, requests_of
from tests.endpoints.faults import Fault
from tests.endpoints.named import name_endpoint
from tests.endpoints.server import MisbehavingServer

pytestmark = pytest.mark.usefixtures("home")

MINE = Sweep(("marlow",), retrievers=("bm25",), combinations=())
KEY = "sk-not-to-be-seen-anywhere"


@pytest.fixture
def server(tmp_path: Path, small_csv: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    import_source(small_csv)
    with MisbehavingServer(key=KEY) as found:
        name_endpoint(found, tmp_path, monkeypatch, key_env="TEST_KEY", max_calls=50)
        monkeypatch.setenv("TEST_KEY", KEY)
        yield found


def _requested(sweep: Sweep) -> Request:
    (found,) = requests_of(sweep)
    return found


def test_an_endpoint_of_the_settings_is_asked_by_its_name(server: MisbehavingServer) -> None:
    found = _requested(replace(MINE, answers="model", endpoint="test", max_calls=9))
    assert (found.answerer, found.endpoint, found.max_calls) == ("openai", "test", 9)
    assert "--answerer openai --relations" not in found.command()
    assert "--answerer openai" in found.command()
    assert "--endpoint test --max-calls 9" in found.command()


def test_relations_can_be_asked_where_answers_are_extractive(server: MisbehavingServer) -> None:
    found = _requested(replace(MINE, relations="llm-few", endpoint="test"))
    assert (found.answerer, found.endpoint, found.relations) == ("extractive", "test", "llm-few")


def test_an_endpoint_that_nothing_asks_stays_unsaid(server: MisbehavingServer) -> None:
    assert _requested(replace(MINE, endpoint="test", max_calls=9)) == _requested(MINE)


@pytest.mark.parametrize("name", ["nowhere", "http://127.0.0.1:1/v1", ""])
def test_what_the_settings_do_not_name_is_refused(server: MisbehavingServer, name: str) -> None:
    with pytest.raises(OptionError, match="There is no language model"):
        requests_of(replace(MINE, answers="model", endpoint=name))


def test_relations_that_were_not_imported_are_refused(server: MisbehavingServer) -> None:
    with pytest.raises(OptionError, match="relation classifier"):
        requests_of(replace(MINE, relations="imported:mine"))


def test_the_local_model_is_offered_where_it_is_installed(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_llm.importlib.util, "find_spec", lambda _: None)
    (choice, _) = endpoint_choices()
    assert "not installed" in choice.problem
    assert local_llm.INSTALL in choice.problem
    assert endpoint_names() == ("test",)
    with pytest.raises(OptionError, match="There is no language model 'local'"):
        requests_of(replace(MINE, answers="model"))
    monkeypatch.delenv("TRILENS_SETTINGS")
    with pytest.raises(OptionError, match=r"no language model to ask\. The local .* is not installed"):
        requests_of(replace(MINE, answers="model"))


def test_every_step_of_a_connection_is_said_and_the_key_never(
    server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = try_endpoint("test")
    assert [step.ok for step in steps] == [True] * len(steps)
    assert main(["doctor"]) == 0
    assert "endpoint test: schema output works" in capsys.readouterr().out
    server.key = "another"
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "BAD  endpoint test: authenticates" in out
    assert KEY not in out
    monkeypatch.delenv("TEST_KEY")
    (_, choice) = endpoint_choices()
    assert choice.problem.startswith("TEST_KEY, which should hold its key, is set neither in the environment")
    assert KEY not in repr((steps, choice, endpoints.trilens_settings()))


def test_a_key_in_the_settings_file_is_as_good_as_one_in_the_environment(
    server: MisbehavingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TEST_KEY")
    path = tmp_path / "endpoints.toml"
    path.write_text(f'TEST_KEY = "{KEY}"\n{path.read_text(encoding="utf-8")}', encoding="utf-8")
    (_, choice) = endpoint_choices()
    assert choice.problem == ""
    assert main(["doctor"]) == 0
    assert "endpoint test: schema output works" in capsys.readouterr().out


def test_an_endpoint_that_is_gone_is_not_tried(server: MisbehavingServer) -> None:
    with pytest.raises(OptionError, match="name no endpoint 'gone'"):
        try_endpoint("gone")


def test_a_model_that_hangs_is_a_step_that_failed(
    server: MisbehavingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_endpoint(server, tmp_path, monkeypatch, key_env="TEST_KEY", timeout_seconds=0.5)
    server.faults[""] = Fault("hang")
    failed = [step.name for step in try_endpoint("test") if step.ok is False]
    assert failed == ["answers"]


def test_the_prompts_are_those_that_are_sent(server: MisbehavingServer) -> None:
    (answer, relation) = shown_prompts(["marlow"], answers=True, relations=True)
    assert "[1]" in answer.text
    assert "causal" in relation.text
    (nuggets,) = shown_prompts(["marlow"], nuggets=True)
    assert "<statements>" in nuggets.text
    assert shown_prompts(["marlow"]) == ()
