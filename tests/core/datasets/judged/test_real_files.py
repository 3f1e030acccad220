"""Every public file of other tools beside the repository: read as it is, with so many rows read and left out."""

from __future__ import annotations

from collections import Counter

import pytest

from core.datasets.importers.judged import format_of, read_file
from core.datasets.importers.judged.questions import topics_of
from core.datasets.importers.judged.systems import systems_of
from tests.core.datasets.judged.written import SHARED, needs_coverage, read

LANCER, MIRAGE, REPORTS, WIKIVIDEO = "lancer_neuclir24", "mirage_wikivideo", "report_gen_eval", "wikivideo"
#: file (or how many there are in a folder) → format, rows read, rows left out
FILES = {
    f"{LANCER}/neuclir24-test-request.jsonl": ("topics", 19, 0),
    f"{LANCER}/nuggets_tau3.divqrels": ("diversity-qrels", 9_384, 0),
    f"{LANCER}/subquestions.oracle.json": ("nugget-texts", 19, 0),
    **{
        f"{LANCER}/runs/{name}.run": ("trec-run", 1_900, 0)
        for name in (
            "bm25-neuclir",
            "lsr-milco-neuclir",
            "lsr-milco-neuclir_lancer_agg_sum_nq_2",
            "plaidx-neuclir",
            "qwen3-embed-8b-neuclir",
        )
    },
    f"{MIRAGE}/human_eval_subset.json": ("mirage-references", 10, 0),
    f"{MIRAGE}/nuggets.divqrels": ("diversity-qrels", 937, 30),
    **{
        f"{MIRAGE}/model_preds/{name}_relevant_citations.json": ("mirage-predictions", 10, 0)
        for name in ("qwen3_llm_only", "qwen_72b_cag", "qwen_72b_rag")
    },
    **{
        f"{MIRAGE}/human_reference_judgments/metric_reference_{name}_annotator_{number}_DONE.json": (
            "mirage-labels",
            10,
            0,
        )
        for name in ("qwen3_llm", "qwen_72b_cag", "qwen_72b_rag")
        for number in (1, 2, 3)
    },
    f"{REPORTS}/dev_nuggets.jsonl": ("argue-bank", 7, 0),
    f"{REPORTS}/dev_reports.jsonl": ("responses", 7, 0),
    f"{WIKIVIDEO}/qrels.trec": ("trec-qrels", 572, 0),
    f"{WIKIVIDEO}/rag_articles.json": ("articles", 312, 0),
    f"{WIKIVIDEO}/top5_rankings.json": ("rankings", 156, 0),
}
#: no files of others: our own expected values, and licences
NONE = ("vectors.json", "nugget_vectors.json", f"{LANCER}/expected.json", f"{MIRAGE}/LICENSE", f"{WIKIVIDEO}/LICENSE")


@needs_coverage
@pytest.mark.parametrize("name", FILES)
def test_a_real_file_is_read_as_it_is(name: str) -> None:
    file = read(SHARED / name)
    assert (file.format, file.found.n_rows, file.found.n_skipped) == FILES[name]


@needs_coverage
def test_every_real_file_is_in_the_table() -> None:
    scores = sorted((SHARED / MIRAGE / "metric_outputs").iterdir())
    assert {(format_of(path), read(path).found.n_rows) for path in scores} == {("topic-scores", 10)}
    known = {SHARED / name for name in (*FILES, *NONE)} | set(scores)
    assert {path for path in SHARED.rglob("*") if path.is_file()} == known
    assert all(read_file(SHARED / name) is None for name in NONE)


@needs_coverage
def test_the_judgments_and_the_references_of_mirage_are_the_same() -> None:
    alone, _ = topics_of([], [read(SHARED / MIRAGE / "human_eval_subset.json")])
    both, names = topics_of(
        [], [read(SHARED / MIRAGE / name) for name in ("human_eval_subset.json", "nuggets.divqrels")]
    )
    assert sum(len(question.nuggets) for question in both) == 316
    for before, after in zip(alone, both, strict=True):
        for one, other in zip(before.nuggets, after.nuggets, strict=True):
            assert (one.id, one.text, set(one.documents)) == (other.id, other.text, set(other.documents))
    files = [read(path) for path in sorted((SHARED / MIRAGE).rglob("*.json"))]
    systems = systems_of(both, names, files)
    labels = Counter(
        label.label for answers in systems.values() for answer in answers.values() for label in answer.labels
    )
    assert sum(labels.values()) == 3 * 316
    assert labels["failed"] == 0
    assert all(len(answer.sentences) for answers in systems.values() for answer in answers.values())


@needs_coverage
def test_topics_of_wikivideo_are_found_by_title_and_by_number() -> None:
    files = [read(SHARED / WIKIVIDEO / name) for name in ("qrels.trec", "rag_articles.json", "top5_rankings.json")]
    questions, names = topics_of([], files)
    assert len(questions) == 52
    assert all(question.id.startswith("test_") and question.question != question.id for question in questions)
    systems = systems_of(questions, names, files)
    assert len(systems) == 9
    assert all(len(answers) == 52 for answers in systems.values())
    assert sum(file.found.n_skipped for file in files) == 0
