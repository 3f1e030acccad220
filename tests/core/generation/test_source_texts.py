"""Documents from files of every kind: what is read, what is left out and why."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from core.datasets.source_texts import read_texts
from core.errors import InputError

SENTENCE = "The Marlow mill was built in 1871 by Anna Rusk and ground oats until the river was dammed."


def pdf(path: Path, text: str = "") -> Path:
    """A PDF of one page, with a line of text or with none."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    page = writer.add_blank_page(600, 400)
    if text:
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode("latin-1"))
        page[NameObject("/Contents")] = writer._add_object(stream)
    writer.write(path)
    return path


def word(path: Path, text: str) -> Path:
    """A Word file of one paragraph."""
    space = "http://schemas.openxmlformats.org"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{space}/package/2006/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
            'PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            'wordprocessingml.document.main+xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship Id="r1" '
            f'Type="{space}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
            "</Relationships>",
        )
        archive.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{space}/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p>'
            "</w:body></w:document>",
        )
    return path


def test_every_kind_of_file_is_read(tmp_path):
    pdf(tmp_path / "a.pdf", SENTENCE)
    word(tmp_path / "b.docx", SENTENCE + " Indeed.")
    (tmp_path / "c.md").write_text(f"# Mill\n\n{SENTENCE}", encoding="utf-8")
    (tmp_path / "d.jsonl").write_text(
        '{"id": "x1", "text": "One text."}\n{"body": "Another text."}\n', encoding="utf-8"
    )
    (tmp_path / "e.txt").write_bytes("\ufeffDie Mühle über dem Fluß.\r\n".encode())
    (tmp_path / "f.txt").write_bytes("Die alte Mühle steht über dem Fluß.".encode("cp1252"))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    found = read_texts([tmp_path])
    assert [one.id for one in found.documents] == ["a.pdf", "b.docx", "c.md", "x1", "d.jsonl#2", "e.txt", "f.txt"]
    texts = {one.id: one.text for one in found.documents}
    assert texts["a.pdf"] == SENTENCE
    assert texts["b.docx"] == SENTENCE + " Indeed."
    assert texts["e.txt"] == "Die Mühle über dem Fluß."
    assert texts["f.txt"] == "Die alte Mühle steht über dem Fluß."
    assert found.left_out == ()
    assert found.documents[0].language == "en"


def test_what_gives_nothing_is_left_out_and_said(tmp_path):
    (tmp_path / "a.txt").write_text(SENTENCE, encoding="utf-8")
    (tmp_path / "again.txt").write_text(SENTENCE, encoding="utf-8")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "blank.txt").write_bytes(b"  \n ")
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)))
    pdf(tmp_path / "scan.pdf")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 no more")
    (tmp_path / "broken.docx").write_bytes(b"PK no archive")
    (tmp_path / "rows.jsonl").write_text('{"id": 1}\nno JSON\n[1]\n', encoding="utf-8")
    found = read_texts([tmp_path])
    assert [one.id for one in found.documents] == ["a.txt"]
    said = "\n".join(found.left_out)
    for words in (
        "again.txt says the same as a.txt", "empty.txt is empty", "blank.txt", "binary.txt",
        "scan.pdf is a PDF without text", "broken.pdf is no PDF", "broken.docx is no Word file",
        "rows.jsonl, line 1 has no text", "rows.jsonl, line 2 is no JSON", "rows.jsonl, line 3 has no text",
    ):  # fmt: skip
        assert words in said
    assert str(tmp_path) not in said


def test_nothing_to_ask_about_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no document to ask about"):
        read_texts([tmp_path])
    with pytest.raises(InputError, match="does not exist"):
        read_texts([tmp_path / "nowhere"])
    with pytest.raises(InputError, match="PDF without text"):
        read_texts([pdf(tmp_path / "scan.pdf")])


def test_a_broken_file_is_one_sentence_and_no_lines_of_the_library(tmp_path, caplog):
    (tmp_path / "broken.pdf").write_bytes(bytes(range(256)) * 8)
    with pytest.raises(
        InputError, match=r"^There is no document to ask about: broken\.pdf is no PDF .*: save it anew\.$"
    ):
        read_texts([tmp_path / "broken.pdf"])
    assert caplog.records == []
