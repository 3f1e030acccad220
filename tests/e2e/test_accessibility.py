"""axe over every page, light and wide, dark and narrow: no serious or critical finding."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from pages.shared.routes import ROUTES

#: Streamlit's own navigation puts its group headings between list items; nothing of ours is in there
THEIRS = {"exclude": [["[data-testid=stSidebarNav]"]]}
PATHS = [route.path for route in ROUTES if route.group]
#: what lies behind a page's first view
BEHIND = ["datasets?datasets_name=trilens-demo", "datasets?datasets_view=import", "logic?logic_split=test"]


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), pytest.param(390, "dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("path", [*PATHS, *(pytest.param(path, marks=pytest.mark.slow) for path in BEHIND)])
def test_axe_finds_nothing_serious(path, width, scheme, demo, open_page):
    page = open_page(f"{demo}/{'' if path == 'home' else path}", width=width, scheme=scheme)
    found = Axe().run(page, context=THEIRS).response["violations"]
    serious = [
        f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes'][:3]]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []
