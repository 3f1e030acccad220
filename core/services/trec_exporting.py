"""Use case *export as TREC files*: a run's rankings to the stored depth, and what its coverage was judged by."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shlex import quote

from core.datasets.trec import diversity_lines, run_lines
from core.engine.holdings import Holdings
from core.engine.imported import taken_over
from core.engine.prepare import prepared
from core.engine.ranked import Ranked
from core.engine.retrieve import stored_rankings
from core.engine.spec import RunSpec
from core.errors import InputError, OptionError
from core.nuggets.holding import Item
from core.nuggets.matching import Matcher
from core.schema import Dataset, Question
from core.services.evaluation import plan_again
from core.services.workspace import workspace
from core.store.database import store_errors

QRELS = "nuggets.divqrels"


def export_trec(run_id: str, folder: Path) -> list[str]:
    """Write a ``.run`` file for every configuration that ranks, and ``nuggets.divqrels``; return the files' names.

    Our own retrievers rank passages, systems what their rankings name. Judgments say of each of these which nuggets it
    holds by itself. A configuration without a ranking has no file, a run without nuggets no judgments.

    Raises:
        OptionError: there is no such run, it was made with other data, or its rankings are not stored (any more).
        InputError: the folder is not empty, or an id cannot be written.
        StoreError: the disk is full.
    """
    spec, dataset = plan_again(run_id)
    chosen = set(spec.questions)
    questions = [question for question in dataset.questions if question.id in chosen]
    ranked, holdings = _ranked(run_id, spec, dataset, questions)
    rankings: dict[str, dict[str, list[Item]]] = {}
    for configuration in spec.configurations:
        of_each = {one.id: ranked.ranking(configuration, one.id) for one in questions}
        found = {topic: ranking for topic, ranking in of_each.items() if not isinstance(ranking, str)}
        if found:
            rankings[configuration] = found
    if not rankings:
        raise OptionError(f"run '{run_id}' has no ranking: gold evidence, united sets and answers alone are none.")
    files: dict[str, Iterable[str]] = {
        name: run_lines(
            {topic: [item.id for item in items] for topic, items in rankings[configuration].items()}, configuration
        )
        for configuration, name in _names(rankings).items()
    }
    judged = {
        one.id: _judgments(one, holdings, [of[one.id] for of in rankings.values() if one.id in of])
        for one in questions
        if one.nuggets
    }
    if judged:
        files[QRELS] = diversity_lines(judged, {one.id: one.nuggets[0].id for one in questions if one.nuggets})
    _write(folder, files)
    return list(files)


def _ranked(run_id: str, spec: RunSpec, dataset: Dataset, questions: Sequence[Question]) -> tuple[Ranked, Holdings]:
    _, store = workspace()
    corpus = prepared(store, spec, dataset)
    rankings = {one.id: stored_rankings(store, spec, one, questions) for one in spec.retrievers}
    if corpus is None or any(len(found) < len(questions) for found in rankings.values()):
        raise OptionError(
            f"the rankings of run '{run_id}' are not all stored: finish it with `evaluate --resume {quote(run_id)}`."
        )
    languages = dataset.language_of
    matcher = spec.matcher if isinstance(spec.matcher, Matcher) else Matcher()
    holdings = Holdings(corpus, questions, languages, spec.scope, matcher)
    return Ranked(
        spec, corpus, holdings, rankings, taken_over(store, spec, corpus, questions, languages).given
    ), holdings


def _judgments(question: Question, holdings: Holdings, rankings: Sequence[Sequence[Item]]) -> dict[str, frozenset[str]]:
    """Return what holds which nuggets: whatever is ranked, and whatever else of its kind holds any."""
    of = holdings.of(question)
    ranked = [item for ranking in rankings for item in ranking]
    held: dict[str, frozenset[int]] = {}
    if any(item.id == item.document_id for item in ranked):
        held |= of.documents
    if any(item.id != item.document_id for item in ranked):
        held |= of.passages
    for item in ranked:
        if item.id not in held and ((nuggets := of.support.holds(item)) or item.text):
            held[item.id] = nuggets
    ids = [nugget.id for nugget in question.nuggets]
    return {identity: frozenset(ids[place] for place in places) for identity, places in held.items()}


def _names(rankings: Mapping[str, object]) -> dict[str, str]:
    """Return configuration → file name: letters, digits and a few signs of its id, numbered where two are alike."""
    names: dict[str, str] = {}
    for configuration in rankings:
        tidy = re.sub(r"[^\w.+-]+", "-", configuration).strip("-.") or "configuration"
        name, number = tidy, 2
        while f"{name}.run".casefold() in {one.casefold() for one in names.values()}:
            name, number = f"{tidy}-{number}", number + 1
        names[configuration] = f"{name}.run"
    return names


def _write(folder: Path, files: Mapping[str, Iterable[str]]) -> None:
    """Write all files or none: they are written beside their place."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is not empty: give another folder.")
    with store_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            for name, lines in files.items():
                with (beside / name).open("w", encoding="utf-8", newline="\n") as file:
                    file.writelines(lines)
            beside.chmod(0o755)
            beside.replace(folder)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
