"""Real runs taken through import and evaluation: the stored numbers are pyndeval's, the counts hang together."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.engine.spec import Request
from core.services import evaluation
from core.services.judged_importing import import_collection
from core.services.judged_reports import GivenFile
from core.services.workspace import workspace
from core.store.coverage import Numbers, load_measures

pytestmark = pytest.mark.usefixtures("home")
RUNS = {
    "bm25-neuclir.run": "bm25",
    "lsr-milco-neuclir.run": "lsr-neuclir",
    "plaidx-neuclir.run": "plaidx-neuclir",
}


def _evaluated(name: str, *files: Path) -> dict[str, Numbers]:
    import_collection([GivenFile(path) for path in files], name)
    spec, dataset = evaluation.plan(Request(name))
    assert evaluation.run(spec, dataset).state == "done"
    _, store = workspace()
    return load_measures(store, spec.run_id)


def test_rankings_of_neuclir_have_the_published_numbers(shared: Path) -> None:
    folder = shared / "coverage" / "lancer_neuclir24"
    names = ("nuggets_tau3.divqrels", "subquestions.oracle.json", "neuclir24-test-request.jsonl")
    found = _evaluated("lancer", *(folder / name for name in names), *(folder / "runs" / run for run in RUNS))
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["neuclir24"]
    for run, system in RUNS.items():
        columns, array = found[f"system:{system}"]
        assert array.shape[0] == 19
        for measure, value in expected[run].items():
            column = measure.replace("alpha-nDCG", "alpha_ndcg")
            assert float(np.mean(array[:, columns.index(column)], dtype=np.float64)) == pytest.approx(value, abs=2e-6)


@pytest.mark.slow
def test_responses_of_mirage_fall_into_parts(shared: Path) -> None:
    folder = shared / "coverage" / "mirage_wikivideo"
    files = [
        folder / "human_eval_subset.json",
        folder / "nuggets.divqrels",
        *sorted((folder / "model_preds").iterdir()),
    ]
    found = _evaluated("mirage", *files)
    assert len(found) == 3
    for columns, array in found.values():
        column = {name: array[:, place] for place, name in enumerate(columns)}
        assert column["n_vital"].sum() == 316
        # only what the answers cite is known, so nobody can tell what was retrieved of what they do not say
        assert (column["grounded_vital"] + column["said_not_grounded_vital"] == column["said_vital"]).all()
        assert np.isnan(column["retrieved_vital"]).all()
        assert np.isnan(column["strec@5"]).all()
        assert (column["said_vital"] >= column["cited_vital"]).all()
        assert (column["cited_vital"] >= column["grounded_vital"]).all()
        # every sentence has a citation, most of them to a video that does not show what it says
        assert column["grounded_vital"].sum() < column["cited_vital"].sum()
