"""Guidelines that an owner writes as Markdown: what of it may be shown to raters."""

from __future__ import annotations

import re

#: pictures would tell another server who rates what, and when
_PICTURE = re.compile(r"!\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_LINK = re.compile(r"\[([^\]]*)\]\(\s*(?P<target>[^)\s]*)[^)]*\)")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:.*$", re.MULTILINE)
_SAFE = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)


def sanitised(markdown: str) -> str:
    """Return Markdown without HTML, pictures, and links that lead elsewhere than to a web page or a mailbox.

    What is taken out stays as text: a tag with its angle brackets escaped, a picture's description, a link's words.
    """
    text = markdown.replace("\r\n", "\n").replace("\x00", "")
    text = _DEFINITION.sub("", text)
    text = _PICTURE.sub(lambda found: found[1], text)
    text = _LINK.sub(lambda found: found[0] if _SAFE.match(found["target"]) else found[1], text)
    return text.replace("<", "&lt;")
