"""What Evaluate reads, behind caches keyed by what the value depends on."""

from __future__ import annotations

import streamlit as st

from core.services import catalogue, estimating, offers, sweeps

Versions = tuple[tuple[str, catalogue.RunState, int, str], ...]


def datasets() -> tuple[offers.Offer, ...]:
    """Return the datasets one may evaluate, as they are now."""
    return offers.offers()


def versions() -> Versions:
    """Return what lists of runs depend on, as it is now."""
    return catalogue.run_versions()


def estimate(sweep: sweeps.Sweep, offered: tuple[offers.Offer, ...], runs: Versions) -> estimating.Estimate:
    """Return what a sweep costs; an error in it is raised anew each time."""
    contents = tuple(
        (offer.name, offer.fingerprint, offer.systems) for offer in offered if offer.name in sweep.datasets
    )
    return _estimate(sweep, contents, runs, estimating.basis())


@st.cache_data(max_entries=64, show_spinner="Counting what this takes …")
def _estimate(
    sweep: sweeps.Sweep, contents: tuple[tuple[object, ...], ...], runs: Versions, basis: tuple[int, ...]
) -> estimating.Estimate:
    del contents, runs, basis
    return estimating.estimate(sweeps.requests_of(sweep))
