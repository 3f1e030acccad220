"""Exported TREC files give pyndeval and ir-measures the numbers that the run has stored, and the published ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pyndeval
import pytest

from core.engine.spec import Request
from core.services import evaluation
from core.services.importing import import_bundled
from core.services.judged_importing import import_collection
from core.services.judged_reports import GivenFile
from core.services.trec_exporting import QRELS, export_trec
from core.services.workspace import workspace
from core.store.coverage import load_measures
from core.store.runs import run_row
from tests.core.datasets.judged.written import SHARED, needs_coverage

CUTOFFS = (5, 10, 20)

pytestmark = pytest.mark.usefixtures("home")


def _evaluated(dataset: str, **choices: Any) -> str:
    spec, data = evaluation.plan(Request(dataset, **{"relations": "none", **choices}))
    assert evaluation.run(spec, data).state == "done"
    return spec.run_id


def _judgments(folder: Path) -> list[pyndeval.SubtopicQrel]:
    rows = [line.split() for line in (folder / QRELS).read_text().splitlines()]
    return [pyndeval.SubtopicQrel(topic, nugget, document, int(judgment)) for topic, nugget, document, judgment in rows]


def _ranked(path: Path) -> list[pyndeval.ScoredDoc]:
    rows = [line.split() for line in path.read_text().splitlines()]
    return [pyndeval.ScoredDoc(topic, document, float(score)) for topic, _, document, _, score, _ in rows]


def _by_pyndeval(folder: Path, run: str) -> dict[str, dict[str, float]]:
    measures = [f"{name}@{k}" for name in ("alpha-nDCG", "strec") for k in CUTOFFS]
    found: dict[str, dict[str, float]] = pyndeval.ndeval(_judgments(folder), _ranked(folder / run), measures)
    return found


def _stored(run_id: str, configuration: str) -> dict[str, dict[str, float]]:
    _, store = workspace()
    names, array = load_measures(store, run_id)[configuration]
    questions = run_row(store, run_id)["spec"]["resolved"]["questions"]
    return {
        question: {name: float(value) for name, value in zip(names, array[place], strict=True)}
        for place, question in enumerate(questions)
    }


def _assert_equal(run_id: str, folder: Path, configuration: str, run: str) -> None:
    stored, compared = _stored(run_id, configuration), 0
    for topic, values in _by_pyndeval(folder, run).items():
        for theirs, ours in (("alpha-nDCG", "alpha_ndcg"), ("strec", "strec")):
            for k in CUTOFFS:
                mine = stored[topic][f"{ours}@{k}"]
                if not np.isnan(mine):
                    assert values[f"{theirs}@{k}"] == pytest.approx(mine, abs=1e-6), (topic, theirs, k)
                    compared += 1
    assert compared > 50


@pytest.mark.slow
def test_our_own_rankings(tmp_path: Path) -> None:
    run_id = _evaluated(import_bundled("trilens-demo").name, sample="25", retrievers="bm25,tfidf", combinations="all")
    names = export_trec(run_id, tmp_path / "trec")
    assert {"bm25.run", "tfidf.run", QRELS} <= set(names)
    _assert_equal(run_id, tmp_path / "trec", "bm25", "bm25.run")
    _assert_equal(run_id, tmp_path / "trec", "tfidf", "tfidf.run")


@needs_coverage
def test_the_real_lancer_runs(tmp_path: Path) -> None:
    lancer = SHARED / "lancer_neuclir24"
    files = [path for path in sorted(lancer.rglob("*")) if path.is_file()]
    import_collection([GivenFile(path) for path in files], "lancer")
    run_id = _evaluated("lancer")
    folder = tmp_path / "trec"
    export_trec(run_id, folder)
    expected = json.loads((lancer / "expected.json").read_text())["neuclir24"]
    configurations = {"bm25-neuclir": "bm25", "lsr-milco-neuclir": "lsr-neuclir", "plaidx-neuclir": "plaidx-neuclir"}
    for file, system in configurations.items():
        _assert_equal(run_id, folder, f"system:{system}", f"system-{system}.run")
        theirs = _by_pyndeval(folder, f"system-{system}.run")
        for measure, value in expected[f"{file}.run"].items():
            assert np.mean([values[measure] for values in theirs.values()]) == pytest.approx(value, abs=1e-6)
        qrels = list(ir_measures.read_trec_qrels(str(folder / QRELS)))
        run = list(ir_measures.read_trec_run(str(folder / f"system-{system}.run")))
        read = ir_measures.calc_aggregate([ir_measures.parse_measure("alpha_nDCG@10")], qrels, run)
        assert next(iter(read.values())) == pytest.approx(expected[f"{file}.run"]["alpha-nDCG@10"], abs=1e-6)
