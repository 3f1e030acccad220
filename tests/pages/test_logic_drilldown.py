"""Filters and the list behind a cell on the Logic page, over a real store."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import parse_qsl

import pytest

from core.figures.logic import AVERAGE
from pages.shared import chrome, question_list
from tests.core.services.drilldown_samples import HOSTILE, dataset, item, make_run
from tests.pages.conftest import LOGIC, said
from tests.pages.stored import html, stored

__all__ = ["stored"]


def listed(app):
    return next(f.value for f in app.dataframe if "open" in f.value.columns)


def labels(app):
    return [s.label for s in app.sidebar.selectbox]


def test_without_a_cell_the_page_says_how_to_choose_one(stored):
    make_run()
    app = stored(LOGIC)
    assert not app.exception
    assert "Click a cell of the map, or choose a configuration, to read its questions." in said(app)
    assert not any("open" in f.value.columns for f in app.dataframe)
    assert labels(app) == ["Run", "Split", "Categories"]
    assert [m.label for m in app.sidebar.multiselect] == ["Relations"]
    assert list(app.query_params) == ["logic_run"]


def test_a_cell_in_the_url_is_listed_with_its_name(stored):
    make_run()
    app = stored(LOGIC, logic_cell="knn", logic_cell_relation="causal")
    assert not app.exception
    assert "<h3>kNN · causal</h3>" in html(app)
    assert (
        "3 questions: relation right for 1, wrong for 2; mean BERTSim over these 3 questions .233; 1 refusal."
        in said(app)
    )
    table = listed(app)
    assert list(table["question"]) == [
        "Was steht auf dem Schild?", "Why does it run less in winter?", "What ended the milling?",
    ]  # fmt: skip
    assert list(table["relation is"]) == ["wrong", "wrong", "right"]
    assert list(table["state"]) == ["refused", "scored", "scored"]
    assert "relation" not in table.columns, "the title says it"


def test_two_boxes_choose_the_same(stored):
    make_run()
    app = stored(LOGIC)
    app.selectbox(key="logic_cell_choice").set_value("bm25").run()
    assert app.query_params["logic_cell"] == "bm25"
    assert "<h3>BM25 · all relations</h3>" in html(app)
    assert len(listed(app)) == 6
    app.selectbox(key="logic_cell_relation_choice").set_value("temporal").run()
    assert app.query_params["logic_cell_relation"] == "temporal"
    assert len(listed(app)) == 2
    app.selectbox(key="logic_cell_choice").set_value(None).run()
    assert "logic_cell" not in app.query_params
    assert "logic_cell_relation" not in app.query_params
    assert not app.exception


def test_a_rows_link_brings_list_and_question(stored):
    run = make_run()
    app = stored(LOGIC, logic_cell="knn", logic_cell_relation="causal", logic_split="test")
    path, _, query = listed(app)["open"].iloc[0].partition("?")
    assert path == "question"
    link = dict(parse_qsl(query))
    assert (link["question_run"], link["question_id"]) == (run, "q2")
    assert dict(parse_qsl(link["question_list"])) == {
        "logic_cell": "knn", "logic_cell_relation": "causal", "logic_split": "test",
    }  # fmt: skip
    (same,) = [p for p in app.get("page_link") if p.proto.label == "Open this question"]
    assert dict(parse_qsl(same.proto.query_string)) == link


def test_order_and_search(stored):
    make_run()
    app = stored(LOGIC, logic_cell="knn", logic_order="highest", logic_search="FERRY")
    assert app.selectbox(key="logic_order_choice").value == "highest"
    assert list(listed(app)["question"]) == ["How often does the ferry run?"]
    app.text_input(key="logic_search").set_value("").run()
    assert listed(app)["BERTSim"].iloc[0] == 0.9
    app.selectbox(key="logic_order_choice").set_value("lowest").run()
    assert "logic_order" not in app.query_params
    app.text_input(key="logic_search").set_value("nothing holds this").run()
    assert "No question, reference or answer of this cell holds “nothing holds this”." in said(app)


def test_pages_and_a_new_list_begins_at_its_first(stored):
    made = dataset()
    questions = tuple(replace(made.questions[0], id=f"m{n:03d}", question=f"Question {n}?") for n in range(60))
    rows = [item("knn", q.id, similarity=0.5) for q in questions]
    make_run(made=replace(made, questions=questions), rows=rows)
    app = stored(LOGIC, logic_cell="knn", logic_page="3")
    assert listed(app)["question"].iloc[0] == "Question 50?"
    assert app.pagination[0].value == 3
    app.pagination[0].set_value(2).run()
    assert listed(app)["question"].iloc[0] == "Question 25?"
    app.selectbox(key="logic_order_choice").set_value("dataset").run()
    assert listed(app)["question"].iloc[0] == "Question 0?"
    assert app.pagination[0].value == 1
    assert not app.exception


@pytest.mark.parametrize("number", ["0", "-1", "99999999999", "x", "²", "1.5", ""])
def test_page_numbers_that_do_not_exist(number, stored):
    make_run()
    app = stored(LOGIC, logic_cell="knn", logic_page=number)
    assert not app.exception
    assert len(listed(app)) == 6


@pytest.mark.parametrize("cell", ["gone", "<script>", "' OR 1=1 --", "../../etc/passwd", "x" * 3000])
def test_an_unknown_cell_is_one_sentence(cell, stored):
    make_run()
    app = stored(LOGIC, logic_cell=cell)
    assert not app.exception
    assert f"This run has no configuration '{cell[:80]}': choose one here" in said(app)
    assert "logic_cell" not in app.query_params
    app = stored(LOGIC, logic_cell="knn", logic_cell_relation=cell)
    assert f"No question shown here has the relation '{cell[:80]}'" in said(app)
    assert len(listed(app)) == 6


def test_filters_narrow_the_whole_page_and_say_so(stored):
    make_run()
    app = stored(LOGIC, logic_split="test", logic_relations=["causal"], logic_dimension="QC", logic_category="complex")
    assert not app.exception
    assert said(app).startswith("Over 1 chosen question, ")
    assert "1 of 6 questions: split test; causal; QC complex. A filtered view shows effects and intervals only" in said(
        app
    )
    assert "noise." not in said(app).partition("\n")[0]
    assert app.sidebar.multiselect[0].value == ["causal"]
    cells = next(f.value for f in app.dataframe if "OPI low" in f.value.columns and "relation" in f.value.columns)
    assert set(cells["relation"]) == {"causal"}
    assert set(cells["n scored"]) == {1}
    app.button(key="clear-filters").click().run()
    assert not app.exception
    assert said(app).startswith("Too few questions") or "Over all 6 questions" in said(app)
    assert list(app.query_params) == ["logic_run"]
    assert app.sidebar.multiselect[0].value == []


def test_a_filtered_view_gives_no_verdict_on_noise(stored):
    made = dataset()
    questions = tuple(
        replace(made.questions[n % 6], id=f"m{n}", question=f"Q {n}?", relation=("causal", "temporal")[n // 6 % 2])
        for n in range(24)
    )
    scored = {"evidence": 0.9, "knn": 0.5, "bm25": 0.4}
    rows = [
        item(c, q.id, similarity=value + 0.05 * (n % 3), correct=True)
        for c, value in scored.items()
        for n, q in enumerate(questions)
    ]
    run = make_run(made=replace(made, questions=questions), rows=rows)
    verdicts = ("better retrieval", "comes first in")
    whole = said(stored(LOGIC, logic_run=run))
    assert [verdict in whole for verdict in verdicts] == [True, True]
    filtered = said(stored(LOGIC, logic_run=run, logic_relations=["causal"]))
    assert "A filtered view" in filtered
    assert not any(verdict in filtered for verdict in verdicts)


def test_an_inner_category_means_all_below_it(stored):
    make_run()
    app = stored(LOGIC, logic_cell="knn")
    app.selectbox(key="logic_dimension_choice").set_value("QC").run()
    names = app.selectbox(key="logic_category_choice").options
    assert names == [
        "all", "simple (2)", "\u2003one fact (1)", "\u2003two facts (1)", "complex (1)", "\u2003inference (1)",
    ]  # fmt: skip
    app.selectbox(key="logic_category_choice").set_value("simple").run()
    assert app.query_params["logic_category"] == "simple"
    assert len(listed(app)) == 2
    app.selectbox(key="logic_dimension_choice").set_value("").run()
    assert "logic_category" not in app.query_params
    assert len(listed(app)) == 6


def test_nothing_matching_is_said_and_the_way_back_is_there(stored):
    make_run()
    app = stored(LOGIC, logic_split="train", logic_dimension="QC", logic_category="complex")
    assert not app.exception
    assert said(app) == "None of the 6 questions of this run matches: split train; QC complex."
    app.button(key="clear-filters").click().run()
    assert len(app.get("plotly_chart")) > 0


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"logic_relations": "gone"}, "No question of this run has the relation 'gone'"),
        ({"logic_split": "<b>dev</b>"}, "No question of this run has the split '<b>dev</b>'"),
        ({"logic_dimension": "LV"}, "No question of this run has a category of 'LV'"),
        ({"logic_dimension": "QC", "logic_category": "x"}, "No question of this run has the category 'x' of 'QC'"),
    ],
)
def test_unknown_filters_are_said_and_left_out(query, sentence, stored):
    make_run()
    app = stored(LOGIC, **query)
    assert not app.exception
    assert f"{sentence}: this filter of the link is left out." in said(app)
    assert "A filtered view" not in said(app)


def test_without_labels_there_are_no_filters(stored):
    made = dataset()
    questions = tuple(replace(q, relation=None, split=None, categories={}) for q in made.questions)
    make_run(made=replace(made, questions=questions))
    app = stored(LOGIC, logic_cell="knn")
    assert not app.exception
    assert labels(app) == ["Run"]
    assert len(listed(app)) == 6
    assert next(h.value for h in app.header) == "Which configuration answers best, by BERTSim?"
    assert "<h3>kNN · all questions</h3>" in html(app)
    assert app.selectbox(key="logic_cell_relation_choice").options == ["all questions"]


def test_hostile_texts_are_shown_as_texts(stored):
    make_run()
    app = stored(LOGIC, logic_cell="bm25", logic_cell_relation="temporal")
    assert not app.exception
    assert HOSTILE[:20] in listed(app)["answer"].iloc[0]
    for kind in ("markdown", "caption", "header", "subheader", "title", "warning", "info", "error", "success"):
        assert not any("<script>" in e.value or "bold" in e.value for e in app.get(kind)), kind
    assert "<script>" not in html(app)


def test_a_click_chooses_the_cell_it_names(monkeypatch):
    query, state = {"logic_cell_relation": "temporal"}, {"logic_cell_relation_choice": "temporal"}
    monkeypatch.setattr(question_list.st, "query_params", query)
    monkeypatch.setattr(question_list.st, "session_state", state)
    question_list.choose("logic", ["knn", "causal"])
    assert query == {"logic_cell": "knn", "logic_cell_relation": "causal"}
    assert question_list.chosen_cell("logic") == ("knn", "causal")
    question_list.choose("logic", ["bm25", AVERAGE])
    assert query == {"logic_cell": "bm25"}
    assert question_list.chosen_cell("logic") == ("bm25", AVERAGE)
    assert state == {}
    for forged in (None, "knn", [], ["knn"], ["knn", 3], [["a"], "b"], {"0": "a"}, ["a", "b", "c"]):
        question_list.choose("logic", forged)
        assert query == {"logic_cell": "bm25"}


def test_a_click_that_only_ends_a_selection_is_nothing(monkeypatch):
    seen = []
    for points in ([], [{}], [{"customdata": None}]):
        state = {"plot": SimpleNamespace(selection=SimpleNamespace(points=points))}
        monkeypatch.setattr(chrome.st, "session_state", state)
        chrome._clicked("plot", seen.append)
    assert seen == []
    state = {"plot": SimpleNamespace(selection=SimpleNamespace(points=[{"customdata": ["knn", "causal"]}]))}
    monkeypatch.setattr(chrome.st, "session_state", state)
    chrome._clicked("plot", seen.append)
    assert seen == [["knn", "causal"]]


def test_the_chosen_cell_is_framed_in_the_map(stored):
    import json

    make_run()
    for query, framed in (({}, False), ({"logic_cell": "knn"}, True), ({"logic_cell": "gone"}, False)):
        app = stored(LOGIC, **query)
        (plot,) = [c for c in app.get("plotly_chart") if "wide-heatmap-plot" in c.proto.id]
        assert any(t.get("name") == "chosen" for t in json.loads(plot.proto.spec)["data"]) is framed
        assert list(plot.proto.selection_mode), "points can be chosen"


def test_leaving_and_coming_back_by_a_link_brings_the_same_selection(stored):
    first, second = make_run(), make_run(limit=4)
    app = stored(LOGIC, logic_run=first, logic_cell="knn")
    app.switch_page("pages/start/home.py")
    app.query_params.clear()
    app.run()
    app.switch_page(LOGIC)
    app.query_params.update({"logic_run": first, "logic_cell": "knn"})
    app.run()
    assert app.selectbox(key="logic_run_choice").value == first != second
    assert len(listed(app)) == 6
