"""The one place where texts of datasets become HTML: whatever they hold, only our own tags are markup."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.services.evidence import Piece
from pages.shared import question_markup as markup
from tests.core.services.drilldown_samples import HOSTILE

OURS = {"p", "b", "u", "mark", "br", "a", "div", "h2", "h3", "h4"}


class Reader(HTMLParser):
    """Keeps what a browser would see: tags with attributes, and the text between them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))
        self.text += "\n" if tag == "br" else ""

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader


NASTY = (
    HOSTILE,
    "</mark></u></p></div><script>alert(1)</script>",
    "<!-- --><!DOCTYPE html><?php ?><![CDATA[x]]>",
    "<svg/onload=alert(1)>",
    "&lt;script&gt; &#60;b&#62; &amp;lt;",
    "<a href='javascript:alert(1)'>x</a>",
    "<style>*{display:none}</style>",
    "\"' onmouseover=alert(1) x='",
    "# heading\n\n* list\n\n```\ncode\n```\n\n| a | b |",
    ":material/home: :smile: :red-background[x] $$x$$",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
)


def everything(text: str) -> str:
    return "".join(
        (
            markup.heading(text, 2),
            markup.paragraph(markup.plain(text), markup.link(1, 2), markup.line_break(), markup.bold(text)),
            markup.target(0, 3, markup.paragraph(markup.marked([Piece(text), Piece(text, True), Piece(text)]))),
        )
    )


def check(text: str) -> None:
    found = read(everything(text))
    assert {tag for tag, _ in found.tags} <= OURS
    attributes = [pair for _, pairs in found.tags for pair in pairs]
    assert attributes == [("href", "#passage-1-2"), ("id", "passage-0-3")]
    shown = text.replace("\r\n", "\n").replace("\r", "\n")
    assert found.text == f"{shown}{shown} [2]\n{shown}{shown * 3}"


@pytest.mark.parametrize("text", NASTY)
def test_hostile_texts_stay_texts(text: str) -> None:
    check(text)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_any_text_stays_as_it_is(text: str) -> None:
    check(text)


@given(st.lists(st.sampled_from("<>&\"'/!-=ab \n;#x[]"), max_size=40).map("".join))
def test_any_heap_of_markups_signs_stays_a_text(text: str) -> None:
    check(text)


def test_marks_are_seen_without_colour() -> None:
    assert markup.marked([Piece("a "), Piece("b", True)]) == "a <mark><u>b</u></mark>"


def test_links_and_targets_are_numbers_or_nothing() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        markup.link("0'><script>", 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="invalid literal"):
        markup.target(0, "x")  # type: ignore[arg-type]
