"""Two dimensions crossed: means and effects by hand, and what cannot be said is said."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from core.metrics.granularity import Interaction, interaction

PAIRS: dict[str, Any] = {"first_pair": ("near", "far"), "second_pair": ("simple", "complex")}


def _crossed(each: int) -> tuple[list[str], list[str]]:
    first = [name for name in ("near", "near", "far", "far") for _ in range(each)]
    second = [name for name in ("simple", "complex", "simple", "complex") for _ in range(each)]
    return first, second


def crossed(values: Any, each: int, documents: Any = None, draws: int = 400) -> Interaction:
    return interaction(values, *_crossed(each), documents, seed_text="test", draws=draws, **PAIRS)


def _values(means: tuple[float, ...], each: int, noise: float, seed: int = 0) -> np.ndarray:
    return np.repeat(means, each) + np.random.default_rng(seed).normal(0, noise, 4 * each)


def test_effects_are_those_of_the_cell_means() -> None:
    made = crossed(_values((0.8, 0.6, 0.5, 0.5), 50, 0.05), 50, list(range(20)) * 10)
    m = [cell.mean.value or 0.0 for cell in made.cells]
    assert [(cell.first, cell.second, cell.n) for cell in made.cells] == [
        ("near", "simple", 50), ("near", "complex", 50), ("far", "simple", 50), ("far", "complex", 50),
    ]  # fmt: skip
    assert made.first_effect.value == pytest.approx((m[0] + m[1]) / 2 - (m[2] + m[3]) / 2)
    assert made.second_effect.value == pytest.approx((m[0] + m[2]) / 2 - (m[1] + m[3]) / 2)
    assert made.contrast.value == pytest.approx((m[0] - m[1]) - (m[2] - m[3]))
    assert (made.n_documents, made.contrast.df) == (20, 19)
    assert made.contrast.low is not None
    assert made.contrast.low > 0.1
    assert made.contrast.p_wild is not None
    assert made.contrast.p_wild < 0.01
    assert made.sentence.startswith("The step from 'complex' to 'simple' is larger for 'near' than for 'far' (+0.")


def test_unequal_cells_weigh_alike_in_the_main_effects() -> None:
    first = ["near"] * 90 + ["near"] * 10 + ["far"] * 10 + ["far"] * 90
    second = ["simple"] * 90 + ["complex"] * 10 + ["simple"] * 10 + ["complex"] * 90
    values = np.repeat([0.8, 0.4, 0.8, 0.4], [90, 10, 10, 90])
    made = interaction(values, first, second, seed_text="t", draws=50, **PAIRS)
    assert made.first_effect.value == pytest.approx(0.0, abs=1e-12)
    assert made.second_effect.value == pytest.approx(0.4)


def test_no_interaction_is_not_found() -> None:
    made = crossed(_values((0.8, 0.6, 0.6, 0.4), 60, 0.1, seed=1), 60, list(range(20)) * 12)
    assert made.contrast.low is not None
    assert made.contrast.high is not None
    assert made.contrast.low < 0 < made.contrast.high
    assert "may be the same for 'near' and 'far'" in made.sentence
    assert made.first_effect.p_wild is not None
    assert made.first_effect.p_wild < 0.01


def test_documents_make_what_differs_between_them_unsure() -> None:
    """Every cell has documents of its own, and only documents differ."""
    documents = np.repeat(np.arange(20), 20)
    effect = np.random.default_rng(5).normal(0, 0.2, 20)[documents]
    values = effect + np.random.default_rng(6).normal(0.5, 0.02, 400)
    alone, by_document = crossed(values, 100), crossed(values, 100, documents)
    assert (by_document.contrast.se or 0) > 3 * (alone.contrast.se or 0)
    assert (by_document.contrast.p_wild or 0) > 0.05


def test_too_few_in_a_cell() -> None:
    first, second = _crossed(6)
    values = np.random.default_rng(0).uniform(size=24)
    values[:3] = math.nan
    made = interaction(values, first, second, seed_text="t", **PAIRS)
    assert made.reason == "too few questions in 'near' and 'simple' (3 questions): each of the four cells needs 5"
    assert made.n_not_scored == 3
    assert made.contrast.value is None
    assert made.contrast.reason == made.reason
    assert made.sentence == f"Nothing can be said of the interaction: {made.reason}."
    assert made.cells[0].n == 3


def test_other_categories_and_questions_without_labels_are_left_out() -> None:
    first, second = _crossed(6)
    values = np.random.default_rng(0).uniform(size=26)
    made = interaction(values, [*first, "other", None], [*second, "simple", "simple"], seed_text="t", draws=50, **PAIRS)
    assert made.n == 24


def test_one_document_has_effects_without_errors() -> None:
    made = crossed(_values((0.8, 0.6, 0.5, 0.5), 10, 0.05), 10, ["only"] * 40)
    assert made.contrast.value is not None
    assert made.contrast.low is None
    assert made.contrast.reason == "all questions share one document, so nothing is known of the error"
    assert "one document" in made.sentence


def test_few_documents_are_named() -> None:
    made = crossed(_values((0.8, 0.6, 0.5, 0.5), 20, 0.05), 20, list(range(4)) * 20)
    assert made.contrast.reason == "4 documents are too few to trust the interval or p"
    assert made.contrast.low is not None


def test_equal_scores_and_no_error() -> None:
    assert crossed(np.full(40, 0.5), 10).reason == "all 40 questions have the same score, 0.5"
    made = crossed(np.repeat([0.25, 0.5, 0.5, 0.5], 10), 10)
    assert made.contrast.value == pytest.approx(-0.25)
    assert made.contrast.p_wild is None
    assert made.contrast.reason == "the documents agree to the last digit, so there is no error to judge by"


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="two different categories"):
        interaction([1.0], ["a"], ["b"], first_pair=("a", "a"), second_pair=("b", "c"), seed_text="t")
    with pytest.raises(ValueError, match="2 questions have a first label, but 1 a second one"):
        interaction([1.0, 2.0], ["a", "a"], ["b"], seed_text="t", **PAIRS)
