import pytest

from core.errors import StoreError
from core.services import catalogue
from pages.shared.routes import ROUTES
from tests.pages.conftest import said
from tests.pages.samples import lens, logic_scores, run_summary


def codes(app):
    return [element.value for element in app.code]


def going(**changes):
    return run_summary(
        id="going-00000001", state="running", stage="answer", done=40, total=160, rate=12.5, seconds_left=9.6,
        finished=None, version=0, **changes,
    )  # fmt: skip


def test_empty_store_says_how_to_begin(dashboard, shelf):
    shelf.runs = []
    app = dashboard()
    assert not app.exception
    assert [t.value for t in app.title] == ["Trilens"]
    assert "Nothing has been evaluated yet." in said(app)
    assert codes(app) == [".venv/bin/python -m core demo"]
    assert [chart.proto.alt[:26] for chart in app.get("plotly_chart")] == ["One evaluated run is read "] * 2
    assert shelf.read == []


def test_every_kind_of_user_is_led_on(dashboard, shelf):
    app = dashboard()
    links = [(link.proto.label, link.proto.page) for link in app.get("page_link")]
    assert {"Import questions", "Evaluate", "Look at a dataset", "Who leads where"} <= {label for label, _ in links}
    assert {page for _, page in links} <= {route.path for route in ROUTES}


def test_newest_finished_run_over_a_corpus_gives_three_findings_and_a_chart(dashboard, shelf):
    shelf.runs = [run_summary(id="doc-1", scope="document"), run_summary(id="corpus-2"), run_summary(id="corpus-3")]
    app = dashboard()
    assert not app.exception
    assert shelf.read == [("corpus-2", 1.0, "formula")]
    text = said(app)
    assert "Over all 78 questions, DPS has the highest OPI(1)" in text
    assert "Too few questions to compare retrievers relation by relation" in text
    assert "Answers made from the gold evidence" in text or "LRCR hardly" in text
    # wide and narrow, the browser shows one: the ranking, then the picture of the lenses
    alts = [chart.proto.alt for chart in app.get("plotly_chart")]
    assert [alt.startswith("Ranking of 13") for alt in alts] == [True, True, False, False]
    assert any(".venv/bin/python -m core report corpus-2" in code for code in codes(app))


def test_only_document_scope_is_shown_rather_than_nothing(dashboard, shelf):
    shelf.runs = [run_summary(id="doc-1", scope="document")]
    assert not dashboard().exception
    assert shelf.read[0][0] == "doc-1"


def test_a_running_run_shows_progress_failures_and_time_left(dashboard, shelf):
    shelf.runs = [going(failures={"the encoder said no": 3})]
    app = dashboard()
    assert not app.exception
    text = said(app)
    assert "The first scores are being computed." not in text  # Home keeps its own words
    assert "Trilens bench · corpus: answer" in text
    assert "40 of 160 · 12.5 a second · about 10 s left in this stage · 3 failures: the encoder said no" in text
    assert shelf.read == []


def test_a_running_run_stands_above_the_newest_result(dashboard, shelf):
    shelf.runs = [going(), run_summary()]
    text = said(dashboard())
    assert text.index("40 of 160") < text.index("Over all 78 questions")


def test_runs_that_only_wait_are_shown(dashboard, shelf):
    shelf.runs = [run_summary(id="q-1", state="queued", version=0, finished=None)]
    app = dashboard()
    assert not app.exception
    assert "About to begin" in [header.value for header in app.header]
    assert "waits for its turn" in said(app)


@pytest.mark.parametrize("state", ["queued", "running", "stopped", "interrupted", "failed"])
def test_a_run_with_results_keeps_them_on_home_while_its_failures_are_retried(dashboard, shelf, state):
    shelf.runs = [run_summary(id="again-1", state=state, failures={"the index is away": 2})]
    app = dashboard()
    assert not app.exception
    assert shelf.read[0][0] == "again-1"
    assert "Not finished" not in [header.value for header in app.header]


def test_unfinished_runs_say_why_and_how_to_go_on(dashboard, shelf):
    shelf.runs = [
        run_summary(id="f-1", state="failed", message="the disk is full", version=0),
        run_summary(id="s-2", state="stopped", version=0),
        run_summary(id="i-3", state="interrupted", version=0),
    ]
    app = dashboard()
    assert not app.exception
    text = said(app)
    assert "failed (the disk is full)" in text
    assert "was stopped" in text
    assert "was interrupted" in text
    assert codes(app) == [f".venv/bin/python -m core evaluate --resume {name}" for name in ("f-1", "s-2", "i-3")]


def test_a_run_of_one_question(dashboard, shelf):
    one = logic_scores(relations=("causal",), n=1, configurations=("knn", "bm25", "evidence"))
    shelf.lens = lambda *_: lens(one, classifier=None)
    app = dashboard()
    assert not app.exception
    assert "Over the one question" in said(app)


def test_a_dataset_without_relations_says_what_is_missing(dashboard, shelf):
    shelf.runs = [run_summary(has_relations=False)]
    shelf.lens = lambda *_: lens(logic_scores(relations=(), n=40))
    app = dashboard()
    assert not app.exception
    assert "This dataset has no relation labels" in said(app)
    assert "the highest BERTSim" in said(app)


def test_a_run_in_which_nothing_is_scored(dashboard, shelf):
    shelf.lens = lambda *_: lens(logic_scores(configurations=()), classifier=None)
    app = dashboard()
    assert not app.exception
    assert "Nothing can be compared" in said(app)
    assert not any(chart.proto.alt.startswith("Ranking") for chart in app.get("plotly_chart"))


def test_texts_from_data_are_never_markdown(dashboard, shelf):
    bad = "**bold** <b>x</b> [a](http://example.org) :red[y] $z$"
    shelf.runs = [run_summary(dataset_title=bad), going(dataset_title=bad, failures={bad: 1})]
    shelf.lens = lambda *_: lens(logic_scores(labels={"dps": bad}))
    app = dashboard()
    assert not app.exception
    assert bad in said(app)
    for kind in ("markdown", "caption", "header", "subheader", "title", "warning", "info", "error", "success"):
        assert not any("bold" in element.value for element in app.get(kind)), kind


def test_a_store_that_cannot_be_opened_is_explained(dashboard, monkeypatch):
    def refuse():
        raise StoreError("the store was written by a newer version: update Trilens.")

    monkeypatch.setattr(catalogue, "runs", refuse)
    app = dashboard()
    assert not app.exception
    assert "the store was written by a newer version: update Trilens." in said(app)
