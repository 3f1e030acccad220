"""The systems whose answers to a dataset were imported: what each is, deleting one, the way to import another."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.figures.notation import count
from core.services import system_admin, system_importing
from core.services.browsing import StoredDataset
from core.services.system_importing import SystemSummary
from pages.shared import access, chrome, wizard_systems
from pages.shared.confirm import confirmed
from pages.shared.datasets_address import leave

#: runs named at most before a system is deleted
_MOST_RUNS = 5


def systems(dataset: StoredDataset) -> None:
    """Draw the section; nothing for a visitor who finds none and may import none."""
    found = system_importing.systems(dataset.name)
    may_change = access.visitor().may("owner")
    if not found and not may_change:
        return
    st.header("Systems", anchor=False)
    if found:
        st.text(
            f"{count(len(found), 'system')} whose answers were imported; every new run on the dataset can have "
            f"{'it' if len(found) == 1 else 'them'} beside the retrievers."
        )
        for place, system in enumerate(found):
            _system(place, system, may_change=may_change)
    else:
        st.text("What your own system answered to these questions can stand beside the retrievers in every table.")
    if may_change:
        st.button(
            "Import answers", key="datasets-import-answers", icon=":material/upload_file:", on_click=leave,
            kwargs={"view": "import", "path": wizard_systems.PATH, "of": dataset.name},
        )  # fmt: skip


def _system(place: int, system: SystemSummary, *, may_change: bool) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        with st.container(gap="xsmall"):
            st.text(system.name)
            facts = (count(system.n_answers, "answer"), system.source, f"imported {system.created[:10]}")
            chrome.small(f"datasets-system-{place}", " · ".join(facts))
        if may_change:
            # by place: names are a file's text, and keys end up in the page's markup
            confirmed(
                f"datasets-system-delete-{place}", "Delete system", _warning(system),
                partial(system_admin.delete, system.dataset, system.name),
            )  # fmt: skip


def _warning(system: SystemSummary) -> str:
    what = f"System '{system.name}' is deleted with its {count(system.n_answers, 'answer')} and their contexts. "
    runs = system_admin.runs_having(system.dataset, system.name)
    if not runs:
        return f"{what}No run has it. It can be imported again."
    names = [f"• {run}" for run in runs[:_MOST_RUNS]]
    names += [f"• and {len(runs) - _MOST_RUNS} more"] if len(runs) > _MOST_RUNS else []
    return (
        f"{what}Its scores stay in {'its run' if len(runs) == 1 else f'its {len(runs)} runs'}, which cannot be resumed "
        "or show its contexts any more:\n" + "\n".join(names)
    )
