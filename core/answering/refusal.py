"""Which answers are refusals: the answerer says that it cannot answer instead of answering."""

from __future__ import annotations

import re

#: what our own answerers say when they refuse
REFUSAL = "The retrieved text does not answer this question."

#: a refusal is short; a long text that begins like one usually goes on to answer
MAX_WORDS = 45

_TEXT = r"(?:context|text|passages?|documents?|sources?|information|excerpts?|snippets?|articles?|materials?|content)"
_SAYS = r"(?:contain|provide|mention|include|say|state|specify|answer|address|discuss|offer|give|have|cover)"

#: One pattern a line: how refusals are put. Matched anywhere in a sentence of the folded text (lower case,
#: straight apostrophes, single spaces).
_PATTERNS = {
    "en": (
        rf"\b{_TEXT}(?: \w+){{0,4}} (?:do(?:es)? not|don't|doesn't|did not|didn't) (?:\w+ ){{0,2}}{_SAYS}\b",
        rf"\b(?:not|n't) (?:\w+ ){{0,3}}(?:mentioned|provided|stated|specified|found|given|contained|"
        rf"available|addressed)"
        rf" (?:in|by) (?:the |this |these |any )?(?:\w+ )?{_TEXT}",
        r"^(?:[\w' ]+,? (?:but )?)?i (?:do not|don't) (?:know(?!,? (?:how|that))|have (?:enough|"
        r"sufficient|any|the|access))\b",
        r"\bi(?:'m| am) (?:not able to (?:answer|find|provide|say|tell|determine)|unable to|afraid (?:i|"
        r"the|that|there)\b|sorry)",
        r"\b(?:i|we) (?:cannot|can't|can not|could not|couldn't) (?:\w+ ){0,2}(?:answer|find|determine|"
        r"provide|help|say|tell)\b",
        r"\b(?:unable|impossible|not possible) to (?:answer|determine|say|tell|provide)\b",
        r"\b(?:cannot|can't|can not) be (?:answered|determined|inferred)\b",
        r"\b(?:there is|there's|there are) (?:no|not enough|insufficient) (?:\w+ ){0,2}(?:information|"
        r"evidence|mention|data|details?)\b",
        r"\b(?:no|not enough|insufficient) (?:\w+ )?(?:information|evidence|context|data)"
        r" (?:is |was |are )?(?:available|provided|given|found|to (?:answer|determine))\b",
        r"\bno answer (?:is |was |can be )?(?:found|available|given|possible)\b",
    ),
    "de": (
        r"\b(?:text|kontext|dokumente?|quellen?|abschnitte?|textstellen?)\b.{0,40}\b(?:enthält|enthalten|beantwortet|"
        r"beantworten|erwähnt|erwähnen|nennt|nennen|liefert|liefern|gibt|geben|sagt|"
        r"sagen)\b.{0,40}\b(?:nicht|keine?n?|nichts)\b",
        r"\bich (?:weiß|weiss) (?:es |das |die antwort )?(?:leider )?nicht\b",
        r"\bich (?:kann|konnte)\b.{0,60}\b(?:nicht|keine?)\b.{0,30}\b(?:beantworten|finden|sagen|geben|antworten)\b",
        r"\b(?:lässt|laesst|lassen|kann|können) (?:sich )?.{0,40}\bnicht (?:beantworte[nt]|entnehmen|"
        r"bestimmen|ermitteln)\b",
        r"\b(?:keine|nicht genügend|nicht genug|unzureichende) (?:\w+ )?(?:informationen|angaben|antwort)\b"
        r".{0,60}\b(?:vorhanden|enthalten|verfügbar|gefunden|möglich|vor|beantworten)\b",
    ),
    "fr": (
        r"\b(?:texte|contexte|documents?|passages?|sources?|extraits?)\b.{0,30}\bn(?:e |')(?:contien(?:t|nent)|"
        r"mentionn(?:e|ent)|"
        r"précis(?:e|ent)|répond(?:ent)?|permet(?:tent)?|fournit|fournissent|donn(?:e|ent)|dit|disent|"
        r"indiqu(?:e|ent)|évoqu(?:e|ent)|apport(?:e|ent)|offr(?:e|ent)|abord(?:e|ent))\b",
        r"\bje ne (?:sais|peux|dispose|trouve|suis pas)\b",
        r"\bje n'ai (?:pas|aucune?|rien)\b.{0,30}\b(?:trouvé|information|réponse|élément)",
        r"\b(?:il n'y a|il n'existe|n'y a-t-il) (?:pas|aucune?)\b.{0,30}\b(?:information|réponse|mention)",
        r"\b(?:aucune|pas assez d'|pas suffisamment d') ?(?:information|réponse|donnée)",
        r"\b(?:impossible|pas possible) de (?:répondre|déterminer|dire)\b",
    ),
    "es": (
        r"\b(?:texto|contexto|documentos?|pasajes?|fuentes?|fragmentos?)\b.{0,30}\bno (?:contienen?|"
        r"mencionan?|proporcionan?|"
        r"responden?|especifican?|indican?|ofrecen?|dan?|dicen?|incluyen?)\b",
        r"\bno (?:lo )?sé\b",
        r"\bno (?:puedo|es posible|se puede|dispongo|tengo|encuentro)\b.{0,40}\b(?:responder|determinar|"
        r"contestar|información|respuesta)\b",
        r"\bno hay (?:\w+ )?(?:información|datos|respuesta)\b",
    ),
    "it": (
        r"\b(?:testo|contesto|documenti?o?|passagg[io]+|font[ei]|estratt[oi])\b.{0,30}\bnon (?:contiene|"
        r"contengono|menziona(?:no)?|"
        r"fornisce|forniscono|risponde|rispondono|specifica(?:no)?|indica(?:no)?|dice|dicono)\b",
        r"\bnon (?:lo )?so\b",
        r"\bnon (?:posso|è possibile|si può|dispongo|ho|trovo)\b.{0,40}\b(?:rispondere|determinare|"
        r"informazioni|risposta)\b",
        r"\bnon ci sono (?:\w+ )?(?:informazioni|dati)\b",
    ),
    "pt": (
        r"\b(?:texto|contexto|documentos?|passagens?|trechos?|fontes?)\b.{0,30}\bnão (?:cont[éê]m|"
        r"menciona(?:m)?|fornecem?|"
        r"respondem?|especificam?|indicam?|dizem?|diz)\b",
        r"\bnão sei\b",
        r"\bnão (?:posso|consigo|é possível|se pode|tenho|encontro|encontrei)\b.{0,40}\b(?:responder|"
        r"determinar|informaç|resposta)",
        r"\bnão há (?:\w+ )?(?:informaç|dados|resposta)",
    ),
    "nl": (
        r"\b(?:tekst|context|document(?:en)?|passages?|bronn?(?:en)?|fragment(?:en)?)\b.{0,30}\b(?:bevat(?:ten)?|"
        r"vermeld(?:t|en)|geeft|geven|noemt|noemen|beantwoordt|zegt)\b.{0,40}\b(?:niet|geen|niets)\b",
        r"\bik (?:weet|kan)\b.{0,40}\b(?:niet|geen)\b",
        r"\b(?:geen|onvoldoende|niet genoeg) (?:\w+ )?(?:informatie|gegevens|antwoord)\b",
    ),
    "pl": (
        r"\b(?:tekst|kontekst|dokument\w*|fragment\w*|źród\w+)\b.{0,30}\bnie (?:zawiera\w*|wspomina\w*|"
        r"podaj\w*|odpowiada\w*|określa\w*)",
        r"\bnie (?:wiem|mogę|można|jestem w stanie|mam)\b.{0,40}(?:odpowiedzieć|określić|informacji|odpowiedzi|$)",
        r"\b(?:brak|za mało) (?:\w+ )?(?:informacji|danych|odpowiedzi)\b",
    ),
    "ru": (
        r"\b(?:текст\w*|контекст\w*|документ\w*|отрыв\w+|источник\w*|"
        r"фрагмент\w*)\b.{0,30}\bне (?:содерж\w+|упомина\w+|отвеча\w+|указ\w+|сообща\w+|дает|даёт)",
        r"\bя не (?:знаю|могу|нашел|нашёл|нашла)\b",
        r"\b(?:нет|недостаточно) (?:\w+ )?(?:информации|данных|сведений|ответа)\b",
        r"\b(?:невозможно|нельзя) (?:\w+ )?(?:ответить|определить)\b",
    ),
    "zh": (
        r"(?:文本|上下文|文档|文件|文章|资料|資料|段落|内容|內容|原文|材料)[^。！？]{0,12}(?:没有|沒有|未|并未|並未|不)[^。！？]{0,4}"
        r"(?:提供|提到|提及|包含|说明|說明|回答|涉及|给出|給出|找到)",
        r"(?:无法|無法|不能|难以|難以)[^。！？]{0,8}(?:回答|确定|確定|得知|判断|判斷)",
        r"我(?:不知道|不清楚|不太清楚)",
        r"(?:没有|沒有|缺乏|未找到)(?:足够|足夠|相关|相關)?的?(?:信息|資訊|资料|資料|答案)",
    ),
    "ja": (
        r"(?:文章|文書|本文|テキスト|文脈|コンテキスト|資料|情報)[^。！？]{0,20}(?:記載|含まれ|述べられ|書かれ|言及|示され)"
        r"[^。！？]{0,6}(?:ません|ない|なかった)",
        r"(?:分かり|わかり|存じ)ません",
        r"(?:答え|回答|お答え|判断|特定)[^。！？]{0,8}(?:でき|られ)(?:ません|ない)",
        r"(?:情報|記載|答え|回答)(?:は|が)(?:ありません|ない|見つかりません|不足)",
    ),
    "ko": (
        r"(?:문서|본문|텍스트|문맥|자료|지문|내용)[^.!?。]{0,25}(?:않습니다|않았습니다|없습니다|않음|없음|않는다|없다)",
        r"(?:모르겠습니다|알 수 없습니다|모릅니다|답할 수 없습니다|답변할 수 없습니다|대답할 수 없습니다)",
        r"정보가 (?:없습니다|부족합니다|충분하지)",
    ),
    "ar": (
        r"(?:النص|السياق|المستند|الوثيقة|المقطع|المقاطع|المصدر|النصوص|المعلومات)[^.؟!]{0,30}(?:لا|لم) (?:ي|ت)\w+",
        r"(?:لا|لم) (?:يذكر|يحتوي|يوفر|يجيب|تذكر|تحتوي|توفر|تجيب)\w* (?:النص|السياق|المستند|الوثيقة|المقطع|المصدر)",
        r"(?:لا أعرف|لا أعلم|لا أدري|لا أستطيع|لا يمكنني|لا يمكن) ?(?:الإجابة|الاجابة|تحديد|أن أجيب)?",
        r"(?:لا توجد|لا تتوفر|ليس هناك|ليست هناك) (?:معلومات|إجابة)",
    ),
}
_REFUSALS = [re.compile(pattern) for patterns in _PATTERNS.values() for pattern in patterns]
_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "＇": "'", "“": '"', "”": '"'})
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？؟])")
_WORDS = re.compile(r"[぀-ヿ㐀-鿿]|\w+")


def is_refusal(text: str) -> bool:
    """Return whether ``text`` refuses: it is empty, or short and its first sentence says that it cannot answer.

    Knows how refusals are put in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian,
    Chinese, Japanese, Korean and Arabic, with straight and typographic apostrophes. At most ``MAX_WORDS`` words (a
    CJK character counts as one) are taken for a refusal. An opening such as "I'm sorry." alone may be followed by
    the sentence that refuses, so the first two sentences count. A rule of thumb: "The text does not say when, but
    the fair was in May" counts as a refusal, and a refusal in other words or another language is missed.
    """
    folded = " ".join(text.translate(_STRAIGHT).casefold().split())
    if not folded:
        return True
    if len(_WORDS.findall(folded)) > MAX_WORDS:
        return False
    opening = [sentence for sentence in _SENTENCE_END.split(folded) if sentence][:2]
    return any(pattern.search(sentence) for sentence in opening for pattern in _REFUSALS)
