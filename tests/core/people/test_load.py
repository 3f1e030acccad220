"""Many raters at once, in several processes: nothing is lost, doubled, misplaced or one too many; none waits long."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from core.services import annotating, studies
from core.services.rated import ratings
from tests.core.people.load_raters import score_of
from tests.core.people.study_samples import OWNER, make_study, rater

ROOT = Path(__file__).resolve().parents[3]


def rate_all(n_raters: int, n_items: int, needed: int, each: int, gap: float, processes: int):
    """Return the study, and what each rater was told, after all have scored ``each`` items."""
    study = make_study(n_items=n_items, n_raters=n_raters, raters_per_item=needed)
    cuts = np.linspace(0, n_raters, processes + 1).astype(int)
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.core.people.load_raters", study.id, str(first + 1), str(last), str(each),
             str(gap)],
            cwd=ROOT, stdout=subprocess.PIPE, text=True,
        )
        for first, last in pairwise(cuts)
    ]  # fmt: skip
    told = []
    for process in started:
        out, _ = process.communicate(timeout=280)
        assert process.returncode == 0
        told += json.loads(out)
    return study, told


def check(study, told, needed: int) -> None:
    """Compare what raters were told with what is stored, item by item and press by press."""
    rated = ratings(study.id)
    answer = {one.item.id: one.item.answer for one in rated.items}
    stored = {}
    for one in rated.ratings:
        assert (one.rater, answer[one.item]) not in stored
        stored[one.rater, answer[one.item]] = one.value
    said = {(f"Rater {one['rater']}", text): value for one in told for text, value in one["accepted"].items()}
    assert stored == said
    assert all(value == score_of(int(label.removeprefix("Rater ")), text) for (label, text), value in stored.items())
    assert max(Counter(text for _, text in stored).values()) <= needed
    for one in told:
        history = annotating.history(rater(one["rater"]), study.id)
        assert Counter(press.outcome for press in history) == Counter(
            accepted=len(one["accepted"]), refused=one["refused"]
        )


def percentile(told, kind: str, call: str) -> float:
    """Return the 95th percentile of a call's time in milliseconds, on the clock ("seconds") or its "own"."""
    return float(np.percentile([second for one in told for second in one[kind][call]], 95) * 1000)


@pytest.mark.usefixtures("home")
def test_twelve_raters_in_three_processes_fill_a_study_and_no_more():
    # without a pause between presses, and more raters than places: all want the last items at once
    study, told = rate_all(n_raters=12, n_items=30, needed=5, each=30, gap=0.0, processes=3)
    check(study, told, needed=5)
    done = studies.progress(OWNER, study.id)
    assert (done.answered, done.needed, done.short) == (150, 150, 0)


@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_fifty_raters_of_a_hundred_items_each_lose_nothing_and_wait_little(capsys):
    study, told = rate_all(n_raters=50, n_items=2_600, needed=2, each=100, gap=1.0, processes=4)
    check(study, told, needed=2)
    assert {len(one["accepted"]) for one in told} == {100}
    own, clock = ({call: percentile(told, kind, call) for call in ("vote", "next")} for kind in ("own", "seconds"))
    with capsys.disabled():
        print(f"\n95th percentiles on the clock: vote {clock['vote']:.1f} ms, next item {clock['next']:.1f} ms")
    # other tests compute beside this one: their share of the clock is not the call's
    assert own["vote"] < 20
    assert own["next"] < 20
