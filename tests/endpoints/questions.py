"""Answers of a scripted model that writes question-answer pairs, well or in every bad way one may."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable

from tests.endpoints.server import Request

Answer = Callable[[Request], str]


def written(pairs: list[tuple[str, str]]) -> str:
    return json.dumps({"pairs": [{"question": question, "answer": answer} for question, answer in pairs]})


def document_of(request: Request) -> str:
    return str(json.loads(request.body["messages"][-1]["content"])["document"])


def sentences_of(request: Request) -> list[str]:
    return [one.strip() for one in re.split(r"(?<=\.)\s+", document_of(request)) if one.strip()]


def behaves(request: Request) -> str:
    """Three different pairs about different sentences, each answer a sentence of the document."""
    sentences = sentences_of(request)
    start = int(hashlib.sha256(json.dumps(request.body, sort_keys=True).encode()).hexdigest(), 16)
    pairs = []
    for step in range(3):
        sentence = sentences[(start + step) % len(sentences)]
        words = [word for word in re.findall(r"\w+", sentence) if len(word) > 3]
        topics = " and ".join(words[:: max(1, len(words) // 3)][:3])
        kind = _KINDS[(start // 7 + step) % len(_KINDS)]
        pairs.append((kind.format(topics), sentence))
    return written(pairs)


_KINDS = (
    "What is known about {}?", "Why do people in the region talk of {}?", "Could you explain the story of {} to me?",
    "Who would care about {}, and when?", "Please tell me how {} belong together.", "Is it true what they say of {}?",
)  # fmt: skip

MISBEHAVIOURS: dict[str, Answer] = {
    "broken JSON": lambda _: '{"pairs": [{"question": "What is',
    "wrong language": lambda _: written(
        [("Warum wurde die alte Mühle damals eigentlich von der Gemeinde geschlossen?", "Weil niemand sie bezahlte.")]
    ),
    "empty list": lambda _: written([]),
    "repeats": lambda request: written(
        [("What does the first sentence say about Marlow?", sentences_of(request)[0])] * 3
    ),
    "refusal": lambda _: written([("What colour is the Marlow mill?", "I cannot answer that question.")]),
    "mentions": lambda request: written([("What does the document say about Marlow?", sentences_of(request)[0])]),
    "ungrounded": lambda _: written([("What colour is the Marlow mill?", "Purple stripes on yellow tiles.")]),
    "too short": lambda request: written([("Why?", sentences_of(request)[0])]),
    "prose": lambda _: "Sure! Here are your questions.",
}
