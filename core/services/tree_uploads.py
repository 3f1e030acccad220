"""Tree files that came through the browser: kept for a day, so that a refresh loses nothing, and previewed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from core.errors import InputError, OptionError
from core.services import uploads
from core.services.trees import labels_of
from core.store.database import store_errors
from core.taxonomy.bundled import level_names
from core.taxonomy.labels import PlacedLabels, place_labels
from core.taxonomy.tree_files import MOST_CHARACTERS, trees_from_yaml
from core.taxonomy.trees import Tree

_TEXT, _NAME = "tree.txt", "name.json"
#: a character of UTF-8 takes four bytes at most
_MOST_BYTES = 4 * MOST_CHARACTERS


@dataclass(frozen=True)
class UploadedTrees:
    """The trees of an uploaded file by name, and what its owner calls the file."""

    file: str
    trees: Mapping[str, Tree]


@dataclass(frozen=True)
class TreePreview:
    """A tree filled with a run's questions before it is kept.

    ``outline`` has a row a category: name, level, questions labelled there and at or below it.
    """

    placed: PlacedLabels
    outline: pd.DataFrame
    n_questions: int
    n_placed: int


def keep_upload(name: str, stream: uploads.Readable) -> str:
    """Store an uploaded tree file, read once to see whether it can be, and return its id.

    Raises:
        InputError: it is too large, no UTF-8 text, or no tree can be read from it.
        StoreError: the disk is full.
    """
    content = stream.read(_MOST_BYTES + 1)
    shown = uploads.tidy_name(name)
    if len(content) > _MOST_BYTES:
        raise InputError(f"'{shown}' is larger than {_MOST_BYTES // 1_000_000} MB: a tree file holds names alone.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"'{shown}' is no UTF-8 text at byte {error.start:,}: save it as UTF-8.") from error
    trees_from_yaml(text, f"'{shown}'")
    identifier, folder = uploads.new_folder()
    with store_errors(folder):
        (folder / _TEXT).write_text(text, encoding="utf-8", newline="")
        (folder / _NAME).write_text(json.dumps(shown, ensure_ascii=False), encoding="utf-8")
    return identifier


def uploaded_trees(identifier: str) -> UploadedTrees:
    """Return the trees of an upload. Raises OptionError when it is gone, InputError when it cannot be read."""
    folder = uploads.folder_of(identifier)
    if not (folder / _TEXT).exists():
        raise OptionError("This tree file is no longer there: choose it again.")
    shown = json.loads((folder / _NAME).read_text(encoding="utf-8"))
    return UploadedTrees(shown, trees_from_yaml((folder / _TEXT).read_text(encoding="utf-8"), f"'{shown}'"))


def preview(run_id: str, tree: Tree, labels: str, mapping: Mapping[str, str | None]) -> TreePreview:
    """Return a tree filled with the labels of a run's questions.

    Raises:
        OptionError: there is no such run, or the mapping names no category of the tree.
    """
    found = place_labels(tree, labels_of(run_id, labels), mapping)
    own = pd.Series(found.own).value_counts()
    names = level_names(tree)
    outline = pd.DataFrame.from_records(
        [
            {
                "category": f"{chr(0x2003) * tree.level_of(node)}{node}",
                "level": names[tree.level_of(node)],
                "labelled here": int(own.get(node, 0)),
                "here or below": int(sum(own.get(below, 0) for below in tree.within(node))),
            }
            for node in tree.nodes
        ]
    )
    return TreePreview(found, outline, len(found.own), sum(node is not None for node in found.own))
