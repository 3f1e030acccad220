"""The Granularity lens: how fine the categories of a benchmark should be (Fensore et al., arXiv 2606.12789).

Everything public in one place; the ideas have files of their own, ``granularity_*.py``.
"""

from __future__ import annotations

from core.metrics.granularity_added import Added
from core.metrics.granularity_coherence import (
    EPSILON,
    Coherence,
    CoherenceEstimates,
    coherence_estimates,
    coherence_ratio,
)
from core.metrics.granularity_configurations import (
    ConfigurationLevels,
    LevelByConfiguration,
    configuration_levels,
)
from core.metrics.granularity_dimensions import DimensionRow, DimensionTable, dimension_table
from core.metrics.granularity_groups import FEWEST_QUESTIONS, CategoryMean, Estimate
from core.metrics.granularity_information import BINS, adjusted_information, bin_edges, information_content
from core.metrics.granularity_interaction import Effect, Interaction, InteractionCell, interaction
from core.metrics.granularity_levels import LevelTable, level_label, level_table
from core.metrics.granularity_nodes import NodeMean, node_means
from core.metrics.granularity_power import corrected_power, discriminative_power, omega_squared
from core.metrics.granularity_recommended import PaperChoice, Recommendation
from core.metrics.granularity_rows import LevelRow
from core.metrics.granularity_splits import SplitAverage, SplitRow, SplitTable, split_table

__all__ = [
    "BINS",
    "EPSILON",
    "FEWEST_QUESTIONS",
    "Added",
    "CategoryMean",
    "Coherence",
    "CoherenceEstimates",
    "ConfigurationLevels",
    "DimensionRow",
    "DimensionTable",
    "Effect",
    "Estimate",
    "Interaction",
    "InteractionCell",
    "LevelByConfiguration",
    "LevelRow",
    "LevelTable",
    "NodeMean",
    "PaperChoice",
    "Recommendation",
    "SplitAverage",
    "SplitRow",
    "SplitTable",
    "adjusted_information",
    "bin_edges",
    "coherence_estimates",
    "coherence_ratio",
    "configuration_levels",
    "corrected_power",
    "dimension_table",
    "discriminative_power",
    "information_content",
    "interaction",
    "level_label",
    "level_table",
    "node_means",
    "omega_squared",
    "split_table",
]
