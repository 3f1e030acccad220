"""Trilens: one evaluated RAG run read through three lenses (logic, coverage, granularity)."""

__version__ = "0.1.0"
