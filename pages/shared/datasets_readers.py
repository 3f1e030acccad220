"""What the Datasets page reads, behind caches keyed by the dataset's version: another card is another one."""

from __future__ import annotations

import streamlit as st

from core.datasets.validation import Finding
from core.services import browsing
from core.services import distributions as counts
from core.services.browsing import Filter, OpenedDocument, OpenedQuestion, Page, StoredDataset
from core.services.distributions import Distributions


def distributions(dataset: StoredDataset) -> Distributions:
    """Return the counts over a whole dataset."""
    return _distributions(dataset.name, dataset.version)


def questions(dataset: StoredDataset, wanted: Filter, number: int) -> Page:
    """Return a page of its questions."""
    return _questions(dataset.name, dataset.version, wanted, number)


def documents(dataset: StoredDataset, search: str, number: int) -> Page:
    """Return a page of its documents."""
    return _documents(dataset.name, dataset.version, search, number)


def question(dataset: StoredDataset, question_id: str) -> OpenedQuestion:
    """Return one question with its documents."""
    return _question(dataset.name, dataset.version, question_id)


def document(dataset: StoredDataset, document_id: str) -> OpenedDocument:
    """Return one document with its questions."""
    return _document(dataset.name, dataset.version, document_id)


@st.cache_data(max_entries=8, show_spinner=False)
def checks(name: str, version: str) -> list[Finding]:
    """Return what all checks found; encodes texts the first time."""
    # what stems words and encodes texts takes seconds to load: not before somebody asks for it
    from core.services import checking

    del version
    return checking.check_dataset(name)


@st.cache_data(max_entries=16, show_spinner=False)
def _distributions(name: str, version: str) -> Distributions:
    del version
    return counts.distributions(name)


@st.cache_data(max_entries=128, show_spinner=False)
def _questions(name: str, version: str, wanted: Filter, number: int) -> Page:
    del version
    return browsing.questions(name, wanted, number)


@st.cache_data(max_entries=128, show_spinner=False)
def _documents(name: str, version: str, search: str, number: int) -> Page:
    del version
    return browsing.documents(name, search, number)


@st.cache_data(max_entries=64, show_spinner=False)
def _question(name: str, version: str, question_id: str) -> OpenedQuestion:
    del version
    return browsing.question(name, question_id)


@st.cache_data(max_entries=64, show_spinner=False)
def _document(name: str, version: str, document_id: str) -> OpenedDocument:
    del version
    return browsing.document(name, document_id)
