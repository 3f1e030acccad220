"""The question page over a real store: what it shows, compares and links, in every state."""

from __future__ import annotations

import os
import subprocess
import sys
from urllib.parse import parse_qs, parse_qsl

import pytest

from core.services.workspace import workspace
from core.store.runs import update_run
from tests.core.services.drilldown_samples import FERRY, HOSTILE, hostile_run, item, make_run
from tests.pages.conftest import APP, said
from tests.pages.stored import html, stored

__all__ = ["stored"]
QUESTION = "pages/lenses/question.py"
CAUSAL = "logic_cell=knn&logic_cell_relation=causal"


def links(app):
    return {p.proto.label: p.proto for p in app.get("page_link")}


def test_question_reference_labels_and_every_configuration(stored):
    app = stored(QUESTION, question_run=make_run(), question_id="q1", question_list="logic_cell=knn")
    assert not app.exception
    assert [t.value for t in app.title] == ["Question"]
    assert "<h2>How often does the ferry run?</h2>" in html(app)
    text = said(app)
    assert "kNN&#x27;s answer" not in text
    assert "kNN's answer reaches BERTSim .900 and has the right relation, temporal; its passages hold all" in text
    assert "Of 2 configurations, 2 retrieved all of the evidence, 1 got the relation right" in text
    assert "Every forty minutes, in winter twice a day." in text
    assert "Relation temporal · split train · QC simple › two facts · style plain" in text
    assert "Source: The ferry · question q1 · " in text
    assert (
        "BERTSim .900\nRelation temporal, right\nPassages hold all of the evidence\nHanded over: 40 words, 4 sentences"
        in text
    )
    assert "Relation causal, wrong (asked: temporal)" in text
    table = next(f.value for f in app.dataframe if "evidence held" in f.value.columns)
    assert list(table["configuration"]) == ["kNN", "BM25", "Gold evidence"]
    assert list(table["words"]) == [40, 40, 40]


def test_citations_lead_to_passages_with_marked_evidence(stored):
    app = stored(QUESTION, question_run=make_run(), question_id="q1", question_list="logic_cell=knn")
    shown = html(app)
    assert 'It runs every forty minutes. <a href="#passage-0-1">[1]</a>' in shown
    assert 'The harbour freezes. <a href="#passage-0-1">[1]</a> <a href="#passage-0-2">[2]</a> [not retrieved]' in shown
    for number in (1, 2):
        assert shown.count(f'<div id="passage-0-{number}">') == 1
    assert f"<mark><u>{FERRY[:52]}</u></mark> <mark><u>In winter" in shown
    assert "<b>[1] The ferry</b><br>ferry#0 · holds complete evidence" in shown
    assert "ferry#1 · holds part of the evidence" in shown


def test_nuggets_with_importance_and_what_is_held(stored):
    app = stored(QUESTION, question_run=make_run(), question_id="q1", question_list="logic_cell=knn")
    table = next(f.value for f in app.dataframe if "nugget" in f.value.columns)
    assert list(table["importance"]) == ["vital", "okay", "okay", "vital", "vital"]
    assert list(table["stated"])[:2] == ["stated", "to be inferred"]
    assert list(table["in kNN"]) == ["held", "not held", "no evidence marked", "held", "not held"]


def test_evidence_that_no_passage_holds_is_quoted(stored):
    run = make_run(rows=[item("knn", "q1", passages='["mill#0"]')])
    app = stored(QUESTION, question_run=run, question_id="q1", question_list="logic_cell=knn")
    assert f"<h4>Evidence that no passage holds</h4><p>{FERRY[:52]}</p>" in html(app)
    assert "its passages hold none of the evidence" in said(app)


def test_at_first_the_clicked_one_the_best_and_the_gold_evidence_are_compared(stored):
    run = make_run()
    app = stored(QUESTION, question_run=run, question_id="q2", question_list="logic_cell=bm25")
    assert app.multiselect(key="question_compare_choice").value == ["bm25", "knn", "evidence"]
    assert "question_compare" not in app.query_params
    app.multiselect(key="question_compare_choice").set_value(["evidence"]).run()
    assert app.query_params["question_compare"] == "evidence"
    assert html(app).count("<h3>") == 1
    app.multiselect(key="question_compare_choice").set_value([]).run()
    assert not app.exception


@pytest.mark.parametrize("asked", [["bm25"], ["gone", "bm25", "bm25", "<b>"], ["bm25", *(f"x{n}" for n in range(50))]])
def test_the_url_chooses_what_is_compared(asked, stored):
    app = stored(QUESTION, question_run=make_run(), question_id="q2", question_compare=asked)
    assert not app.exception
    assert app.multiselect(key="question_compare_choice").value == ["bm25"]


def test_one_walks_through_the_list_one_came_from(stored):
    run = make_run()
    app = stored(QUESTION, question_run=run, question_id="q2", question_list=CAUSAL)
    assert "2 of 3 · kNN · causal" in said(app)
    found = links(app)
    before, after = (dict(parse_qsl(found[f"{name} question"].query_string)) for name in ("Previous", "Next"))
    assert (before["question_id"], after["question_id"]) == ("q4", "q3")
    assert before["question_list"] == CAUSAL
    back = parse_qs(found["Back to the list"].query_string)
    assert back == {"logic_run": [run], "logic_cell": ["knn"], "logic_cell_relation": ["causal"]}
    app.query_params["question_id"] = "q3"
    app.run()
    assert "3 of 3 · kNN · causal" in said(app)
    assert links(app)["Next question"].disabled
    assert "<h2>What ended the milling?</h2>" in html(app)


def test_the_list_keeps_its_filters_order_and_search(stored):
    run = make_run()
    listed = f"{CAUSAL}&logic_split=test&logic_order=highest&logic_search=the&logic_relations=causal"
    app = stored(QUESTION, question_run=run, question_id="q3", question_list=listed)
    assert "1 of 2 · kNN · causal" in said(app)
    assert dict(parse_qsl(links(app)["Next question"].query_string))["question_id"] == "q2"


@pytest.mark.parametrize(
    "listed",
    [
        "logic_cell=gone", "logic_cell=knn&logic_order=x", "logic_cell=knn&logic_cell_relation=<b>",
        "logic_cell=knn&logic_split=dev", "logic_cell=knn&logic_dimension=x&logic_category=y",
    ],
)  # fmt: skip
def test_a_list_that_does_not_exist_is_said_and_the_question_shown(listed, stored):
    app = stored(QUESTION, question_run=make_run(), question_id="q1", question_list=listed)
    assert not app.exception
    assert "The list in this link cannot be shown: " in said(app)
    assert "<h2>How often does the ferry run?</h2>" in html(app)


def test_a_question_outside_its_list_has_no_neighbours(stored):
    app = stored(QUESTION, question_run=make_run(), question_id="q1", question_list=CAUSAL)
    assert not app.exception
    assert set(links(app)) == {"Back to the list"}


@pytest.mark.parametrize("query", ["%00", "a" * 3000, "&&&===", "logic_cell", "logic_cell=&logic_cell=knn"])
def test_broken_lists_are_ignored(query, stored):
    app = stored(QUESTION, question_run=make_run(), question_id="q1", question_list=query)
    assert not app.exception
    assert "<h2>How often" in html(app)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({}, "No question is chosen: click a cell of the map on the Logic page"),
        ({"question_id": "q1"}, "No question is chosen"),
        ({"question_run": "gone", "question_id": "q1"}, "No run is called 'gone' here."),
        ({"question_run": "<script>x</script>", "question_id": "q1"}, "No run is called '<script>x</script>' here."),
    ],
)
def test_what_does_not_exist_is_one_sentence_and_a_way_back(query, sentence, stored):
    make_run()
    app = stored(QUESTION, **query)
    assert not app.exception
    assert sentence in said(app)
    assert "To the Logic page" in links(app)


@pytest.mark.parametrize("name", ["gone", "../../etc/passwd", "' OR 1=1 --", "x" * 3000])
def test_an_unknown_question_is_one_sentence_and_a_way_back(name, stored):
    run = make_run()
    app = stored(QUESTION, question_run=run, question_id=name, question_list=CAUSAL)
    assert not app.exception
    assert f"This run does not ask a question '{name[:80]}': choose one from a list." in said(app)
    assert parse_qs(links(app)["To the Logic page"].query_string)["logic_run"] == [run]


def test_an_empty_store(stored):
    app = stored(QUESTION, question_run="gone", question_id="q1")
    assert not app.exception
    assert "No run is called 'gone' here." in said(app)


@pytest.mark.parametrize(
    ("state", "sentence"),
    [("running", "This run is interrupted and has stored no answers."), ("stopped", "This run is stopped and has")],
)
def test_a_run_without_rows_shows_the_question_and_says_why(state, sentence, stored):
    run = make_run(rows=[])
    _, store = workspace()
    update_run(store, run, state=state)
    app = stored(QUESTION, question_run=run, question_id="q2", question_list=CAUSAL)
    assert not app.exception
    assert sentence in said(app)
    assert "Because the harbour freezes." in said(app)
    assert not app.multiselect


def test_a_run_that_is_going(stored):
    from core.jobs.lock import hold
    from core.settings import home

    run = make_run(rows=[])
    _, store = workspace()
    update_run(store, run, state="running")
    with hold(home().lock(run), "the run"):
        app = stored(QUESTION, question_run=run, question_id="q2")
    assert not app.exception
    assert "This run is still going: its answers are stored when all of them are scored." in said(app)


def test_failed_refused_and_inapplicable_answers_say_why(stored):
    run = make_run()
    app = stored(QUESTION, question_run=run, question_id="q5", question_list="logic_cell=knn")
    assert not app.exception
    assert f"kNN has no answer (failed: timeout {HOSTILE})." in said(app)
    assert f"State: failed: timeout {HOSTILE}" in said(app)
    assert "<p>There is none.</p>" in html(app)
    app = stored(QUESTION, question_run=run, question_id="q4", question_list="logic_cell=knn")
    assert "kNN refused to answer." in said(app)
    assert "<p><b>Refused</b></p>" in html(app)
    assert "Relation wrong: a refusal has none (asked: causal)" in said(app)
    app = stored(QUESTION, question_run=run, question_id="q6", question_list="logic_cell=knn")
    assert "State: relation not applicable: this question has no relation label" in said(app)
    assert "No relation label" in said(app)


def test_scripts_html_and_markdown_in_every_field_are_shown_as_texts(stored):
    from tests.pages.test_question_markup import OURS, read

    app = stored(QUESTION, question_run=hostile_run(), question_id="q5", question_list="logic_cell=knn")
    closed = html(app).count("Second.")
    app.session_state["document-1"] = True
    app.run()
    assert not app.exception
    assert html(app).count("Second.") == closed + 1, "the whole document is shown"
    for element in app.main.get("html"):
        found = read(element.value)
        assert {tag for tag, _ in found.tags} <= OURS | {"style"}
    assert html(app).count("&lt;script&gt;alert(1)&lt;/script&gt; **bold** &lt;img") >= 6
    for kind in ("markdown", "caption", "header", "subheader", "title", "warning", "info", "error", "success"):
        assert not any("bold" in element.value for element in app.get(kind)), kind
    assert not any("bold" in label for label in links(app))
    assert not any("bold" in element.label for element in (*app.expander, *app.multiselect, *app.button))


def test_tables_download(stored):
    run = make_run()
    app = stored(QUESTION, question_run=run, question_id="q1", question_list="logic_cell=knn")
    assert len(app.download_button) == 2


def test_reading_a_question_loads_no_model_and_no_splitter(home):
    """In a process of its own: the test runner has imported everything already."""
    run = make_run()
    code = (
        "import sys\n"
        "from streamlit.testing.v1 import AppTest\n"
        "app = AppTest.from_file('app.py', default_timeout=60)\n"
        f"app.query_params.update({{'question_run': '{run}', 'question_id': 'q1'}})\n"
        "app.query_params['question_list'] = 'logic_cell=knn'\n"
        "app.switch_page('pages/lenses/question.py').run()\n"
        "assert not app.exception, app.exception\n"
        "assert any('holds complete evidence' in e.value for e in app.main.get('html'))\n"
        "heavy = {'torch', 'sentence_transformers', 'transformers', 'sklearn', 'nltk', 'bm25s', 'langchain_core'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=APP.parent, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "TRILENS_HOME": str(home), "PYTHONPATH": str(APP.parent)},
    )  # fmt: skip
    assert done.stdout.strip() == "[]", done.stderr[-2000:]
