"""Nuggetizer scores: labels in any case, unknown words are failures, what does not apply says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics.nuggetizer import label_value, nuggetizer_scores

ROWS = st.lists(
    st.tuples(st.sampled_from(["vital", "okay"]), st.sampled_from(["support", "partial_support", "not_support"])),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize(
    ("label", "value"),
    [("support", 1.0), ("Partial_Support", 0.5), (" NOT_SUPPORT ", 0.0), ("failed", None), ("", None), ("yes", None)],
)
def test_values_of_labels(label: str, value: float | None) -> None:
    assert label_value(label) == value


def test_a_label_nobody_knows_fails_the_response() -> None:
    scores = nuggetizer_scores([("vital", "support"), ("vital", "maybe"), ("okay", "not_support")])
    assert (scores.vital, scores.all, scores.weighted, scores.strict_all) == (None, None, None, None)
    assert (scores.n, scores.n_failed) == (3, 1)
    assert scores.reason == "1 of 3 nuggets cannot be scored: label 'maybe' with importance 'vital'"


def test_an_importance_nobody_knows_fails_the_response() -> None:
    scores = nuggetizer_scores([("vital", "support"), ("crucial", "support")])
    assert scores.n_failed == 1
    assert scores.reason == "1 of 2 nuggets cannot be scored: label 'support' with importance 'crucial'"


def test_without_nuggets_or_vital_ones_it_does_not_apply() -> None:
    none = nuggetizer_scores([])
    assert (none.all, none.n, none.n_failed, none.reason) == (None, 0, 0, "there are no nuggets")
    okay = nuggetizer_scores([("okay", "support"), ("okay", "not_support")])
    assert (okay.vital, okay.strict_vital, okay.all, okay.weighted) == (None, None, 0.5, 0.5)
    assert okay.reason == "there are no vital nuggets"


@given(ROWS)
def test_strict_is_never_above_lenient(rows: list[tuple[str, str]]) -> None:
    scores = nuggetizer_scores(rows)
    assert 0 <= scores.strict_all <= scores.all <= 1  # type: ignore[operator]
    assert 0 <= scores.strict_weighted <= scores.weighted <= 1  # type: ignore[operator]
    if scores.vital is not None:
        assert 0 <= scores.strict_vital <= scores.vital <= 1  # type: ignore[operator]


@given(ROWS)
def test_the_order_and_case_of_labels_do_not_matter(rows: list[tuple[str, str]]) -> None:
    loud = [(importance.upper(), label.title()) for importance, label in reversed(rows)]
    assert nuggetizer_scores(loud).weighted == pytest.approx(nuggetizer_scores(rows).weighted)
