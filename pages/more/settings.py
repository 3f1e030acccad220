"""Settings: is everything in order, what may be chosen, how large the store is, backup and restore."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.errors import TrilensError
from core.figures.notation import count
from core.services import backup, doctor, endpoints, upkeep
from core.services.choices import choices
from pages.shared import chrome
from pages.shared.confirm import confirmed

chrome.require("owner")


def main() -> None:
    """Draw the state first, then what one can do about it."""
    findings = _examined()
    bad = [finding for finding in findings if not finding.good]
    chrome.finding(
        "Everything this installation needs is in order."
        if not bad
        else f"{count(len(bad), 'thing')} of {len(findings)} need{'s' if len(bad) == 1 else ''} attention."
    )
    for finding in bad:
        chrome.problem(TrilensError(f"{finding.subject}: {finding.detail}"))
    left, right = st.columns(2, gap="large")
    with left:
        storage()
    with right:
        backups()
    language_models()
    allowed()
    versions(findings)


@st.cache_data(ttl=300, max_entries=1, show_spinner=False)
def _examined() -> list[doctor.Finding]:
    # hashing the encoder's weights takes a tenth of a second: not on every rerun
    return doctor.examine()


@st.cache_data(ttl=30, max_entries=1, show_spinner=False)
def _sizes() -> upkeep.Sizes:
    return upkeep.sizes()


def storage() -> None:
    """Show what is stored and offer to clear what can be computed again."""
    st.header("Store and caches", anchor=False)
    sizes = _sizes()
    rows = [
        ("Store", f"{count(sizes.datasets, 'dataset')}, {count(sizes.runs, 'run')}", sizes.store),
        ("of which intermediate results", count(sizes.stage_results, "result"), sizes.stage_bytes),
        ("Encodings", count(sizes.encoded_texts, "text"), sizes.encodings),
    ]
    st.dataframe(
        pd.DataFrame([(name, what, _megabytes(size)) for name, what, size in rows], columns=["What", "Holds", "Size"]),
        hide_index=True, key="settings-sizes", alt="What the store and the caches hold and how large they are",
    )  # fmt: skip
    with st.container(horizontal=True):
        confirmed(
            "settings-clear-encodings", "Clear encodings",
            "All encodings are forgotten. Nothing is lost: the next run computes those it needs, which takes time.",
            lambda: (upkeep.clear_encodings(), _sizes.clear()), icon="cleaning_services",
        )  # fmt: skip
        confirmed(
            "settings-clear-results", "Clear intermediate results",
            "What the stages of all runs computed on the way is forgotten, what language models wrote included: asking "
            "again may cost again. Finished runs keep their answers and scores; a run that has not finished begins "
            "anew when it is resumed.",
            lambda: (upkeep.clear_intermediate(), _sizes.clear()), icon="cleaning_services",
        )  # fmt: skip


def backups() -> None:
    """Offer a backup of the living store, and the way back."""
    st.header("Backups", anchor=False)
    made = backup.backups()
    if not made:
        st.text("None yet. A backup is a copy of the store: datasets, runs, answers, scores. Encodings are left out.")
    if st.button("Make a backup now", key="settings-backup", icon=":material/save:"):
        chosen = backup.make_backup()
        st.toast(f"{chosen.name} was written.")
        made = backup.backups()
    if not made:
        return
    by_name = {one.name: one for one in made}
    name = st.selectbox(
        f"{count(len(made), 'backup')}, newest first", list(by_name), key="settings-backup-name",
        format_func=lambda one: f"{by_name[one].made} UTC · {_megabytes(by_name[one].size)}"
        + (" · before a restore" if "before-restore" in one else ""),
    )  # fmt: skip
    if name not in by_name:
        return
    with st.container(horizontal=True):
        st.download_button(
            "Download", lambda: backup.backup_file(name).read_bytes(), name, "application/vnd.sqlite3",
            key="settings-backup-download", on_click="ignore", icon=":material/download:",
        )  # fmt: skip
        confirmed(
            "settings-restore", "Restore",
            f"The store becomes what it was on {by_name[name].made} UTC. As it is now, it is kept as another backup.",
            lambda: backup.restore(backup.backup_file(name)), icon="history",
        )  # fmt: skip
        confirmed(
            "settings-backup-delete", "Delete backup",
            f"The backup of {by_name[name].made} UTC is deleted from the disk.",
            lambda: backup.delete_backup(name),
        )  # fmt: skip


def language_models() -> None:
    """Show the language models that may be asked, and offer to test each."""
    st.header("Language models", anchor=False)
    choices = {choice.name: choice for choice in endpoints.endpoint_choices()}
    for choice in choices.values():
        st.text(f"{choice.name}: {choice.problem or choice.what}")
    if len(choices) == 1:
        chrome.small("settings-endpoints", "Endpoints are named in the settings file, as [trilens.endpoints.NAME].")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Language model", list(choices), key="settings-endpoint", width=320)
        pressed = st.button("Test connection", key="settings-test", icon=":material/network_check:")
    if not pressed or name not in choices:
        return
    with st.spinner("Asking …"):
        try:
            steps = endpoints.try_endpoint(name)
        except TrilensError as error:
            chrome.problem(error)
            return
    good = all(step.ok is not False for step in steps)
    st.text(f"{name} {'works' if good else 'does not work'}:")
    rows = [({True: "works", False: "does not", None: "not tried"}[step.ok], step.name, step.detail) for step in steps]
    st.dataframe(
        pd.DataFrame(rows, columns=["State", "Step", "Found"]), hide_index=True, key="settings-steps",
        alt=f"The steps of the test of {name}",
    )  # fmt: skip


def allowed() -> None:
    """Show what the browser may choose, as read from the settings file."""
    st.header("What may be chosen in the browser", anchor=False)
    st.text(
        "From the browser one may choose, never name: retrievers, encoders, endpoints and server folders come from the "
        "settings file alone."
    )
    path, offered = choices()
    st.code(str(path), language=None, wrap_lines=True)
    st.dataframe(
        pd.DataFrame([(one.kind, one.name, one.what) for one in offered], columns=["Kind", "Name", "Is"]),
        hide_index=True, key="settings-choices", alt="Models, retrievers and import roots that may be chosen",
    )  # fmt: skip


def versions(findings: list[doctor.Finding]) -> None:
    """Show what the doctor looked at."""
    st.header("What was looked at", anchor=False)
    st.text("The same as this command says:")
    st.code(".venv/bin/python -m core doctor", language=None)
    rows = [("in order" if one.good else "attention", one.subject, one.detail) for one in findings]
    st.dataframe(
        pd.DataFrame(rows, columns=["State", "What", "Found"]), hide_index=True, key="settings-doctor",
        alt="State of packages, encoder, store, encodings and settings",
    )  # fmt: skip
    if st.button("Look again", key="settings-look", icon=":material/refresh:"):
        _examined.clear()
        st.rerun()


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


main()
