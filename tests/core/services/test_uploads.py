"""Whatever a browser sends stays in its own folder, under our name, below our limits."""

from __future__ import annotations

import gzip
import io
import os
import stat
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from core.errors import InputError, OptionError
from core.services import uploads

FILES = {"dataset.yaml": b"name: trial\n", "documents.jsonl": b"{}\n", "questions.jsonl": b"{}\n"}


def archive(members: Iterable[tuple[str | zipfile.ZipInfo, bytes]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return packed.getvalue()


def kept(content: bytes, name: str = "data.zip") -> Path:
    identifier, folder = uploads.new_folder()
    uploads.keep(io.BytesIO(content), name, folder)
    return uploads.source_of(identifier)


def everything_under(home: Path) -> set[Path]:
    return {path for path in home.parent.rglob("*") if path.is_file() and not path.name.startswith("trilens.db")}


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("a.csv", "uploaded-file.csv"),
        ("../../x.csv", "uploaded-file.csv"),
        ("..\\..\\x.JSONL.GZ", "uploaded-file.jsonl.gz"),
        ("/etc/passwd", "uploaded-file"),
        ("a.csv/../../../b", "uploaded-file"),
        ("x.py", "uploaded-file"),
        ("..", "uploaded-file"),
        ("", "uploaded-file"),
        ("a\x00.csv", "uploaded-file.csv"),
        ("questions.jsonl", "uploaded-file.jsonl"),
        ("a." + "x" * 5000, "uploaded-file"),
    ],
)
def test_the_browsers_name_never_becomes_a_path(home: Path, name: str, stored: str) -> None:
    before = everything_under(home)
    source = kept(b"question,answer\n", name) if not name.endswith("GZ") else kept(gzip.compress(b"{}"), name)
    assert source.name == stored
    assert source.parent.parent == home / "uploads"
    assert everything_under(home) - before == {source}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../x.csv", "x.csv"),
        ("C:\\Users\\me\\x.csv", "x.csv"),
        ("a\x00\x1b[31m\u202eb.csv", "a[31mb.csv"),
        ("", "upload"),
        ("///", "upload"),
        ("<b>x</b>.csv", "b>.csv"),
        ("x" * 500 + ".csv", "x" * 116 + ".csv"),
    ],
)
def test_a_name_is_shown_without_folders_and_control_characters(name: str, shown: str) -> None:
    assert uploads.tidy_name(name) == shown


@pytest.mark.parametrize(
    "identifier", ["", "..", "../locks", "0" * 15, "0" * 17, "g" * 16, "0123456789abcdeF", "0" * 16, "٠" * 16, "/" * 16]
)
def test_an_id_that_is_none_of_ours_leads_nowhere(home: Path, identifier: str) -> None:
    uploads.new_folder()
    for use in (uploads.folder_of, uploads.source_of):
        with pytest.raises(OptionError, match="no longer there"):
            use(identifier)
    uploads.remove(identifier)
    assert (home / "locks").is_dir()


def test_a_link_in_the_place_of_an_upload_is_not_followed(home: Path, tmp_path: Path) -> None:
    uploads.new_folder()
    outside = tmp_path / "outside"
    outside.mkdir()
    link = home / "uploads" / ("a" * 16)
    link.symlink_to(outside)
    with pytest.raises(OptionError):
        uploads.folder_of("a" * 16)
    uploads.clean(now=time.time() + 1e9)
    assert outside.is_dir()


def test_a_trilens_folder_is_unpacked_and_nothing_else(home: Path) -> None:
    for prefix in ("", "trial/", "a/b/"):
        members = [(f"{prefix}{name}", content) for name, content in FILES.items()]
        source = kept(archive([*members, ("README.md", b"no"), ("__MACOSX/._questions.jsonl", b"no"), ("x.py", b"no")]))
        assert {path.name: path.read_bytes() for path in source.iterdir()} == FILES
        assert [path.name for path in source.parent.iterdir()] == [source.name]


@pytest.mark.parametrize(
    "bad", ["../questions.jsonl", "/questions.jsonl", "a/../../questions.jsonl", "..\\x", "C:\\x", "a/..", "//x"]
)
def test_an_archive_that_leads_out_of_its_folder_is_refused_whole(home: Path, bad: str) -> None:
    before = everything_under(home)
    identifier, folder = uploads.new_folder()
    with pytest.raises(InputError, match="link or a path that leads out"):
        uploads.keep(io.BytesIO(archive([*FILES.items(), (bad, b"evil")])), "x.zip", folder)
    uploads.remove(identifier)
    assert everything_under(home) == before


def test_links_and_devices_in_an_archive_are_refused(home: Path) -> None:
    for kind in (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO):
        link = zipfile.ZipInfo("questions.jsonl")
        link.external_attr = (kind | 0o777) << 16
        with pytest.raises(InputError, match="link or a path"):
            kept(archive([(link, b"/etc/passwd")]))


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ([("a.txt", b"x")], "holds no questions.jsonl"),
        ([("a/questions.jsonl", b"x"), ("b/questions.jsonl", b"x")], "more than one"),
        ([(f"{i}.txt", b"") for i in range(1001)], "holds 1,001 files"),
        ([], "holds no questions.jsonl"),
    ],
)
def test_an_archive_that_is_no_trilens_folder(home: Path, members: list[tuple[str, bytes]], fault: str) -> None:
    if not members:
        members = [("empty/", b"")]
    with pytest.raises(InputError, match=fault):
        kept(archive(members))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice(home: Path) -> None:
    with pytest.raises(InputError, match=r"questions.jsonl twice"):
        kept(archive([*FILES.items(), ("questions.jsonl", b"another")]))


def test_bombs_end_at_the_limit(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LARGEST_UNPACKED", 3_000_000)
    zeros = b"\0" * 4_000_000
    with pytest.raises(InputError, match="unpacks to more than 3,000,000 bytes"):
        kept(archive({**FILES, "documents.jsonl": zeros}.items()))
    with pytest.raises(InputError, match="unpacks to more than"):
        kept(gzip.compress(zeros), "a.jsonl.gz")


def test_a_header_that_lies_about_the_size_helps_nobody(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = archive([("documents.jsonl", b"\0" * 4_000_000), ("questions.jsonl", b"{}")])
    lying = content.replace((4_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lying != content
    with pytest.raises(InputError, match="cannot be read"):
        kept(lying)


def test_too_large_empty_damaged_or_locked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LARGEST", 1000)
    with pytest.raises(InputError, match="is larger than"):
        kept(b"x" * 1001, "a.csv")
    with pytest.raises(InputError, match="is empty"):
        kept(b"", "a.csv")
    with pytest.raises(InputError, match="damaged or cut short"):
        kept(gzip.compress(os.urandom(200))[:100], "a.csv.gz")
    with pytest.raises(InputError, match="cannot be read"):
        kept(archive(FILES.items())[:100])
    locked = bytearray(archive([("questions.jsonl", b"x")]))
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(header) + flags] |= 1
    with pytest.raises(InputError, match="without a password"):
        kept(bytes(locked))


def test_a_workbook_is_no_archive(home: Path) -> None:
    book = archive([("[Content_Types].xml", b""), ("xl/worksheets/sheet1.xml", b"")])
    assert kept(book, "a.xlsx").name == "uploaded-file.xlsx"


def test_old_uploads_are_cleaned_and_used_ones_kept(home: Path) -> None:
    old, used = uploads.new_folder()[1], uploads.new_folder()[1]
    long_ago = time.time() - uploads.KEPT_SECONDS - 10
    os.utime(old, (long_ago, long_ago))
    uploads.new_folder()
    assert not old.exists()
    assert used.is_dir()
    uploads.remove(used.name)
    assert not used.exists()
