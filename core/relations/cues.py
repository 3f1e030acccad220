"""Lexical cues of a logical relation: what question and answer say in so many words.

Numbers, lengths and punctuation work in any language; the word lists cover English, German, French, Spanish and
Chinese and are silent elsewhere. They are few and general on purpose: the embeddings carry the rest.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# A cue is a list of words or phrases of languages with spaces, and a pattern for Chinese, which has none.
_WORDS: dict[str, tuple[str, str]] = {
    "cause": (
        r"why|cause[sd]?|because|since|due to|leads? to|led to|result(?:s|ed)? in|therefore|thus|so that|reasons?|"
        r"step by step|how come|warum|wieso|weshalb|weil|denn|deshalb|daher|ursachen?|pourquoi|parce que?|donc|"
        r"por qué|porque|por eso|debido",
        r"为什么|为何|因为|因此|由于|导致|所以|原因|造成",
    ),
    "condition": (
        r"if|suppose|supposing|imagine|would|had|were it|without|otherwise|instead|wenn|falls|hätten?|wäre[n]?|würden?|"
        r"ohne|angenommen|si|aurai[st]?|serai[st]?|sans|hubiera|habría|sería",
        r"如果|假如|假设|要是|若|倘若|否则|本来",
    ),
    "likelihood": (
        r"probably|likely|must have|may have|might|perhaps|explain(?:s|ed)?|explanation|suggests?|evidently|apparently|"
        r"wahrscheinlich|vermutlich|wohl|erklär\w*|probablement|sans doute|expli\w+|probablemente|quizás?",
        r"可能|大概|也许|应该是|解释|推测|看来",
    ),
    "comparison": (
        r"than|compar\w+|differ\w*|versus|vs|more|less|fewer|most|least|better|worse|both|whereas|while|unlike|rather|"
        r"contrast|als|vergleich\w*|unterschied\w*|mehr|weniger|beide|während|hingegen|moins|différen\w+|tandis|"
        r"más|menos|mejor|peor|mientras|diferenc\w+",
        r"比|相比|不同|区别|差异|更|最|而|相同",
    ),
    "likeness": (
        r"like|alike|similar\w*|same|mirrors?|correspond\w*|counterpart|parallel\w*|analog\w+|as with|just as|"
        r"equivalent|ähnlich\w*|gleich\w*|entspr\w+|ebenso|wie|comme|semblable\w*|même|correspond\w*|como|igual\w*|parecid\w+",
        r"像|类似|相似|如同|对应|相当于|同样|正如",
    ),
    "order": (
        r"when|before|after|first|then|next|later|earlier|last|until|during|finally|order|sequence|since|began|ended|"
        r"o'clock|wann|vor|nach|zuerst|dann|später|früher|zuletzt|während|bis|quand|avant|après|puis|ensuite|enfin|"
        r"cuándo|antes|después|luego|primero|hasta",
        r"什么时候|何时|之前|之后|以前|以后|先|然后|最后|期间|直到|首先|随后",
    ),
    "quantity": (
        r"how (?:many|much|long|far|often|large|old)|total|sum|average|per cent|percent|percentage|times|each|"
        r"altogether|amounts?|costs?|price|number of|rate|wie ?viele?|insgesamt|summe|prozent|je|kosten|combien|chaque|"
        r"pour cent|prix|cuánt[oa]s?|suma|cada|por ciento|precio",
        r"多少|几|总共|一共|合计|平均|百分|每|价格|数量",
    ),
    "generality": (
        r"generally?|usually|typical(?:ly)?|always|tends? to|pattern|lesson|every|all|rule|any|in most|on the whole|"
        r"allgemein|meist(?:ens)?|immer|üblich\w*|jede[rsmn]?|alle|regel|général\w*|toujours|habituel\w*|tou[st]|chaque|"
        r"règle|general\w*|siempre|todos?|todas?|regla",
        r"一般|通常|总是|规律|往往|所有|每个|任何|规则",
    ),
    "obligation": (
        r"must|may|shall|should|allowed|permitted|required|entitled|valid|liable|obliged|according to|under (?:the )?"
        r"(?:rule|law|clause|article|section)\w*|muss|müssen|darf|dürfen|soll\w*|gilt|gültig|doit|doivent|peut|permis|"
        r"debe[n]?|puede[n]?|permitid\w+",
        r"必须|应当|可以|允许|规定|有权|根据|按照",
    ),
    "degree": (
        r"how (?:serious|severe|bad|badly|strong|safe|good|well|likely|big|close|hard|far)\w*|rather|fairly|quite|"
        r"slightly|largely|mostly|mildly|somewhat|hardly|barely|only just|partly|ziemlich|eher|kaum|etwas|"
        r"to what extent|teilweise|weitgehend|plutôt|assez|peu|légèrement|bastante|algo|apenas|ligeramente",
        r"多么|程度|比较|相当|稍|略|有些|几乎|大体|严重吗",
    ),
    "negation": (
        r"no|not|never|none|nothing|neither|nor|cannot|\w+n't|nicht|keine?[nrms]?|nie|niemals|nichts|ne|pas|jamais|aucune?|"
        r"rien|nunca|ningún|ninguna|nada|tampoco",
        r"不|没|沒|无|無|未|非|别|否",
    ),
}
_OPENINGS: dict[str, tuple[str, str]] = {
    "who or where": (r"who|whose|whom|where|wer|wessen|wo|wohin|qui|où|quién|dónde", r"谁|哪里|哪儿|何处"),
    "which or what": (r"which|what|welche\w*|quel\w*|qu'est|cuál\w*|qué", r"哪|什么"),
    "how": (r"how|wie|comment|cómo", r"怎么|怎样|如何"),
    "yes or no": (
        r"is|are|was|were|do|does|did|can|could|will|would|has|have|had|may|should|yes|ist|sind|war|hat|haben|kann|darf|"
        r"ja|nein|est-ce|oui|non|está|son|puede|sí",
        r"是|是否|能|可以|不是",
    ),
}
_TOKENS = re.compile(r"[぀-ヿ㐀-鿿]|\w+(?:[.,]\d+)*")
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_SENTENCES = re.compile(r"[.!?](?=\s|$)|[。！？؟]")
_STRAIGHT = str.maketrans({"’": "'", "‘": "'"})


def _pattern(words: str, characters: str, before: str = r"\b") -> re.Pattern[str]:
    anchor = r"^\W*" if before == "^" else ""
    return re.compile(rf"{anchor}(?:{before if before != '^' else ''}(?:{words})\b|{characters})")


_ANYWHERE = [_pattern(*lists) for lists in _WORDS.values()]
_AT_START = [_pattern(*lists, before="^") for lists in _OPENINGS.values()]
#: cues of one text: its length, numbers, sentences, question mark, then a cue a list above
PER_TEXT = 5 + len(_ANYWHERE) + len(_AT_START)
#: length of ``cues``; the first ``PER_TEXT`` are the question's, the rest the answer's
N_CUES = 2 * PER_TEXT


def cues(question_text: str, answer_text: str) -> NDArray[np.float32]:
    """Return the cues of a question and an answer, (N_CUES,) float32 of about 0 to 3."""
    return np.array([*_of_text(question_text), *_of_text(answer_text)], dtype=np.float32)


@lru_cache(maxsize=20_000)
def _of_text(text: str) -> tuple[float, ...]:
    """Cached, because a question comes with the answers of all configurations, and many of those are equal."""
    folded = text.translate(_STRAIGHT).casefold()
    tokens = len(_TOKENS.findall(folded))
    numbers = len(_NUMBERS.findall(folded))
    return (
        float(np.log1p(tokens)) / 2,
        float(np.log1p(numbers)),
        numbers / max(tokens, 1),
        float(np.log1p(len(_SENTENCES.findall(folded)))),
        float("?" in text or "？" in text or "؟" in text),
        *(float(np.log1p(len(pattern.findall(folded)))) for pattern in _ANYWHERE),
        *(float(pattern.match(folded) is not None) for pattern in _AT_START),
    )
