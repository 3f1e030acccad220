"""OPI as eq. 2 prints it: limits, symmetry, bounds, both conventions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.errors import OptionError
from core.metrics.opi import BETAS, opi, opi_gradient, similarity_weight

UNIT = st.floats(0.0, 1.0)
BETA = st.one_of(st.floats(0.01, 100.0), st.sampled_from(BETAS))


def eq_2(b: float, l: float, beta: float) -> float:  # noqa: E741
    return (1 + beta**2) * b * l / (beta**2 * b + l)


@given(st.floats(0.001, 1), st.floats(0.001, 1), st.floats(0.001, 1000))
def test_is_the_printed_formula(b: float, l: float, beta: float) -> None:  # noqa: E741
    assert opi(b, l, beta) == pytest.approx(eq_2(b, l, beta), rel=1e-9)


def test_worked_values() -> None:
    assert opi(0.7, 0.5) == pytest.approx(2 * 0.35 / 1.2)
    assert opi(0.7, 0.5, 2.0) == pytest.approx(5 * 0.35 / 3.3)
    assert opi(0.7, 0.5, 2.0, "prose") == pytest.approx(1.25 * 0.35 / (0.25 * 0.7 + 0.5))


@given(UNIT, UNIT)
def test_beta_0_is_answers_only_and_infinity_logic_only(b: float, l: float) -> None:  # noqa: E741
    assert opi(b, l, 0.0) == b
    assert opi(b, l, math.inf) == l
    assert opi(b, l, 0.0, "prose") == l
    assert opi(b, l, math.inf, "prose") == b


@given(st.floats(0.001, 1), st.floats(0.001, 1))
def test_tends_to_its_limits(b: float, l: float) -> None:  # noqa: E741
    assert opi(b, l, 1e-6) == pytest.approx(b, abs=1e-6)
    assert opi(b, l, 1e6) == pytest.approx(l, abs=1e-6)
    assert opi(b, l, 1e200) == pytest.approx(l)


@given(UNIT, UNIT, BETA)
def test_lies_between_its_parts(b: float, l: float, beta: float) -> None:  # noqa: E741
    assume(0 in (b, l) or min(b, l) > 1e-12)
    value = opi(b, l, beta)
    assert min(b, l) - 1e-9 <= value <= max(b, l) + 1e-9


@given(UNIT, UNIT, st.floats(0, 1), BETA)
def test_never_falls_when_a_part_rises(b: float, l: float, more: float, beta: float) -> None:  # noqa: E741
    assert opi(max(b, more), l, beta) >= opi(b, l, beta) - 1e-12
    assert opi(b, max(l, more), beta) >= opi(b, l, beta) - 1e-12


@given(st.floats(0.001, 1), st.floats(0.001, 1), st.floats(0.01, 1), BETA)
def test_scales_with_both_parts(b: float, l: float, factor: float, beta: float) -> None:  # noqa: E741
    assert opi(factor * b, factor * l, beta) == pytest.approx(factor * opi(b, l, beta), rel=1e-9)


@given(UNIT, UNIT, st.floats(0.01, 100))
def test_conventions_mirror_each_other(b: float, l: float, beta: float) -> None:  # noqa: E741
    assert opi(b, l, beta, "prose") == pytest.approx(opi(b, l, 1 / beta), abs=1e-12)
    assert opi(b, l, beta, "prose") == pytest.approx(opi(l, b, beta), abs=1e-12)


def test_more_beta_means_more_logic() -> None:
    """The trap: the paper's prose says beta > 1 favours answers; the formula and the slider say logic."""
    by_beta = [opi(0.9, 0.2, beta) for beta in BETAS]
    assert by_beta == sorted(by_beta, reverse=True)
    assert [opi(0.9, 0.2, beta, "prose") for beta in BETAS] == pytest.approx(by_beta[::-1], abs=5e-3)


@pytest.mark.parametrize("beta", BETAS)
def test_nothing_of_both_is_zero(beta: float) -> None:
    assert opi(0.0, 0.0, beta) == 0.0


@pytest.mark.parametrize("beta", [0.1, 1.0, math.inf])
def test_negative_similarity_counts_as_zero(beta: float) -> None:
    assert opi(-0.3, 0.4, beta) == opi(0.0, 0.4, beta)
    assert opi(-0.3, 0.4, 0.0) == 0.0
    # just where the formula has its pole
    assert opi(-0.4, 0.4, 1.0) == 0.0


def test_scalars_give_floats_and_arrays_broadcast() -> None:
    assert type(opi(0.5, 0.5)) is float
    assert type(opi(np.float64(0.5), 1)) is float
    table = opi(np.array([[0.2], [0.4]]), np.array([0.1, 0.3, 1.0]), 1.0)
    assert isinstance(table, np.ndarray)
    assert table.shape == (2, 3)
    assert table[1, 2] == pytest.approx(opi(0.4, 1.0))
    assert isinstance(opi([0.5, 0.6], 0.5, 0.0), np.ndarray)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, math.inf])
def test_missing_in_missing_out(beta: float) -> None:
    assert math.isnan(opi(math.nan, 0.5, beta))
    assert math.isnan(opi(0.5, math.nan, beta))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 0.5, -0.1), "beta"),
        ((0.5, 0.5, math.nan), "beta"),
        ((0.5, 0.5, 1.0, "paper"), "convention"),
        ((1.5, 0.5), "BERTSim"),
        ((-1.1, 0.5), "BERTSim"),
        ((0.5, -0.01), "LRCR"),
        (([0.5, 0.5], [0.5, 1.2]), "LRCR 1.2"),
    ],
)
def test_refuses_what_is_out_of_range(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        opi(*arguments)  # type: ignore[call-overload]


def test_rounding_of_float32_cosines_is_forgiven() -> None:
    assert opi(1.0 + 1e-7, 1.0) == 1.0


@given(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(0.1, 10))
def test_gradient_is_the_derivative(b: float, l: float, beta: float) -> None:  # noqa: E741
    step, weight = 1e-6, similarity_weight(beta)
    by_similarity, by_logic = opi_gradient(b, l, weight)
    assume(b + step <= 1 and l + step <= 1)
    assert by_similarity == pytest.approx((opi(b + step, l, beta) - opi(b - step, l, beta)) / (2 * step), rel=1e-3)
    assert by_logic == pytest.approx((opi(b, l + step, beta) - opi(b, l - step, beta)) / (2 * step), rel=1e-3)


def test_gradient_at_the_corner_is_zero() -> None:
    assert opi_gradient(0.0, 0.0, 0.5) == (0.0, 0.0)


@given(st.lists(st.tuples(UNIT, UNIT), min_size=1, max_size=13), BETA)
def test_eq_3_is_never_below_the_mean_of_opis(relations: list[tuple[float, float]], beta: float) -> None:
    b, l = np.array(relations).T  # noqa: E741
    assert opi(b.mean(), l.mean(), beta) >= np.mean(opi(b, l, beta)) - 1e-9


def test_slider_stops_are_symmetric_and_end_in_the_limits() -> None:
    assert BETAS[0] == 0
    assert BETAS[-1] == math.inf
    assert list(BETAS) == sorted(BETAS)
    inner = np.array(BETAS[1:-1])
    assert 1.0 in inner
    assert inner * inner[::-1] == pytest.approx(np.ones(len(inner)), rel=0.02)
    assert inner[1:] / inner[:-1] == pytest.approx(np.full(len(inner) - 1, 10**0.1), rel=0.03)
