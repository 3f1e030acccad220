"""What the Granularity page says in sentences: the finding, what the tree shows, and what to keep in mind."""

from __future__ import annotations

from core.figures.granularity_tree import finest
from core.figures.notation import count, estimate, listed
from core.metrics.granularity import NodeMean
from core.services.cautions import Finding
from core.services.granularity import GranularityLens

#: sentences about labels that are shown, the rest is counted
_MOST_NOTES = 6


def headline(lens: GranularityLens) -> str:
    """Return the finding: at which level to report, for which measure and configuration, on how much."""
    found = lens.table.recommended.sentence
    start = f"By {lens.dimension.title}, {lens.quality.symbol} of {lens.configuration}"
    return f"{start}: {found[:1].lower()}{found[1:]}"


def paper_beside(lens: GranularityLens) -> str:
    """Return what the paper's rule would say, and on how many questions all of this rests."""
    table = lens.table
    of = f"{count(table.n_questions, 'question')}"
    of += f" over {count(table.n_documents, 'document')}" if table.clustered else ""
    used = [node for node in lens.nodes if node.n]
    small = sum(node.too_small for node in used)
    few = f" Too few questions in {small} of {count(len(used), 'category', 'categories')}." if small else ""
    return f"{table.paper.sentence} On {of}.{few}"


def tree_sentence(nodes: tuple[NodeMean, ...], symbol: str, *, difference: str = "") -> str:
    """Return which of the finest categories that have enough questions lie at the ends.

    ``difference`` names the two configurations of a tree of differences.
    """
    leaves = finest(nodes)
    enough = [node for node in leaves if not node.too_small and node.mean.value is not None]
    small = len(leaves) - len(enough)
    few = f"too few questions in {small} of {count(len(leaves), 'finest category', 'finest categories')}."
    if not enough:
        return f"Almost nothing can be told: {few}" if leaves else ""
    enough.sort(key=lambda node: node.mean.value or 0.0)
    ends = (enough[-1], enough[0]) if len(enough) > 1 else (enough[0],)
    words = ("highest", "lowest")
    what = f"{symbol} of {difference}" if difference else symbol
    told = "; ".join(
        f"{word} for {node.name}, {estimate(node.mean.value or 0.0, node.mean.low, node.mean.high)}, n = {node.n}"
        for word, node in zip(words, ends, strict=False)
    )
    return f"{what} is {told}." + (f" Hatched: {few}" if small else "")


def average_sentence(lens: GranularityLens) -> str:
    """Return the mean coherence ratios, and over which splits they go; "" where there is none."""
    known = [one for one in lens.splits.averages if one.rho.value is not None]
    if not known:
        return ""
    told = [
        f"over the {one.n_splits} from {one.label} {estimate(one.rho.value or 0.0, one.rho.low, one.rho.high)}"
        if one.label != "all splits"
        else f"over all {one.n_splits} {estimate(one.rho.value or 0.0, one.rho.low, one.rho.high)}"
        for one in known
    ]
    return f"Mean ρ, inconclusive splits included: {listed(told)}. The paper reports the first of them."


def splits_from(lens: GranularityLens, command: str) -> str:
    """Return where the parents' questions come from, or how to get some; ``command`` makes a run that has some."""
    if lens.companion is not None:
        other = lens.companion.run
        title = other.dataset_title or other.dataset
        return (
            f"Parents have questions of their own: those of run {other.id} ({title}), written at the "
            f"{lens.companion.levels} level and answered with the same choices."
        )
    if any(row.independent_parent for row in lens.splits.rows):
        return "Parents have questions of their own in this dataset."
    if command:
        return "A set of questions written at the coarser levels is there; this command evaluates it the same way:"
    if not lens.splits.rows:
        return ""
    return (
        "Parents are rolled up from their children, so their mean is that of the children and ρ does not apply. It "
        "needs questions written at the coarser level, over the same documents."
    )


def notes(lens: GranularityLens) -> tuple[Finding, ...]:
    """Return what limits the conclusions, cautions first."""
    table = lens.table
    found = [Finding(text, "note") for text in table.notes[:1]]
    rest = table.notes[1:]
    found += [Finding(text, "caution") for text in rest[:_MOST_NOTES]]
    if len(rest) > _MOST_NOTES:
        found.append(Finding(f"and {len(rest) - _MOST_NOTES:,} more about labels.", "caution"))
    found += [
        Finding(f"{row.name.capitalize() or 'The level'}: {row.note}", "caution") for row in table.rows if row.note
    ]
    if table.clustered:
        found.append(
            Finding(
                f"Questions share {count(table.n_documents, 'document')}: errors, chance and intervals go by document.",
                "note",
            )
        )
    found.append(
        Finding(
            f"A category of fewer than five scored questions counts in no measure. Intervals are 95 %, chance is "
            f"{table.draws:,} draws from a seed made of the run, measure and configuration; p values of levels are "
            "adjusted by Holm.",
            "note",
        )
    )
    return tuple(sorted(found, key=lambda finding: finding.kind != "caution"))
