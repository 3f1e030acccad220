"""The form of Evaluate: every choice a bound widget, so that a link shows the same form, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

import streamlit as st

from core.errors import OptionError
from core.figures.notation import count, listed
from core.services.offers import Offer
from core.services.sweeps import (
    IMPORTED,
    LLM,
    MOST_REPEATS,
    PROMPTED,
    Sweep,
    combination_label,
    encoder_names,
    imported_relations,
    retriever_names,
    usable_combinations,
)
from pages.shared import chrome, selection
from pages.shared.evaluate_model import answer_prompts, judging_prompts, pick_answers, pick_model

T = TypeVar("T")
_DEFAULTS = Sweep(())
_QUESTIONS = {"all": "All", "random": "Random sample", "balanced": "Balanced sample"}
#: which imported systems take part, in the URL; no system can be called "none"
_SYSTEMS, _NO_SYSTEM = "evaluate_systems", "none"
_SPLITS = {"": "Train and test", "train": "Train only", "test": "Test only"}
_SCOPES = {"corpus": "Whole corpus", "document": "Own document"}
_CHUNKINGS = {"exact": "Whole sentences", "langchain": "LangChain"}
_RELATIONS = {
    "local": "Cross-fitted", "train-split": "Train split", "llm": "Language model", "llm-few": "With examples",
    "none": "None",
}  # fmt: skip
_LINES = {
    "all": "Every question of the dataset.",
    "random": "So many questions, drawn at random with the seed below.",
    "balanced": "So many questions of each relation, so that no relation counts more than another.",
    "corpus": "Each question is asked of all documents together, as a deployed system would be.",
    "document": "Each question is asked of the document it was written for: easier, and the protocol of the paper.",
    "exact": "Chunks are made of whole sentences.",
    "langchain": "Chunks are cut by LangChain's recursive splitter.",
    "local": "A classifier learns the relations from the gold answers and never sees the document it judges.",
    "train-split": "A classifier learns from the train questions only; the test questions are judged.",
    "llm": "A language model is told the relations with their definitions and names one.",
    "llm-few": "A language model names the relation after an example of each, taken from other documents.",
    "none": "No relations are predicted: BERTSim only, no LRCR and no OPI.",
    "nuggets offline": "A rule about words and numbers tells which nuggets an answer says.",
    f"nuggets {LLM}": "A language model judges which nuggets an answer says, and in which sentences.",
}
_MATCHERS = {"offline": "Offline rule", LLM: "Language model"}
_IMPORTED_LINE = "The relations that were imported for this dataset's answers; others have none."


def first_choices(offers: Sequence[Offer]) -> dict[str, object]:
    """Draw what a newcomer decides (dataset, questions, scope) and return it."""
    datasets = pick_datasets(offers)
    chosen = [offer for offer in offers if offer.name in datasets]
    n = 100
    with st.container(horizontal=True, vertical_alignment="bottom"):
        questions = _one("Questions", "questions", _QUESTIONS)
        if questions != "all":
            label = "How many" if questions == "random" else "How many a relation"
            n = _number(label, "n", 100, lowest=1, width=170)
    chrome.small("evaluate-questions", _LINES[questions])
    split = ""
    if chosen and all(offer.splits for offer in chosen):
        split = _one("Split", "split", _SPLITS)
    # nothing is searched or answered on collections alone
    scope, answers = "corpus", "extractive"
    if not chosen or not all(offer.is_collection for offer in chosen):
        scope = _one("Scope", "scope", _SCOPES)
        chrome.small("evaluate-scope", _LINES[scope])
        answers = pick_answers()
    model = {}
    if answers == "model":
        model = pick_model()
        answer_prompts(datasets)
    return {
        "datasets": datasets, "questions": questions, "n": n, "split": split, "scope": scope, "answers": answers,
        **model,
    }  # fmt: skip


def pick_datasets(offers: Sequence[Offer]) -> tuple[str, ...]:
    """Return the chosen names; the URL's come first, then the newest dataset."""
    parameter, names = "evaluate_datasets", [offer.name for offer in offers]
    strangers = [name for name in st.query_params.get_all(parameter) if name not in names]
    # in the URL even as the first choice: the newest dataset may be another one tomorrow
    key = selection.adopt_many(parameter, names, names[:1])
    picked = st.multiselect("Datasets", names, key=key, placeholder="Choose one or more")
    selection.publish_many(parameter, picked)
    for name in strangers[:1]:
        chrome.problem(OptionError(f"There is no dataset '{name[:80]}' here: choose one of those offered."))
    for offer in offers:
        if offer.name in picked:
            labels = count(len(offer.relations), "relation") if offer.relations else "no relation labels"
            parts = [offer.title] if offer.title != offer.name else []
            if offer.is_collection:
                held = [count(offer.n_questions, "topic"), count(len(offer.systems), "imported system")]
                parts += ["collection of judgments", *held]
            else:
                parts += [count(offer.n_documents, "document"), count(offer.n_questions, "question"), labels]
            parts += [] if offer.stored else ["bundled, imported when the run starts"]
            chrome.small(f"evaluate-facts-{offer.name}", " · ".join(parts))
    return tuple(picked)


def more_choices(offers: Sequence[Offer], datasets: Sequence[str], answers: str) -> dict[str, object]:
    """Draw the rest in a closed expander and return it; ``datasets`` and ``answers`` are the chosen ones."""
    _say_unknown_systems(offers)
    model: dict[str, object] = {}
    with st.expander("More choices", icon=":material/tune:"):
        chrome.small("evaluate-sweep", "Several k, chunk sizes or encoders make a run for each combination of them.")
        retrievers = _several("Retrievers", "retrievers", retriever_names(), _DEFAULTS.retrievers)
        chrome.small(
            "evaluate-retrievers",
            "How passages are found: dps, knn, svm and mmr by meaning, bm25, tfidf and edi by words. "
            "Names after these are variants and retrievers of your own, from the settings.",
        )
        combinations = st.pills(
            "Combinations", _DEFAULTS.combinations, selection_mode="multi", default=_DEFAULTS.combinations,
            key="evaluate_combinations", format_func=combination_label, bind="query-params",
        )  # fmt: skip
        usable = usable_combinations(retrievers, combinations)
        lost = [name for name in combinations if name not in usable]
        chrome.small(
            "evaluate-combinations",
            "Several retrievers as one: A fuses their rankings, S hands on the sentences of all."
            + (
                f" Left out, as a member is missing: {listed([combination_label(one) for one in lost])}."
                if lost
                else ""
            ),
        )
        systems = _systems([offer for offer in offers if offer.name in datasets])
        left, right = st.columns(2, gap="large")
        with left:
            ks = _several("k", "k", tuple(range(1, 21)), (4,))
            chrome.small("evaluate-k", "Passages that are handed to the answerer.")
            encoders = _several("Encoder", "encoder", encoder_names(), _DEFAULTS.encoders)
            chrome.small("evaluate-encoder", "Turns texts into vectors for retrieval; more are listed in the settings.")
            relations = _one("Relation classifier", "relations", _relations(offers, datasets))
            chrome.small("evaluate-relations", _LINES.get(relations, _IMPORTED_LINE))
            matcher = _matcher([offer for offer in offers if offer.name in datasets])
            if relations in PROMPTED or matcher == LLM:
                model |= pick_model() if answers != "model" else {}
                judging_prompts(datasets, relations=relations in PROMPTED, nuggets=matcher == LLM)
        with right:
            words = st.multiselect(
                "Words a chunk", ["50", "100", "150", "200", "300", "400"], default=["100"], key="evaluate_words",
                accept_new_options=True, bind="query-params",
            )  # fmt: skip
            chrome.small("evaluate-words", "Documents are cut into passages of at most so many words; type any number.")
            chunking = _one("Chunking", "chunking", _CHUNKINGS)
            chrome.small("evaluate-chunking", _LINES[chunking])
            seed = _number("Seed", "seed", 0, lowest=0)
            chrome.small("evaluate-seed", "The same seed draws the same questions and gives the same numbers.")
            if answers == "model":
                model["repeats"] = _number("Repeats", "repeats", 1, lowest=1, highest=MOST_REPEATS)
                chrome.small(
                    "evaluate-repeats",
                    "How often each answer is asked for, where the model samples (temperature above 0): the repeats "
                    "of a question are averaged before anything else, and each is paid for.",
                )
    return {
        "retrievers": retrievers, "combinations": tuple(combinations), "ks": ks, "encoders": encoders,
        "relations": relations, "chunk_words": tuple(_whole(word) for word in words), "chunking": chunking,
        "seed": seed, "systems": systems, "matcher": matcher, **model,
    }  # fmt: skip


def _matcher(chosen: Sequence[Offer]) -> str:
    """Return who tells which nuggets an answer says; asked only where a chosen dataset has any."""
    if not any(offer.n_nuggets for offer in chosen):
        return _DEFAULTS.matcher
    matcher = _one("Nuggets", "matcher", _MATCHERS)
    chrome.small("evaluate-matcher", _LINES[f"nuggets {matcher}"])
    return matcher


def _relations(offers: Sequence[Offer], datasets: Sequence[str]) -> dict[str, str]:
    """What may tell the relations: the classifiers, and predictions that were imported for all chosen datasets."""
    imported = imported_relations({offer.name: offer for offer in offers}, datasets)
    return _RELATIONS | {name: f"Imported: {name.removeprefix(IMPORTED)}" for name in imported}


def _systems(chosen: Sequence[Offer]) -> tuple[str, ...] | None:
    """Return which imported systems take part, None for all; asked only where a chosen dataset has any."""
    names = list(dict.fromkeys(system.name for offer in chosen for system in offer.systems))
    if not names:
        return None
    key, asked = f"{_SYSTEMS}_choice", st.query_params.get_all(_SYSTEMS)
    # all of them stay all of them when another dataset brings others: the URL names only what was chosen among them
    picked = [] if asked == [_NO_SYSTEM] else [name for name in asked if name in names] or names
    if st.session_state.get(key) != picked:
        st.session_state[key] = picked

    def take() -> None:
        wanted = [name for name in st.session_state[key] if name in names]
        if set(wanted) == set(names):
            st.query_params.pop(_SYSTEMS, None)
        else:
            st.query_params[_SYSTEMS] = wanted or [_NO_SYSTEM]

    st.multiselect("Imported systems", names, key=key, on_change=take, placeholder="None of them", wrap=True)
    chrome.small("evaluate-systems", "Answers of other systems, imported on Datasets; each is one more configuration.")
    return None if set(picked) == set(names) else tuple(picked)


def _say_unknown_systems(offers: Sequence[Offer]) -> None:
    known = {_NO_SYSTEM, *(system.name for offer in offers for system in offer.systems)}
    for name in st.query_params.get_all(_SYSTEMS):
        if name not in known:
            chrome.problem(OptionError(f"No dataset has an imported system '{name[:80]}': it is left out."))
            return


def in_a_sentence(sweep: Sweep, offers: Sequence[Offer]) -> str:
    """Return in words what is chosen beside dataset, questions and scope."""
    chosen = [offer for offer in offers if offer.name in sweep.datasets]
    if chosen and all(offer.is_collection for offer in chosen):
        return "What the imported systems retrieved and said is compared; nothing is searched or answered anew."
    retrievers = "the seven retrievers" if sweep.retrievers == _DEFAULTS.retrievers else listed(list(sweep.retrievers))
    usable = usable_combinations(sweep.retrievers, sweep.combinations)
    combined = (
        "their six combinations"
        if len(usable) == len(_DEFAULTS.combinations)
        else listed([combination_label(name) for name in usable]) or "no combinations"
    )
    systems = ""
    if sweep.systems is not None:
        systems = f"imported {listed(list(sweep.systems))}, " if sweep.systems else "no imported systems, "
    relations = {
        "local": "relations cross-fitted",
        "train-split": "relations learnt on the train split",
        "llm": f"relations named by {sweep.endpoint}",
        "llm-few": f"relations named by {sweep.endpoint} after examples",
        "none": "no relations",
    }
    answers = "extractive answers" if sweep.answers == "extractive" else f"answers by {sweep.endpoint}"
    answers += f", {sweep.repeats} of each" if sweep.answers == "model" and sweep.repeats > 1 else ""
    nuggets = f"nuggets judged by {sweep.endpoint}, " if sweep.matcher == LLM else ""
    return (
        f"With {retrievers} and {combined}, k {listed([str(k) for k in sweep.ks])}, "
        f"chunks of {listed([str(words) for words in sweep.chunk_words])} words"
        f"{'' if sweep.chunking == 'exact' else ' (LangChain)'}, encoder {listed(list(sweep.encoders))}, "
        f"{systems}{answers}, {relations.get(sweep.relations, 'imported relations')}, {nuggets}"
        f"seed {sweep.seed}."
    )


def _one(label: str, name: str, options: dict[str, str]) -> str:
    first = next(iter(options))
    picked = st.segmented_control(
        label, list(options), format_func=options.__getitem__, default=first, required=True, key=f"evaluate_{name}",
        bind="query-params", wrap=True,
    )  # fmt: skip
    return picked if picked in options else first


def _several(label: str, name: str, options: Sequence[T], default: Sequence[T]) -> tuple[T, ...]:
    return tuple(
        st.multiselect(label, options, default=default, key=f"evaluate_{name}", bind="query-params", wrap=True)
    )


def _number(
    label: str, name: str, value: int, *, lowest: int, highest: int = 10**9, width: int | Literal["stretch"] = "stretch"
) -> int:
    found = st.number_input(
        label, min_value=lowest, max_value=highest, value=value, step=1, key=f"evaluate_{name}", width=width,
        bind="query-params",
    )  # fmt: skip
    return value if found is None else int(found)


def _whole(text: str) -> int | str:
    """A typed number, or what was typed, which is refused in words when it is checked."""
    return int(text) if text.strip().isascii() and text.strip().isdigit() and len(text) < 10 else text
