from __future__ import annotations

import pytest

from core.text.citations import without_markers


@pytest.mark.parametrize(
    ("text", "clean", "cited"),
    [
        ("It runs. [1] It stops [2].", "It runs. It stops.", [("It runs.", 1), ("It runs. It stops", 2)]),
        ("It runs.[1][3] Then", "It runs. Then", [("It runs.", 1), ("It runs.", 3)]),
        ("It runs [1, 2; 4].", "It runs.", [("It runs", 1), ("It runs", 2), ("It runs", 4)]),
        ("It runs [2-4]", "It runs", [("It runs", 2), ("It runs", 3), ("It runs", 4)]),
        ("[^1] says so", " says so", [("", 1)]),
        ("It runs [1]and [2]stops", "It runs and stops", [("It runs", 1), ("It runs and", 2)]),
        ("每天两班【1】，冬天停【2】航", "每天两班，冬天停航", [("每天两班", 1), ("每天两班，冬天停", 2)]),
        ("二便［1，2］、冬は［3］休み", "二便、冬は休み", [("二便", 1), ("二便", 2), ("二便、冬は", 3)]),
        ("In [2019] it ran [sic] [a1] [].", "In [2019] it ran [sic] [a1] [].", []),
        ("It runs [9-2] [1-900]", "It runs", [("It runs", 9), ("It runs", 2), ("It runs", 1), ("It runs", 900)]),
        ("", "", []),
    ],
)
def test_markers(text: str, clean: str, cited: list[tuple[str, int]]) -> None:
    found, places = without_markers(text)
    assert found == clean
    assert [(found[:place], number) for place, number in places] == cited
