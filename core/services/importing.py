"""Use case *import*: read, validate, store; the same content is never stored twice, its newest card wins."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from core.datasets.bundled import bundled_names, bundled_path
from core.datasets.importers import ImportResult, Skip, read_dataset
from core.datasets.importers.source import check_source, text_name
from core.datasets.importers.trilens import trilens_files, trilens_folder
from core.datasets.validation import labels, warnings
from core.errors import InputError, OptionError
from core.schema import content_hash
from core.services.workspace import workspace
from core.store.datasets import dataset_fingerprint, dataset_of_source, dataset_rows, replace_card, save_dataset

#: raised when an importer starts to read the same file differently
IMPORT_VERSION = 1


@dataclass(frozen=True)
class Imported:
    """What an import gave: the dataset's stored name, its labels, what was skipped and what looks odd."""

    name: str
    labels: Mapping[str, Any]
    skipped: tuple[Skip, ...] = ()
    warnings: tuple[str, ...] = ()
    known: bool = False


def import_source(
    source: Path,
    *,
    format: str | None = None,
    name: str | None = None,
    mapping: Mapping[str, str] | None = None,
    categories: Sequence[str] | None = None,
    called: str | None = None,
) -> Imported:
    """Import a file or folder and return the dataset's name; the options are those of ``read_dataset``.

    Raises:
        InputError: the source cannot be read or holds a problem; nothing was stored.
        OptionError: an unknown format, or a name taken by other content.
    """
    _, store = workspace()
    check_source(source)
    digest = source_hash(source, format, name, mapping, categories, called)
    known = dataset_of_source(store, digest)
    if known:
        return Imported(known, _stored_labels(known), known=True)
    result = read_dataset(source, format=format, name=name, mapping=mapping, categories=categories, called=called)
    return store_result(result, name, called or text_name(source), digest)


def store_result(result: ImportResult, name: str | None, called: str, digest: str) -> Imported:
    """Store what was read from a source of this digest; ``called`` is what its owner calls it.

    Raises:
        OptionError: ``name`` is taken by other content.
    """
    _, store = workspace()
    found = labels(result.dataset)
    before = {row["name"] for row in dataset_rows(store)}
    stored = save_dataset(
        store,
        result.dataset,
        source=called,
        source_hash=digest,
        format=result.format,
        labels=found,
        name=name,
    )
    replaced = stored in before and put_card(stored, result, called, digest)
    notes = [f"the card of '{stored}' was replaced by the one of {called}."] if replaced else []
    notes += [*result.notes, *(str(warning) for warning in warnings(result.dataset))]
    return Imported(stored, found, result.skipped, tuple(notes), known=stored in before)


def own_card(result: ImportResult) -> dict[str, Any]:
    """Return the card that a source came with as JSON, {} where it came with none or with an empty one."""
    card: dict[str, Any] = json.loads(json.dumps(asdict(result.dataset.card)))
    told = any(value for name, value in card.items() if name not in ("name", "title", "language"))
    return card if result.format == "trilens" and (told or card["title"] not in ("", card["name"])) else {}


def is_new_card(stored: str, card: Mapping[str, Any]) -> bool:
    """Return whether a card (as ``own_card`` returns it) says other things than the one of a stored dataset."""
    _, store = workspace()
    before = next((row["card"] for row in dataset_rows(store) if row["name"] == stored), None)
    return bool(card) and before is not None and {**card, "name": ""} != {**before, "name": ""}


def put_card(stored: str, result: ImportResult, called: str, digest: str) -> bool:
    """Replace a stored dataset's card by that of a source with the same content; False where that has no other one."""
    card = own_card(result)
    if not is_new_card(stored, card):
        return False
    _, store = workspace()
    return replace_card(
        store,
        stored,
        dataset_fingerprint(result.dataset),
        replace(result.dataset.card, name=stored),
        source=called,
        source_hash=digest,
        format=result.format,
    )


def import_bundled(name: str) -> Imported:
    """Import a dataset that the product ships.

    Raises:
        OptionError: there is none of that name.
    """
    return import_source(bundled_path(name))


def parse_mapping(pairs: Sequence[str]) -> dict[str, str]:
    """Return ``["field=column", …]`` as a mapping.

    Raises:
        OptionError: a pair without "=".
    """
    for pair in pairs:
        if not all(part.strip() for part in pair.partition("=")):
            raise OptionError(f"--map is '{pair}': write FIELD=COLUMN, for example answer=reference_answer.")
    return {field.strip(): column.strip() for field, _, column in (pair.partition("=") for pair in pairs)}


def dataset_named(text: str) -> str:
    """Return the stored dataset that ``text`` means: a stored name, a bundled one, or a path (imported first)."""
    _, store = workspace()
    if text in {row["name"] for row in dataset_rows(store)}:
        return text
    if text in bundled_names():
        return import_bundled(text).name
    return import_source(Path(text)).name


def _stored_labels(name: str) -> Mapping[str, Any]:
    _, store = workspace()
    return next(row["labels"] for row in dataset_rows(store) if row["name"] == name)


def source_hash(
    source: Path,
    format: str | None = None,
    name: str | None = None,
    mapping: Mapping[str, str] | None = None,
    categories: Sequence[str] | None = None,
    called: str | None = None,
) -> str:
    """Return what identifies a source read with these options. Raises InputError when it cannot be read."""
    chosen: list[object] = [] if categories is None else [list(categories)]
    stem = source.stem if called is None else called
    return content_hash(IMPORT_VERSION, _digest(source), format, name, dict(mapping or {}), stem, *chosen)


def _digest(source: Path) -> str:
    """Hash the bytes of what is read: a file, or the files of a Trilens folder, for which each of them may stand."""
    digest = hashlib.sha256()
    folder = trilens_folder(source)
    files = trilens_files(folder) if folder else [source] if source.is_file() else []
    try:
        for path in files:
            digest.update((path.name if folder else "".join(path.suffixes)).encode("utf-8", "surrogateescape"))
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    except OSError as error:
        raise InputError(f"{source} cannot be read ({error.strerror}): check its permissions.") from error
    return digest.hexdigest()
