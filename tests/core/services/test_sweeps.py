"""From a browser one may choose, never name; what was chosen becomes the requests a person would type."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.datasets.bundled import bundled_names
from core.engine.spec import Request, RunSpec
from core.errors import OptionError, TrilensError
from core.services import sweeps
from core.services.catalogue import datasets
from core.services.estimating import estimate
from core.services.importing import import_source
from core.services.offers import content, offers
from core.services.sweeps import Sweep, requests_of
from core.services.system_importing import import_system

pytestmark = pytest.mark.usefixtures("home")

MINE = Sweep(("marlow",))


@pytest.fixture(autouse=True)
def _imported(home: Path, small_csv: Path) -> None:
    import_source(small_csv)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(
        '[trilens.retrievers]\nmine = "tests.core.retrieval.factories:backwards"\nknn = "os:system"\n'
        f'[trilens.encoders]\nother = "{tmp_path}"\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("TRILENS_SETTINGS", str(file))


def test_the_defaults_are_those_of_the_command_line() -> None:
    assert requests_of(MINE) == (Request("marlow"),)


def test_lists_make_a_run_for_each_combination() -> None:
    found = requests_of(replace(MINE, ks=(2, 4, 2), chunk_words=(50, 100)))
    assert [(one.chunk_words, one.k) for one in found] == [(50, 2), (50, 4), (100, 2), (100, 4)]


def test_bundled_datasets_are_offered_and_stay_unstored_until_they_are_used() -> None:
    assert {offer.name: offer.stored for offer in offers()} == {"marlow": True, **dict.fromkeys(bundled_names(), False)}
    bundled = next(offer for offer in offers() if offer.name == "trilens-demo")
    assert bundled.n_questions == len(content("trilens-demo")[0].questions) > 0
    assert requests_of(Sweep(("marlow", "trilens-demo")))[1].dataset == "trilens-demo"
    assert [dataset.name for dataset in datasets()] == ["marlow"]


def test_questions_retrievers_and_combinations_as_typed() -> None:
    (one,) = requests_of(replace(MINE, questions="balanced", n=2, split="", scope="document", seed=3))
    assert (one.sample, one.scope, one.seed) == ("balanced:2", "document", 3)
    (one,) = requests_of(replace(MINE, questions="random", n=5, retrievers=("bm25/langchain", "knn", "dps")))
    assert (one.sample, one.retrievers, one.combinations) == ("5", "dps,knn,bm25/langchain", "all")
    (one,) = requests_of(replace(MINE, retrievers=("knn", "dps"), combinations=("a-two", "a-seven")))
    assert one.combinations == "a-two"
    (one,) = requests_of(replace(MINE, retrievers=("bm25",), combinations=("a-seven",)))
    assert one.combinations == "none"


def test_the_order_of_clicks_makes_no_other_run() -> None:
    clicked = replace(MINE, retrievers=("knn", "bm25", "dps", "mmr"), combinations=("a-two", "a-four"))
    again = replace(MINE, retrievers=("mmr", "dps", "bm25", "knn", "dps"), combinations=("a-four", "a-two"))
    assert requests_of(clicked) == requests_of(again)
    assert requests_of(replace(MINE, retrievers=tuple(reversed(MINE.retrievers)))) == (Request("marlow"),)


@pytest.mark.usefixtures("settings")
def test_names_from_the_settings_stand_for_factories_and_folders(tmp_path: Path) -> None:
    assert sweeps.retriever_names()[-1] == "mine"
    assert sweeps.encoder_names() == ("all-MiniLM-L6-v2", "other")
    (one,) = requests_of(replace(MINE, retrievers=("knn", "mine"), encoders=("other",)))
    # a name that the product has already keeps its meaning
    assert one.retrievers == "knn,tests.core.retrieval.factories:backwards"
    assert one.encoder == str(tmp_path)


FORGED: list[dict[str, Any]] = [
    {"datasets": ()},
    {"datasets": ("/etc/passwd",)},
    {"datasets": ("../marlow.csv",)},
    {"datasets": ("",)},
    {"questions": "every"},
    {"questions": "random", "n": 0},
    {"questions": "random", "n": True},
    {"questions": "balanced", "n": "3; rm"},
    {"split": "dev"},
    {"scope": ""},
    {"retrievers": ()},
    {"retrievers": ("os:system",)},
    {"retrievers": ("knn,os:system",)},
    {"retrievers": ("all",)},
    {"combinations": ("a:knn+os:system",)},
    {"ks": ()},
    {"ks": (0,)},
    {"ks": (21,)},
    {"ks": (2.5,)},
    {"chunking": "sentences"},
    {"chunk_words": ("banana",)},
    {"chunk_words": (10**6,)},
    {"encoders": ("/tmp",)},
    {"encoders": ("../other",)},
    {"relations": "oracle"},
    {"answers": "openai"},
    {"answers": "model", "endpoint": "http://127.0.0.1:1/v1"},
    {"systems": ("gone",)},
    {"systems": ("",)},
    {"seed": -1},
    {"seed": 10**12},
    {"ks": tuple(range(1, 21)), "chunk_words": (10, 20, 30, 40, 50, 60)},
]


@pytest.mark.parametrize("choice", FORGED, ids=str)
def test_what_is_not_offered_is_refused_in_one_sentence(choice: dict[str, Any]) -> None:
    for act in (requests_of, sweeps.start_sweep):
        with pytest.raises(OptionError) as caught:
            act(replace(MINE, **choice))
        assert "\n" not in str(caught.value)
        assert not str(caught.value).startswith("--")


def test_a_settings_file_that_cannot_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_SETTINGS", str(tmp_path / "none.toml"))
    with pytest.raises(TrilensError, match="TRILENS_SETTINGS"):
        requests_of(MINE)


def test_imported_systems_take_part_where_a_dataset_has_them(tmp_path: Path, small_csv: Path) -> None:
    import_source(small_csv, name="bare")
    for name in ("first", "second"):
        path = tmp_path / f"{name}.csv"
        path.write_text(f"id,answer\nq1,The {name} answer.\n", encoding="utf-8")
        import_system(path, "marlow")
    assert [system.name for system in offers()[1].systems] == ["first", "second"]
    both = replace(MINE, datasets=("marlow", "bare"))
    for systems, expected in {
        None: ("", ""),
        ("first", "second"): ("", ""),
        ("second",): ("second", ""),
        (): ("none", ""),
    }.items():
        assert tuple(one.systems for one in requests_of(replace(both, systems=systems))) == expected


def test_a_run_that_is_started_has_the_systems_that_were_estimated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("id,answer\nq1,An answer.\n", encoding="utf-8")
    import_system(path, "marlow")
    found: list[RunSpec] = []
    monkeypatch.setattr(sweeps, "start_all", found.extend)
    cheap = replace(MINE, retrievers=("bm25",), combinations=(), relations="none")
    sweeps.start_sweep(cheap)
    assert [spec.run_id for spec in found] == [run.run_id for run in estimate(requests_of(cheap)).runs]
    assert "system:mine" in found[0].configurations
