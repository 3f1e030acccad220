"""What pages read, behind caches keyed by everything the value depends on."""

from __future__ import annotations

import streamlit as st

from core.services import catalogue, lenses


def runs() -> list[catalogue.RunSummary]:
    """Return the stored runs, newest first, as they are now (a run may be going)."""
    return catalogue.runs()


def logic(run: catalogue.RunSummary, beta: float, convention: str) -> lenses.LogicLens:
    """Return the logic lens of a run; its stamp changes with its rows, so the cache is never stale."""
    return _logic(run.id, run.stamp, beta, convention)


# as it is, not as a copy: it is frozen, and to unpickle one takes a tenth of a rerun
@st.cache_resource(max_entries=64, show_spinner=False)
def _logic(run_id: str, stamp: str, beta: float, convention: str) -> lenses.LogicLens:
    del stamp
    return lenses.logic(run_id, beta, convention)
