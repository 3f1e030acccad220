"""Language models on the pages: chosen by name, what they are asked and cost, a paused run, a connection tested."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine.spec import Request
from core.jobs.lock import hold
from core.services import catalogue
from core.services.evaluation import plan, run
from core.services.importing import import_source
from core.services.workspace import workspace
from core.store.runs import update_run
from tests.endpoints.faults import Fault
from tests.endpoints.named import IMPATIENT, name_endpoint
from tests.endpoints.server import MisbehavingServer
from tests.pages.conftest import LOGIC, said
from tests.pages.stored import html, stored
from tests.pages.test_evaluate_page import EVALUATE, button

__all__ = ["stored"]

SETTINGS = "pages/more/settings.py"
LEAN = {"evaluate_retrievers": "bm25", "evaluate_combinations": "", "evaluate_relations": "None"}
KEY = "sk-not-to-be-seen-anywhere"


@pytest.fixture
def server(home: Path, tmp_path: Path, small_csv: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MisbehavingServer]:
    import_source(small_csv)
    with MisbehavingServer(key=KEY) as found:
        prices = {"price_input": 2.0, "price_output": 10.0}
        name_endpoint(found, tmp_path, monkeypatch, key_env="TEST_KEY", **IMPATIENT, **prices)
        monkeypatch.setenv("TEST_KEY", KEY)
        yield found


def _finished(**choices: object) -> str:
    lean = {"retrievers": "bm25", "combinations": "none", "relations": "none", "k": 1}
    spec, dataset = plan(Request("marlow", **{"answerer": "openai", "endpoint": "test", **lean, **choices}))
    return run(spec, dataset).run_id


def test_a_model_is_chosen_by_name_and_its_cost_seen_first(server, stored):
    app = stored(EVALUATE, evaluate_answers="Language model", evaluate_model="test", evaluate_calls="40", **LEAN)
    assert not app.exception
    text = said(app)
    assert "answers by test" in text
    assert "Up to 6 calls to test-model." in text
    assert "at most 6 calls to a language model, 0 more answered before" in text
    assert "tokens, estimated by a rule" in text
    assert "by the prices in the settings" in text
    assert "No finished run tells how fast test-model is" in text
    codes = [code.value for code in app.code]
    assert any("--answerer openai" in code and "--endpoint test --max-calls 40" in code for code in codes)
    # what it is asked can be read, word for word
    assert any(code.startswith("system:") and "Passages" in code for code in codes)
    assert server.requests == []
    assert KEY not in text + "".join(codes)


def test_what_the_model_is_asked_about_answers_can_be_read_too(server, stored):
    app = stored(EVALUATE, evaluate_answers="Language model", evaluate_model="test",
                 **{**LEAN, "evaluate_relations": "Language model"})  # fmt: skip
    assert not app.exception
    codes = [code.value for code in app.code]
    assert any("using only the numbered passages" in code for code in codes)
    assert any("kind of reasoning" in code for code in codes)


def test_reasons_that_quote_the_model_do_not_fill_the_list(server, stored):
    server.takes_schema = False
    server.answer = lambda request: f"no relation {hash(request.prompt)}"
    _finished(answerer="extractive", relations="llm")
    (row,) = [text for text in said(stored(EVALUATE)).splitlines() if "the answer is no JSON" in text]
    assert row.count("the answer is no JSON") == 3
    assert "more for" in row


def test_a_model_for_relations_alone_is_asked_for_in_more_choices(server, stored):
    app = stored(EVALUATE, **{**LEAN, "evaluate_relations": "Language model", "evaluate_model": "test"})
    assert not app.exception
    assert "extractive answers, relations named by test" in said(app)
    assert any("kind of reasoning" in code.value for code in app.code)


@pytest.mark.parametrize("query", [{"evaluate_model": "http://evil.example/v1"}, {"evaluate_answers": "openai"}])
def test_an_address_forged_in_the_url_is_not_taken(server, stored, query):
    app = stored(EVALUATE, **{"evaluate_answers": "Language model", **query}, **LEAN)
    assert not app.exception
    assert "evil.example" not in said(app) + "".join(code.value for code in app.code)


def test_a_paused_run_says_why_and_is_resumed(server, stored):
    server.faults[""] = Fault("reset")
    run_id = _finished()
    assert catalogue.run(run_id).state == "paused"
    app = stored(EVALUATE)
    assert not app.exception
    assert "The endpoint 'test' answers nothing" in said(app)
    button(app, "Resume")
    home = stored("pages/start/home.py")
    assert "is paused (The endpoint 'test' answers nothing" in said(home)
    logic = stored(LOGIC, logic_run=run_id)
    assert not logic.exception


def test_a_run_that_its_limit_stopped_is_resumed_under_a_higher_one(server, stored):
    run_id = _finished(max_calls=2)
    app = stored(EVALUATE)
    assert not app.exception
    assert "So far 2 different calls to test-model" in said(app)
    # under the same limit it would stop again
    assert not [one for one in app.button if one.label == "Resume" and one.key == f"resume-{run_id}"]
    (most,) = [field for field in app.number_input if field.label == "Calls at most"]
    assert (most.min, most.value) == (3, 4)
    most.set_value(6)
    button(app, "Resume").click().run(timeout=60)
    assert not app.exception
    until = time.monotonic() + 60
    while catalogue.run(run_id).state != "done":
        assert time.monotonic() < until, catalogue.run(run_id)
        time.sleep(0.2)
    assert len(server.requests) == 6


def test_a_limit_that_the_run_would_reach_is_said_before_it(server, stored):
    app = stored(EVALUATE, evaluate_answers="Language model", evaluate_model="test", evaluate_calls="3", **LEAN)
    assert "The limit of 3 calls may end the run" in said(app)


def test_repeats_are_chosen_and_counted_where_a_model_answers(server, stored, tmp_path, monkeypatch):
    name_endpoint(server, tmp_path, monkeypatch, key_env="TEST_KEY", temperature=0.7, **IMPATIENT)
    asked = {"evaluate_answers": "Language model", "evaluate_model": "test", **LEAN}
    app = stored(EVALUATE, **asked, evaluate_repeats="3")
    assert not app.exception
    assert "answers by test, 3 of each" in said(app)
    assert "Up to 18 calls to test-model." in said(app)
    assert any("--repeats 3" in code.value for code in app.code)
    assert "Repeats" not in [field.label for field in stored(EVALUATE, **LEAN).number_input]
    name_endpoint(server, tmp_path, monkeypatch, key_env="TEST_KEY", **IMPATIENT)
    assert "at temperature 0 the model 'test-model' gives the same answer" in said(
        stored(EVALUATE, **asked, evaluate_repeats="2")
    )


def test_answers_that_were_cut_off_are_said_on_logic_and_at_the_question(server, stored):
    server.cuts = 2
    run_id = _finished()
    logic = stored(LOGIC, logic_run=run_id)
    assert "6 of 6 different answers were cut off at the bound of 512 tokens" in said(logic)
    assert "6 texts were cut off" in said(logic)
    page = stored("pages/lenses/question.py", question_run=run_id, question_id="q1")
    assert not page.exception
    assert "<b>Cut off at the bound of tokens</b>" in html(page)


def test_a_running_run_shows_its_stage_in_its_card(server, stored):
    run_id = _finished()
    home, store = workspace()
    update_run(store, run_id, state="running", stage="answer", done=3, total=6, rate=1.5)
    with hold(home.lock(run_id), "the run"):
        app = stored(EVALUATE)
    assert not app.exception
    told = [text for text in said(app).splitlines() if text.startswith("answer · ")]
    assert told == ["answer · step 7 of 17 · 3 of 6 · 1.5 a second · about 2 s left in this stage"]


def test_logic_shows_what_the_calls_took(server, stored):
    run_id = _finished()
    app = stored(LOGIC, logic_run=run_id)
    assert not app.exception
    assert "Cost" in [header.value for header in app.header]
    assert "6 different calls to test-model" in said(app)
    (table,) = [frame.value for frame in app.dataframe if "tokens in" in frame.value.columns]
    assert table["configuration"].tolist() == ["BM25", "All, each call once"]


def test_a_run_without_a_model_shows_no_cost(server, stored):
    run_id = _finished(answerer="extractive", endpoint="")
    assert "Cost" not in [header.value for header in stored(LOGIC, logic_run=run_id).header]


def test_failed_answers_are_retried_from_the_list(server, stored):
    server.faults["Who built"] = Fault("empty")
    _finished()
    app = stored(EVALUATE)
    assert "1 failure: the model gave an empty answer" in said(app)
    button(app, "Retry 1 failed")


def test_a_connection_is_tested_step_by_step(server, stored):
    app = stored(SETTINGS)
    assert not app.exception
    assert any("test-model at http://127.0.0.1" in text for text in said(app).splitlines())
    app.selectbox(key="settings-endpoint").set_value("test").run()
    button(app, "Test connection").click().run()
    assert not app.exception
    assert "test works:" in said(app)
    server.key = "another"
    button(app, "Test connection").click().run()
    assert "test does not work:" in said(app)
    (steps,) = [frame.value for frame in app.dataframe if "Step" in frame.value.columns]
    assert "does not" in steps["State"].tolist()
    assert KEY not in said(app) + steps.to_csv()


def test_a_run_that_reached_its_end_keeps_it_when_a_retry_is_paused(server):
    server.faults["Who built"] = Fault("empty")
    run_id = _finished()
    server.faults = {"": Fault("reset")}
    spec, dataset = plan(Request("marlow", answerer="openai", endpoint="test", retrievers="bm25", combinations="none",
                                 relations="none", k=1))  # fmt: skip
    assert run(spec, dataset, retry_failed=True).state == "paused"
    found = catalogue.run(run_id)
    assert (found.state, sum(found.failures.values())) == ("done", 1)
    assert "answers nothing" in found.message


def test_nuggets_may_be_judged_by_a_model_where_there_are_any(server, stored):
    app = stored(EVALUATE, evaluate_datasets="trilens-demo", evaluate_matcher="Language model", evaluate_model="test",
                 evaluate_questions="Random sample", evaluate_n="2", **LEAN)  # fmt: skip
    assert not app.exception
    assert "nuggets judged by test" in said(app)
    assert any("which statements an answer to a question supports" in code.value for code in app.code)
    assert any("--endpoint test --matcher llm" in code.value for code in app.code)
    assert "Up to" in said(app)
    # the other dataset has none: there is nothing to choose
    other = stored(EVALUATE, evaluate_datasets="marlow", evaluate_matcher="Language model", **LEAN)
    assert "nuggets judged" not in said(other)
