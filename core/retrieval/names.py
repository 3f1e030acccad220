"""What can be evaluated, by name: the seven retrievers and their variants, any LangChain retriever, combinations.

knn                 one of the seven
bm25/langchain      a variant of it
my.package:factory  a function that makes a LangChain retriever from LangChain documents
a-four, s-two       a named combination
a:knn+bm25          a combination of one's own, its members in the order that breaks ties
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from core.errors import OptionError

RETRIEVERS = ("dps", "knn", "bm25", "svm", "tfidf", "mmr", "edi")
COMBINATIONS = ("a-seven", "a-four", "a-two", "s-seven", "s-four", "s-two")
#: constant of reciprocal rank fusion
FUSION_C = 60

_LABELS = {
    "dps": "DPS", "knn": "kNN", "bm25": "BM25", "svm": "SVM", "tfidf": "TF-IDF", "mmr": "MMR", "edi": "EDI",
}  # fmt: skip
#: the first is what the bare name means
_VARIANTS = {"bm25": ("paper", "langchain"), "tfidf": ("cosine", "paper", "langchain")}
_VARIANT_LABELS = {"paper": "paper", "langchain": "LangChain"}
_PARAMETERS: dict[str, dict[str, float]] = {
    "bm25": {"k1": 1.5, "b": 0.75},
    "bm25/langchain": {"k1": 1.5, "b": 0.75, "epsilon": 0.25},
    "svm": {"C": 0.1},
    "mmr": {"lambda": 0.5, "fetch_k": 20},
}
_DENSE = frozenset({"dps", "knn", "svm", "mmr"})
_SETS = {"seven": RETRIEVERS, "four": ("knn", "dps", "tfidf", "mmr"), "two": ("knn", "dps")}
_FACTORY = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


@dataclass(frozen=True, slots=True)
class RetrieverSpec:
    """A retriever to evaluate.

    ``name`` is one of ``RETRIEVERS``, or the id for a retriever of the user's own; ``variant`` is "" where there is
    only one; ``factory`` is ``package.module:function`` or None; ``parameters`` are the constants in force.
    """

    id: str
    name: str
    variant: str = ""
    factory: str | None = None
    parameters: Mapping[str, float] = field(default_factory=dict, hash=False)

    @property
    def label(self) -> str:
        """The name people read: "TF-IDF", "BM25 (LangChain)", or the factory's."""
        label = _LABELS.get(self.name, self.name)
        is_default = self.variant in ("", _VARIANTS.get(self.name, ("",))[0])
        return label if is_default else f"{label} ({_VARIANT_LABELS[self.variant]})"

    def as_spec(self) -> dict[str, Any]:
        """Return everything that decides its rankings, JSON-serialisable."""
        return {
            "id": self.id,
            "name": self.name,
            "variant": self.variant,
            "factory": self.factory,
            "parameters": dict(self.parameters),
        }


@dataclass(frozen=True, slots=True)
class CombinationSpec:
    """Several retrievers as one: ``kind`` "A" fuses their rankings, "S" unites their sentences.

    ``members`` are retriever ids in the order that breaks ties.
    """

    id: str
    label: str
    kind: Literal["A", "S"]
    members: tuple[str, ...]

    def as_spec(self) -> dict[str, Any]:
        """Return everything that decides its result, JSON-serialisable."""
        spec: dict[str, Any] = {"id": self.id, "kind": self.kind, "members": list(self.members)}
        if self.kind == "A":
            spec["c"] = FUSION_C
        return spec


def needs_vectors(retriever: RetrieverSpec | str) -> bool:
    """Return whether a retriever, given as its spec or its name, ranks by embeddings of passages and questions."""
    return (retriever if isinstance(retriever, str) else retriever.name) in _DENSE


def parse_retriever(text: str) -> RetrieverSpec:
    """Return the retriever that a name means. Raises OptionError, with the names there are, for any other."""
    stripped = text.strip()
    if _FACTORY.fullmatch(stripped):
        return RetrieverSpec(stripped, stripped, factory=stripped)
    name, _, variant = stripped.casefold().partition("/")
    variants = _VARIANTS.get(name, ("",))
    if name not in RETRIEVERS or (variant and variant not in variants):
        raise OptionError(
            f"Retriever {stripped!r} does not exist: choose from {', '.join(_all_names())}, or name a function that "
            "makes your own as package.module:factory."
        )
    variant = variant or variants[0]
    identity = name if variant == variants[0] else f"{name}/{variant}"
    return RetrieverSpec(identity, name, variant, parameters=_PARAMETERS.get(identity, {}))


def parse_retrievers(text: str) -> tuple[RetrieverSpec, ...]:
    """Return the retrievers of a comma-separated list in its order, each once; "all" stands for the seven."""
    return _parse_list(text, RETRIEVERS, parse_retriever, lambda r: r.id, "retriever")


def parse_combination(text: str) -> CombinationSpec:
    """Return the combination that ``a-four`` or ``s:knn+bm25`` means.

    Raises OptionError for an unknown name or member, and for fewer than two different members.
    """
    stripped = text.strip()
    kind, separator, rest = stripped.partition(":")
    if separator and kind.casefold() in ("a", "s"):
        members = [parse_retriever(member) for member in rest.split("+")]
        ids = tuple(dict.fromkeys(member.id for member in members))
        if len(ids) < 2 or len(ids) < len(members):
            raise OptionError(
                f"Combination {stripped!r} needs at least two members, each named once, as in a:knn+bm25."
            )
        letter: Literal["A", "S"] = "A" if kind.casefold() == "a" else "S"
        label = f"{letter} ({' + '.join(member.label for member in members)})"
        return CombinationSpec(f"{letter.casefold()}:{'+'.join(ids)}", label, letter, ids)
    name = stripped.casefold()
    if name not in COMBINATIONS:
        raise OptionError(
            f"Combination {stripped!r} does not exist: choose from {', '.join(COMBINATIONS)}, or name the members of "
            "your own as in a:knn+bm25 or s:knn+bm25."
        )
    size = name[2:]
    letter = "A" if name[0] == "a" else "S"
    return CombinationSpec(name, f"{letter}-{size.title()}", letter, _SETS[size])


def parse_combinations(text: str) -> tuple[CombinationSpec, ...]:
    """Return the combinations of a comma-separated list in its order, each once; "all" are the six, "none" none."""
    if text.strip().casefold() == "none":
        return ()
    return _parse_list(text, COMBINATIONS, parse_combination, lambda c: c.id, "combination")


_Spec = TypeVar("_Spec", RetrieverSpec, CombinationSpec)


def _parse_list(
    text: str, everything: tuple[str, ...], parse: Callable[[str], _Spec], key: Callable[[_Spec], str], noun: str
) -> tuple[_Spec, ...]:
    chosen: dict[str, _Spec] = {}
    for item in text.split(","):
        for name in everything if item.strip().casefold() == "all" else (item,):
            if not name.strip():
                raise OptionError(f"The list of {noun}s {text!r} has an empty entry: name {noun}s between the commas.")
            spec = parse(name)
            chosen.setdefault(key(spec), spec)
    return tuple(chosen.values())


def _all_names() -> list[str]:
    return [
        name if i == 0 else f"{name}/{variant}"
        for name in RETRIEVERS
        for i, variant in enumerate(_VARIANTS.get(name, ("",)))
    ]
