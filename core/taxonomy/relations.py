"""The bundled taxonomy of logical relations: eleven deep kinds, one general, one that is not deep.

The paper (Hu, Zhou, Wang, arXiv 2410.02932) names five of its thirteen; this list is ours and marked so.
Imported datasets bring their own label sets; nothing in the product depends on these names.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Relation:
    """A logical relation: ``name`` as stored, ``abbreviation`` for narrow columns, ``definition`` in words."""

    name: str
    abbreviation: str
    definition: str


BUNDLED: tuple[Relation, ...] = (
    Relation("deductive", "DED", "a general rule in the text, applied to a case"),
    Relation("inductive", "IND", "several instances, generalised"),
    Relation("abductive", "ABD", "an observation, and the best explanation the text allows"),
    Relation("causal", "CAU", "a cause, its mechanism and its effect"),
    Relation("comparative", "COM", "likenesses and differences of two or more things"),
    Relation("temporal", "TEM", "order, duration or coincidence of events"),
    Relation("counterfactual", "CFA", "what the text lets one conclude had something been otherwise"),
    Relation("analogical", "ANA", "the structure of one case carried over to another"),
    Relation("quantitative", "QUA", "arithmetic over figures in the text"),
    Relation("fuzzy", "FUZ", "a graded or vague notion, judged from the text"),
    Relation("adversarial", "ADV", "seeing through a false premise or a planted distractor"),
    Relation("multi-hop", "MHO", "a chain of two or more facts from different places"),
    Relation("direct matching", "DIR", "one passage that states it"),
)


def abbreviation(name: str) -> str:
    """Return the bundled abbreviation of a relation, or the name itself for an imported label."""
    return next((r.abbreviation for r in BUNDLED if r.name == name), name)


def in_order(names: set[str]) -> list[str]:
    """Return ``names`` in the bundled order, unknown ones after them by name."""
    place = {relation.name: i for i, relation in enumerate(BUNDLED)}
    return sorted(names, key=lambda name: (place.get(name, len(place)), name))
