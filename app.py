"""The dashboard's entry: page configuration, who is looking, navigation. Start it with ``make run``."""

from __future__ import annotations

import streamlit as st

from core.errors import TrilensError
from pages.shared import access, chrome, routes

# a file of ours: icons named by Material symbols are fetched from the network for the browser's tab
st.set_page_config(page_title="Trilens", page_icon="pages/shared/icon.svg", layout="wide")

visitor, first_request = access.visitor(), chrome.is_first_request()
# navigation is called on every path: a process that has not called it yet would run page files by themselves
if visitor.role is None:
    # the same addresses, so that a stranger is told why instead of "Page not found"
    page = st.navigation(routes.refused(chrome.refusal), position="hidden")
else:
    page = st.navigation(routes.pages())

chrome.style(close_not_found=first_request)
st.title("Trilens" if page.url_path == "" else page.title, anchor=False)
try:
    page.run()
except TrilensError as problem:
    chrome.problem(problem)
