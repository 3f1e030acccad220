"""The trees that the product brings: three of question categories, two flat ones, and one made of relation labels.

The three trees are those of Fensore et al., arXiv 2606.12789. ``entity_extraction`` stands in QC and in AT: a name is
unique within its dimension only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from core.taxonomy.relations import in_order
from core.taxonomy.trees import Tree, nested_tree, tree_of_parents

#: dimension of the relation labels
RELATION = "relation"
#: names of the levels of a tree with three, coarsest first
LEVEL_NAMES = ("coarse", "medium", "fine")

#: the bundled trees as a dataset's card writes them
NESTED_TREES: Mapping[str, Any] = {
    "QC": {
        "simple": {
            "single_fact": ["extractive_span", "entity_extraction"],
            "multi_fact_local": ["multi_span_aggregation", "paraphrasing_required"],
        },
        "complex": {
            "cross_section_synthesis": ["single_hop_inference", "multi_hop_reasoning"],
            "comparative_analysis": ["comparative_synthesis", "comparative_synthesis_concepts"],
        },
    },
    "AT": {
        "extractive": {
            "short_span_extraction": ["entity_extraction", "phrase_extraction"],
            "list_or_enumeration": ["unordered_list", "ordered_sequence"],
        },
        "abstractive": {
            "summary_or_explanation": ["condensed_summary", "sentence_extraction"],
            "synthesis_or_analysis": ["analytical_synthesis", "explanatory_synthesis"],
        },
    },
    "LV": {
        "similar_to_document": {
            "exact_terminology": ["verbatim_terminology", "high_lexical_overlap"],
            "partial_overlap": ["moderate_lexical_overlap", "moderate_low_lexical_overlap"],
        },
        "distant_from_document": {
            "synonym_substitution": ["low_lexical_overlap", "synonym_based_rephrase"],
            "conceptual_rephrase": ["domain_shift_terminology", "abstraction_level_shift"],
        },
    },
    "phrasing": ["concise_and_natural", "verbose_and_natural", "short_search_query", "long_search_query"],
    "user_expertise": ["expert", "novice"],
}

#: every bundled tree by its dimension: question complexity, answer type, linguistic variation, phrasing, expertise
BUNDLED_TREES: Mapping[str, Tree] = MappingProxyType(
    {dimension: nested_tree(dimension, nested) for dimension, nested in NESTED_TREES.items()}
)


def relation_tree(names: Iterable[str]) -> Tree:
    """Return the one-level tree of relation labels, bundled ones in their order, then the others by name."""
    return tree_of_parents(RELATION, [(name, None) for name in in_order(set(names))])


def level_names(tree: Tree) -> tuple[str, ...]:
    """Return what the levels of a tree are called, coarsest first: by name where there are three, else by number.

    A flat tree's one level has no name ("").
    """
    depth = len(tree.levels)
    if depth == 1:
        return ("",)
    return LEVEL_NAMES if depth == len(LEVEL_NAMES) else tuple(str(number) for number in range(1, depth + 1))
