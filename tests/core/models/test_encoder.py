"""The real MiniLM: same vectors as sentence-transformers, once a text, nothing lost, no torch when all is known."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import ModelError
from core.models.cache import VectorCache
from core.models.embeddings import DEFAULT_ENCODER, Encoder, applicable, encoder_spec

ROOT = Path(__file__).resolve().parents[3]
SPEC = encoder_spec(DEFAULT_ENCODER)
TEXTS = [
    "Who built the mill?",
    "The ferry runs twice a day in winter because the harbour freezes.",
    "one",
    "",
    "The keeper climbs 188 steps. " * 60,
    "Oysters die when the salinity stays below five for a week; the deep beds were spared.",
    "x\ud800y",
]


@pytest.fixture(scope="module")
def reference():
    """``SentenceTransformer`` as its users load it."""
    sentence_transformers = pytest.importorskip("sentence_transformers")
    return sentence_transformers.SentenceTransformer(SPEC.path, device="cpu", local_files_only=True)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> VectorCache:
    return VectorCache(tmp_path_factory.mktemp("encoder") / "vectors.db")


@pytest.fixture(scope="module")
def encoded(cache: VectorCache):
    return Encoder(SPEC, cache).encode(TEXTS)


def test_unit_vectors_are_those_of_sentence_transformers(encoded, reference) -> None:
    clean = [text.encode("utf-8", "replace").decode() for text in TEXTS]
    expected = reference.encode(clean, batch_size=16, show_progress_bar=False)
    assert np.abs(encoded.unit - expected).max() < 1e-6
    assert np.allclose(np.linalg.norm(encoded.unit, axis=1), 1, atol=1e-6)


def test_raw_vectors_are_what_the_second_module_gives(encoded, reference) -> None:
    import torch

    with torch.inference_mode():
        features = reference.preprocess([TEXTS[1]])
        pooled = reference[1](reference[0](features))["sentence_embedding"].numpy()[0]
    assert np.abs(encoded.raw[1] - pooled).max() < 2e-6
    assert np.linalg.norm(encoded.raw[1]) > 1.5
    assert encoded.raw.dtype == encoded.unit.dtype == np.float32


def test_vectors_are_rounded_before_use(encoded) -> None:
    thousandths = encoded.raw.astype(np.float64) * 1e6
    # float32 holds values below 4 to about 2.4e-7
    assert np.abs(thousandths - np.round(thousandths)).max() < 0.25


def test_counts(encoded) -> None:
    assert encoded.tokens.tolist()[:4] == [5, 14, 1, 0]
    assert encoded.tokens[4] > 256
    assert encoded.truncated.tolist() == [False, False, False, False, True, False, False]
    assert encoded.unknown.sum() == 0


def test_a_truncated_text_is_its_beginning(encoded, cache: VectorCache) -> None:
    beginning = Encoder(SPEC, cache).encode(["The keeper climbs 188 steps. " * 50])
    assert beginning.truncated[0]
    assert np.abs(beginning.unit[0] - encoded.unit[4]).max() < 1e-6


def test_order_and_duplicates(encoded, cache: VectorCache) -> None:
    again = Encoder(SPEC, cache).encode([TEXTS[2], TEXTS[0], TEXTS[2], *TEXTS])
    assert np.array_equal(again.raw[[0, 1, 2]], encoded.raw[[2, 0, 2]])
    assert np.array_equal(again.raw[3:], encoded.raw)
    assert np.array_equal(again.unit[3:], encoded.unit)
    assert np.array_equal(again.tokens[3:], encoded.tokens)
    assert np.array_equal(again.truncated[3:], encoded.truncated)


def test_a_text_has_the_same_vector_in_any_company(tmp_path: Path, encoded) -> None:
    alone = Encoder(SPEC, VectorCache(tmp_path / "vectors.db")).encode([TEXTS[0]])
    assert np.abs(alone.raw[0] - encoded.raw[0]).max() < 3e-6


def test_no_texts(cache: VectorCache) -> None:
    empty = Encoder(SPEC, cache).encode([])
    assert empty.raw.shape == empty.unit.shape == (0, 384)
    assert empty.tokens.shape == (0,)


def test_progress_counts_distinct_texts(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors.db")
    seen: list[tuple[int, int]] = []
    Encoder(SPEC, cache).encode(["known one", "known two"])
    encoder = Encoder(SPEC, cache, on_progress=lambda done, total: seen.append((done, total)))
    encoder.encode(["known one", "known two", *(f"new {i}" for i in range(40)), "new 1"])
    assert seen == [(2, 42), (18, 42), (34, 42), (42, 42)]
    seen.clear()
    encoder.encode(["known one"])
    assert seen == [(1, 1)]


def test_what_was_done_before_a_stop_is_kept(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done:
            raise InterruptedError

    cache = VectorCache(tmp_path / "vectors.db")
    texts = [f"sentence number {i} about the harbour" for i in range(64)]
    with pytest.raises(InterruptedError):
        Encoder(SPEC, cache, on_progress=stop).encode(texts)
    assert cache.size()[0] == 16
    seen: list[tuple[int, int]] = []
    Encoder(SPEC, cache, on_progress=lambda done, total: seen.append((done, total))).encode(texts)
    assert seen[0] == (16, 64)


def test_a_damaged_vector_is_computed_again(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors.db")
    first = Encoder(SPEC, cache).encode(["the mill"])
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE vectors_1 SET vector = zeroblob(1536)")
    connection.close()
    assert np.array_equal(Encoder(SPEC, cache).encode(["the mill"]).raw, first.raw)


def _in_a_process(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


_ENCODE = """
import sys
from pathlib import Path
from core.models.embeddings import DEFAULT_ENCODER, Encoder, encoder_spec
from core.models.cache import VectorCache
encoded = Encoder(encoder_spec(DEFAULT_ENCODER), VectorCache(Path(sys.argv[1]))).encode(["the mill", "the ferry"])
heavy = [name for name in ("torch", "transformers", "sentence_transformers", "sklearn", "scipy") if name in sys.modules]
print(heavy, encoded.raw.sum())
"""


def test_a_second_encode_never_imports_torch_and_both_are_quiet(tmp_path: Path) -> None:
    path = str(tmp_path / "vectors.db")
    first, second = _in_a_process(_ENCODE, path), _in_a_process(_ENCODE, path)
    assert (first.returncode, first.stderr) == (0, "")
    assert (second.returncode, second.stderr) == (0, "")
    assert "'torch'" in first.stdout
    assert second.stdout.startswith("[] ")
    assert first.stdout.split("] ")[1] == second.stdout.split("] ")[1]


_SLOW = """
import sys
from pathlib import Path
from core.models.embeddings import DEFAULT_ENCODER, Encoder, encoder_spec
from core.models.cache import VectorCache
def tell(done, total):
    print(done, flush=True)
Encoder(encoder_spec(DEFAULT_ENCODER), VectorCache(Path(sys.argv[1])), on_progress=tell).encode(
    [f"sentence number {i} about a harbour that froze in winter" * 5 for i in range(5_000)])
"""


def test_kill_9_loses_nothing_that_was_reported(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _SLOW, str(tmp_path / "vectors.db")],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    reported = 0
    began = time.monotonic()
    while reported < 48 and time.monotonic() - began < 120:
        reported = int(process.stdout.readline())
    process.kill()
    process.wait()
    reported = max([reported, *(int(line) for line in process.stdout.read().split())])
    stored = VectorCache(tmp_path / "vectors.db").size()[0]
    assert reported <= stored <= reported + 16


def test_weights_that_are_not_the_promised_ones_are_refused(tmp_path: Path) -> None:
    spec = replace(SPEC, sha256="0" * 64)
    with pytest.raises(ModelError, match=r"has sha256 53aa5117.*, expected 0000"):
        Encoder(spec, VectorCache(tmp_path / "vectors.db")).encode(["the mill"])


def test_a_local_folder_gives_the_same_vectors_as_the_bundled_one(tmp_path: Path, encoded) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    for item in Path(SPEC.path).iterdir():
        if item.name == "model.safetensors":
            (folder / item.name).symlink_to(item)
        elif item.is_dir():
            shutil.copytree(item, folder / item.name)
        else:
            shutil.copy(item, folder)
    spec = encoder_spec(str(folder))
    assert replace(spec, name=SPEC.name, path=SPEC.path) == SPEC
    copied = Encoder(spec, VectorCache(tmp_path / "vectors.db")).encode(TEXTS)
    assert np.abs(copied.raw - encoded.raw).max() < 3e-6


def test_a_damaged_folder_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(SPEC.path, folder, ignore=shutil.ignore_patterns("model.safetensors"))
    (folder / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(ModelError, match=r"Encoder 'broken' in .* cannot be loaded") as caught:
        Encoder(encoder_spec(str(folder)), VectorCache(tmp_path / "vectors.db")).encode(["the mill"])
    assert "\n" not in str(caught.value)


def test_an_encoder_with_a_prompt_of_its_own_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "prompting"
    shutil.copytree(SPEC.path, folder, ignore=shutil.ignore_patterns("model.safetensors"))
    (folder / "model.safetensors").symlink_to(Path(SPEC.path) / "model.safetensors")
    (folder / "config_sentence_transformers.json").write_text(
        '{"prompts": {"query": "query: "}, "default_prompt_name": "query"}'
    )
    with pytest.raises(ModelError, match="puts the prompt 'query' before every text"):
        Encoder(encoder_spec(str(folder)), VectorCache(tmp_path / "vectors.db")).encode(["the mill"])


def test_chinese_is_mostly_unknown_and_german_not_listed(cache: VectorCache) -> None:
    texts = ["渡轮在夏天每四十分钟开一班。", "Die Fähre fährt im Sommer alle vierzig Minuten.", "The ferry runs."]
    counts = Encoder(SPEC, cache).encode(texts)
    chinese, german, english = zip(counts.tokens.tolist(), counts.unknown.tolist(), strict=True)
    assert chinese[1] / chinese[0] > 0.3
    for language in ("zh", ""):
        assert applicable(SPEC, *chinese, language) != ""
    # German has word pieces enough, so only the card tells
    assert german[1] == 0
    assert "does not cover language 'de'" in applicable(SPEC, *german, "de")
    assert applicable(SPEC, *english, "en") == ""
