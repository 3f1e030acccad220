"""From the browser one may choose a file under an import root, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.errors import InputError, OptionError
from core.services import roots
from core.services.roots import offered_files, root_file
from core.settings import trilens_settings


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "shelf"
    (root / "deep" / "er").mkdir(parents=True)
    for name in ("a.csv", "deep/b.jsonl", "deep/er/c.parquet", ".hidden.csv", "program.py"):
        (root / name).write_text("question,answer,context\n", encoding="utf-8")
    (tmp_path / "secret.csv").write_text("secret", encoding="utf-8")
    settings = tmp_path / "secrets.toml"
    settings.write_text(f'[trilens.import_roots]\nshelf = "{root}"\ngone = "{tmp_path}/gone"\n', encoding="utf-8")
    monkeypatch.setenv("TRILENS_SETTINGS", str(settings))
    return root


def test_files_that_look_like_data_are_offered(shelf: Path) -> None:
    assert [(one.root, one.path) for one in offered_files()] == [
        ("shelf", "a.csv"),
        ("shelf", "deep/b.jsonl"),
        ("shelf", "deep/er/c.parquet"),
    ]
    assert root_file("shelf", "deep/b.jsonl") == shelf / "deep" / "b.jsonl"


@pytest.mark.parametrize(
    "path",
    ["../secret.csv", "deep/../../secret.csv", "/etc/passwd", "", ".", "deep/..", "link.csv", "no.csv", "a\x00.csv",
     "..%2fsecret.csv", "x" * 5000, "~/.bashrc"],
)  # fmt: skip
def test_no_path_leads_out_of_the_root(shelf: Path, path: str) -> None:
    (shelf / "link.csv").symlink_to(shelf.parent / "secret.csv")
    with pytest.raises(OptionError, match="is no file under the import root"):
        root_file("shelf", path)
    assert "link.csv" not in [one.path for one in offered_files()]


@pytest.mark.parametrize("root", ["", "..", "/", "other"])
def test_an_unknown_root_is_refused(shelf: Path, root: str) -> None:
    with pytest.raises(OptionError, match="There is no import root"):
        root_file(root, "a.csv")


def test_links_in_a_circle_end(shelf: Path) -> None:
    (shelf / "circle").symlink_to(shelf)
    os.symlink("loop.csv", shelf / "loop.csv")
    assert len(offered_files()) < 500
    with pytest.raises(OptionError):
        root_file("shelf", "loop.csv")


def test_a_root_is_looked_at_only_so_far(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(40):
        (shelf / f"nothing{number}.py").touch()
    monkeypatch.setattr(roots, "MOST_VISITED", 44)  # all of the shelf's own, none of what lies deeper
    assert [one.path for one in offered_files()] == ["a.csv"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[trilens.import_roots]\nshelf = 'relative/path'", "is not absolute"),
        ("[trilens.import_roots]\nshelf = 3", "must hold lines"),
        ("[trilens]\nretrievers = 'knn'", "must hold lines"),
        ("trilens = 3", "must be a table"),
        ("[trilens.retrievers]\nmine = 'os.system'", "package.module:factory"),
        ("[trilens.retrievers]\nmine = 'a; import os:b'", "package.module:factory"),
        ("[trilens", "cannot be read"),
    ],
)
def test_a_wrong_settings_file_is_explained(
    text: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secrets.toml"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("TRILENS_SETTINGS", str(path))
    with pytest.raises(InputError, match=fault):
        trilens_settings()


def test_a_settings_file_that_is_named_but_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILENS_SETTINGS", str(tmp_path / "none.toml"))
    with pytest.raises(InputError, match="does not exist"):
        trilens_settings()
