"""Tables below charts: closed at first, numbers with three digits, each with its download."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.services.logic_tables import Record, as_csv


def table(key: str, title: str, records: Sequence[Record], file_name: str) -> None:
    """Offer ``records`` in a closed expander with a CSV download. ``title`` is ours, never a dataset's text."""
    if not records:
        return
    with st.expander(title, icon=":material/table_rows:"):
        st.dataframe(
            list(records),
            hide_index=True,
            key=f"{key}-table",
            column_config={
                name: st.column_config.NumberColumn(format="%.1f" if "a question" in name else "%.3f")
                for name in records[0]
                if any(isinstance(record[name], float) for record in records)
            },
            alt=title,
        )
        st.download_button(
            "Download as CSV", as_csv(records), file_name, "text/csv", key=f"{key}-download", on_click="ignore",
            icon=":material/download:",
        )  # fmt: skip
