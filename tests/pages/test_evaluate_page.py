"""Evaluate in process: the form and its URL, what it costs, what is refused, the list of runs and what one may do."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from core.engine.spec import Request
from core.jobs.lock import hold
from core.services import catalogue, queueing
from core.services.evaluation import plan, run
from core.services.importing import import_source
from core.services.run_admin import rename
from core.services.stages import STAGES
from core.services.workspace import workspace
from core.store.runs import create_run, run_row, update_run
from pages.shared import access
from tests.pages.conftest import said
from tests.pages.stored import stored

__all__ = ["stored"]

EVALUATE = "pages/start/evaluate.py"
CHEAP = {"retrievers": "bm25", "combinations": "none", "relations": "none"}
BAD = "**bold** <b>x</b> [a](http://example.org) :red[y] $z$"


@pytest.fixture
def evaluated(home: Path, small_csv: Path) -> str:
    spec, dataset = plan(Request(str(small_csv), **CHEAP))
    return run(spec, dataset).run_id


def button(app: Any, label: str) -> Any:
    (found,) = [one for one in app.button if one.label == label]
    return found


def buttons(app: Any) -> list[str]:
    return [one.label for one in app.button]


def test_a_fresh_home_offers_the_bundled_benchmark(home, stored):
    app = stored(EVALUATE)
    assert not app.exception
    assert [title.value for title in app.title] == ["Evaluate"]
    text = said(app)
    assert "× 14 configurations" in text
    assert "No key, no network." in text
    assert "bundled, imported when the run starts" in text
    assert "Nothing has been evaluated yet" in text
    assert "0 calls to a language model, 0 tokens" in text
    assert "Time by a rule of thumb" in text
    assert not button(app, "Start").disabled
    assert app.query_params["evaluate_datasets"] == "trilens-demo"
    # looking is not importing
    assert catalogue.datasets() == []


def test_the_url_makes_the_form(home, small_csv, stored):
    import_source(small_csv)
    app = stored(
        EVALUATE, evaluate_datasets=["trilens-demo", "marlow"], evaluate_questions="Random sample", evaluate_n="2",
        evaluate_scope="Own document", evaluate_retrievers=["knn", "dps"], evaluate_combinations=["A-Two", "S-Seven"],
        evaluate_k=["2", "4"], evaluate_words=["50", "77"], evaluate_relations="None", evaluate_seed="7",
        evaluate_chunking="LangChain",
    )  # fmt: skip
    assert not app.exception
    text = said(app)
    assert "8 runs, one after the other: 2 questions × 4 configurations each" in text
    assert (
        "With knn and dps and A-Two, k 2 and 4, chunks of 50 and 77 words (LangChain), encoder all-MiniLM-L6-v2, "
        "extractive answers, no relations, seed 7."
    ) in text
    assert "Left out, as a member is missing: S-Seven." in text
    commands = app.code[0].value.splitlines()
    assert len(commands) == 8
    assert commands[0] == (
        ".venv/bin/python -m core evaluate trilens-demo --scope document --retrievers dps,knn --combinations a-two "
        "--k 2 --chunking langchain --chunk-words 50 --relations none --sample 2 --seed 7"
    )
    button(app, "Start 8 runs")
    # the form has not lost anything on the way
    assert app.query_params["evaluate_k"] == ["2", "4"]


def test_a_change_of_the_form_changes_the_cost(home, small_csv, stored):
    import_source(small_csv)
    app = stored(EVALUATE)
    assert "6 questions × 14 configurations" in said(app)
    app.segmented_control(key="evaluate_questions").set_value("random").run()
    app.number_input(key="evaluate_n").set_value(3).run()
    assert "3 questions × 14 configurations" in said(app)
    assert "42 answers" in said(app)
    app.multiselect(key="evaluate_k").set_value([2, 3]).run()
    assert "2 runs, one after the other: 3 questions" in said(app)
    assert "84 answers" in said(app)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"evaluate_words": "banana"}, "The chunk size 'banana' cannot be used"),
        ({"evaluate_words": "0"}, "The chunk size '0' cannot be used"),
        ({"evaluate_k": ""}, "Choose at least one k."),
        ({"evaluate_retrievers": ""}, "Choose at least one retriever."),
        ({"evaluate_relations": "Train split"}, "needs labelled questions of both splits"),
        ({"evaluate_k": [str(k) for k in range(1, 21)], "evaluate_words": list("123456")}, "make 120 runs"),
    ],
)
def test_choices_that_cannot_be_evaluated(query, says, home, tmp_path, stored):
    table = tmp_path / "split.csv"
    table.write_text(
        "id,question,answer,document_id,context,relation,split\n"
        "1,Who built the mill?,Anna Rusk built it.,a,The mill was built by Anna Rusk in 1871.,causal,train\n",
        encoding="utf-8",
    )
    import_source(table)
    app = stored(EVALUATE, **query)
    assert not app.exception
    assert says in said(app)
    assert button(app, "Start").disabled


def test_values_forged_in_the_url_are_not_taken(home, small_csv, stored):
    import_source(small_csv)
    app = stored(
        EVALUATE, evaluate_datasets="/etc/passwd", evaluate_retrievers="os:system", evaluate_encoder="/tmp",
        evaluate_k="99", evaluate_scope="everywhere", evaluate_relations="llm", evaluate_n="-5", evaluate_page="77",
        evaluate_seed="x",
    )  # fmt: skip
    assert not app.exception
    assert "There is no dataset '/etc/passwd' here" in said(app)
    assert "6 questions × 14 configurations" in said(app)
    assert "With the seven retrievers and their six combinations, k 4" in said(app)


def test_a_value_forged_in_the_session_is_refused_by_the_service(home, small_csv, stored):
    import_source(small_csv)
    app = stored(EVALUATE)
    app.session_state["evaluate_words"] = ["100; rm -rf /"]
    app.run()
    assert "The chunk size '100; rm -rf /' cannot be used" in said(app)
    assert button(app, "Start").disabled


def test_a_dataset_with_splits_offers_them(home, tmp_path, stored):
    table = tmp_path / "split.csv"
    rows = [f"{i},Is {i} about the mill?,Answer {i}.,d{i},Text {i} about the mill.,{'train' if i else 'test'}"
            for i in range(5)]  # fmt: skip
    table.write_text("\n".join(["id,question,answer,document_id,context,split", *rows]), encoding="utf-8")
    import_source(table)
    app = stored(EVALUATE, evaluate_split="Train only")
    assert "4 questions × 14 configurations" in said(app)
    assert "--split train" in app.code[0].value


def test_a_dataset_without_splits_does_not(home, small_csv, stored):
    import_source(small_csv)
    app = stored(EVALUATE, evaluate_split="Train only")
    assert "Split" not in [control.label for control in app.segmented_control]
    assert "6 questions" in said(app)


def test_start_evaluates_and_opens_what_is_there(home, small_csv, stored):
    import_source(small_csv)
    query = {"evaluate_retrievers": "bm25", "evaluate_combinations": "", "evaluate_relations": "None"}
    app = stored(EVALUATE, **query)
    button(app, "Start").click().run()
    assert not app.exception
    (started,) = catalogue.runs()
    assert "This run is being evaluated." in said(app) or started.state == "done"
    give_up = time.monotonic() + 60
    while catalogue.run(started.id).state != "done":
        assert time.monotonic() < give_up, catalogue.run(started.id)
        time.sleep(0.1)
    app.run()
    assert "This run is there already." in said(app)
    assert "Start" not in buttons(app)
    button(app, "Open it on Logic").click().run()
    assert [title.value for title in app.title] == ["Logic"]
    assert app.query_params["logic_run"] == started.id


def test_what_is_going_is_shown_with_its_place_and_can_be_stopped(evaluated, stored):
    place, store = workspace()
    waiting = f"{evaluated[:-10]}0123456789"
    create_run(store, waiting, "marlow", run_row(store, evaluated)["spec"], state="queued")
    update_run(
        store, evaluated, state="running", stage="answer", done=40, total=160, rate=12.5, failures={"no answer": 2}
    )
    with hold(place.lock(evaluated), "the run"), hold(place.lock(waiting), "the run"):
        app = stored(EVALUATE)
        assert not app.exception
        text = said(app)
        assert f"step 7 of {len(STAGES)} · 40 of 160 · 12.5 a second · about 10 s left in this stage" in text
        assert "2 failures: no answer" in text
        assert "waits for its turn" in text
        assert [badge for badge in ("running", "queued") if any(badge in m.value for m in app.markdown)] == [
            "running",
            "queued",
        ]
        assert "Delete run" not in buttons(app)
        button(app, "Take out").click().run()
        assert run_row(store, waiting)["state"] == "stopped"
        app.button(key=f"stop-{evaluated}").click().run()
        assert run_row(store, evaluated)["state"] == "stopping"
        assert "asked to stop: ends at the next safe point" in said(app)
        assert app.button(key=f"stop-{evaluated}").disabled


def test_interrupted_runs_can_be_resumed(evaluated, stored, monkeypatch):
    _, store = workspace()
    update_run(store, evaluated, state="running")
    asked: list[Any] = []
    monkeypatch.setattr(queueing, "resume_all", lambda ids, retry_failed=False: asked.append((list(ids), retry_failed)))
    app = stored(EVALUATE)
    assert "its process ended without a word" in said(app)
    button(app, "Resume").click().run()
    update_run(store, evaluated, state="done", failures={"no answer": 3})
    app.run()
    button(app, "Retry 3 failed").click().run()
    assert asked == [([evaluated], False), ([evaluated], True)]


def test_a_run_that_is_gone_when_the_button_is_pressed(evaluated, stored):
    _, store = workspace()
    update_run(store, evaluated, state="stopped")
    app = stored(EVALUATE)
    pressed = button(app, "Resume").click()
    with store.write() as db:
        db.conn.execute("DELETE FROM runs")
    pressed.run()
    assert not app.exception
    assert catalogue.runs() == []


def test_rename_search_and_texts_that_are_never_markup(evaluated, stored):
    app = stored(EVALUATE)
    app.text_input(key=f"title-{evaluated}-").set_value(BAD)
    button(app, "Save").click().run()
    assert not app.exception
    assert catalogue.run(evaluated).title == BAD
    assert BAD in said(app)
    for kind in ("markdown", "caption", "header", "subheader", "title", "warning", "info", "error", "success"):
        assert not any("bold" in element.value for element in app.get(kind)), kind
    app.text_input(key="evaluate_search").set_value("nothing like it").run()
    assert "No run, title or dataset is called so." in said(app)
    app.text_input(key="evaluate_search").set_value("BOLD").run()
    assert BAD in said(app)


def test_a_title_given_in_another_tab_is_not_overwritten(evaluated, stored):
    app = stored(EVALUATE)
    app.text_input(key=f"title-{evaluated}-").set_value("mine")
    pressed = button(app, "Save").click()
    rename(evaluated, "theirs")
    pressed.run()
    assert not app.exception
    assert "somebody else has renamed this run meanwhile" in said(app)
    assert catalogue.run(evaluated).title == "theirs"
    assert app.text_input(key=f"title-{evaluated}-theirs").value == "theirs"
    app.text_input(key=f"title-{evaluated}-theirs").set_value("ours")
    button(app, "Save").click().run()
    assert catalogue.run(evaluated).title == "ours"
    assert "somebody else" not in said(app)


def test_many_runs_are_paged(evaluated, stored):
    _, store = workspace()
    for number in range(23):
        create_run(store, f"marlow-{number:010d}", "marlow", run_row(store, evaluated)["spec"], state="done")
        rename(f"marlow-{number:010d}", f"number {number}")
    app = stored(EVALUATE, evaluate_page="3")
    assert not app.exception
    assert [text for text in said(app).splitlines() if text.startswith("number")] == [f"number {n}" for n in (2, 1, 0)]


def test_a_viewer_may_look_and_change_nothing(evaluated, stored, monkeypatch):
    app = stored(EVALUATE, evaluate_k="7")
    monkeypatch.setattr(access, "visitor", lambda: access.Visitor("viewer"))
    app.run()
    assert button(app, "Start").disabled
    app.text_input(key=f"title-{evaluated}-").set_value("mine")
    button(app, "Save").click().run()
    assert "Only an owner may" in said(app)
    assert catalogue.run(evaluated).title == ""
