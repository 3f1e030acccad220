"""One dataset at a glance: a sentence, what to do with it, how its labels and texts are distributed, its card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.figures.chart import shorten
from core.services import distributions as counts
from core.services.browsing import StoredDataset
from core.services.cautions import Finding
from pages.shared import chrome
from pages.shared import datasets_readers as readers
from pages.shared.datasets_actions import actions
from pages.shared.datasets_address import leave
from pages.shared.datasets_charts import Charts, charts
from pages.shared.datasets_predictions import predictions
from pages.shared.datasets_systems import systems

#: notes of a card that every reader asks for, in this order
_NOTES = ("purpose", "made", "checked", "limits")
#: characters of a description above the charts; all of it stands in the card below
_LONGEST = 320


def overview(dataset: StoredDataset) -> None:
    """Draw everything but the texts."""
    with st.skeleton(height=480):
        found = readers.distributions(dataset)
    chrome.finding(f"{dataset.title}: {counts.finding(dataset)}")
    facts = [dataset.name, *([dataset.source] if dataset.source != dataset.name else []), f"format {dataset.format}"]
    facts += [f"imported {dataset.created[:10]}", counts.language_sentence(found)]
    chrome.small("datasets-facts", " · ".join(facts))
    if dataset.card.description:
        chrome.small("datasets-description", shorten(dataset.card.description, _LONGEST))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("All datasets", key="datasets-all", icon=":material/arrow_back:", on_click=leave, type="tertiary")
        actions(dataset)
    missing = [Finding(text, "note") for text in counts.missing_labels(dataset)]
    warnings = [Finding(text[:1].upper() + text[1:], "caution") for text in found.warnings]
    chrome.findings("datasets-warnings", [*warnings, *missing])
    plots(charts(dataset, chrome.theme()))
    systems(dataset)
    predictions(dataset)


def plots(shown: Charts) -> None:
    """Draw the distributions two in a row, the labels of the lenses first."""
    found = [chart for chart in (shown.relations, shown.nuggets, shown.languages, *shown.trees) if chart]
    for first in range(0, len(found), 2):
        for place, chart in zip(st.columns(2, gap="large"), found[first : first + 2], strict=False):
            with place:
                chart.show()
    shown.lengths.show()


def card(dataset: StoredDataset) -> None:
    """Show what the dataset says of itself, as text."""
    about = dataset.card
    rows = {
        "Description": about.description,
        "Licence": about.licence,
        "Source": about.source,
        "Language": about.language,
        **{name.capitalize(): _said(about.notes[name]) for name in _NOTES if name in about.notes},
        **{name: _said(value) for name, value in about.notes.items() if name not in _NOTES},
    }
    st.header("What it says of itself", anchor=False)
    if not any(rows.values()):
        st.text(
            "Nothing: this file came without a card. Export it, fill in dataset.yaml and import it again: that "
            "replaces its card."
        )
        return
    for place, (name, text) in enumerate(rows.items()):
        if text:
            label, value = st.columns([1, 5], gap="small")
            with label:
                chrome.small(f"datasets-card-{place}", name)
            value.text(text)
    if about.relations:
        with st.expander("What its relations mean", icon=":material/table_rows:"):
            st.dataframe(
                {"Relation": list(about.relations), "Means": list(about.relations.values())}, hide_index=True,
                key="datasets-relations-table", alt="The dataset's relations and their definitions",
            )  # fmt: skip


def _said(value: Any) -> str:
    """Return a note of any shape as text."""
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {_said(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return "\n".join(_said(one) for one in value)
    return str(value)
