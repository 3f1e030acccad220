"""The Granularity page over a real store with runs made by hand."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest

from core.services import trees
from core.services.tree_uploads import keep_upload
from core.taxonomy.tree_files import trees_from_yaml
from tests.core.services.drilldown_samples import HOSTILE, hostile_run, item, make_run
from tests.core.services.granularity_samples import coarse_run, grove, parents_run, planted
from tests.pages.conftest import said
from tests.pages.stored import html, stored

__all__ = ["stored"]

GRANULARITY = "pages/lenses/granularity.py"
MINE = "reading:\n  short: [extractive_span, entity_extraction]\n  long: [multi_span_aggregation, multi_hop_reasonin]\n"


@pytest.fixture
def page(stored):
    """Open the page at an address."""

    def at(**query):
        app = stored(GRANULARITY, **{f"granularity_{name}": value for name, value in query.items()})
        assert not app.exception, app.exception[0].value
        return app

    return at


def chart(app, key):
    """The first (wide) figure of that key as plotly JSON."""
    found = [c for c in app.get("plotly_chart") if f"wide-{key}-plot" in c.proto.id]
    return json.loads(found[0].proto.spec) if found else None


def shown(app, column):
    """The first table that has a column of that name."""
    return next(d.value for d in app.dataframe if column in d.value.columns)


def pick(app, label):
    return next(box for box in app.selectbox if box.label == label)


def test_the_page_answers_first_and_shows_all_it_lists(page):
    run, other = coarse_run(), parents_run()
    app = page(run=run)
    assert [t.value for t in app.title] == ["Granularity"]
    assert said(app).startswith("By question complexity (QC), BERTSim of kNN: report at coarse")
    assert all(chart(app, key) for key in ("tree", "levels", "interaction"))
    assert all(c.proto.alt for c in app.get("plotly_chart"))
    assert shown(app, "noise floor")["level"].tolist() == ["coarse", "medium", "fine"]
    assert "recommended" in shown(app, "noise floor")["verdict"][0]
    assert shown(app, "σ between children")["parent's questions"].tolist() == ["own"] * 6
    assert shown(app, "range")["tree"][0] == "question complexity (QC)"
    assert shown(app, "spread of category by configuration")["level"].tolist() == ["coarse", "medium", "fine"]
    assert len(shown(app, "effect")) == 3
    assert f"those of run {other}" in said(app)
    assert "Mean ρ, inconclusive splits included" in said(app)


def test_choices_are_in_the_url_and_come_back_from_it(page):
    run = coarse_run(6)
    app = page(run=run, tree="style", configuration="bm25", second="knn", measure="token_f1", layout="treemap")
    assert pick(app, "Tree").value == "style"
    assert "token F1 of BM25" in said(app)
    assert app.header[0].value.startswith("Where is BM25 better than kNN")
    pick(app, "Tree").set_value("QC").run()
    assert not app.exception
    assert "granularity_tree" not in app.query_params
    pick(app, "Picture").set_value("outline").run()
    assert app.query_params["granularity_layout"] == "outline"
    assert any("extractive" in button.label for button in app.button)


def test_a_category_in_the_url_lists_its_questions_and_is_framed(page):
    app = page(run=coarse_run(), node="single_fact")
    assert any(trace.get("name") == "chosen" for trace in chart(app, "tree")["data"])
    assert "20 questions: mean BERTSim" in said(app)
    table = shown(app, "reference")
    assert len(table) == 20
    assert table["BERTSim"].is_monotonic_increasing
    assert "question_list=granularity_node" in table["open"][0].replace("%3D", "=").replace("%26", "&")
    pick(app, "Order").set_value("highest").run()
    assert shown(app, "reference")["BERTSim"].is_monotonic_decreasing


def test_the_outline_opens_a_categorys_questions(page):
    app = page(run=coarse_run(6), layout="outline")
    next(button for button in app.button if button.label.startswith("entity")).click().run()
    assert app.query_params["granularity_node"] == "entity_extraction"
    assert "6 questions: mean BERTSim" in said(app)


def test_a_bad_link_is_said_and_something_else_is_shown(page):
    text = said(page(run=coarse_run(6), tree="nothing", configuration="nobody", measure="beauty", node="nowhere"))
    assert "This run has no tree 'nothing': another one is shown instead." in text
    assert "This run has no configuration 'nobody'" in text
    assert "This run has no measure 'beauty'" in text
    assert "This tree has no category 'nowhere'" in text
    assert "No run with scores is called 'gone' here" in said(page(run="gone"))


def test_an_empty_store_a_going_run_and_a_run_without_labels(page):
    assert said(page()).startswith("Nothing has been evaluated yet.")
    made = grove([None] * 3, name="bare", trees={})
    bare = tuple(replace(q, relation=None, categories={}) for q in made.questions)
    make_run(made=replace(made, questions=bare), rows=[item("knn", q.id) for q in bare])
    assert said(page()).startswith("The questions of this run carry no categories and no relations")


def test_one_question_and_a_run_without_any_score(page):
    made = grove(["extractive_span"], name="one")
    run = make_run(made=made, rows=planted(made, {}))
    text = said(page(run=run))
    assert "no level can be recommended" in text
    assert "Too few questions in 3 of 3 categories." in text
    rows = [
        item(
            "knn",
            "one-0",
            similarity=None,
            similarity_state="failed",
            correct=None,
            correct_state="failed",
            answer="{}",
        )
    ]
    made = grove(["extractive_span"], name="none")
    run = make_run(made=made, rows=[replace(row, question="none-0", sentences=0) for row in rows])
    assert said(page(run=run)).startswith("No answer and no ranking of this run is scored")


def test_hostile_names_stay_text(page):
    app = page(run=hostile_run())
    assert HOSTILE in said(app) or HOSTILE[:40] in said(app)
    assert "<script>" not in html(app)
    for element in (*app.markdown, *app.header):
        assert "**bold**" not in element.value
        assert "$z$" not in element.value


def test_levels_of_their_own_questions_can_be_chosen(page):
    app = page(run=parents_run())
    assert pick(app, "Questions of a level").value == "own"
    assert shown(app, "noise floor")["questions"].tolist() == ["own"] * 3
    pick(app, "Questions of a level").set_value("rolled").run()
    assert app.query_params["granularity_levels"] == "rolled"
    assert shown(app, "noise floor")["questions"].tolist() == ["rolled up"] * 3


def test_an_uploaded_tree_is_previewed_mapped_kept_and_taken_away(page):
    run = coarse_run(6)
    identifier = keep_upload("mine.yaml", io.BytesIO(MINE.encode()))
    app = page(run=run, upload=identifier)
    assert "24 of 48 questions stand in 'reading'." in said(app)
    assert shown(app, "here or below")["here or below"].tolist() == [12, 6, 6, 12, 6, 6]
    # the likeliest category is offered for a label that the tree does not know
    mapped = next(box for box in app.selectbox if box.label.startswith("multi\\_hop\\_reasoning"))
    assert mapped.value == "multi_hop_reasonin"
    next(button for button in app.button if button.label == "Keep and use this tree").click().run()
    assert app.query_params["granularity_tree"] == "reading"
    assert "granularity_upload" not in app.query_params
    assert said(app).startswith("By reading, BERTSim of kNN")
    assert trees.own_trees(run)[0].mapping["multi_hop_reasoning"] == "multi_hop_reasonin"
    next(button for button in app.button if button.label == "Take it away").click().run()
    assert trees.own_trees(run) == ()
    assert not app.exception


def test_an_upload_that_is_gone_is_said(page):
    assert "This upload is no longer there" in said(page(run=coarse_run(6), upload="0" * 16))


def test_unknown_labels_can_be_read_as_a_category_and_back(page):
    made = grove(["extractive_span", "entity_extraction", "entity_extractoin"] * 6)
    run = make_run(made=made, rows=planted(made, {}))
    app = page(run=run)
    assert "Labels that the tree does not know" in [h.value for h in app.header]
    assert pick(app, "entity\\_extractoin (6 questions) means").value == "entity_extraction"
    next(button for button in app.button if button.label == "Keep this reading").click().run()
    assert trees.placed(run, "QC").set_aside == ()
    next(button for button in app.button if button.label == "Read labels as they are").click().run()
    assert [one.name for one in trees.placed(run, "QC").set_aside] == ["entity_extractoin"]


def test_a_kept_tree_over_labels_is_offered(page):
    run = coarse_run(6)
    (tree,) = trees_from_yaml("kinds:\n  a: [causal]\n  b: [temporal]\n").values()
    trees.keep_tree(run, tree, "relation", {}, "kinds.yaml")
    app = page(run=run, tree="kinds")
    assert said(app).startswith("By kinds, BERTSim of kNN")
    assert "kinds: 4 categories in 2 levels over logical relation, from kinds.yaml" in said(app)
