from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.datasets.importers.ids import IdRegister, canonical_id
from core.datasets.importers.place import Place
from core.errors import InputError

UUID = "2fb61cd1-1c80-46be-9797-5be72d77ae79"


@pytest.mark.parametrize(
    ("raw", "canonical"),
    [
        (7, "7"),
        (7.0, "7"),
        ("7", "7"),
        (" 7\t", "7"),
        ("007", "7"),
        ("+7", "7"),
        ("7.00", "7"),
        ("-7", "-7"),
        ("-0", "0"),
        ("000", "0"),
        ("9" * 5000, "9" * 5000),
        (12.5, "12.5"),
        ("1.5", "1.5"),
        ("1e5", "1e5"),
        ("٧", "٧"),
        ("q 1", "q 1"),
        ("Q1", "Q1"),
        (UUID, UUID),
        (UUID.upper(), UUID),
        (f"urn:uuid:{UUID}", UUID),
        (f"<urn:uuid:{UUID}>", UUID),
        (f"s3://bucket/fineweb10bt/<urn:uuid:{UUID}>.txt", UUID),
        (f"s3://bucket/{UUID}.txt", f"s3://bucket/{UUID}.txt"),
    ],
)
def test_canonical_form(raw: object, canonical: str) -> None:
    assert canonical_id(raw) == canonical


@pytest.mark.parametrize("raw", [None, "", "  ", float("nan")])
def test_empty_ids_are_refused(raw: object) -> None:
    with pytest.raises(ValueError, match="empty"):
        canonical_id(raw)


@pytest.mark.parametrize("raw", [True, ["a"], {}, float("inf")])
def test_what_is_no_id_is_refused(raw: object) -> None:
    with pytest.raises(ValueError, match=r"text or a number|finite"):
        canonical_id(raw)


@given(st.one_of(st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
def test_canonical_form_is_a_fixed_point(raw: object) -> None:
    try:
        once = canonical_id(raw)
    except ValueError:
        return
    assert canonical_id(once) == once


def test_two_spellings_of_one_id_are_duplicates() -> None:
    ids = IdRegister("question")
    assert ids.define(Place(Path("f.csv"), 2), "id", "12") == "12"
    with pytest.raises(InputError, match=r"f\.csv, line 9, field 'id'.*'12\.0' is a duplicate.*line 2.*'12' there"):
        ids.define(Place(Path("f.csv"), 9), "id", "12.0")


def test_duplicates_on_one_line_are_found() -> None:
    ids = IdRegister("question")
    ids.define(Place(Path("f.json"), 1), "id", "a")
    with pytest.raises(InputError, match="duplicate"):
        ids.define(Place(Path("f.json"), 1), "id", "a")
