"""ROUGE, BLEU and token F1 against their libraries, SQuAD's own rules and published values."""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from core.metrics.similarity import bleu, rouge_f, token_f1, unicode_tokens

PAIRS = [
    ("The Marlow ferry runs every forty minutes in summer.", "In summer, ferries leave every forty minutes."),
    ("Because the harbour freezes.", "The harbour freezes in winter, so the ferry runs less often."),
    ("188 steps, twice a day", "He climbs 188 steps."),
    ("Anna Rusk built it in 1871.", "Anna Rusk built it in 1871."),
    ("A relay of keepers", "nothing of the kind whatsoever"),
    ("yes", "yes"),
]


@pytest.fixture(scope="module")
def qa150() -> list[dict[str, object]]:
    path = Path(__file__).resolve().parents[3] / "shared" / "data" / "hierarag" / "qa150.jsonl"
    if not path.is_file():
        pytest.skip(f"the public data is not at {path}")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(("reference", "produced"), PAIRS)
def test_rouge_is_rouge_scores(reference: str, produced: str) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    expected = RougeScorer(["rouge1", "rougeL"], use_stemmer=True).score(reference, produced)
    ours = rouge_f(reference, produced, "en")
    assert ours.rouge1 == expected["rouge1"].fmeasure
    assert ours.rouge_l == expected["rougeL"].fmeasure


def test_rouge_of_other_languages_is_rouge_score_on_our_tokens() -> None:
    """The same counts as rouge-score on pseudo-words, one ASCII word for each of our tokens."""
    from rouge_score.rouge_scorer import RougeScorer

    for reference, produced in [
        ("Die Mühle stand am Fluß", "Am Fluss stand eine Mühle"),
        ("水车停了。", "那水车停在1902年"),
    ]:
        names = {token: f"w{i}" for i, token in enumerate(dict.fromkeys(unicode_tokens(reference + " " + produced)))}
        spelled = [" ".join(names[token] for token in unicode_tokens(text)) for text in (reference, produced)]
        expected = RougeScorer(["rouge1", "rougeL"]).score(*spelled)
        ours = rouge_f(reference, produced, "de")
        assert ours == pytest.approx((expected["rouge1"].fmeasure, expected["rougeL"].fmeasure))
        assert 0 < ours.rouge_l < 1


@pytest.mark.parametrize(("reference", "produced"), PAIRS)
def test_bleu_is_nltks(reference: str, produced: str) -> None:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    expected = sentence_bleu(
        [reference.lower().split()], produced.lower().split(), smoothing_function=SmoothingFunction().method4
    )
    assert bleu(reference, produced) == expected


def test_bleu_without_smoothing_is_sacrebleus() -> None:
    """Where every order matches something no smoothing acts, and the two libraries must agree."""
    sacrebleu = pytest.importorskip("sacrebleu")
    reference = "the ferry runs every forty minutes in summer and twice a day in winter because the harbour freezes"
    produced = "the ferry runs every forty minutes in summer and less often in winter because the harbour freezes"
    expected = sacrebleu.sentence_bleu(produced, [reference], tokenize="none").score / 100
    assert bleu(reference, produced) == pytest.approx(expected, abs=1e-6)


def squad_f1(reference: str, produced: str) -> float:
    """SQuAD's rules as its paper and leaderboard state them: lower case, no ASCII punctuation, no articles."""

    def tokens(text: str) -> Counter[str]:
        bare = "".join(c for c in text.lower() if c not in string.punctuation)
        return Counter(re.sub(r"\b(a|an|the)\b", " ", bare).split())

    one, two = tokens(reference), tokens(produced)
    shared = (one & two).total()
    return 2 * shared / (one.total() + two.total()) if one and two else float(one == two)


@pytest.mark.parametrize(("reference", "produced"), PAIRS)
def test_token_f1_is_squads(reference: str, produced: str) -> None:
    assert token_f1(reference, produced, "en") == pytest.approx(squad_f1(reference, produced))


def test_published_rouge_and_bleu_are_reproduced(qa150: list[dict[str, object]]) -> None:
    """All 150 to half a unit of the sixth decimal, which is as far as they were published."""
    for row in qa150:
        reference, produced = str(row["reference_answer"]), str(row["generated_answer"])
        rouge = rouge_f(reference, produced, "en")
        assert rouge.rouge1 == pytest.approx(row["rouge1_f"], abs=5.1e-7)
        assert rouge.rouge_l == pytest.approx(row["rougeL_f"], abs=5.1e-7)
        assert bleu(reference, produced) == pytest.approx(row["bleu"], abs=5.1e-7)


def test_token_f1_stays_close_to_squads_on_long_answers(qa150: list[dict[str, object]]) -> None:
    """Hyphens and apostrophes part words here and are deleted there: .11 at most, .009 on average."""
    differences = [
        token_f1(str(r["reference_answer"]), str(r["generated_answer"]), "en")
        - squad_f1(str(r["reference_answer"]), str(r["generated_answer"]))
        for r in qa150
    ]
    assert np.max(np.abs(differences)) < 0.11
    assert abs(np.mean(differences)) < 0.01
