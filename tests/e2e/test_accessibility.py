"""axe over every page, light and wide, dark and narrow: no serious or critical finding."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from pages.shared.routes import ROUTES
from tests.e2e.conftest import settled

#: Streamlit's own navigation puts its group headings between list items; nothing of ours is in there
THEIRS = {"exclude": [["[data-testid=stSidebarNav]"]]}
PATHS = [route.path for route in ROUTES if route.group]
#: what lies behind a page's first view
BEHIND = ["datasets?datasets_name=trilens-demo", "datasets?datasets_view=import", "logic?logic_split=test"]


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), pytest.param(390, "dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("path", [*PATHS, *(pytest.param(path, marks=pytest.mark.slow) for path in BEHIND)])
def test_axe_finds_nothing_serious(path, width, scheme, demo, open_page):
    page = open_page(f"{demo}/{'' if path == 'home' else path}", width=width, scheme=scheme)
    assert serious(page) == []


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_axe_finds_nothing_serious_in_dialogs_and_further_steps(width, scheme, demo, open_page):
    page = open_page(f"{demo}/datasets?datasets_name=trilens-demo", width=width, scheme=scheme)
    page.get_by_role("button", name="Delete dataset").click()
    page.get_by_role("dialog").get_by_text("is deleted with").wait_for()
    settled(page)
    assert serious(page) == []
    page = open_page(f"{demo}/datasets?datasets_view=import", width=width, scheme=scheme)
    rows = "id,question,answer,context\n" + "".join(
        f"{n},What is number {n}?,It is the {n}th number.,The {n}th number is described here.\n" for n in range(5)
    )
    page.locator("input[type=file]").set_input_files(
        {"name": "numbers.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    )
    for step in ("Check the whole file", "Import"):
        page.get_by_role("button", name=step, exact=True).wait_for(timeout=30_000)
        settled(page)
        assert serious(page) == [], step
        if step != "Import":
            page.get_by_role("button", name=step, exact=True).click()


def serious(page: Any) -> list[str]:
    found = Axe().run(page, context=THEIRS).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes'][:3]]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
