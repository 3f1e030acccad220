"""The speed of the nugget measures against pyndeval, on the same rows, in one run on one machine.

1,000 topics of 2,000 judgments (20 nuggets) and 1,000 ranks each, measures at 5, 10 and 20. Both start from tuples in
memory: pyndeval builds its evaluator and evaluates, ours groups rows by topic, binarises, sorts the run and computes
every cutoff up to 20. Memory is what Python holds at most beyond the rows, for all topics and for a quarter of them.
"""

from __future__ import annotations

import json
import random
import time
import tracemalloc
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from benchmarks.shared_files import RESULTS
from core.metrics.curves import RankingCurves, ranking_curves
from core.metrics.judgments import JudgedTopic, binarised, ranked_by_score

TOPICS, RANKS, DOCUMENTS, NUGGETS = 1_000, 1_000, 1_000, 20
CUTOFFS = (5, 10, 20)
REPEATS = 3

Qrels = list[tuple[str, str, str, int]]
Run = list[tuple[str, str, float]]


def main() -> dict[str, Any]:
    qrels, run = rows(TOPICS)
    reference = min((_pyndeval(qrels, run) for _ in range(REPEATS)), key=itemgetter(0))
    ours = min((_ours(qrels, run) for _ in range(REPEATS)), key=itemgetter(0))
    quarter = len(qrels) // 4, len(run) // 4
    result = {
        "topics": TOPICS,
        "judgments": len(qrels),
        "ranks": len(run),
        "pyndeval_seconds": round(reference[0], 2),
        "trilens_seconds": round(ours[0], 2),
        "times_faster": round(reference[0] / ours[0], 1),
        "largest_difference": _largest_difference(reference[1], ours[1]),
        "peak_megabytes": _peak(qrels, run),
        "peak_megabytes_of_a_quarter": _peak(qrels[: quarter[0]], run[: quarter[1]]),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "coverage_speed.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return result


def rows(topics: int) -> tuple[Qrels, Run]:
    """Two judgments for each of 1,000 documents of a topic, two of five of them positive; half the ranks are judged."""
    generator = random.Random(0)
    qrels: Qrels = []
    run: Run = []
    for number in range(topics):
        topic = f"t{number:04}"
        names = [f"{topic}-{place:05}" for place in range(2 * DOCUMENTS)]
        for document in generator.sample(names, DOCUMENTS):
            for nugget in generator.sample(range(NUGGETS), 2):
                qrels.append((topic, f"n{nugget:02}", document, int(generator.random() < 0.4)))
        run += [(topic, document, generator.random()) for document in generator.sample(names, RANKS)]
    return qrels, run


def _pyndeval(qrels: Qrels, run: Run) -> tuple[float, dict[str, dict[str, float]]]:
    import pyndeval

    names = [f"{measure}@{k}" for measure in ("alpha-nDCG", "alpha-DCG", "strec") for k in CUTOFFS]
    began = time.perf_counter()
    values = pyndeval.RelevanceEvaluator(qrels, names).evaluate(run)
    return time.perf_counter() - began, values


def _ours(qrels: Qrels, run: Run) -> tuple[float, dict[str, RankingCurves]]:
    began = time.perf_counter()
    values = dict(_curves(qrels, run))
    return time.perf_counter() - began, values


def _curves(qrels: Qrels, run: Run) -> Iterator[tuple[str, RankingCurves]]:
    """Topic by topic, in the order in which both files have them; what a topic needed is gone before the next."""
    ranked = groupby(run, key=itemgetter(0))
    for topic, judged in groupby(qrels, key=itemgetter(0)):
        _, scores = next(ranked)
        judgments = binarised(row[1:] for row in judged)
        yield topic, ranking_curves(JudgedTopic(judgments), ranked_by_score(row[1:] for row in scores))


def _peak(qrels: Qrels, run: Run) -> float:
    tracemalloc.start()
    for _ in _curves(qrels, run):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return round(peak / 1e6, 1)


def _largest_difference(reference: dict[str, dict[str, float]], ours: dict[str, RankingCurves]) -> float:
    names = {"alpha-nDCG": "alpha_ndcg", "alpha-DCG": "alpha_dcg", "strec": "subtopic_recall"}
    return max(
        abs(value - getattr(ours[topic], names[name.split("@")[0]])[int(name.split("@")[1]) - 1])
        for topic, values in reference.items()
        for name, value in values.items()
    )


if __name__ == "__main__":
    print(json.dumps(main(), indent=2))
