"""Sentences over runs made by hand: every number in them is checked against the scores."""

from dataclasses import replace

import pytest

from core.figures.notation import decimal
from core.metrics.scores import LogicCell
from core.services.captions import chances, extreme_relations, two_averages
from core.services.cautions import (
    budget,
    classifier_finding,
    head_room,
    refusals,
    shortest_chunks,
    written_differently,
)
from core.services.findings import (
    headline,
    home_findings,
    notes,
    overall,
    relation_leads,
    within_noise,
)
from tests.pages.samples import (
    NOTHING,
    RELATIONS,
    classifier,
    comparability,
    lens,
    logic_scores,
    measure,
    with_cell,
)

PAIR = ("knn", "bm25", "evidence")


def same(value):
    return LogicCell(value, value, value)


def duel(values, *, n=50, half=0.02):
    """Two configurations with the given (kNN, BM25) value on each relation."""
    relations = tuple(f"r{i}" for i in range(len(values)))
    scores = logic_scores(configurations=PAIR, relations=relations, n=n, half=half)
    for relation, (one, other) in zip(relations, values, strict=True):
        for identifier, value in (("knn", one), ("bm25", other)):
            scores = with_cell(scores, identifier, relation, same(measure(value, n, half=half)))
    return scores


def possible(scores, **changes):
    return lens(scores, comparability=comparability(scores, possible=True), **changes)


# ---- over all questions


def test_a_lead_whose_interval_holds_zero_is_within_noise():
    scores = logic_scores(half=0.18)
    first, second = scores.ranking.rows[:2]
    text = overall(scores).text
    assert text.startswith("Over all 78 questions, DPS has the highest OPI(1), ")
    assert f"its lead over kNN, {decimal(first.value - second.value)}" in text
    assert text.endswith(", is within noise.")


def test_a_lead_whose_interval_is_above_zero_is_more_than_noise():
    scores = logic_scores()
    scores = replace(scores, ranking=replace(scores.ranking, lead=0.1, lead_low=0.01, lead_high=0.2))
    assert overall(scores).text.endswith("its lead over kNN, .100 (.010 to .200), is more than noise.")
    touching = replace(scores, ranking=replace(scores.ranking, lead_low=0.0))
    assert overall(touching).text.endswith("is within noise.")


def test_a_lead_without_interval_claims_nothing():
    scores = logic_scores(relations=("causal",), n=1)
    scores = replace(scores, ranking=replace(scores.ranking, lead_low=None, lead_high=None))
    text = overall(scores).text
    assert text.startswith("Over the one question, ")
    assert text.endswith("has no interval, so nothing says it is more than noise.")


def test_unequal_question_sets_are_named():
    scores = logic_scores()
    scores = replace(scores, ranking=replace(scores.ranking, n_questions=70))
    assert "Over the 70 of 78 questions that every configuration has scored, " in overall(scores).text


def test_ties_share_the_lead():
    scores = logic_scores()
    rows = scores.ranking.rows
    tied = (*(replace(r, value=0.7, rank=1) for r in rows[:3]), *rows[3:])
    finding = overall(replace(scores, ranking=replace(scores.ranking, rows=tied)))
    assert finding.text.startswith("DPS, kNN and MMR share the lead over all 78 questions, OPI(1) .700")
    assert finding.kind == "caution"
    everyone = tuple(replace(r, value=0.7, rank=1) for r in rows)
    finding = overall(replace(scores, ranking=replace(scores.ranking, rows=everyone)))
    assert finding.text.startswith("All 13 configurations score the same over all 78 questions: OPI(1) .700")


def test_one_configuration_has_nothing_to_be_compared_with():
    text = headline(lens(logic_scores(configurations=("knn", "evidence")))).text
    assert text.startswith("kNN reaches OPI(1) ")
    assert text.endswith("nothing is there to compare it with.")
    assert "Too few" not in text


def test_nothing_scored_says_so_and_counts_failures():
    assert overall(logic_scores(configurations=())).text == (
        "Nothing can be compared: no question is scored for every configuration."
    )
    scores = logic_scores(configurations=("evidence",))
    failed = replace(scores.configurations[0], bertsim=measure(None, 0, failed=78))
    assert overall(replace(scores, configurations=(failed,))).text.endswith(" 78 answers failed.")


def test_beta_is_written_as_the_slider_shows_it():
    assert "the highest OPI(∞)" in overall(logic_scores(beta=float("inf"))).text
    assert "the highest OPI(0)" in overall(logic_scores(beta=0.0)).text


# ---- relation by relation


def test_headline_with_too_few_questions_gives_the_number_needed():
    finding = headline(lens(logic_scores()))
    assert finding.text.startswith(
        "Too few questions to compare retrievers relation by relation: 6 a relation, and below 13 not even a clean "
        "sweep would stand out among 156 comparisons. Over all 78 questions, "
    )
    assert finding.kind == "caution"


def test_unequal_relations_are_given_as_a_range():
    scores = logic_scores()
    few = comparability(scores)
    few.n_per_relation_max = 9
    assert "6 to 9 a relation" in headline(lens(scores, comparability=few)).text


def test_who_leads_and_what_of_it_is_noise():
    scores = duel([(0.8, 0.5), (0.7, 0.69), (0.6, 0.59), (0.4, 0.6)])
    text = headline(possible(scores)).text
    assert text.startswith("kNN leads on 3 of 4 relations; on 2 of them the lead is within noise. ")
    leads = relation_leads(scores, "opi", 4)
    assert (leads.leader.id, leads.wins, leads.compared, leads.noise, leads.beyond) == ("knn", 3, 4, 2, ("r0",))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([(0.8, 0.5), (0.8, 0.5)], "kNN leads on 2 of 2 relations; on all 2 of them the lead is more than noise."),
        ([(0.7, 0.69), (0.7, 0.69)], "kNN leads on 2 of 2 relations; on all 2 of them the lead is within noise."),
        ([(0.7, 0.69)], "kNN leads on 1 of 1 relation; there the lead is within noise."),
        ([(0.7, 0.7), (0.8, 0.5)], "kNN leads or shares the lead on 2 of 2 relations; on 1 of them the lead is within"),
        (
            [(0.7, 0.7), (0.7, 0.7)],
            " shares the lead on 2 of 2 relations; on all 2 of them the lead is within noise.",
        ),
    ],
)
def test_leads_in_words(values, sentence):
    assert sentence in headline(possible(duel(values))).text


def test_relations_with_unequal_scores_are_left_out_of_the_count():
    scores = with_cell(duel([(0.8, 0.5), (0.8, 0.5)]), "bm25", "r1", same(measure(0.5, 40, failed=10)))
    text = headline(possible(scores)).text
    assert text.startswith("kNN leads on 1 of 1 relation; there the lead is more than noise. 1 relation is left out")
    empty = with_cell(scores, "knn", "r1", same(NOTHING))
    empty = with_cell(empty, "bm25", "r1", same(NOTHING))
    leads = relation_leads(empty, "opi", 1)
    assert (leads.compared, leads.unequal) == (1, 0)


def test_the_reference_row_never_leads():
    scores = duel([(0.8, 0.5)])
    scores = with_cell(scores, "evidence", "r0", same(measure(0.99, 50, half=0.001)))
    assert relation_leads(scores, "opi", 1).leader.id == "knn"


def test_more_comparisons_make_more_noise():
    one, other = measure(0.80, 50, half=0.05), measure(0.71, 50, half=0.05)
    assert not within_noise(one, other, 1)
    assert within_noise(one, other, 156)


def test_noise_is_symmetric_about_the_mover_interval():
    # half widths .03 and .04 give .05: a difference of .05 just touches 0
    one, other = measure(0.8, 50, half=0.03), measure(0.75, 50, half=0.04)
    assert within_noise(one, other, 1)
    assert not within_noise(one, measure(0.7499, 50, half=0.04), 1)


def test_without_interval_everything_is_noise():
    assert within_noise(measure(1.0, 1), measure(0.0, 1), 1)
    assert within_noise(NOTHING, measure(0.5, 9), 1)


def test_the_headline_follows_the_measure():
    scores = logic_scores(n=200, half=0.02)
    assert " leads by LRCR on " in headline(possible(scores), "lrcr").text
    assert " leads by BERTSim on " in headline(possible(scores), "bertsim").text


def test_without_relations_the_headline_is_about_bertsim():
    text = headline(lens(logic_scores(relations=(), n=40))).text
    assert text.startswith("Over all 40 questions, DPS has the highest BERTSim, ")


def test_without_predicted_relations_nothing_is_said_relation_by_relation():
    scores = logic_scores(relations=("causal",))
    cells = LogicCell(measure(0.7, 6), measure(None, 6), measure(None, 6))
    for c in scores.configurations:
        scores = with_cell(scores, c.id, "causal", cells)
    assert relation_leads(scores, "opi", 12) is None
    assert headline(possible(scores)).text == overall(scores).text


def test_relations_that_score_highest_and_lowest():
    scores = duel([(0.8, 0.6), (0.3, 0.2), (0.5, 0.5)])
    assert extreme_relations(scores, "opi") == (
        "On average over the ranked configurations, r0 scores highest (.700) and r1 lowest (.250)."
    )
    tied = duel([(0.8, 0.6), (0.0, 0.0), (0.7, 0.7), (0.0, 0.0)])
    assert extreme_relations(tied, "opi") == (
        "On average over the ranked configurations, r0 and r2 score highest (.700) and r1 and r3 lowest (.000)."
    )
    assert extreme_relations(duel([(0.8, 0.6)]), "opi") == ""
    assert extreme_relations(duel([(0.5, 0.5), (0.5, 0.5)]), "opi") == ""


def test_the_two_averages_agree_or_not():
    scores = logic_scores()
    rows = scores.ranking.rows
    agreeing = (replace(rows[0], mean_of_relations_rank=1), *(replace(r, mean_of_relations_rank=2) for r in rows[1:]))
    assert two_averages(replace(scores, ranking=replace(scores.ranking, rows=agreeing))) == (
        "The mean of the relations' OPIs puts the same configuration first."
    )
    other = (replace(rows[0], mean_of_relations_rank=2), replace(rows[1], mean_of_relations_rank=1), *rows[2:])
    assert two_averages(replace(scores, ranking=replace(scores.ranking, rows=other))).endswith(
        "puts kNN first instead."
    )
    assert two_averages(logic_scores(relations=())) == ""


def test_a_shared_lead_has_no_chances_and_no_single_first():
    scores = logic_scores()
    rows = tuple(replace(r, rank=1, mean_of_relations_rank=1) for r in scores.ranking.rows)
    tied = replace(scores, ranking=replace(scores.ranking, rows=rows))
    assert chances(tied) == ""
    assert two_averages(tied) == "By the mean of the relations' OPIs 13 configurations share the lead."


def test_chances_name_the_two_most_probable():
    scores = logic_scores()
    rows = tuple(
        replace(r, probability_best=p) for r, p in zip(scores.ranking.rows, [0.4, 0.45, *[0.01] * 11], strict=True)
    )
    text = chances(replace(scores, ranking=replace(scores.ranking, rows=rows)))
    assert text == "When the questions are drawn again, kNN comes first in 45 % of draws and DPS in 40 %."
    unknown = tuple(replace(r, probability_best=None) for r in scores.ranking.rows)
    assert chances(replace(scores, ranking=replace(scores.ranking, rows=unknown))) == ""


# ---- what limits the conclusions


def test_lrcr_that_can_hardly_move_is_a_caution():
    finding = classifier_finding(classifier(question_only=0.62))
    assert finding.kind == "caution"
    assert finding.text == (
        "LRCR hardly depends on the retriever here: the question alone decides 71 % of predictions; LRCR can move by "
        "at most .115. A classifier that sees only the question is right for 62 % of gold answers, one that also sees "
        "answer and text for 65 %."
    )


def test_a_useful_classifier_is_a_ceiling():
    finding = classifier_finding(classifier(question_only=0.3))
    assert finding.kind == "note"
    assert finding.text == (
        "LRCR has a ceiling: the classifier finds the right relation for 65 % of 78 gold answers (with the question "
        "alone 30 %; always naming the commonest relation 8 %)."
    )


def test_a_ceiling_nobody_knows_is_a_caution():
    unknown = {"accuracy": None, "question_only": None, "n": 0, "mode": "imported", "notes": ["Nothing was predicted."]}
    finding = classifier_finding(unknown)
    assert finding.kind == "caution"
    assert finding.text == (
        "Nobody knows how high LRCR could be at best, so a low one may be the classifier's fault. Nothing was "
        "predicted."
    )
    scores = logic_scores()
    assert written_differently(scores, unknown) is None


def test_gold_evidence_far_below_the_ceiling_is_a_caution():
    scores = logic_scores()
    gold = next(c for c in scores.configurations if c.id == "evidence")
    low = replace(gold, lrcr=measure(0.18, 78, half=0.09))
    others = tuple(low if c.id == "evidence" else c for c in scores.configurations)
    finding = written_differently(replace(scores, configurations=others), classifier())
    assert finding.kind == "caution"
    assert "in 18 % of questions, where reference answers reach 65 %" in finding.text
    assert "The classifier learns from reference answers" in finding.text
    asked = written_differently(replace(scores, configurations=others), {**classifier(), "mode": "llm"})
    assert "The classifier is tested on reference answers" in asked.text


def test_gold_evidence_within_reach_of_the_ceiling_says_nothing():
    scores = logic_scores()
    gold = next(c for c in scores.configurations if c.id == "evidence")
    near = replace(gold, lrcr=measure(0.6, 78, half=0.09))
    others = tuple(near if c.id == "evidence" else c for c in scores.configurations)
    assert written_differently(replace(scores, configurations=others), classifier()) is None
    assert written_differently(scores, None) is None
    assert written_differently(logic_scores(configurations=("knn", "bm25")), classifier()) is None


def test_the_border_between_both_is_five_hundredths():
    assert classifier_finding({**classifier(), "accuracy": 0.6, "question_only": 0.551}).kind == "caution"
    assert classifier_finding({**classifier(), "accuracy": 0.6, "question_only": 0.549}).kind == "note"


def test_missing_diagnostics_are_left_out():
    assert classifier_finding(None) is None
    assert classifier_finding({}) is None
    bare = {**classifier(), "question_only": None, "majority": None}
    assert classifier_finding(bare).text == (
        "LRCR has a ceiling: the classifier finds the right relation for 65 % of 78 gold answers."
    )


def test_head_room_below_the_evidence():
    scores = logic_scores()
    gold = next(c for c in scores.configurations if c.id == "evidence")
    text = head_room(scores).text
    assert f"could gain {decimal(gold.opi.value - scores.ranking.rows[0].value)} over DPS" in text
    assert text.endswith("less than its own uncertainty.")
    sure = logic_scores(half=0.01)
    assert not head_room(sure).text.endswith("uncertainty.")
    worse = replace(gold, opi=measure(0.1, 78))
    others = tuple(worse if c.id == "evidence" else c for c in scores.configurations)
    assert "no more than DPS" in head_room(replace(scores, configurations=others)).text
    assert head_room(logic_scores(configurations=("knn", "bm25"))) is None
    assert head_room(logic_scores(configurations=())) is None


def test_budget_only_where_both_kinds_differ():
    assert budget(logic_scores()).text.startswith("S-Seven hands the answerer 604 words a question, A-Seven 291: ")
    assert budget(logic_scores(configurations=("knn", "a-two"))) is None
    scores = logic_scores(configurations=("a-two", "s-two"))
    level = tuple(replace(c, words_per_question=200.0) for c in scores.configurations)
    assert budget(replace(scores, configurations=level)) is None


def test_edi_note_gives_the_words_where_known():
    assert "(58 words a question here, the other retrievers' median is 232)" in shortest_chunks(logic_scores()).text
    assert shortest_chunks(logic_scores(configurations=("knn",))) is None
    assert shortest_chunks(logic_scores(configurations=("edi",))) is None
    scores = logic_scores()
    usual = tuple(replace(c, words_per_question=230.0) if c.id == "edi" else c for c in scores.configurations)
    assert shortest_chunks(replace(scores, configurations=usual)) is None


def test_refusals_are_counted():
    text = refusals(logic_scores()).text
    assert text.startswith("2 answers of 1,092 are refusals and counted as such, from EDI (2); without them")
    assert refusals(logic_scores(configurations=("knn",))) is None


# ---- the pages' lists


def test_home_has_three_findings_the_caution_among_them():
    found = home_findings(lens(logic_scores(), classifier=classifier(question_only=0.62)))
    assert len(found) == 3
    assert found[0].text.startswith("Over all 78 questions")
    assert found[1].text.startswith("Too few questions")
    assert found[2].text.startswith("LRCR hardly depends")
    usual = home_findings(lens(logic_scores(), classifier=classifier(question_only=0.3)))
    assert usual[2].text.startswith("Answers made from the gold evidence")


def test_home_never_repeats_itself_and_survives_an_empty_run():
    for shape in ({}, {"relations": ()}, {"configurations": ()}, {"configurations": ("knn",)}, {"n": 1}):
        found = home_findings(lens(logic_scores(**shape)))
        assert 1 <= len(found) <= 3
        assert len({f.text for f in found}) == len(found)


def test_notes_put_cautions_first_and_flag_clamped_cells():
    scores = logic_scores()
    clamped = replace(scores.configurations[0].relations["causal"], clamped=True)
    found = notes(lens(with_cell(scores, "dps", "causal", clamped), classifier=classifier(question_only=0.62)))
    assert [f.kind for f in found].index("caution") == 0
    assert any(f.text == "In 1 cell the mean BERTSim is below 0 and enters OPI as 0." for f in found)
    assert any(f.text.startswith("BERTSim hardly punishes extra information") for f in found)


def test_sentences_hold_no_nan_none_or_double_spaces():
    for shape in ({}, {"relations": ()}, {"configurations": ()}, {"configurations": ("knn",)}, {"n": 1}):
        shown = lens(logic_scores(**shape))
        texts = [headline(shown).text, *(f.text for f in (*home_findings(shown), *notes(shown)))]
        for text in texts:
            assert "nan" not in text.lower()
            assert "None" not in text
            assert "  " not in text
            assert text.endswith(".")
    assert len(RELATIONS) == 13
