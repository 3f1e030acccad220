"""Personal codes: what one person signs in with. The store knows only a digest, so that nobody can read a code there.

A code is two texts, ``NAME-SECRET``. The name is public: it finds the row and names the person in studies. The secret
is 128 random bits, so a fast digest is enough: there is no dictionary to try.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass

SECRET_BYTES = 16
_NAME_BYTES = 5
#: letters of base 32 that the bytes take without padding
_NAME_LETTERS, _SECRET_LETTERS = 8, 26
#: ids of people with a code begin so; an e-mail address cannot
PREFIX = "code-"
#: failed attempts of one address that cost no waiting, and the longest wait in seconds
FREE_ATTEMPTS, LONGEST_WAIT = 5, 60.0
#: what a code is held against where none has its name, so that both take as long
_NOBODY = hashlib.sha256(b"nobody").hexdigest()


@dataclass(frozen=True, slots=True)
class Code:
    """A new code. ``text`` is shown to its person once; ``id`` is the person's, ``digest`` what may be stored."""

    id: str
    text: str
    digest: str


def new_code() -> Code:
    """Return a code of 128 random bits that nobody has."""
    name, secret = _letters(_NAME_BYTES), _letters(SECRET_BYTES)
    return Code(PREFIX + name, f"{name}-{secret}", digest(secret))


def new_token() -> str:
    """Return what a browser is known by after somebody signed in: 256 random bits."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """Return the SHA-256 digest of a secret, in hexadecimal digits."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def parsed(text: str) -> tuple[str, str] | None:
    """Return the id and the secret of a code as somebody typed it, None where it has not a code's form.

    Upper case, spaces and hyphens that crept in do not matter.
    """
    letters = "".join(one for one in text[:200].casefold() if not one.isspace() and one != "-")
    if len(letters) != _NAME_LETTERS + _SECRET_LETTERS or not (letters.isascii() and letters.isalnum()):
        return None
    return PREFIX + letters[:_NAME_LETTERS], letters[_NAME_LETTERS:]


def matches(secret: str, stored: str | None) -> bool:
    """Return whether a secret has the stored digest (None: there is no such code); takes as long whatever is true."""
    same = hmac.compare_digest(digest(secret), stored if stored is not None else _NOBODY)
    return same and stored is not None


def seconds_to_wait(failed: int, last: float, at: float) -> float:
    """Return how long an address must wait at ``at`` after ``failed`` attempts, the last one at ``last``.

    Nothing for the first five, then 1, 2, 4 … and at most 60 seconds. A clock that was set back never adds to it.
    """
    if failed < FREE_ATTEMPTS:
        return 0.0
    wait = min(2.0 ** min(failed - FREE_ATTEMPTS, 10), LONGEST_WAIT)
    return min(max(last + wait - at, 0.0), wait)


def _letters(n_bytes: int) -> str:
    return base64.b32encode(secrets.token_bytes(n_bytes)).decode("ascii").rstrip("=").lower()
