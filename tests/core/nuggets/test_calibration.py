"""Choosing a threshold: on even topics, judged on odd ones, and what cannot be chosen."""

from __future__ import annotations

import pytest

from core.errors import OptionError
from core.nuggets.calibration import THRESHOLDS, Labelled, calibrate

WORDS = ("ferry", "harbour", "winter", "crowns", "keeper", "lantern", "miller", "school", "river", "market")


def _label(topic: str, share: int, said: bool) -> Labelled:
    """A statement of ten words of which the answer has ``share``."""
    return Labelled(topic, " ".join(WORDS), (" ".join(WORDS[:share]),), said)


def _world(cut: int, topics: int = 4) -> list[Labelled]:
    """People call said what holds ``cut`` words of ten or more."""
    return [_label(f"t{n}", share, share >= cut) for n in range(topics) for share in range(1, 11)]


@pytest.mark.parametrize("cut", [4, 6, 8])
def test_the_threshold_that_people_have_is_found(cut: int) -> None:
    found = calibrate(_world(cut))
    assert (cut - 1) / 10 < found.chosen.threshold <= cut / 10
    assert found.chosen.kappa == found.tested.kappa == 1.0
    assert (found.tested.bias, found.tested.n, found.tested.n_topics) == (0.0, 20, 2)
    assert found.split
    assert [threshold for threshold, _ in found.curve] == list(THRESHOLDS)


def test_of_equal_thresholds_the_one_nearest_the_default_is_taken() -> None:
    assert calibrate(_world(5)).chosen.threshold == 0.5
    assert calibrate(_world(8)).chosen.threshold == 0.71
    assert calibrate(_world(3)).chosen.threshold == 0.3


def test_the_kappa_reported_is_of_topics_that_chose_nothing() -> None:
    labels = [label for label in _world(4) if label.topic in ("t0", "t2")]
    others = [label for label in _world(8) if label.topic in ("t1", "t3")]
    mixed = [label for pair in zip(labels, others, strict=True) for label in pair]
    found = calibrate(sorted(mixed, key=lambda label: label.topic))
    assert found.chosen.kappa == 1.0
    assert found.tested.kappa is not None
    assert found.tested.kappa < 0.5
    assert found.tested.bias == pytest.approx(0.4)


def test_one_topic_alone_chooses_and_tests_and_has_no_interval() -> None:
    found = calibrate(_world(6, topics=1))
    assert not found.split
    assert (found.chosen.n, found.tested.n) == (10, 10)
    assert found.tested.low is found.tested.high is None


def test_an_interval_holds_its_kappa() -> None:
    noisy = [
        Labelled(one.topic, one.statement, one.sentences, one.said ^ (place % 7 == 3))
        for place, one in enumerate(_world(6, topics=12))
    ]
    tested = calibrate(noisy).tested
    assert tested.low is not None
    assert tested.high is not None
    assert tested.kappa is not None
    assert tested.low < tested.kappa < tested.high
    assert calibrate(noisy) == calibrate(noisy)


@pytest.mark.parametrize("labels", [[], [_label("t", 3, True)], [_label("t", n, False) for n in range(1, 9)]])
def test_labels_that_choose_nothing(labels: list[Labelled]) -> None:
    with pytest.raises(OptionError, match="labels"):
        calibrate(labels)
