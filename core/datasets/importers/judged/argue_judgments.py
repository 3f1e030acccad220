"""``*.judgments.jsonl`` of Auto-ARGUE: reports, and for each of their sentences the nuggets that it answers.

``{report: {metadata, responses, references}, judgments: [{judgments: [{judgment_type_id, response}]}]}``, a judged
sentence for each of the report's. Only ``SENTENCE_ANSWERS_QUESTION`` speaks of nuggets; whatever is not matched there
was judged and not found.
"""

from __future__ import annotations

from core.datasets.importers.encoding import TextSource
from core.datasets.importers.fields import Fields
from core.datasets.importers.judged.found import Found, GivenLabel
from core.datasets.importers.judged.json_values import json_values
from core.datasets.importers.judged.naming import run_of, topic_of
from core.datasets.importers.judged.responses import response_of, said_of

_ANSWERS = "SENTENCE_ANSWERS_QUESTION"


def read_judgments(source: TextSource) -> Found:
    """Return reports with labels. Raises ``InputError`` where sentences and judgments do not go together."""
    found = Found(exhaustive=True)
    strays: list[str] = []
    empty: list[str] = []
    for place, row in json_values(source):
        fields = Fields(place, row)
        found.n_rows += 1
        report = fields.child("report", row.get("report"))
        system, topic = run_of(report), topic_of(report)
        response, stray = response_of(report)
        if topic in found.responses.setdefault(system, {}):
            raise place.broken(f"topic '{topic}' is judged further up in the file", "leave one of them")
        judged = list(fields.objects("judgments"))
        if len(judged) != len(response.sentences):
            raise fields.problem(
                "judgments",
                f"{len(judged)} judged sentences for a report of {len(response.sentences)} (topic '{topic}')",
                "give the judgments of just this report",
            )
        found.responses[system][topic] = response
        found.labels.setdefault(system, {})[topic] = [
            label for number, sentence in enumerate(judged) for label in _labels(sentence, number)
        ]
        strays += [topic] * stray
        if not response.sentences:
            empty.append(topic)
    found.notes += said_of(strays, empty)
    return found


def _labels(sentence: Fields, number: int) -> list[GivenLabel]:
    labels: dict[GivenLabel, None] = {}
    for judgment in sentence.objects("judgments"):
        if judgment.values.get("judgment_type_id") != _ANSWERS:
            continue
        given = judgment.child("response", judgment.values.get("response"))
        for matched in given.objects("matched_nuggets"):
            question = matched.text("question_text")
            for answer in matched.items("matched_answer") or [""]:
                labels[GivenLabel(question, "support", number, str(answer))] = None
    return list(labels)
