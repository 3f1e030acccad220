"""A process of raters, one a thread, who score through the service that the page calls; prints what was accepted.

Arguments: study id, first rater, last rater, items each, seconds between presses.
"""

from __future__ import annotations

import json
import random
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

from core.services import annotating
from core.services.annotating import Accepted, Assigned
from core.services.workspace import workspace
from tests.core.people.study_samples import rater


def score_of(number: int, answer: str) -> float:
    """What a rater gives an answer, whoever asks."""
    return (0.0, 3.0, 7.0)[zlib.crc32(f"{number} {answer}".encode()) % 3]


def work(study: str, number: int, n_items: int, gap: float) -> dict[str, object]:
    """Score ``n_items`` at about one a ``gap``; now and then press twice, or look again, as people do."""
    dice, actor = random.Random(number), rater(number)
    # on the clock, and of the processor: the latter is the call's own, whatever else the machine does
    seconds: dict[str, list[float]] = {"next": [], "vote": []}
    own: dict[str, list[float]] = {"next": [], "vote": []}

    def timed(name, call, *arguments):
        clock, processor = time.perf_counter(), time.thread_time()
        result = call(*arguments)
        seconds[name].append(time.perf_counter() - clock)
        own[name].append(time.thread_time() - processor)
        return result

    accepted: dict[str, float] = {}
    refused = 0
    time.sleep(dice.random() * gap)
    while len(accepted) < n_items:
        began = time.perf_counter()
        shown = timed("next", annotating.next_assignment, actor, study)
        if not isinstance(shown, Assigned):
            break
        value = score_of(number, shown.answer)
        for _ in range(1 + (dice.random() < 0.1)):
            told = timed("vote", annotating.vote, actor, shown.assignment, shown.token, value)
            if isinstance(told, Accepted):
                accepted[shown.answer] = value
            else:
                refused += 1
        time.sleep(max(0.0, gap * (0.5 + dice.random()) - (time.perf_counter() - began)))
    workspace()[1].close()
    return {"rater": number, "accepted": accepted, "refused": refused, "seconds": seconds, "own": own}


if __name__ == "__main__":
    study, first, last, n_items, gap = sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5])
    with ThreadPoolExecutor(last - first + 1) as pool:
        json.dump(list(pool.map(lambda number: work(study, number, n_items, gap), range(first, last + 1))), sys.stdout)
