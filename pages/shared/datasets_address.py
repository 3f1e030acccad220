"""Where one is on the Datasets page: everything is in the URL, and the URL alone says it.

No widget here is bound to the URL by Streamlit: a parameter that the browser writes for a bound widget is lost when the
same rerun writes another one. Callbacks write instead, all at once, and widgets follow what the URL says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.errors import OptionError
from pages.shared import chrome

PAGE = "datasets"
#: what makes sense only in the list it was chosen in
OF_LIST = ("page", "question", "document", "part")


def asked(name: str) -> str:
    """Return a parameter of this page, "" where the URL has none."""
    return str(st.query_params.get(f"{PAGE}_{name}", ""))


def go(**changes: str) -> None:
    """Change parameters of this page; "" takes one away. For callbacks: what is drawn follows the URL."""
    _write(st.query_params.to_dict(), changes)


def leave(**changes: str) -> None:
    """Go somewhere else on this page: whatever was chosen before is dropped."""
    _write({name: value for name, value in st.query_params.to_dict().items() if not name.startswith(PAGE)}, changes)


def first_page(**changes: str) -> None:
    """Change what a list shows: it begins anew, its first entry open."""
    go(**{**dict.fromkeys(OF_LIST, ""), **changes})


def _write(kept: Mapping[str, str], changes: Mapping[str, str]) -> None:
    """Write the whole address once: each write is a step of the browser's history."""
    wanted = {**kept, **{f"{PAGE}_{name}": value for name, value in changes.items()}}
    wanted = {name: value for name, value in wanted.items() if value}
    if wanted != st.query_params.to_dict():
        st.query_params.from_dict(wanted)


def follow(key: str, value: Any) -> None:
    """Let the widget of this key show ``value``; to be called before it is drawn.

    Only where it differs: what is set is sent to the browser, over what somebody is typing there.
    """
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def number_asked(name: str) -> int:
    """Return a parameter that is a whole number from 1, 1 where it is none."""
    text = asked(name)
    return max(int(text), 1) if text.isascii() and text.isdecimal() and len(text) < 9 else 1


def chosen_row(key: str, n: int) -> int | None:
    """Return the row that was ticked, or whose cell was chosen, in a table of ``n`` rows; None where there is none.

    A table whose cells can be chosen opens its first row when somebody tabs into it: where that leads away from the
    page, rows are ticked instead.
    """
    selection = st.session_state[key].selection
    chosen = [*selection.rows, *(cell[0] for cell in selection.cells)]
    row = chosen[0] if chosen else None
    return row if isinstance(row, int) and 0 <= row < n else None


def choose(
    name: str, label: str, options: Sequence[str], shown: Callable[[str], str], *, drops: Sequence[str] = ()
) -> str:
    """Let one of ``options`` narrow a list, the first at first, and return it; ``drops`` are parameters it ends.

    The URL's value is looked up among the options: a label may change while its id does not, and no other passes.
    """
    key, value = f"{PAGE}-{name}-choice", asked(name)
    follow(key, value if value in options else options[0])

    def take() -> None:
        picked = st.session_state[key]
        first_page(**{name: picked if picked in options[1:] else ""}, **dict.fromkeys(drops, ""))

    picked: Any = st.selectbox(label, options, format_func=shown, key=key, on_change=take)
    if value and value not in options:
        chrome.problem(OptionError(f"There is nothing called '{value[:80]}' to choose under {label} here."))
    return str(picked) if picked in options else options[0]
