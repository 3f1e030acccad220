from __future__ import annotations

import pytest

from core.datasets.language import common_language, detect_language, with_languages
from core.schema import Document
from tests.core.datasets.samples import MILL

TEXTS = {
    "en": MILL,
    "de": "Die Fähre fuhr zweimal am Tag, aber im März lag sie wegen des Nebels eine Woche lang still.",
    "fr": "Le moulin tournait jour et nuit, mais la rivière était trop basse pendant l'été de 1911.",
    "zh": "磨坊每天三班倒。一九一一年夏天,河水降到三英尺,老板让夜班工人回家了。",
    "ja": "渡し船は一日に二回運航していたが、三月は霧のために一週間止まった。",
    "ar": "كانت العبارة تعبر مرتين في اليوم، لكن الضباب أوقفها في شهر مارس لمدة أسبوع كامل.",
    "ko": "나룻배는 하루에 두 번 건넜지만 삼월에는 안개 때문에 일주일 동안 멈추었다.",
    "th": "เรือข้ามฟากวันละสองครั้ง แต่ในเดือนมีนาคมหมอกทำให้เรือหยุดหนึ่งสัปดาห์",
}


@pytest.mark.parametrize("language", TEXTS)
def test_languages_are_told(language: str) -> None:
    assert detect_language(TEXTS[language]) == language
    assert detect_language(TEXTS[language] * 40) == language


@pytest.mark.parametrize(
    "text", ["ok", "word", "", "12345 67890 " * 50, "😀😀😀", "Losartan 25 mg", "QZX VBN KJH WRT PLM FGD SDF"]
)
def test_what_cannot_be_told_is_left_open(text: str) -> None:
    assert detect_language(text) == ""


def test_what_a_file_declares_stays() -> None:
    documents = [Document("a", MILL), Document("b", MILL, language="de"), Document("c", MILL)]
    assert [d.language for d in with_languages(documents, "", {"c"})] == ["en", "de", ""]
    assert [d.language for d in with_languages(documents, "fr", {"c"})] == ["fr", "de", ""]


def test_common_language() -> None:
    english, german = Document("a", MILL, language="en"), Document("b", MILL, language="de")
    unknown = Document("c", "ok")
    assert common_language([english, unknown, english]) == "en"
    assert common_language([english, german]) == ""
    assert common_language([unknown]) == ""
