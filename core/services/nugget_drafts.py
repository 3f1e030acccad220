"""Reviews of proposed nuggets on their way: a page of questions a file, so that a change writes one page alone.

``nuggets.json`` says what is reviewed, ``nuggets-0001.json`` … hold the rows of its pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from core.errors import OptionError
from core.schema import Importance
from core.services import uploads
from core.services.draft_files import Made, load_json, save_json
from core.services.uploads import REVIEW_FILE

#: files that are remembered as they were read last: four reviews of 5,000 questions
_REMEMBERED = 1_000


@dataclass(frozen=True, slots=True)
class NuggetRow:
    """A nugget that is under review: ``proposed`` is its text at first, "" where a person added it."""

    question: str
    text: str
    importance: Importance = "vital"
    keep: bool = True
    proposed: str = ""

    @property
    def is_changed(self) -> bool:
        """Whether a person kept it with another text, or added it."""
        return self.keep and self.text != self.proposed


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question whose answer the nuggets were taken from."""

    id: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class NuggetPage:
    """Page ``number`` (from 1) of ``n_pages``: its questions, and their nuggets in the order of the questions.

    ``version`` is another one whenever rows have come or gone. ``seen`` says that somebody has opened it.
    """

    number: int
    n_pages: int
    questions: tuple[AskedQuestion, ...]
    rows: tuple[NuggetRow, ...]
    version: int = 0
    seen: bool = False


@dataclass(frozen=True, slots=True)
class NuggetDraft:
    """A review on its way.

    ``dataset`` is the stored one, ``fingerprint`` what it held when its nuggets were proposed. ``stored`` is the name
    under which the reviewed nuggets were saved, with what that holds (``stored_fingerprint``); "" before and after an
    undo.
    """

    id: str
    dataset: str
    fingerprint: str
    n_questions: int
    n_pages: int
    name: str = ""
    stored: str = ""
    stored_fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class NuggetTally:
    """How many rows there are, and what the review has made of them so far.

    ``n_covered`` questions keep a nugget; of ``n_without_text`` kept ones the text is empty, and ``first_empty`` is
    the first page with one, 0 for none. ``n_seen`` questions stand on pages that were opened.
    """

    n_rows: int = 0
    n_kept: int = 0
    n_covered: int = 0
    n_changed: int = 0
    n_seen: int = 0
    n_without_text: int = 0
    first_empty: int = 0


def save_draft(draft: NuggetDraft) -> NuggetDraft:
    """Write what is reviewed, whole or not at all, and return it.

    Raises:
        OptionError: its folder is no longer there.
        StoreError: the disk is full.
    """
    save_json(draft.id, REVIEW_FILE, asdict(draft))
    return draft


def load_draft(identifier: str) -> NuggetDraft:
    """Return a review. Raises OptionError when there is none of that id (any more)."""
    return _loaded(identifier, REVIEW_FILE, lambda values: NuggetDraft(**values))


def save_page(identifier: str, page: NuggetPage) -> None:
    """Write a page, whole or not at all. Raises as ``save_draft``."""
    save_json(identifier, _page_file(page.number), asdict(page))


def load_page(draft: NuggetDraft, number: int) -> NuggetPage:
    """Return the page that is nearest to ``number``. Raises OptionError when the review is gone."""
    return _loaded(draft.id, _page_file(min(max(number, 1), draft.n_pages)), _page)


def load_pages(draft: NuggetDraft) -> list[NuggetPage]:
    """Return all pages in order. Raises OptionError when the review is gone."""
    return [load_page(draft, number) for number in range(1, draft.n_pages + 1)]


def tally(draft: NuggetDraft) -> NuggetTally:
    """Count what the review has made so far; a page is read again only when it has been written since.

    Raises:
        OptionError: the review is gone.
    """
    names = [_page_file(number) for number in range(1, draft.n_pages + 1)]
    try:
        folder = uploads.folder_of(draft.id)
        written = [(folder / name).stat().st_mtime_ns for name in names]
    except (OSError, OptionError):
        raise _gone() from None
    found = [_tally_of(draft.id, name, at) for name, at in zip(names, written, strict=True)]
    fields = [name for name in NuggetTally.__dataclass_fields__ if name != "first_empty"]
    sums = {name: sum(getattr(one, name) for one in found) for name in fields}
    return NuggetTally(**sums, first_empty=next((one.first_empty for one in found if one.first_empty), 0))


@lru_cache(maxsize=_REMEMBERED)
def _tally_of(identifier: str, name: str, written: int) -> NuggetTally:
    del written
    page = _loaded(identifier, name, _page)
    kept = [row for row in page.rows if row.keep]
    empty = sum(not row.text for row in kept)
    return NuggetTally(
        n_rows=len(page.rows),
        n_kept=len(kept),
        n_covered=len({row.question for row in kept}),
        n_changed=sum(row.is_changed for row in kept),
        n_seen=len(page.questions) if page.seen else 0,
        n_without_text=empty,
        first_empty=page.number if empty else 0,
    )


def _loaded(identifier: str, name: str, made: Callable[[dict[str, Any]], Made]) -> Made:
    try:
        return load_json(identifier, name, made)
    except OptionError:
        raise _gone() from None


def _gone() -> OptionError:
    return OptionError(
        f"This review is no longer there: it was discarded, or not touched for {uploads.REVIEW_DAYS} days. Propose "
        "nuggets again on the dataset's page."
    )


def _page_file(number: int) -> str:
    return f"nuggets-{number:04d}.json"


def _page(values: dict[str, Any]) -> NuggetPage:
    questions: Sequence[dict[str, Any]] = values["questions"]
    rows: Sequence[dict[str, Any]] = values["rows"]
    made = {
        "questions": tuple(AskedQuestion(**one) for one in questions),
        "rows": tuple(NuggetRow(**one) for one in rows),
    }
    return NuggetPage(**{**values, **made})
