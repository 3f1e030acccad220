"""The charts of a dataset's distributions, made once for each theme: they take longer to make than to send."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core.figures.chart import Chart
from core.figures.distributions import length_bars, name_bars, nugget_bars, relation_bars, tree_bars
from core.figures.theme import Theme
from core.services import distributions as counts
from core.services.browsing import StoredDataset
from core.services.distributions import Distributions
from pages.shared import chrome
from pages.shared import datasets_readers as readers

#: what the dimensions that the product knows are called
DIMENSIONS = {
    "QC": "Question complexity, QC",
    "AT": "Answer type, AT",
    "LV": "Linguistic variation, LV",
    "phrasing": "Phrasing",
    "user_expertise": "Expertise of the user",
}


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart for wide and for narrow pages, its title, and what it shows for this data. ``title`` is ours."""

    key: str
    title: str
    wide: Chart
    narrow: Chart
    sentence: str

    def show(self) -> None:
        """Draw it."""
        chrome.figure(self.key, self.title, lambda narrow: self.narrow if narrow else self.wide, self.sentence)


@dataclass(frozen=True, slots=True)
class Charts:
    """``relations`` also stands for splits where there are no relations; what the dataset does not have is missing."""

    relations: Drawn | None
    nuggets: Drawn | None
    languages: Drawn | None
    trees: tuple[Drawn, ...]
    lengths: Drawn


def charts(dataset: StoredDataset, theme: Theme) -> Charts:
    """Return the charts of a dataset; not to be changed."""
    return _charts(dataset.name, dataset.version, theme, dataset)


@st.cache_resource(max_entries=16, show_spinner=False)
def _charts(name: str, version: str, theme: Theme, _dataset: StoredDataset) -> Charts:
    del name, version
    found = readers.distributions(_dataset)
    return Charts(
        relations=_relations(found, theme),
        nuggets=_drawn(
            "nuggets", "How many nuggets has a question?", lambda _: nugget_bars(found.nuggets, theme),
            counts.nugget_sentence(found),
        ) if any(found.nuggets) else None,
        languages=_drawn(
            "languages", "In which languages are the documents?",
            lambda narrow: name_bars(found.languages, "document", theme, narrow=narrow), "",
        ) if len(found.languages) > 1 else None,
        trees=_trees(found, theme),
        lengths=_drawn(
            "lengths", "How long are the texts, in words?",
            lambda narrow: length_bars(found.lengths, theme, narrow=narrow), counts.length_sentence(found),
        ),
    )  # fmt: skip


def _relations(found: Distributions, theme: Theme) -> Drawn | None:
    if any(found.relations):
        return _drawn(
            "relations", "How many questions has each relation?",
            lambda narrow: relation_bars(found.relations, found.splits, theme, narrow=narrow),
            counts.relation_sentence(found),
        )  # fmt: skip
    if any(found.splits):
        splits = {split: sum(numbers) for split, numbers in found.splits.items()}
        return _drawn(
            "splits", "How many questions has each split?",
            lambda narrow: name_bars(splits, "question", theme, narrow=narrow), "",
        )  # fmt: skip
    return None


def _trees(found: Distributions, theme: Theme) -> tuple[Drawn, ...]:
    """Return a chart a category dimension, the known ones first."""
    drawn = []
    for place, dimension in enumerate(sorted(found.trees, key=_rank)):
        nodes = found.trees[dimension]
        # a dimension of the dataset's own is named in the sentence: titles are read as Markdown
        own = "" if dimension in DIMENSIONS else f"{dimension}: "
        drawn.append(
            _drawn(
                f"tree-{place}", DIMENSIONS.get(dimension, "Categories of the dataset's own"),
                lambda narrow, nodes=nodes: tree_bars(nodes, theme, narrow=narrow),
                own + counts.tree_sentence(nodes),
            )
        )  # fmt: skip
    return tuple(drawn)


def _rank(dimension: str) -> int:
    return list(DIMENSIONS).index(dimension) if dimension in DIMENSIONS else len(DIMENSIONS)


def _drawn(key: str, title: str, draw: Callable[[bool], Chart], sentence: str) -> Drawn:
    return Drawn(f"datasets-{key}", title, draw(False), draw(True), sentence)
