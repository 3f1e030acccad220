import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace

import pytest
import streamlit as st

from core.metrics.scores import LogicCell
from core.services import question_filter
from core.services.question_filter import RunQuestions
from pages.shared.selection import BETAS
from tests.pages.conftest import APP, LOGIC, said
from tests.pages.samples import (
    LABELS,
    RELATIONS,
    classifier,
    comparability,
    lens,
    logic_scores,
    measure,
    rank,
    run_summary,
)


@pytest.fixture(autouse=True)
def unlabelled(monkeypatch):
    """The shelf's runs are in no store; filters and lists are tested over one in test_logic_drilldown.py."""
    st.cache_resource.clear()
    nothing = RunQuestions((), (), (), (), {}, {}, {}, {})
    monkeypatch.setattr(question_filter, "run_questions", lambda _run: nothing)


def chart(app, key):
    """The first (wide) figure of that key as plotly JSON."""
    found = [c for c in app.get("plotly_chart") if f"wide-{key}-plot" in c.proto.id]
    return json.loads(found[0].proto.spec) if found else None


def values(app):
    return next(trace for trace in chart(app, "heatmap")["data"] if trace.get("name") == "values")["text"]


def test_the_page_answers_first_then_shows_map_and_ranking(dashboard):
    app = dashboard(LOGIC)
    assert not app.exception
    assert [t.value for t in app.title] == ["Logic"]
    assert said(app).startswith("Too few questions to compare retrievers relation by relation: 6 a relation")
    assert len(values(app)) == len(LABELS) * (len(RELATIONS) + 1)
    assert chart(app, "ranking")
    assert chart(app, "confusion")
    assert all(c.proto.alt for c in app.get("plotly_chart"))
    assert [e.label for e in app.expander] == ["Every cell as a table", "The ranking as a table"]
    assert not any(e.proto.expanded for e in app.expander)


def test_measure_and_beta_change_what_is_shown(dashboard, shelf):
    app = dashboard(LOGIC)
    first = values(app)
    app.select_slider(key="logic_beta").set_value(10.0).run()
    assert not app.exception
    assert shelf.read[-1][1] == 10.0
    second = values(app)
    assert second != first
    app.segmented_control(key="logic_measure").set_value("lrcr").run()
    third = values(app)
    assert third != second
    assert any("by LRCR?" in s.value for s in app.header)


def test_the_slider_says_what_its_ends_favour(dashboard, shelf):
    app = dashboard(LOGIC)
    assert list(BETAS) == sorted(BETAS)
    assert (BETAS[0], BETAS[-1]) == (0.0, float("inf"))
    assert "0 = answers only (BERTSim)\n∞ = logic only (LRCR)" in said(app)
    app.segmented_control(key="logic_reading").set_value("prose").run()
    assert "0 = logic only (LRCR)\n∞ = answers only (BERTSim)" in said(app)
    assert shelf.read[-1][2] == "prose"


def test_rows_by_average_or_fixed(dashboard):
    app = dashboard(LOGIC)
    names = [a["text"] for a in chart(app, "heatmap")["layout"]["annotations"]]
    app.segmented_control(key="logic_rows").set_value("fixed").run()
    fixed = [a["text"] for a in chart(app, "heatmap")["layout"]["annotations"]]
    assert fixed[:3] == ["DPS", "kNN", "SVM"]
    assert names[:3] != fixed[:3]


def test_the_url_brings_back_the_selection(dashboard, shelf):
    shelf.runs = [run_summary(id="run-new"), run_summary(id="run-old")]
    app = dashboard(LOGIC, logic_run="run-old", logic_beta="2.5", logic_measure="LRCR")
    assert not app.exception
    assert shelf.read[-1][:2] == ("run-old", 2.5)
    assert app.segmented_control(key="logic_measure").value == "lrcr"
    assert app.query_params["logic_run"] == "run-old"


def test_the_newest_run_comes_first_and_its_id_goes_to_the_url(dashboard, shelf):
    shelf.runs = [run_summary(id="unready", version=0, state="running"), run_summary(id="run-new"), run_summary(id="x")]
    app = dashboard(LOGIC)
    assert shelf.read[-1][0] == "run-new"
    assert app.query_params["logic_run"] == "run-new"
    app.selectbox(key="logic_run_choice").set_value("x").run()
    assert shelf.read[-1][0] == "x"
    assert app.query_params["logic_run"] == "x"


@pytest.mark.parametrize(
    "query",
    [
        {"logic_beta": "-1"},
        {"logic_beta": "nan"},
        {"logic_beta": "1e999"},
        {"logic_beta": "<script>"},
        {"logic_measure": "accuracy"},
        {"logic_rows": "random"},
        {"logic_reading": "both"},
        {"logic_beta": "0.5", "logic_measure": "", "unknown": "x"},
    ],
)
def test_bad_url_values_are_ignored(query, dashboard, shelf):
    app = dashboard(LOGIC, **query)
    assert not app.exception
    assert shelf.read[-1][1:] == (1.0, "formula")
    assert any("by OPI?" in s.value for s in app.header)
    names = [a["text"] for a in chart(app, "heatmap")["layout"]["annotations"]]
    assert names[:3] != ["DPS", "kNN", "SVM"], "rows are by average"


@pytest.mark.parametrize("asked", ["gone-1234", "../../etc/passwd", "<b>x</b>", "x" * 5000, "a' OR 1=1"])
def test_an_unknown_run_is_said_and_the_newest_shown(asked, dashboard, shelf):
    app = dashboard(LOGIC, logic_run=asked)
    assert not app.exception
    assert f"No run with scores is called '{asked[:80]}' here" in said(app)
    assert shelf.read[-1][0] == shelf.runs[0].id
    app.run()
    assert app.query_params["logic_run"] == asked, "a refresh says it again"
    assert f"No run with scores is called '{asked[:80]}' here" in said(app)


@pytest.mark.parametrize(
    ("state", "words"),
    [("running", "is running and"), ("queued", "waits for its turn and"), ("stopped", "was stopped and"),
     ("interrupted", "was interrupted and"), ("failed", "failed and"), ("done", "is done but")],
)  # fmt: skip
def test_a_run_without_scores_is_said_with_its_state_until_one_chooses(state, words, dashboard, shelf):
    shelf.runs = [run_summary(id="a"), run_summary(id="mine", version=0, state=state), run_summary(id="b")]
    app = dashboard(LOGIC, logic_run="mine")
    assert f"Run 'mine' {words} has no scores yet: another one is shown instead." in said(app)
    assert app.query_params["logic_run"] == "mine"
    app.selectbox(key="logic_run_choice").set_value("b").run()
    assert app.query_params["logic_run"] == "b"
    assert "has no scores yet" not in said(app)
    assert shelf.read[-1][0] == "b"


def test_empty_store(dashboard, shelf):
    shelf.runs = []
    app = dashboard(LOGIC)
    assert not app.exception
    assert said(app).startswith("Nothing has been evaluated yet.")
    assert ".venv/bin/python -m core demo" in [c.value for c in app.code]


def test_first_run_is_going(dashboard, shelf):
    shelf.runs = [run_summary(state="running", version=0, stage="embed", done=1, total=4, rate=None, finished=None)]
    app = dashboard(LOGIC)
    assert not app.exception
    assert said(app).startswith("The first scores are being computed.")
    assert "1 of 4" in said(app)


def test_only_broken_runs(dashboard, shelf):
    shelf.runs = [run_summary(state="failed", version=0, message="no space")]
    app = dashboard(LOGIC)
    assert not app.exception
    assert said(app).startswith("No run has finished yet.")
    assert "failed (no space)" in said(app)


def test_a_resumed_run_keeps_showing_its_last_scores(dashboard, shelf):
    shelf.runs = [run_summary(state="running", version=2, stage="answer", done=1, total=2)]
    app = dashboard(LOGIC)
    assert not app.exception
    assert chart(app, "heatmap")


def test_without_relations_bertsim_is_shown_and_the_missing_label_named(dashboard, shelf):
    shelf.runs = [run_summary(has_relations=False, has_lrcr=False)]
    shelf.lens = lambda *_: lens(logic_scores(relations=(), n=40))
    app = dashboard(LOGIC)
    assert not app.exception
    assert "This dataset has no relation labels" in said(app)
    assert not app.select_slider
    assert not app.segmented_control
    assert len(values(app)) == len(LABELS), "the averages"
    assert any(h.value == "Which configuration answers best, by BERTSim?" for h in app.header)
    assert chart(app, "ranking")["layout"]["xaxis"]["title"]["text"].startswith("BERTSim")


def test_labels_but_no_classifier_falls_back_to_bertsim(dashboard, shelf):
    scores = logic_scores()
    missing = measure(None, 6)
    found = tuple(
        replace(c, lrcr=missing, opi=missing, opi_mean_of_relations=missing,
                relations={r: LogicCell(cell.bertsim, missing, missing) for r, cell in c.relations.items()})
        for c in scores.configurations
    )  # fmt: skip
    scores = replace(scores, configurations=found, ranking=rank(found, False, 6))
    shelf.lens = lambda *_: lens(scores, classifier=None, missing="LRCR and OPI are not applicable: too few labels.")
    app = dashboard(LOGIC)
    assert not app.exception
    assert "LRCR and OPI are not applicable: too few labels." in said(app)
    assert any("by BERTSim?" in s.value for s in app.header)
    assert len(values(app)) == len(LABELS) * (len(RELATIONS) + 1)


def test_a_run_of_one_question(dashboard, shelf):
    one = logic_scores(relations=("causal",), n=1, configurations=("knn", "bm25", "evidence"))
    shelf.lens = lambda *_: lens(one, classifier=None)
    app = dashboard(LOGIC)
    assert not app.exception
    assert "1 a relation, and below 13 not even a clean sweep" in said(app)
    assert "Over the one question" in said(app)


def test_one_configuration(dashboard, shelf):
    shelf.lens = lambda *_: lens(logic_scores(configurations=("knn",)))
    app = dashboard(LOGIC)
    assert not app.exception
    assert "nothing is there to compare it with" in said(app)


def test_nothing_scored(dashboard, shelf):
    shelf.lens = lambda *_: lens(logic_scores(configurations=()), classifier=None)
    app = dashboard(LOGIC)
    assert not app.exception
    assert said(app).startswith("Nothing can be compared")


def test_the_classifiers_warning_is_plain(dashboard, shelf):
    shelf.lens = lambda *_: lens(logic_scores(), classifier=classifier(question_only=0.62))
    app = dashboard(LOGIC)
    assert "LRCR hardly depends on the retriever here: the question alone decides 71 % of predictions" in said(app)
    assert [(m.label, m.value) for m in app.metric] == [
        ("Accuracy", ".654"), ("Macro-F1", ".641"), ("Question alone", ".620"), ("Commonest relation", ".077"),
    ]  # fmt: skip


def test_the_runs_own_warnings_are_shown(dashboard, shelf):
    shelf.lens = lambda *_: lens(logic_scores(), warnings=("Each question was asked against its own document.",))
    assert "Each question was asked against its own document." in said(dashboard(LOGIC))


def test_definitions_command_and_downloads_are_one_click_away(dashboard):
    app = dashboard(LOGIC)
    assert ".venv/bin/python -m core evaluate trilens-bench --scope corpus" in [c.value for c in app.code]
    assert "cos(e(reference answer), e(produced answer))" in [c.value for c in app.code]
    tables = app.dataframe
    assert len(tables) == 2
    assert len(tables[0].value) == len(LABELS) * len(RELATIONS)
    ranking = tables[1].value
    assert list(ranking["place"].dropna()) == sorted(ranking["place"].dropna())
    assert ranking["not ranked because"].iloc[-1] == "reference row"
    assert len(app.download_button) == 2


def test_texts_from_data_are_never_markdown(dashboard, shelf):
    bad = "**bold** <img src=x onerror=alert(1)> :red[y] $z$"
    shelf.runs = [run_summary(id="bad-1", dataset_title=bad)]
    scores = logic_scores(relations=(bad, "causal"), labels={"dps": bad, "knn": bad}, n=200, half=0.02)
    shelf.lens = lambda *_: lens(
        scores, missing=bad, warnings=(bad,), classifier=classifier((bad, "causal")), command=f"run '{bad}'",
        comparability=comparability(scores, possible=True),
    )  # fmt: skip
    app = dashboard(LOGIC)
    assert not app.exception
    assert said(app).count(bad) >= 3
    for kind in ("markdown", "caption", "header", "subheader", "title", "warning", "info", "error", "success"):
        assert not any("bold" in element.value for element in app.get(kind)), kind
    drawn = chart(app, "heatmap")
    written = [t for trace in drawn["data"] for name in ("text", "hovertext") for t in trace.get(name, [])]
    written += [a[name] for a in drawn["layout"]["annotations"] for name in ("text", "hovertext")]
    assert any("&lt;img" in text for text in written)
    assert not any("<img" in text for text in written)


def test_pages_never_import_what_only_models_need(dashboard):
    """In a process of its own: the test runner has imported everything already."""
    code = (
        "import sys\n"
        "from streamlit.testing.v1 import AppTest\n"
        "app = AppTest.from_file('app.py', default_timeout=30).run()\n"
        "assert not app.exception, app.exception\n"
        "app.switch_page('pages/lenses/logic.py').run()\n"
        "assert not app.exception, app.exception\n"
        "heavy = {'torch', 'sentence_transformers', 'transformers', 'sklearn', 'nltk', 'bm25s', 'langchain_core'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))\n"
    )
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=APP.parent, capture_output=True, text=True, timeout=120, check=False,
            env={**os.environ, "TRILENS_HOME": home, "PYTHONPATH": str(APP.parent)},
        )  # fmt: skip
    assert done.stdout.strip() == "[]", done.stderr[-2000:]


def test_a_rerun_of_a_large_run_stays_under_the_budget(dashboard, shelf):
    """20 configurations x 20 relations: 100 ms on the server, in its own CPU time, for others share the machine."""
    identifiers = (*LABELS, *(f"own-{i}" for i in range(6)))
    relations = (*RELATIONS, *(f"label {i}" for i in range(7)))
    shelf.lens = lambda _run, beta, _convention: lens(
        logic_scores(configurations=identifiers, relations=relations, n=250, beta=beta),
        classifier=classifier(relations),
    )
    app = dashboard(LOGIC)
    seconds = []
    for _ in range(8):
        start = time.process_time()
        app.run()
        seconds.append(time.process_time() - start)
    assert not app.exception
    assert min(seconds) <= 0.1, seconds
