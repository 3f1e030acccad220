"""The documents of files that repeat a document's text in every row: each is kept once."""

from __future__ import annotations

from core.datasets.importers.ids import id_at
from core.datasets.importers.place import Place, excerpt
from core.schema import Document, content_hash


class DocumentPool:
    """Collects documents in order of appearance; memory is that of the distinct texts."""

    def __init__(self) -> None:
        self._text_of: dict[str, str] = {}
        self._first: dict[str, tuple[Place, str]] = {}
        self._id_of_text: dict[str, str] = {}

    def add(self, place: Place, text: str, text_field: str, raw_id: object = None, id_field: str = "") -> str:
        """Return the id of the document with this text.

        Without ``raw_id`` equal texts are one document, whose id is the one given before, else the text's hash. Raises
        ``InputError`` for an empty text and for an id that stood for another text before.
        """
        if not text.strip():
            raise place.problem(text_field, "the document's text is empty", "fill it in or remove the row")
        if raw_id is None:
            identity = self._id_of_text.get(text) or f"doc-{content_hash(text)[:16]}"
        else:
            identity = id_at(place, id_field, raw_id)
        if identity not in self._text_of:
            self._text_of[identity] = text
            self._first[identity] = (place, str(raw_id))
            self._id_of_text.setdefault(text, identity)
        elif self._text_of[identity] != text:
            first, spelling = self._first[identity]
            raise place.problem(
                id_field or text_field,
                f"document id {excerpt(str(raw_id))} stands for another text here than on {first.unit} {first.line} "
                f"(written {excerpt(spelling)} there)",
                "give every text an id of its own",
            )
        return identity

    def text(self, identity: str) -> str:
        """Return the text of a document that was added."""
        return self._text_of[identity]

    def documents(self) -> tuple[Document, ...]:
        """Return the documents, in order of appearance."""
        return tuple(Document(identity, text) for identity, text in self._text_of.items())
