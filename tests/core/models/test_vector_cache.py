"""The cache of vectors: several processes, damaged rows, full disks."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import StoreError
from core.models.cache import CachedVector, VectorCache

ROOT = Path(__file__).resolve().parents[3]


def vector_of(text: str, dimension: int = 8) -> CachedVector:
    """A vector that depends on the text alone."""
    seed = int.from_bytes(text.encode("utf-8", "surrogatepass")[:8].ljust(8, b"\0"), "little")
    vector = np.random.default_rng(seed).normal(size=dimension).astype(np.float32)
    return CachedVector(vector, tokens=len(text), unknown=len(text) // 3, truncated=len(text) > 5)


def same(left: CachedVector, right: CachedVector) -> bool:
    return np.array_equal(left.vector, right.vector) and (left.tokens, left.unknown, left.truncated) == (
        right.tokens,
        right.unknown,
        right.truncated,
    )


@pytest.fixture
def cache(tmp_path: Path) -> VectorCache:
    return VectorCache(tmp_path / "deep" / "vectors.db")


def test_what_was_put_comes_back_exactly(cache: VectorCache) -> None:
    items = {text: vector_of(text) for text in ("", "a", "größer", "汉字", "🦪", "x\ud800y", "a" * 10_000)}
    cache.put("m", items)
    found = cache.get("m", [*items, "unknown"])
    assert found.keys() == items.keys()
    assert all(same(found[text], items[text]) for text in items)
    assert found["a"].vector.dtype == np.float32


def test_models_do_not_mix(cache: VectorCache) -> None:
    cache.put("m", {"a": vector_of("a")})
    assert cache.get("other", ["a"]) == {}


def test_a_later_vector_replaces_an_earlier_one(cache: VectorCache) -> None:
    cache.put("m", {"a": vector_of("a")})
    cache.put("m", {"a": vector_of("b")})
    assert same(cache.get("m", ["a"])["a"], vector_of("b"))
    assert cache.size()[0] == 1


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=12), unique=True, max_size=30), st.data())
def test_any_texts_come_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str], data: st.DataObject) -> None:
    cache = VectorCache(tmp_path_factory.mktemp("cache") / "vectors.db")
    cache.put("m", {text: vector_of(text) for text in texts})
    asked = data.draw(st.lists(st.sampled_from(texts))) if texts else []
    found = cache.get("m", asked)
    assert found.keys() == set(asked)
    assert all(same(found[text], vector_of(text)) for text in asked)
    cache.close()


def test_more_texts_than_one_statement_takes(cache: VectorCache) -> None:
    texts = [f"text {i}" for i in range(1_234)]
    cache.put("m", {text: vector_of(text) for text in texts})
    assert len(cache.get("m", texts)) == 1_234
    rows, size = cache.size()
    assert rows == 1_234
    assert size > 1_234 * 32


def test_clear_forgets_and_shrinks(cache: VectorCache) -> None:
    cache.put("m", {f"text {i}": vector_of(str(i), 384) for i in range(1_000)})
    before = cache.size()[1]
    cache.clear()
    assert cache.size()[0] == 0
    assert cache.size()[1] < before / 10
    assert cache.get("m", ["text 1"]) == {}


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vectors_1 SET vector = substr(vector, 1, 30)",
        "UPDATE vectors_1 SET vector = zeroblob(length(vector))",
        "UPDATE vectors_1 SET vector = 'text'",
        "UPDATE vectors_1 SET tokens = tokens + 1",
        "UPDATE vectors_1 SET truncated = 1 - truncated",
        "UPDATE vectors_1 SET unknown = 'many'",
        "UPDATE vectors_1 SET checksum = 0",
    ],
)
def test_a_damaged_row_counts_as_missing_and_can_be_stored_again(cache: VectorCache, damage: str) -> None:
    cache.put("m", {"a": vector_of("a")})
    with sqlite3.connect(cache.path) as connection:
        connection.execute(damage)
    connection.close()
    assert cache.get("m", ["a"]) == {}
    cache.put("m", {"a": vector_of("a")})
    assert same(cache.get("m", ["a"])["a"], vector_of("a"))


def test_a_file_that_is_no_database_is_named_with_a_way_out(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    path.write_bytes(b"no database at all " * 100)
    with pytest.raises(StoreError, match=rf"{path} failed because it is damaged .* delete it"):
        VectorCache(path).get("m", ["a"])


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be opened or written"):
        VectorCache(tmp_path / "file" / "vectors.db").get("m", ["a"])


def _limited_write(path: str) -> str:
    """Write until the file limit (300 kB) is reached; return the error, then show that the old rows are there."""
    cache = VectorCache(Path(path))
    cache.put("m", {"first": vector_of("first")})
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    try:
        for i in range(1_000):
            cache.put("m", {f"text {i}": vector_of(str(i), 384)})
    except StoreError as error:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert "first" in cache.get("m", ["first"])
        cache.put("m", {"last": vector_of("last")})
        assert "last" in cache.get("m", ["last"])
        return str(error)
    return "no error"


def test_a_full_disk_is_one_sentence_and_loses_nothing(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        message = pool.submit(_limited_write, str(tmp_path / "vectors.db")).result()
    assert "disk is full or its limit is reached" in message
    assert "free some space" in message
    assert message.endswith(".")
    assert "\n" not in message


_WRITER = """
    import sys
    from pathlib import Path
    from tests.core.models.test_vector_cache import same, vector_of
    from core.models.cache import VectorCache
    number = int(sys.argv[1])
    cache = VectorCache(Path(sys.argv[2]))
    for i in range(40):
        own = {f"{number} {i} {j}": vector_of(f"{number} {i} {j}") for j in range(5)}
        own[f"shared {i}"] = vector_of(f"shared {i}")
        cache.put("m", own)
        found = cache.get("m", list(own))
        assert found.keys() == own.keys() and all(same(found[t], own[t]) for t in own)
"""


def test_eight_processes_write_and_read_at_once(tmp_path: Path) -> None:
    """They start on a file that does not exist, so that making it and switching its journal are raced as well."""
    path = tmp_path / "vectors.db"
    script = textwrap.dedent(_WRITER)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(number), str(path)],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    cache = VectorCache(path)
    assert cache.size()[0] == 8 * 40 * 5 + 40
    texts = [f"{number} {i} {j}" for number in range(8) for i in range(40) for j in range(5)]
    found = cache.get("m", texts)
    assert all(same(found[text], vector_of(text)) for text in texts)


def test_threads_have_connections_of_their_own(cache: VectorCache) -> None:
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for i in range(20):
                cache.put("m", {f"{number} {i}": vector_of(f"{number} {i}")})
                assert f"{number} {i}" in cache.get("m", [f"{number} {i}"])
        except BaseException as error:
            errors.append(error)
        finally:
            cache.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert cache.size()[0] == 80


def test_a_forked_child_opens_its_own_connection(cache: VectorCache) -> None:
    cache.put("m", {"parent": vector_of("parent")})
    before = cache._local.connection
    child = os.fork()
    if child == 0:
        code = 1
        try:
            cache.put("m", {"child": vector_of("child")})
            code = 0 if cache._local.connection is not before else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert cache.get("m", ["parent", "child"]).keys() == {"parent", "child"}
