"""Tables below charts: closed at first, numbers with three digits, each with its download."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from core.services.logic_tables import as_csv


def table(key: str, title: str, frame: pd.DataFrame, file_name: str) -> None:
    """Offer ``frame`` in a closed expander with a CSV download. ``title`` is ours, never a dataset's text."""
    if frame.empty:
        return
    with st.expander(title, icon=":material/table_rows:"):
        _shown(key, title, frame, file_name)


def lazy_table(key: str, title: str, make: Callable[[], pd.DataFrame], file_name: str) -> None:
    """Offer the same of a table that takes a while to make and to send: both wait until somebody opens it."""
    box = st.expander(title, icon=":material/table_rows:", on_change="rerun", key=f"{key}-box")
    if box.open:
        with box:
            _shown(key, title, make(), file_name)


def _shown(key: str, title: str, frame: pd.DataFrame, file_name: str) -> None:
    st.dataframe(
        frame,
        hide_index=True,
        key=f"{key}-table",
        column_config={
            name: st.column_config.NumberColumn(format="%.1f" if "a question" in name else "%.3f")
            for name in frame.select_dtypes("floating")
        },
        alt=title,
    )
    st.download_button(
        "Download as CSV", lambda: as_csv(frame), file_name, "text/csv", key=f"{key}-download", on_click="ignore",
        icon=":material/download:",
    )  # fmt: skip
