"""The Coverage page over a real store with a run made by hand."""

from __future__ import annotations

import json

import pytest

from core.services.workspace import workspace
from core.store.runs import update_run
from tests.core.services.coverage_samples import covered_run
from tests.core.services.drilldown_samples import make_run
from tests.pages.conftest import said
from tests.pages.stored import html, stored

__all__ = ["stored"]

COVERAGE = "pages/lenses/coverage.py"
QUESTION = "pages/lenses/question.py"


@pytest.fixture
def page(stored):
    """Open the page over a run with coverage: (open, run id)."""
    run = covered_run()

    def at(**query):
        app = stored(COVERAGE, **{f"coverage_{name}": value for name, value in query.items()})
        assert not app.exception, app.exception[0].value
        return app

    return at, run


def chart(app, key):
    """The first (wide) figure of that key as plotly JSON."""
    found = [c for c in app.get("plotly_chart") if f"wide-{key}-plot" in c.proto.id]
    return json.loads(found[0].proto.spec) if found else None


def test_the_page_answers_first_then_shows_where_facts_are_lost(page):
    at, _ = page
    app = at()
    assert [t.value for t in app.title] == ["Coverage"]
    assert said(app).startswith("Over the 2 of 3 questions that every configuration has scored, kNN has the highest")
    assert "Of 100 nuggets, all questions together, kNN grounds 33" in said(app)
    assert "Offline matcher, default profile; StRecall divides by supported nuggets." in said(app)
    bars = [t for t in chart(app, "losses")["data"] if t["type"] == "bar"]
    assert [bar["name"] for bar in bars][:2] == ["grounded", "said without the right citation"]
    assert all(chart(app, key) for key in ("points", "map", "curves", "scatter"))
    assert all(c.proto.alt for c in app.get("plotly_chart"))
    assert not any(e.proto.expanded for e in app.expander)
    assert "kNN: 1 answer failed and left out" in said(app)


def test_what_limits_the_conclusions_is_told(page):
    at, _ = page
    text = said(at())
    assert "cites where they stand" in text
    assert "paraphrase is under-counted" in text
    assert "None of them says that better retrieval caused the coverage." in text


def test_a_segment_in_the_url_lists_its_nuggets_and_shows_the_first_question(page):
    at, _ = page
    app = at(cell="knn", part="retrieved_not_said")
    assert "1 nugget retrieved, not said, of 1 question." in said(app)
    (table,) = (d for d in app.dataframe if "nugget" in d.value.columns)
    assert table.value["nugget"].tolist() == ["Why or how often in winter."]
    assert chart(app, "coverage-passages")
    assert chart(app, "coverage-sentences")
    assert "<mark><u>forty</u></mark>" in html(app)
    (frame,) = chart(app, "losses")["layout"]["shapes"]
    assert frame["type"] == "rect"
    links = table.value["open"].tolist()
    assert "question_id=q1" in links[0]
    assert "question_compare=knn" in links[0]


def test_choices_are_in_the_url_and_change_what_is_shown(page):
    at, _ = page
    app = at(importance="vital only", k="5", measure="subtopic_recall", by="style", x="ndcg_count", y="info_recall")
    assert app.query_params["coverage_measure"] == "subtopic_recall"
    assert any("Which categories of style are covered best, by StRecall@5?" in h.value for h in app.header)
    assert "4 vital nuggets a configuration" in said(app) or "4 to 5 vital nuggets a configuration" in said(app)
    assert chart(app, "scatter")["layout"]["xaxis"]["title"]["text"] == "nDCG (count)@5"
    app.selectbox(key="coverage_measure_choice").set_value("info_recall").run()
    assert not app.exception
    assert app.query_params["coverage_measure"] == "info_recall"
    # the default leaves the URL
    app.selectbox(key="coverage_measure_choice").set_value("grounded_coverage").run()
    assert "coverage_measure" not in app.query_params


def test_a_cell_of_the_map_lists_under_the_map(page):
    at, _ = page
    app = at(cell="bm25", group="causal", at="map")
    assert "3 nuggets of 2 questions, 1 of them grounded." in said(app)
    frames = [t for t in chart(app, "map")["data"] if t.get("name") == "chosen"]
    assert len(frames) == 1
    order = [element.value for element in app.main.header]
    assert order.index("Where are needed facts lost?") < order.index(
        next(value for value in order if value.startswith("Which logical relations"))
    )


def test_a_point_of_the_scatter_shows_its_question(page):
    at, _ = page
    app = at(cell="knn", question="q2", at="scatter")
    assert "kNN: the passages it was given hold 1 of 1 nugget" in said(app)
    assert app.selectbox(key="coverage_question_choice").value == "q2"


def test_a_passage_can_be_put_in_at_another_rank(page):
    at, _ = page
    app = at(cell="knn", part="retrieved_not_said")
    assert "Adding ferry#2 at rank 3 would raise StRecall@5" in said(app)
    app.selectbox(key="coverage-rank").set_value(1).run()
    assert not app.exception
    assert "Adding ferry#2 at rank 1 would raise StRecall@5" in said(app)


def test_filters_show_effects_without_verdicts(page):
    at, _ = page
    app = at(relations="causal")
    assert "3 of 6 questions: causal." in said(app)
    assert "within noise" not in said(app).split("\n")[0]
    app.button(key="clear-filters").click().run()
    assert "coverage_relations" not in app.query_params


def test_a_filter_that_nothing_matches_says_so(page):
    at, _ = page
    app = at(relations="temporal", dimension="style", category="odd", split="train")
    assert "None of the 6 questions of this run matches" in said(app)
    assert not chart(app, "losses")


def test_questions_without_nuggets_have_nothing_to_show(page):
    at, _ = page
    app = at(relations="causal", split="train")
    assert "Nothing is scored." in said(app)
    assert not chart(app, "losses")
    assert app.button(key="clear-filters")


@pytest.mark.parametrize(
    "query",
    [
        {"cell": "<script>"},
        {"cell": "knn", "part": "lost"},
        {"cell": "knn", "group": "fuzzy"},
        {"cell": "knn", "question": "nothing"},
        {"measure": "accuracy"},
        {"k": "7"},
        {"k": "1e9"},
        {"importance": "none"},
        {"by": "nothing"},
        {"x": "judged"},
        {"at": "nowhere", "cell": "knn"},
        {"cell": "knn", "page": "-3"},
        {"cell": "knn", "page": "99999"},
        {"run": "gone"},
    ],
)
def test_a_bad_url_is_no_accident(page, query):
    at, _ = page
    app = at(**query)
    assert chart(app, "losses")


def test_what_the_url_asks_for_and_is_not_there_is_told(page):
    at, _ = page
    assert "This run has no configuration 'nobody'" in said(at(cell="nobody"))
    assert "Nuggets have no part 'lost'" in said(at(cell="knn", part="lost"))
    assert "of the kind 'fuzzy'" in said(at(cell="knn", group="fuzzy"))
    assert "does not ask a question 'nothing'" in said(at(cell="knn", question="nothing"))


def test_rankings_without_answers_are_shown_as_rankings(stored):
    covered_run(answered=False)
    app = stored(COVERAGE, coverage_k="5", coverage_cell="knn")
    assert not app.exception, app.exception[0].value
    assert said(app).startswith("Over all 3 questions, kNN has the highest α-nDCG@5, ")
    assert "No answer is scored here: what follows is about rankings." in said(app)
    assert not chart(app, "losses")
    assert all(chart(app, key) for key in ("points", "map", "curves"))
    assert "8 nuggets of 3 questions; the answers to 3 questions are not scored." in said(app)
    assert "No question has both" in said(app)
    assert "paraphrase is under-counted" not in said(app)


@pytest.mark.parametrize("place", ["bars", "map", "points", "curves", "scatter"])
def test_the_list_stands_somewhere_whatever_figure_the_url_names(stored, place):
    covered_run(answered=False)
    app = stored(COVERAGE, coverage_at=place, coverage_cell="knn")
    assert not app.exception, app.exception[0].value
    assert said(app).count("8 nuggets of 3 questions") == 1
    assert "Offline matcher" not in said(app)


def test_tables_wait_until_they_are_opened(page):
    at, _ = page
    app = at()
    shown = len(app.dataframe)
    assert next(e.label for e in app.expander) == "Every configuration as a table"
    app.session_state["configurations-box"] = True
    app.run()
    assert not app.exception
    assert len(app.dataframe) == shown + 1
    (table,) = (d.value for d in app.dataframe if "matcher" in d.value.columns)
    assert set(table["matcher"]) == {"offline matcher, default profile"}


def test_an_empty_store(stored):
    app = stored(COVERAGE)
    assert not app.exception
    assert "Nothing has been evaluated yet." in said(app)


def test_a_run_that_is_going_has_no_coverage_yet(stored):
    run = make_run(rows=[])
    update_run(workspace()[1], run, state="running")
    app = stored(COVERAGE)
    assert not app.exception
    assert "No run has finished yet." in said(app)


def test_a_run_evaluated_before_says_how_to_get_coverage(stored):
    make_run()
    app = stored(COVERAGE)
    assert not app.exception
    assert "evaluated before coverage was measured" in said(app)
    assert any("core evaluate marlow" in code.value for code in app.code)


def test_a_dataset_without_nuggets_says_what_is_missing(stored):
    make_run()
    with workspace()[1].write() as db:
        db.conn.execute("UPDATE questions SET record = json_set(record, '$.nuggets', json('[]'))")
    app = stored(COVERAGE)
    assert "No question of this run has nuggets" in said(app)


def test_the_question_page_has_the_matrices_and_the_way_back(page, stored):
    _, run = page
    app = stored(
        QUESTION, question_run=run, question_id="q1", question_compare=["knn", "bm25"],
        question_list="coverage_cell=knn&coverage_part=grounded",
    )  # fmt: skip
    assert not app.exception, app.exception[0].value
    assert chart(app, "question-passages")
    assert chart(app, "question-sentences")
    assert "Back to the nuggets" in {link.proto.label for link in app.get("page_link")}
    assert "kNN: the passages it was given hold 3 of 5 nuggets" in said(app)


def test_the_question_page_of_a_run_without_coverage(stored):
    run = make_run()
    app = stored(QUESTION, question_run=run, question_id="q1")
    assert not app.exception
    assert not chart(app, "question-passages")


def test_home_leads_to_coverage(page, stored):
    app = stored("pages/start/home.py")
    assert not app.exception, app.exception[0].value
    assert "Where needed facts are lost, on the Coverage page" in {link.proto.label for link in app.get("page_link")}
