"""Systems of a judged collection: what files give of them joined with what is stored, and said in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.answering.refusal import is_refusal
from core.datasets.importers.judged import JudgedFile
from core.datasets.importers.judged.systems import merged
from core.errors import OptionError
from core.schema import Question, SystemAnswer
from core.services.judged_reports import SystemReport
from core.services.system_importing import name_fault
from core.services.workspace import workspace
from core.store.collections import SystemRecord
from core.store.systems import system_answers, system_fingerprint, system_rows


def records_of(
    name: str,
    given: Mapping[str, Mapping[str, SystemAnswer]],
    read: Sequence[JudgedFile],
    questions: Sequence[Question],
) -> tuple[dict[str, SystemRecord], tuple[SystemReport, ...]]:
    """Join what the files give of a system with what is stored of it."""
    _, store = workspace()
    stored = {row["name"]: row for row in system_rows(store, name)}
    records: dict[str, SystemRecord] = {}
    reports: list[SystemReport] = []
    for system, new in given.items():
        if fault := name_fault(system):
            raise OptionError(f"The system's name {system!r} {fault}: name it with --system FILE=NAME.")
        before = system_answers(store, name, system) if system in stored else {}
        answers: dict[str, SystemAnswer] = {}
        for question in questions:
            pair = before.get(question.id), new.get(question.id)
            joined = merged(pair[0], pair[1]) if pair[0] and pair[1] else pair[0] or pair[1]
            if joined is None and pair != (None, None):
                raise OptionError(
                    f"system '{system}' of '{name}' has another answer to topic '{question.id}' already: import the "
                    "files under another name with --system FILE=NAME."
                )
            if joined is not None:
                answers[question.id] = replace(joined, refused=_refuses(joined))
        fingerprint = stored[system]["fingerprint"] if system in stored else ""
        files = [one.called for one in read if system in one.found.systems or one.system == system]
        source = ", ".join(files) or ", ".join(one.called for one in read)
        records[system] = SystemRecord(answers, source, fingerprint)
        reports.append(_system_report(system, answers, system_fingerprint(answers) == fingerprint))
    return records, tuple(reports)


def _refuses(answer: SystemAnswer) -> bool:
    return bool(answer.sentences) and is_refusal(" ".join(answer.sentences))


def _system_report(name: str, answers: Mapping[str, SystemAnswer], known: bool) -> SystemReport:
    return SystemReport(
        name,
        sum(bool(answer.ranking) for answer in answers.values()),
        sum(bool(answer.sentences) for answer in answers.values()),
        sum(answer.refused for answer in answers.values()),
        sum(len(answer.labels) for answer in answers.values()),
        known,
    )
