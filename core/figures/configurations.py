"""Families of configurations: which one an id belongs to, its mark, and the order that every page keeps."""

from __future__ import annotations

#: family -> (name as readers see it, plotly symbol), in the order of every page
FAMILIES: dict[str, tuple[str, str]] = {
    "dense": ("dense", "circle"),
    "lexical": ("lexical", "square"),
    "fused": ("combined by rank (A-)", "diamond"),
    "union": ("combined by sentence (S-)", "triangle-up"),
    "reference": ("reference", "star"),
    "imported": ("own and imported", "hexagon"),
}
#: plotly's symbols as text, for labels and keys
GLYPHS = {"circle": "●", "square": "■", "diamond": "◆", "triangle-up": "▲", "star": "★", "hexagon": "⬢"}
_ORDER = (
    "dps", "knn", "svm", "mmr", "bm25", "tfidf", "edi", "a-two", "a-four", "a-seven", "s-two", "s-four", "s-seven",
    "evidence",
)  # fmt: skip
_DENSE, _LEXICAL = frozenset(_ORDER[:4]), frozenset(_ORDER[4:7])


def family(configuration_id: str) -> str:
    """Return which of ``FAMILIES`` a configuration belongs to; what is not ours ("system:my rag") counts as imported.

    A variant keeps its base's family ("bm25/langchain" is lexical), a combination of one's own its kind's
    ("a:knn+bm25" is fused); a factory ("my.module:make") is the user's own.
    """
    base = configuration_id.casefold()
    if base in ("evidence", "reference"):
        return "reference"
    if base.startswith(("a-", "a:")):
        return "fused"
    if base.startswith(("s-", "s:")):
        return "union"
    stem = base.split("/")[0]
    return "dense" if stem in _DENSE else "lexical" if stem in _LEXICAL else "imported"


def symbol(configuration_id: str) -> str:
    """Return the plotly marker symbol of a configuration's family."""
    return FAMILIES[family(configuration_id)][1]


def in_order(configuration_ids: list[str]) -> list[str]:
    """Return the ids in the order of every page: dense, lexical, combinations, reference, imported, then by name."""
    families = list(FAMILIES)
    place = {name: i for i, name in enumerate(_ORDER)}
    return sorted(configuration_ids, key=lambda c: (families.index(family(c)), place.get(c, len(place)), c))
