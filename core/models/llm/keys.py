"""The key of an endpoint: read when it is needed, kept nowhere, and taken out of every text that comes back."""

from __future__ import annotations

import re

from core.endpoints import Endpoint
from core.errors import EndpointRefused
from core.settings import secret

#: what stands where a key stood
HIDDEN = "[key]"
_HALF = re.compile("[\ud800-\udfff]")


def key_of(endpoint: Endpoint) -> str:
    """Return the key from the environment or the settings file, "" where the endpoint needs none.

    Raises:
        EndpointRefused: it is set nowhere, or is what no key can be.
        InputError: the settings file cannot be read.
    """
    if not endpoint.key_env:
        return ""
    key = secret(endpoint.key_env)
    if not key:
        raise EndpointRefused(
            f"The endpoint '{endpoint.name}' needs a key: set the environment variable {endpoint.key_env} and start "
            f'Trilens again, or write {endpoint.key_env} = "…" at the top of .streamlit/secrets.toml.'
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise EndpointRefused(
            f"{endpoint.key_env} holds no key (spaces, line breaks or letters outside ASCII): "
            f"set it to the key of the endpoint '{endpoint.name}' alone."
        )
    return key


def storable(text: str, key: str) -> str:
    """Return a text of the endpoint without the key, should it have sent it back, and without halves of characters.

    For texts that are decoded: JSON may write a key with escapes, and half a character ("\\ud83d"), which no file and
    no database takes.
    """
    whole = _HALF.sub("\N{REPLACEMENT CHARACTER}", text)
    return whole.replace(key, HIDDEN) if key else whole
