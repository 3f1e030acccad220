"""Tables of the question page that are read as they stand, not behind an expander; each with its download."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.services.logic_tables import as_csv

_ROW_HEIGHT = 56


def open_table(key: str, table: pd.DataFrame, file_name: str, alt: str) -> None:
    """Show a table and offer it as CSV."""
    if table.empty:
        return
    st.dataframe(
        table, hide_index=True, key=f"{key}-table", row_height=_ROW_HEIGHT, alt=alt,
        column_config={table.columns[0]: st.column_config.TextColumn(width=420)},
    )  # fmt: skip
    _download(key, table, file_name)


def choosable(
    key: str,
    table: pd.DataFrame,
    ids: Sequence[str],
    chosen: Sequence[str],
    parameter: str,
    most: int,
    file_name: str,
    alt: str,
) -> None:
    """Show a table with a row for each of ``ids``; choosing a row adds its id to those of ``parameter``'s widget.

    Where there are ``most`` already it takes the place of the last.
    """
    # another key for every choice: what was chosen before is no longer selected
    widget = f"{key}-{'-'.join(chosen)}-table"

    def add() -> None:
        rows = st.session_state[widget].selection.rows
        if rows and 0 <= rows[0] < len(ids) and ids[rows[0]] not in chosen:
            st.session_state[f"{parameter}_choice"] = [*chosen[: most - 1], ids[rows[0]]]

    st.dataframe(
        table.drop(columns=["answer"]), hide_index=True, key=widget, on_select=add, selection_mode="single-row",
        alt=alt, height=35 * (len(table) + 1) + 3,
        column_config={"BERTSim": st.column_config.NumberColumn(format="%.3f")},
    )  # fmt: skip
    st.caption("Choose a row to compare it above.")
    _download(key, table, file_name)


def _download(key: str, table: pd.DataFrame, file_name: str) -> None:
    st.download_button(
        "Download as CSV", lambda: as_csv(table), file_name, "text/csv", key=f"{key}-download", on_click="ignore",
        icon=":material/download:",
    )  # fmt: skip
