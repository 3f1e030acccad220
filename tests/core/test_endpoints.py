"""Endpoints in the settings file: what is read, and how each mistake is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.endpoints import Endpoint
from core.errors import InputError
from core.settings import trilens_settings

GOOD = 'base_url = "https://models.example/v1/"\nmodel = "m"\n'


def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> dict[str, Endpoint]:
    path = tmp_path / "secrets.toml"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("TRILENS_SETTINGS", str(path))
    return dict(trilens_settings().endpoints)


def test_no_endpoints_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _settings(tmp_path, monkeypatch, "") == {}


def test_an_endpoint_needs_an_address_and_a_model_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _settings(tmp_path, monkeypatch, "[trilens.endpoints.mine]\n" + GOOD)
    assert found == {"mine": Endpoint("mine", "openai", "m", "https://models.example/v1")}


def test_every_field_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        '[trilens.endpoints.p]\nkind = "chat"\nprovider = "mistralai"\nmodel = "m"\nkey_env = "MY_KEY"\n'
        "concurrency = 3\ntimeout_seconds = 5\ntotal_seconds = 50\nretries = 0\nmax_calls = 7\nmax_tokens = 900\n"
        'temperature = 1\nanswer_tokens = 64\nprice_input = 0.5\nprice_output = 2\ntokenizer = "/a/tokenizer.json"\n'
        "thinking_tokens = 800\n"
    )
    assert _settings(tmp_path, monkeypatch, text)["p"] == Endpoint(
        "p",
        "chat",
        "m",
        "",
        "mistralai",
        "MY_KEY",
        3,
        5.0,
        50.0,
        0,
        7,
        900,
        1.0,
        64,
        0.5,
        2.0,
        "/a/tokenizer.json",
        thinking_tokens=800,
    )


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('model = "m"', "base_url is missing"),
        ('base_url = "https://a/v1"', "model is missing"),
        ('kind = "chat"\nmodel = "m"', "provider is missing"),
        ('kind = "other"\nmodel = "m"', 'write "openai" or "chat"'),
        (GOOD + 'provider = "openai"', 'for kind "chat" only'),
        (GOOD + 'colour = "red"', "colour is unknown"),
        (GOOD + 'identity = "x"', "identity is unknown"),
        (GOOD + "name = 'x'", "name is unknown"),
        (GOOD + "concurrency = 0", "concurrency must be a whole number from 1 to 256"),
        (GOOD + "concurrency = 2.5", "must be a whole number"),
        (GOOD + "concurrency = true", "must be a whole number"),
        (GOOD + "retries = '3'", "must be a whole number"),
        (GOOD + "temperature = nan", "must be a number from 0 to 2"),
        (GOOD + "max_calls = 0", "must be a whole number from 1"),
        (GOOD + "timeout_seconds = 400", "less than timeout_seconds"),
        (GOOD + "model_name = 5", "model_name is unknown"),
        ("base_url = 'models.example'\nmodel = 'm'", "is no address"),
        ("base_url = 'ftp://models.example'\nmodel = 'm'", "is no address"),
        ("base_url = 'http://[::1'\nmodel = 'm'", "is no address"),
        ('base_url = "http://h\\u0000/v1"\nmodel = "m"', "is no address"),
        ("base_url = 'http://ex ample/v1'\nmodel = 'm'", "is no address"),
        ("base_url = 'https://a/v1?x=1'\nmodel = 'm'", "an address alone"),
        (GOOD + "tokenizer = 'here.json'", "is not absolute"),
        ("base_url = 7\nmodel = 'm'", "base_url must be a text"),
    ],
)
def test_a_mistake_is_named_with_its_file_and_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: str, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        _settings(tmp_path, monkeypatch, "[trilens.endpoints.mine]\n" + lines)
    assert said in str(caught.value)
    assert f"{tmp_path / 'secrets.toml'}, trilens.endpoints.mine." in str(caught.value)


@pytest.mark.parametrize(
    "lines",
    [
        GOOD + 'api_key = "sk-secret"',
        GOOD + 'key = "sk-secret"',
        GOOD + 'key_env = "sk-secret"',
        'base_url = "https://user:sk-secret@a/v1"\nmodel = "m"',
        'base_url = "sk-secret"\nmodel = "m"',
    ],
)
def test_a_key_in_the_file_is_refused_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: str
) -> None:
    with pytest.raises(InputError) as caught:
        _settings(tmp_path, monkeypatch, "[trilens.endpoints.mine]\n" + lines)
    assert "sk-secret" not in str(caught.value)


def test_endpoints_must_be_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"must hold tables such as \[trilens.endpoints.NAME\]"):
        _settings(tmp_path, monkeypatch, '[trilens.endpoints]\nmine = "x"\n')


def test_the_name_of_the_local_model_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"endpoints\.local: this is the name of the model on this machine"):
        _settings(tmp_path, monkeypatch, f"[trilens.endpoints.local]\n{GOOD}")
