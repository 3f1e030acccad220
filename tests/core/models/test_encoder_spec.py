"""Describing encoders without loading them, and when their vectors mean something."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ModelError
from core.models.embeddings import DEFAULT_ENCODER, EncoderSpec, applicable, encoder_spec

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What sentence-transformers 6 writes, with weights that are no weights."""
    path = tmp_path / "my-encoder"
    (path / "1_Pooling").mkdir(parents=True)
    modules = [
        {"idx": 0, "path": "", "type": "sentence_transformers.base.modules.transformer.Transformer"},
        {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.sentence_transformer.modules.pooling.Pooling"},
    ]
    (path / "modules.json").write_text(json.dumps(modules))
    (path / "config.json").write_text(json.dumps({"max_position_embeddings": 512}))
    (path / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 128}))
    (path / "sentence_bert_config.json").write_text(json.dumps({"module_output_name": "token_embeddings"}))
    (path / "1_Pooling" / "config.json").write_text(json.dumps({"embedding_dimension": 32, "pooling_mode": "cls"}))
    (path / "model.safetensors").write_bytes(b"weights")
    (path / "README.md").write_text("---\nlanguage:\n- en\n- de\n- no\nlicense: mit\n---\n# My encoder\n---\n")
    return path


def test_the_bundled_encoder() -> None:
    spec = encoder_spec(DEFAULT_ENCODER)
    assert spec.sha256 == SHA256
    assert (spec.pooling, spec.max_tokens, spec.dimension, spec.languages) == ("mean", 256, 384, ("en",))
    assert (Path(spec.path) / "model.safetensors").is_file()


def test_what_identifies_vectors_does_not_depend_on_the_machine() -> None:
    spec = encoder_spec(DEFAULT_ENCODER).as_spec()
    assert spec.pop("tokenizer")
    assert spec == {"name": DEFAULT_ENCODER, "sha256": SHA256, "pooling": "mean", "max_tokens": 256}
    assert json.loads(json.dumps(spec)) == spec


def test_a_local_folder(folder: Path) -> None:
    spec = encoder_spec(str(folder))
    assert spec.name == "my-encoder"
    assert spec.sha256 == hashlib.sha256(b"weights").hexdigest()
    assert (spec.pooling, spec.max_tokens, spec.dimension) == ("cls", 128, 32)
    assert spec.languages == ("en", "de", "no")


def test_another_tokenizer_is_another_key(folder: Path) -> None:
    before = encoder_spec(str(folder))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 128, "do_lower_case": False}))
    after = encoder_spec(str(folder))
    assert (after.sha256, after.max_tokens) == (before.sha256, before.max_tokens)
    assert after.cache_key != before.cache_key
    assert after.as_spec() != before.as_spec()


def test_a_normalising_third_module_is_left_out(folder: Path) -> None:
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps([*modules, {"path": "2_Normalize", "type": "x.models.Normalize"}]))
    assert encoder_spec(str(folder)).dimension == 32


def test_a_folder_in_the_old_notation(folder: Path) -> None:
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 64}))
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 48, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True})
    )
    spec = encoder_spec(str(folder))
    assert (spec.pooling, spec.max_tokens, spec.dimension) == ("mean", 64, 48)


@pytest.mark.parametrize(
    ("card", "languages"),
    [
        ("# No front matter\nlanguage: en\n", ()),
        ("---\nlicense: mit\n---\n", ()),
        ("---\nlanguage: en\n---\n", ("en",)),
        ("---\nlanguage: no\n---\n", ("no",)),
        ("---\nlanguage: multilingual\n---\n", ("multilingual",)),
        ("---\njust words\n---\n", ()),
        ("", ()),
    ],
)
def test_languages_of_a_card(folder: Path, card: str, languages: tuple[str, ...]) -> None:
    (folder / "README.md").write_text(card)
    assert encoder_spec(str(folder)).languages == languages


def test_a_folder_without_a_card(folder: Path) -> None:
    (folder / "README.md").unlink()
    assert encoder_spec(str(folder)).languages == ()


def _write(file: str, value: object) -> object:
    return lambda folder: (folder / file).write_text(json.dumps(value) if not isinstance(value, str) else value)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "modules.json").unlink(), r"modules\.json is missing"),
        (lambda folder: (folder / "model.safetensors").unlink(), r"weights .*model\.safetensors cannot be read"),
        (_write("modules.json", "{"), "cannot be read as JSON"),
        (_write("modules.json", [{"path": "", "type": "x.StaticEmbedding"}]), "lists StaticEmbedding"),
        (
            _write("modules.json", [{"path": "", "type": f"x.{kind}"} for kind in ("Transformer", "Pooling", "Dense")]),
            "lists Dense after Pooling, which Trilens does not apply",
        ),
        (_write("1_Pooling/config.json", {"pooling_mode": "mean"}), "does not say the embedding dimension"),
        (_write("1_Pooling/config.json", {"embedding_dimension": 3, "pooling_mode": ["mean", "cls"]}), "mean, cls"),
        (_write("README.md", "---\nlanguage: [en\n---\n"), "front matter that is no YAML"),
    ],
)
def test_a_folder_that_cannot_be_used_says_why(folder: Path, damage: object, message: str) -> None:
    damage(folder)  # type: ignore[operator]
    with pytest.raises(ModelError, match=message) as caught:
        encoder_spec(str(folder))
    assert "\n" not in str(caught.value)


def test_a_folder_that_names_no_window(folder: Path) -> None:
    (folder / "config.json").write_text("{}")
    (folder / "tokenizer_config.json").unlink()
    with pytest.raises(ModelError, match="how many tokens"):
        encoder_spec(str(folder))


def test_an_unknown_encoder() -> None:
    with pytest.raises(ModelError, match=r"'no-such-encoder' is neither 'all-MiniLM-L6-v2' nor a folder"):
        encoder_spec("no-such-encoder")


ENGLISH = EncoderSpec("e", "", "", languages=("en",))


@pytest.mark.parametrize("language", ["", "en", "en-GB", "EN", "en_US", "und"])
def test_english_and_unknown_languages_pass(language: str) -> None:
    assert applicable(ENGLISH, 20, 1, language) == ""


@pytest.mark.parametrize("language", ["de", "zh-Hans", "ar", "eno"])
def test_a_language_the_card_does_not_list(language: str) -> None:
    assert f"does not cover language '{language}'" in applicable(ENGLISH, 20, 0, language)


def test_a_multilingual_or_silent_card_passes_every_language() -> None:
    for languages in ((), ("multilingual",), ("en", "multilingual")):
        assert applicable(EncoderSpec("e", "", "", languages=languages), 10, 0, "sw") == ""


def test_an_empty_text_is_not_applicable() -> None:
    assert "no token" in applicable(ENGLISH, 0, 0, "en")


@given(st.integers(1, 2_000), st.data())
def test_more_than_five_in_a_hundred_unknown_tokens(tokens: int, data: st.DataObject) -> None:
    unknown = data.draw(st.integers(0, tokens))
    assert (applicable(ENGLISH, tokens, unknown, "en") == "") == (20 * unknown <= tokens)
