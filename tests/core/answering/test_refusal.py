"""Recognising refusals in answers that came from elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.refusal import MAX_WORDS, is_refusal

REFUSALS = [
    "",
    "  \n",
    "I don't know.",
    "I don’t know.",
    "I donʼt know",
    "Sorry, I don't know the answer.",
    "I'm sorry, but I can't answer that.",
    "I’m sorry. The context doesn’t say who built the mill.",
    "Unfortunately, the provided context does not contain any information about the mill.",
    "The text does not provide specific information about the ferry.",
    "The documents provided do not mention this.",
    "This is not mentioned in the provided text.",
    "There is not enough information to answer the question.",
    "There's no mention of a price.",
    "It cannot be determined from the passages.",
    "I am unable to answer this question based on the context.",
    "We could not find an answer.",
    "No information is available.",
    "Not enough information to determine the date.",
    "No information is provided about the owner of the mill.",
    "There is no evidence in the provided text.",
    "No data is available.",
    "The owner cannot be determined from the passages.",
    "It is impossible to say.",
    "Es liegen keine Informationen dazu vor.",
    "Die Quellen geben darauf keine Antwort.",
    "Aucune information n’est donnée sur le prix.",
    "Le texte ne donne aucune indication sur la date.",
    "No hay información sobre el precio.",
    "Non ci sono informazioni sul prezzo.",
    "Não há informações sobre o preço.",
    "Er is geen informatie over de molen.",
    "Brak informacji o cenie.",
    "В тексте нет информации о цене.",
    "文中没有相关信息。",
    "料金に関する情報はありません。",
    "이에 대한 정보가 없습니다.",
    "لا توجد معلومات عن السعر.",
    "Der Text enthält keine Angaben dazu.",
    "Das weiß ich leider nicht. Ich weiß es nicht.",
    "Ich kann diese Frage anhand des Kontexts nicht beantworten.",
    "Die Frage lässt sich mit dem Text nicht beantworten.",
    "Le texte ne précise pas la date.",
    "Je ne sais pas.",
    "Il n’y a aucune information sur le prix.",
    "Les passages n’indiquent pas la réponse.",
    "Le texte n'évoque pas ce sujet.",
    "Je n’ai pas trouvé la réponse dans les passages.",
    "Désolé, je n'ai aucune information à ce sujet.",
    "El texto no menciona el precio.",
    "No lo sé.",
    "No puedo responder a esa pregunta con el contexto dado.",
    "Il testo non fornisce informazioni sul mulino.",
    "Non lo so.",
    "O texto não menciona a data.",
    "Não sei.",
    "De tekst bevat geen informatie over de molen.",
    "Ik weet het niet.",
    "Tekst nie zawiera informacji o cenie.",
    "Nie wiem.",
    "В тексте не указано, кто построил мельницу. Текст не содержит ответа.",
    "Я не знаю.",
    "Недостаточно информации для ответа.",
    "文中没有提到。文本没有提供相关信息。",
    "根据上下文，无法回答这个问题。",
    "我不知道。",
    "本文には記載されていません。",
    "分かりません。",
    "その質問にはお答えできません。",
    "문서에는 해당 정보가 포함되어 있지 않습니다.",
    "알 수 없습니다.",
    "لا يذكر النص ذلك.",
    "لا أعرف.",
    "النص لا يحتوي على إجابة.",
]

ANSWERS = [
    "Anna Rusk built the mill in 1871.",
    "The harbour does not freeze in summer.",
    "He did not know that the oysters had died.",
    "No.",
    "No, the ferry does not run in winter.",
    "The award was not reduced because of the lamps.",
    "It did not smother them; the Survey finds no connection between the dredging and the losses.",
    "You would have thought that I don’t know how to do things right.",
    "Le moulin n’indique plus l’heure depuis 1871.",
    "Je n’ai pas de doute : le bac part à midi.",
    "I'm not sure what is what because I tossed the seeds into the bed.",
    "The contract does not allow a second vote.",
    "Die Fähre fährt im Winter nicht.",
    "Le bac ne circule pas en hiver.",
    "El barco no sale en invierno.",
    "Il traghetto non parte in inverno.",
    "De veerboot vaart niet in de winter.",
    "Паром не ходит зимой.",
    "渡轮冬天不开。",
    "船は冬には出ません。",
    "배는 겨울에 다니지 않습니다.",
    "العبارة لا تعمل في الشتاء.",
    "188",
    # what somebody in the text does not say, know or have is an answer
    "No information is given by the ministry before May.",
    "No evidence was found that the dredging killed the oysters.",
    "There is no evidence of damage to the mill.",
    "There is no information desk at the station.",
    "There are no data centres in Halmstad.",
    "The ministry was unable to determine the cause.",
    "The age of the oldest oak cannot be determined.",
    "Das Ministerium gibt keine Informationen vor Mai heraus.",
    "Die Quelle gibt im Sommer kein Wasser.",
    "Der Kapitän kann die Tiefe nicht bestimmen.",
    "Le ministère ne donne aucune information avant mai.",
    "La source ne donne plus d’eau en été.",
    "Il était impossible de dire qui avait gagné.",
    "Las fuentes no dan agua en verano.",
    "El capitán dijo que no sé qué barco llegaba.",
    "No hay datos del ministerio antes de mayo.",
    "La fonte non fornisce acqua in estate.",
    "Non ci sono dati del ministero prima di maggio.",
    "As fontes não dão água no verão.",
    "Não há dados do ministério antes de maio.",
    "Het ministerie geeft voor mei geen informatie.",
    "De bron geeft in de zomer geen water.",
    "Ik kan niet zwemmen, zei de kapitein.",
    "Zimą promem nie można popłynąć.",
    "W maju panował brak informacji z ministerstwa.",
    "У министерства нет данных до мая.",
    "Источник летом не даёт воды.",
    "村里没有资料室。",
    "医生无法确定病因。",
    "原因はわかりませんでした。",
    "警察は犯人を特定できない。",
    "五月まで省からの情報はありません。",
    "자료실은 일요일에 열지 않습니다.",
    "부처에서 주는 정보가 없습니다.",
    "المعلومات لا تصدر قبل مايو.",
    "لا يمكن السباحة في الشتاء.",
    "لا توجد معلومات من الوزارة قبل مايو.",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_answers(text: str) -> None:
    assert not is_refusal(text)


def test_a_long_text_is_an_answer_however_it_begins() -> None:
    opening = "The text does not mention the price."
    rest = " It does say that the ferry runs"
    assert is_refusal(opening + rest)
    assert not is_refusal(opening + rest + " every day" * MAX_WORDS)


def test_only_the_first_two_sentences_count() -> None:
    assert not is_refusal("The ferry runs twice. It is cheap. The text does not mention more.")


@given(st.text(max_size=400))
def test_any_text_gets_a_verdict_that_spaces_and_case_do_not_change(text: str) -> None:
    assert is_refusal(text) in (True, False)
    assert is_refusal(f"  {text}\n") == is_refusal(text)


@given(st.sampled_from([text for text in REFUSALS + ANSWERS if "'" in text]))
def test_apostrophes_do_not_matter(text: str) -> None:
    for apostrophe in "’‘ʼ´`":
        assert is_refusal(text.replace("'", apostrophe)) == is_refusal(text)


def test_public_answers(shared: Path) -> None:
    """No reference answer of the public 1,000 is taken for a refusal, and two of 150 generated ones are."""
    lines = (shared / "hierarag" / "rq3_questions.jsonl").read_text(encoding="utf-8").splitlines()
    assert not [answer for line in lines if is_refusal(answer := json.loads(line)["answer"])]
    lines = (shared / "hierarag" / "qa150.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert not [row for row in rows if is_refusal(row["reference_answer"])]
    refusals = [row["generated_answer"] for row in rows if is_refusal(row["generated_answer"])]
    assert len(refusals) == 2
    assert all(text.startswith("The text") for text in refusals)
