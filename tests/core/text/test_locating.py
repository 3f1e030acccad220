from __future__ import annotations

import random

from core.schema import Span
from core.text.locating import Locator

DOCUMENTS = {
    "mill": "The mill ran\nthree shifts.\r\n\r\n  Its wheel turned\u00a0whenever the river rose.",
    "ferry": "The ferry crossed twice a day. Fog stopped it in March.",
    "copy": "A note. The ferry crossed twice a day. Fog stopped it in March.",
    "zh": "渡轮每天两班，冬天停航。雾天不开。",
}


def _quoted(span: Span | None) -> str:
    assert span is not None
    return DOCUMENTS[span.document_id][span.start : span.end]


def test_white_space_may_differ_and_offsets_are_the_documents() -> None:
    found = Locator(DOCUMENTS).find("  ran three shifts. Its wheel turned whenever ")
    assert found is not None
    assert found.document_id == "mill"
    assert _quoted(found) == "ran\nthree shifts.\r\n\r\n  Its wheel turned\u00a0whenever"


def test_the_outermost_words_may_be_cut() -> None:
    assert _quoted(Locator(DOCUMENTS).find("erry crossed twice a d")) == "erry crossed twice a d"


def test_documents_named_first_win_then_the_first_in_order() -> None:
    locator = Locator(DOCUMENTS)
    text = "The ferry crossed twice a day."
    assert locator.find(text) == Span("ferry", 0, 30)
    assert locator.find(text, ("nowhere", "copy", "ferry")) == Span("copy", 8, 38)
    assert locator.find(text, ("mill",)) == Span("ferry", 0, 30)


def test_scripts_without_spaces() -> None:
    assert _quoted(Locator(DOCUMENTS).find("天两班，冬天停航。雾")) == "天两班，冬天停航。雾"


def test_what_stands_nowhere() -> None:
    locator = Locator(DOCUMENTS)
    for text in ("", " \n", "The ferry crossed thrice a day.", "the FERRY crossed twice", "Quite another text."):
        assert locator.find(text) is None
    assert Locator({}).find("ferry") is None


def test_short_quotations_are_looked_for_everywhere() -> None:
    locator = Locator(DOCUMENTS)
    assert locator.find("March.") == Span("ferry", 49, 55)
    assert locator.find("note. The") == Span("copy", 2, 11)


def test_any_piece_of_any_document_is_found() -> None:
    chance = random.Random(3)
    locator = Locator(DOCUMENTS)
    for _ in range(300):
        id_, text = chance.choice(list(DOCUMENTS.items()))
        start = chance.randrange(len(text) - 1)
        piece = text[start : start + chance.randint(1, 40)]
        if piece.strip():
            assert " ".join(_quoted(locator.find(piece, (id_,))).split()) == " ".join(piece.split())
