"""How alike a reference answer and a produced answer are: cosine, ROUGE, BLEU, token F1.

The lexical measures stand beside BERTSim on demand. Their libraries load only then (about two seconds).
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
import regex
from numpy.typing import ArrayLike, NDArray

#: scripts written without spaces between words: there a token is one character with its marks
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_UNSPACED_PATTERN = regex.compile(_UNSPACED)
_TOKEN_PATTERN = regex.compile(rf"{_UNSPACED}\p{{M}}*|(?:(?!{_UNSPACED})[\p{{L}}\p{{N}}]\p{{M}}*)+")
_ENGLISH_ARTICLES = frozenset(("a", "an", "the"))


class RougeF(NamedTuple):
    """F measures of unigrams and of the longest common subsequence, each in [0, 1]."""

    rouge1: float
    rouge_l: float


class TextMeasures(NamedTuple):
    """The lexical measures of one pair of answers, each in [0, 1]."""

    rouge1: float
    rouge_l: float
    bleu: float
    token_f1: float


def cosine_rows(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the cosine of each row of (n, d) ``first`` with the same row of ``second``: (n,), in [-1, 1].

    A row of zeros has cosine 0 with anything. Raises ValueError when shapes differ or are not two-dimensional.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 2 or a.shape != b.shape:
        raise ValueError(f"rows to compare must have one shape (n, d), not {a.shape} and {b.shape}")
    norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    dots = np.einsum("nd,nd->n", a, b)
    cosines = np.divide(dots, norms, out=np.zeros_like(dots), where=norms > 0)
    return np.asarray(np.clip(cosines, -1.0, 1.0), dtype=np.float64)


def unicode_tokens(text: str) -> list[str]:
    """Return casefolded (NFKC) runs of letters, digits and marks; single characters in scripts without spaces."""
    return _TOKEN_PATTERN.findall(unicodedata.normalize("NFKC", text).casefold())


def is_english(language: str, *texts: str) -> bool:
    """Whether English rules (stemming, articles) apply: by ``language`` (BCP 47), else where all texts are ASCII."""
    if language:
        return language.lower().split("-")[0] == "en"
    return all(text.isascii() for text in texts)


def rouge_f(reference: str, produced: str, language: str = "") -> RougeF:
    """Return ROUGE-1 and ROUGE-L (Lin 2004), F measure, as ``rouge-score`` computes them.

    English uses that package's own tokens with Porter stemming (it keeps nothing but a-z and 0-9). Every other
    language uses ``unicode_tokens`` without stemming. 0 where one text has no token.
    """
    scores = _rouge_scorer(is_english(language, reference, produced)).score(reference, produced)
    return RougeF(float(scores["rouge1"].fmeasure), float(scores["rougeL"].fmeasure))


def bleu(reference: str, produced: str) -> float:
    """Return sentence BLEU-4 (Papineni et al. 2002) with Chen and Cherry's smoothing 4, as ``nltk`` computes it.

    Tokens are the lower-cased words between spaces, ``unicode_tokens`` where either text is in a script without
    spaces. 0 where no token is shared.
    """
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    if _UNSPACED_PATTERN.search(reference) or _UNSPACED_PATTERN.search(produced):
        expected, given = unicode_tokens(reference), unicode_tokens(produced)
    else:
        expected, given = reference.lower().split(), produced.lower().split()
    return float(sentence_bleu([expected], given, smoothing_function=SmoothingFunction().method4))


def token_f1(reference: str, produced: str, language: str = "") -> float:
    """Return the harmonic mean of token precision and recall, as in SQuAD (Rajpurkar et al. 2016).

    Tokens are ``unicode_tokens``; English articles do not count in English. Where one text has no token the result
    is 1 if the other has none either, else 0.
    """
    english = is_english(language, reference, produced)
    expected, given = (
        [token for token in unicode_tokens(text) if not (english and token in _ENGLISH_ARTICLES)]
        for text in (reference, produced)
    )
    if not expected or not given:
        return float(expected == given)
    shared = sum((Counter(expected) & Counter(given)).values())
    return 2.0 * shared / (len(expected) + len(given))


def text_measures(reference: str, produced: str, language: str = "") -> TextMeasures:
    """Return all lexical measures of one pair; ``language`` is that of the answers, "" where nobody knows."""
    rouge = rouge_f(reference, produced, language)
    return TextMeasures(rouge.rouge1, rouge.rouge_l, bleu(reference, produced), token_f1(reference, produced, language))


class _UnicodeTokenizer:
    """What ``rouge-score`` expects of a tokenizer."""

    def tokenize(self, text: str) -> list[str]:
        return unicode_tokens(text)


@cache
def _rouge_scorer(english: bool):  # type: ignore[no-untyped-def]  # rouge-score has no types
    from rouge_score import rouge_scorer

    if english:
        return rouge_scorer.RougeScorer(["rouge1", "rougeL"], use_stemmer=True)
    return rouge_scorer.RougeScorer(["rouge1", "rougeL"], tokenizer=_UnicodeTokenizer())
