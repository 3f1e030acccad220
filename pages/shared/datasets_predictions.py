"""The relations that other classifiers gave the answers of a dataset's runs: what each import is, deleting one."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.figures.notation import count
from core.services import prediction_importing
from core.services.browsing import StoredDataset
from core.services.prediction_importing import PredictionsSummary
from pages.shared import access, chrome
from pages.shared.confirm import confirmed


def predictions(dataset: StoredDataset) -> None:
    """Draw the section; nothing where none were imported."""
    found = prediction_importing.predictions(dataset.name)
    if not found:
        return
    st.header("Predicted relations", anchor=False)
    st.text(
        "What other classifiers said of answers to these questions; a new run can take them as its relations instead "
        "of its own classifier's."
    )
    may_change = access.visitor().may("owner")
    for place, one in enumerate(found):
        _predictions(place, one, may_change=may_change)


def _predictions(place: int, one: PredictionsSummary, *, may_change: bool) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        with st.container(gap="xsmall"):
            st.text(one.name)
            facts = (count(one.n_predictions, "prediction"), one.source, f"imported {one.created[:10]}")
            chrome.small(f"datasets-predictions-{place}", " · ".join(facts))
        if may_change:
            # by place: names are a file's text, and keys end up in the page's markup
            confirmed(
                f"datasets-predictions-delete-{place}", "Delete predictions", _warning(one),
                partial(prediction_importing.remove_predictions, one.dataset, one.name),
            )  # fmt: skip


def _warning(one: PredictionsSummary) -> str:
    return (
        f"'{one.name}' is deleted with its {count(one.n_predictions, 'prediction')}. Runs that took them keep their "
        "scores but cannot be resumed. They can be imported again from the file."
    )
