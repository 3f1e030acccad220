"""Cosine, ROUGE, BLEU and token F1 on the edges: no tokens, other scripts, accents, articles."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.metrics.similarity import (
    bleu,
    cosine_rows,
    is_english,
    rouge_f,
    text_measures,
    token_f1,
    unicode_tokens,
)


def test_cosine_of_rows() -> None:
    a = np.array([[1.0, 0, 0], [3, 4, 0], [0, 0, 0], [1, 1, 0]])
    b = np.array([[2.0, 0, 0], [-3, -4, 0], [1, 0, 0], [0, 0, 5]])
    assert cosine_rows(a, b).tolist() == [1.0, -1.0, 0.0, 0.0]
    assert cosine_rows(np.zeros((0, 4)), np.zeros((0, 4))).shape == (0,)
    assert (np.abs(cosine_rows(np.full((9, 384), 0.1, np.float32), np.full((9, 384), 0.3, np.float32))) <= 1).all()


@pytest.mark.parametrize(("first", "second"), [((3,), (3,)), ((2, 3), (3, 3)), ((2, 3), (2, 4))])
def test_cosine_refuses_other_shapes(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="shape"):
        cosine_rows(np.ones(first), np.ones(second))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The Mill, built in 1871.", ["the", "mill", "built", "in", "1871"]),
        ("Straße für l'Évêque", ["strasse", "für", "l", "évêque"]),
        ("e\u0301te\u0301", ["été"]),
        ("снег идёт", ["снег", "идёт"]),
        ("磨坊建于1871年", ["磨", "坊", "建", "于", "1871", "年"]),
        ("ひらがなカナ", list("ひらがなカナ")),
        ("ที่บ้าน", ["ที่", "บ้", "า", "น"]),
        ("الكِتاب", ["الكِتاب"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("snake_case 🙂 —", ["snake", "case"]),
        ("", []),
    ],
)
def test_unicode_tokens(text: str, tokens: list[str]) -> None:
    assert unicode_tokens(text) == tokens


def test_language_decides_over_letters() -> None:
    assert is_english("en-GB", "l'Évêque")
    assert not is_english("de", "plain ascii")
    assert is_english("", "plain ascii", "and this")
    assert not is_english("", "plain ascii", "für")


def test_chinese_is_compared_by_character() -> None:
    """rouge-score's own tokens keep a to z and digits alone: any two Chinese answers would score 0."""
    measures = text_measures("水车在一九零二年停止转动", "水车在一九零三年停止转动", "zh")
    assert all(0.5 < value < 1 for value in measures)
    assert text_measures("水车", "水车", "zh").rouge_l == 1.0
    assert rouge_f("水车停了", "山羊跑掉", "").rouge1 == 0.0


def test_accents_survive_outside_english() -> None:
    assert rouge_f("für", "fur", "de").rouge1 == 0.0
    assert rouge_f("Die Größe", "die größe", "de").rouge1 == 1.0


def test_english_is_stemmed_others_are_not() -> None:
    assert rouge_f("the mills stopped", "the mill stops", "en").rouge1 == 1.0
    assert rouge_f("the mills stopped", "the mill stops", "fr").rouge1 < 0.5


def test_token_f1_by_hand() -> None:
    # reference {mill, was, built, 1871}, produced {1871, mill}
    assert token_f1("The mill was built: 1871", "1871, a mill", "en") == pytest.approx(2 * 2 / (4 + 2))
    assert token_f1("a b", "a c", "fr") == pytest.approx(0.5)
    assert token_f1("a b", "a c", "en") == 0.0


@pytest.mark.parametrize(("reference", "produced", "value"), [("?!", "...", 1.0), ("yes", "…", 0.0), ("the", "x", 0.0)])
def test_token_f1_without_tokens(reference: str, produced: str, value: float) -> None:
    assert token_f1(reference, produced, "en") == value


@pytest.mark.parametrize("produced", ["", " ", "…", "\n\n"])
def test_an_answer_without_words_scores_zero(produced: str) -> None:
    assert text_measures("Anna Rusk built it.", produced) == (0.0, 0.0, 0.0, 0.0)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(["", "en", "de", "zh"]))
def test_every_measure_stays_in_range(reference: str, produced: str, language: str) -> None:
    assert all(0.0 <= value <= 1.0 + 1e-12 for value in text_measures(reference, produced, language))


def test_identical_texts_score_one() -> None:
    text = "The ferry runs every forty minutes in summer."
    assert text_measures(text, text) == pytest.approx((1.0, 1.0, 1.0, 1.0))


def test_bleu_penalises_brevity() -> None:
    reference = "the ferry runs every forty minutes in summer and twice a day in winter"
    assert bleu(reference, "the ferry runs every forty minutes") < bleu(reference, reference[:60])


def test_importing_the_module_loads_neither_nltk_nor_rouge() -> None:
    program = (
        "import sys, core.metrics.similarity, core.metrics.cards, core.metrics.comparability;"
        "heavy = {'nltk', 'rouge_score', 'scipy', 'pandas', 'sklearn', 'torch'} & set(sys.modules); print(heavy)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
