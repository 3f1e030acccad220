"""What the Datasets page reads, behind caches keyed by the dataset's fingerprint: its content never changes."""

from __future__ import annotations

import streamlit as st

from core.datasets.validation import Finding
from core.services import browsing
from core.services import distributions as counts
from core.services.browsing import Filter, OpenedDocument, OpenedQuestion, Page, StoredDataset
from core.services.distributions import Distributions


def distributions(dataset: StoredDataset) -> Distributions:
    """Return the counts over a whole dataset."""
    return _distributions(dataset.name, dataset.fingerprint)


def questions(dataset: StoredDataset, wanted: Filter, number: int) -> Page:
    """Return a page of its questions."""
    return _questions(dataset.name, dataset.fingerprint, wanted, number)


def documents(dataset: StoredDataset, search: str, number: int) -> Page:
    """Return a page of its documents."""
    return _documents(dataset.name, dataset.fingerprint, search, number)


def question(dataset: StoredDataset, question_id: str) -> OpenedQuestion:
    """Return one question with its documents."""
    return _question(dataset.name, dataset.fingerprint, question_id)


def document(dataset: StoredDataset, document_id: str) -> OpenedDocument:
    """Return one document with its questions."""
    return _document(dataset.name, dataset.fingerprint, document_id)


@st.cache_data(max_entries=8, show_spinner=False)
def checks(name: str, fingerprint: str) -> list[Finding]:
    """Return what all checks found; encodes texts the first time."""
    # what stems words and encodes texts takes seconds to load: not before somebody asks for it
    from core.services import checking

    del fingerprint
    return checking.check_dataset(name)


@st.cache_data(max_entries=16, show_spinner=False)
def _distributions(name: str, fingerprint: str) -> Distributions:
    del fingerprint
    return counts.distributions(name)


@st.cache_data(max_entries=128, show_spinner=False)
def _questions(name: str, fingerprint: str, wanted: Filter, number: int) -> Page:
    del fingerprint
    return browsing.questions(name, wanted, number)


@st.cache_data(max_entries=128, show_spinner=False)
def _documents(name: str, fingerprint: str, search: str, number: int) -> Page:
    del fingerprint
    return browsing.documents(name, search, number)


@st.cache_data(max_entries=64, show_spinner=False)
def _question(name: str, fingerprint: str, question_id: str) -> OpenedQuestion:
    del fingerprint
    return browsing.question(name, question_id)


@st.cache_data(max_entries=64, show_spinner=False)
def _document(name: str, fingerprint: str, document_id: str) -> OpenedDocument:
    del fingerprint
    return browsing.document(name, document_id)
