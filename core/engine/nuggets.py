"""What a run does about nuggets: match what was said, hold it against what was retrieved and cited, store both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.engine.answer import Answers
from core.engine.calls import Calls
from core.engine.contexts import Context, NoContext, Rankings
from core.engine.cover import coverage_of
from core.engine.fill import Workbench
from core.engine.holdings import Holdings
from core.engine.imported import TakenOver
from core.engine.match import matches_of
from core.engine.prepare import Corpus
from core.engine.ranked import Ranked
from core.engine.spec import RunSpec
from core.nuggets.matching import Matcher
from core.schema import Dataset, Question
from core.store.coverage import save_coverage, save_measures

Pair = tuple[str, str]


def cover(
    bench: Workbench,
    spec: RunSpec,
    dataset: Dataset,
    corpus: Corpus,
    questions: Sequence[Question],
    rankings: Rankings,
    contexts: Mapping[Pair, Context | NoContext],
    answers: Answers,
    given: TakenOver,
    calls: Calls | None,
) -> None:
    """Store the coverage of a run whose questions have nuggets; ``contexts`` and ``answers`` are of all configurations.

    Raises:
        Stopped: the run was asked to stop.
        EndpointUnreachable, EndpointRefused, SpendingLimitReached: as ``Calls.complete`` raises them.
    """
    if spec.matcher is None:
        return
    languages = dataset.language_of
    by_id = {question.id: question for question in questions}
    matches = matches_of(spec.matcher, by_id, languages, answers.given, given.given, bench, calls)
    # a judge reads answers; what passages say that nobody judged and marked, the offline rule tells
    by_text = spec.matcher if isinstance(spec.matcher, Matcher) else Matcher()
    holdings = Holdings(corpus, questions, languages, spec.scope, by_text)
    ranked = Ranked(spec, corpus, holdings, rankings, given.given)
    coverage = coverage_of(spec, questions, holdings, ranked, contexts, answers, matches, bench.progress)
    save_coverage(bench.store, spec.run_id, coverage.rows)
    save_measures(bench.store, spec.run_id, coverage.numbers)
