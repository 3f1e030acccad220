"""Agreement against published examples, other libraries and the public two-rater table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.metrics.agreement_measures import NO_OVERLAP, ONE_VALUE, agreement, pair_agreement, value_counts

NAN = np.nan
#: Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section C: four observers, twelve units
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)


def test_alpha_of_krippendorffs_example() -> None:
    found = agreement(PUBLISHED, range(1, 6), "published")
    assert found.alpha_ordinal.value == pytest.approx(0.815, abs=5e-4)
    assert found.alpha_interval.value == pytest.approx(0.849, abs=5e-4)
    assert (found.alpha_ordinal.n_scored, found.alpha_ordinal.n_not_applicable) == (11, 1)


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_the_draws_of_alpha_use_the_packages_formula(level: str) -> None:
    import krippendorff

    from core.metrics.agreement_measures import _alpha

    scale = np.arange(1.0, 6.0)
    counts = value_counts(PUBLISHED, scale)
    counts = counts[counts.sum(axis=1) >= 2]
    weights = np.random.default_rng(3).integers(0, 4, size=(20, len(counts))).astype(float)
    expected = [
        krippendorff.alpha(
            value_counts=np.repeat(counts, row.astype(int), axis=0), value_domain=scale, level_of_measurement=level
        )
        for row in weights
    ]
    assert _alpha(counts, scale, weights, level) == pytest.approx(np.array(expected), abs=1e-10)


def test_fleiss_is_statsmodels_and_cohen_draws_are_scikit_learns() -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    from sklearn.metrics import cohen_kappa_score

    ratings = np.random.default_rng(5).choice([0.0, 3.0, 7.0], size=(3, 40))
    counts = value_counts(ratings, (0, 3, 7))
    assert agreement(ratings, (0, 3, 7), "s").fleiss_kappa.value == pytest.approx(inter_rater.fleiss_kappa(counts))
    pair = pair_agreement(ratings[0], ratings[1], (0, 3, 7), "s")
    first, second = ratings[:2].astype(int)
    assert pair.kappa.value == pytest.approx(cohen_kappa_score(first, second))
    assert pair.kappa_quadratic.value == pytest.approx(cohen_kappa_score(first, second, weights="quadratic"))
    for measure in (pair.kappa, pair.kappa_quadratic):
        assert measure.low < measure.value < measure.high  # type: ignore[operator]


def test_ac1_by_hand() -> None:
    # 3 of 4 items agree; shares of 0 and 7 are 5/8 and 3/8: chance (15/64 + 15/64) / (3 - 1) = 15/64
    found = agreement([[0, 0, 7, 0], [0, 0, 7, 7]], (0, 3, 7), "hand").gwet_ac1.value
    assert found == pytest.approx((3 / 4 - 15 / 64) / (1 - 15 / 64))


@pytest.mark.parametrize(
    ("field", "scale", "raw", "fleiss", "cohen", "ac1"),
    [
        ("correctness", range(4), 0.966, 0.6485, 0.651, 0.964),
        ("hallucination", range(3), 0.897, -0.0545, 0.000, 0.891),
        ("answerability", range(4), 0.862, -0.0741, -0.055, 0.856),
    ],
)
def test_the_public_table(
    shared: Path, field: str, scale: range, raw: float, fleiss: float, cohen: float, ac1: float
) -> None:
    frame = pd.read_csv(shared / "hierarag" / "human_annotations_long.csv")
    first, second = frame.pivot(index="qa_id", columns="annotator", values=field).to_numpy().T
    found = agreement([first, second], scale, field)
    assert found.raw_agreement.n_scored == 29
    assert found.raw_agreement.value == pytest.approx(raw, abs=5e-4)
    assert found.fleiss_kappa.value == pytest.approx(fleiss, abs=5e-5)
    assert found.gwet_ac1.value == pytest.approx(ac1, abs=5e-4)
    assert pair_agreement(first, second, scale, field).kappa.value == pytest.approx(cohen, abs=5e-4)
    twice = frame[frame["shared"]].pivot(index="qa_id", columns="annotator", values=field).fillna(0).to_numpy().T
    assert agreement(twice, scale, field).raw_agreement.value != pytest.approx(raw, abs=5e-4)


def test_what_cannot_be_said_has_a_reason() -> None:
    same = agreement([[7, 7], [7, 7]], (0, 3, 7), "same")
    assert (same.fleiss_kappa.reason, same.alpha_ordinal.reason) == (ONE_VALUE, ONE_VALUE)
    assert (same.raw_agreement.value, same.gwet_ac1.value) == (1.0, 1.0)
    for alone in ([[0, 3, 7]], [[0, NAN], [NAN, 7]]):
        assert agreement(alone, (0, 3, 7), "alone").alpha_interval.reason == NO_OVERLAP
    with pytest.raises(ValueError, match="not a value of the scale"):
        agreement([[5], [7]], (0, 3, 7), "forged")
