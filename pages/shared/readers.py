"""What pages read, behind caches keyed by everything the value depends on."""

from __future__ import annotations

import streamlit as st

from core.services import catalogue, lenses


def runs() -> list[catalogue.RunSummary]:
    """Return the stored runs, newest first, as they are now (a run may be going)."""
    return catalogue.runs()


def logic(run: catalogue.RunSummary, beta: float, convention: str) -> lenses.LogicLens:
    """Return the logic lens of a run; its version changes with its rows, so the cache is never stale."""
    return _logic(run.id, run.version, beta, convention)


@st.cache_data(max_entries=64, show_spinner=False)
def _logic(run_id: str, version: int, beta: float, convention: str) -> lenses.LogicLens:
    del version
    return lenses.logic(run_id, beta, convention)
