"""Without sign-in the local user is owner, but only while nobody else can reach the port."""

import ast

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import access
from tests.pages.conftest import APP, HOME, LOGIC, said


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "LOCALHOST", " 127.0.0.1 "])
def test_loopback_makes_the_owner(address):
    visitor = access.local_user(address)
    assert visitor.role == "owner"
    assert visitor.may("owner")
    assert visitor.may("viewer")


@pytest.mark.parametrize(
    "address",
    [None, "", "0.0.0.0", "::", "10.0.0.7", "192.168.1.2", "example.org", "localhost.example.org", "127.0.0.1.nip.io",
     "unix:///tmp/x.sock", "128.0.0.1", "127.0.0.1:8501"],
)  # fmt: skip
def test_anything_else_is_a_stranger_with_a_reason(address):
    visitor = access.local_user(address)
    assert visitor.role is None
    assert not visitor.may("viewer")
    assert "--server.address 127.0.0.1" in visitor.reason


def test_roles_are_ordered():
    assert access.Visitor("viewer").may("viewer")
    assert not access.Visitor("viewer").may("rater")
    assert access.Visitor("rater").may("viewer")
    assert not access.Visitor("rater").may("owner")


@pytest.mark.parametrize("address", ["0.0.0.0", None])
@pytest.mark.parametrize("page", [HOME, LOGIC])
def test_a_reachable_server_refuses_every_page_before_reading_anything(page, address, dashboard, shelf, monkeypatch):
    monkeypatch.setattr(access.st, "get_option", lambda _name: address)
    app = dashboard(page)
    assert [e.value for e in app.error] == [access.local_user(address).reason]
    assert not app.exception
    assert said(app) == ""
    assert shelf.read == []


@pytest.mark.parametrize("page", [HOME, LOGIC])
def test_a_page_run_by_itself_refuses_too(page, shelf, monkeypatch):
    monkeypatch.setattr(access.st, "get_option", lambda _name: "0.0.0.0")
    app = AppTest.from_file(str(APP.parent / page), default_timeout=30).run()
    assert len(app.error) == 1
    assert not app.exception
    assert shelf.read == []


def test_the_first_statement_of_every_page_is_require():
    pages = [p for p in (APP.parent / "pages").rglob("*.py") if p.parent.name != "shared"]
    assert len(pages) >= 2
    for page in pages:
        assert page.parent.parent.name == "pages", f"{page} lies directly in pages/"
        body = ast.parse(page.read_text(encoding="utf-8")).body
        first = next(node for node in body[1:] if not isinstance(node, ast.Import | ast.ImportFrom))
        assert ast.unparse(first).startswith("chrome.require("), page


def test_entry_stays_small():
    assert len(APP.read_text(encoding="utf-8").splitlines()) < 80
