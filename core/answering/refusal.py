"""Which answers are refusals: the answerer says that it cannot answer instead of answering."""

from __future__ import annotations

import re

#: what our own answerers say when they refuse
REFUSAL = "The retrieved text does not answer this question."

#: a refusal is short; a long text that begins like one usually goes on to answer
MAX_WORDS = 45

_TEXT = r"(?:context|text|passages?|documents?|sources?|information|excerpts?|snippets?|articles?|materials?|content)"
_SAYS = r"(?:contain|provide|mention|include|say|state|specify|answer|address|discuss|offer|give|have|cover)"
_END = r"\s*(?:[.!?,;:。！？؟]|$)"
#: what follows "no information": nothing, what it would be about, or where it is missing. "No information is given by
#: the ministry" goes on otherwise and is an answer.
_IN_TEXT = rf" (?:in|by|from|within) (?:the |this |these |any )?(?:\w+ )?{_TEXT}\b"
_MISSING = rf"(?:{_END}|{_IN_TEXT}| to (?:answer|determine|say|tell)\b| here\b)"
_ABOUT = rf"(?:{_MISSING}| (?:about|on|regarding|concerning|as to|whether|how|why|when|where|what|which|who)\b)"

#: One pattern a line: how refusals are put. Matched anywhere in a sentence of the folded text (lower case,
#: straight apostrophes, single spaces).
_PATTERNS = {
    "en": (
        rf"\b{_TEXT}(?: \w+){{0,4}} (?:do(?:es)? not|don't|doesn't|did not|didn't) (?:\w+ ){{0,2}}{_SAYS}\b",
        rf"\b(?:not|n't) (?:\w+ ){{0,3}}(?:mentioned|provided|stated|specified|found|given|contained|"
        rf"available|addressed)"
        rf" (?:in|by) (?:the |this |these |any )?(?:\w+ )?{_TEXT}\b",
        r"^(?:[\w' ]+,? (?:but )?)?i (?:do not|don't) (?:know(?!,? (?:how|that))|have (?:enough|"
        r"sufficient|any|the|access))\b",
        r"\bi(?:'m| am) (?:not able to (?:answer|find|provide|say|tell|determine)|unable to|afraid (?:i|"
        r"the|that|there)\b|sorry)",
        r"\b(?:i|we) (?:cannot|can't|can not|could not|couldn't) (?:\w+ ){0,2}(?:answer|find|determine|"
        r"provide|help|say|tell)\b",
        r"(?:^|\bit(?:'s| is) )(?:unable|impossible|not possible) to (?:answer|determine|say|tell|provide)\b",
        rf"\b(?:it|this|that|(?:the|this) (?:answer|question)) (?:cannot|can't|can not) be (?:answered|determined|"
        rf"inferred)\b|\b(?:cannot|can't|can not) be (?:answered|determined|inferred) (?:from|with|by|using|based on) "
        rf"(?:the |this |these )?(?:\w+ )?{_TEXT}\b",
        rf"\b(?:there is|there's|there are) (?:no|not enough|insufficient) (?:\w+ ){{0,2}}(?:information|details?)"
        rf"(?: available| provided| given)?{_ABOUT}",
        r"\b(?:there is|there's|there are) no (?:\w+ )?mentions?\b",
        rf"\b(?:there is|there's|there are) (?:no|not enough|insufficient) (?:\w+ ){{0,2}}(?:evidence|data)"
        rf"(?: available| provided| given)?{_MISSING}",
        rf"\b(?:no|not enough|insufficient) (?:\w+ )?(?:information|context|details?)"
        rf"(?: (?:is |was |are )?(?:available|provided|given|found){_ABOUT}| to (?:answer|determine)\b)",
        rf"\b(?:no|not enough|insufficient) (?:\w+ )?(?:evidence|data)"
        rf"(?: (?:is |was |are )?(?:available|provided|given|found){_MISSING}| to (?:answer|determine)\b)",
        rf"\bno answer (?:is |was |can be )?(?:found|available|given|possible){_ABOUT}",
    ),
    "de": (
        r"\b(?:text|kontext|dokumente?|quellen?|abschnitte?|textstellen?)\b.{0,40}\b(?:enthält|enthalten|beantwortet|"
        r"beantworten|erwähnt|erwähnen|nennt|nennen|sagt|"
        r"sagen)\b.{0,40}\b(?:nicht|keine?n?|nichts)\b",
        r"\b(?:text|kontext|dokumente?|quellen?|abschnitte?|textstellen?)\b.{0,40}\b(?:liefert|liefern|gibt|geben)\b"
        r".{0,30}\bkeine?n?\b.{0,20}\b(?:antwort|auskunft|hinweise?|informationen|angaben|aufschluss)\b",
        r"\bich (?:weiß|weiss) (?:es |das |die antwort )?(?:leider )?nicht\b",
        r"\bich (?:kann|konnte)\b.{0,60}\b(?:nicht|keine?)\b.{0,30}\b(?:beantworten|finden|sagen|geben|antworten)\b",
        r"\b(?:lässt|laesst|lassen|kann|können) (?:sich )?.{0,40}\bnicht (?:beantworte[nt]|entnehmen)\b",
        r"\b(?:lässt|laesst|lassen) sich\b.{0,40}\b(?:text|kontext|textstellen?|dokument(?:en)?|quellen?)\b.{0,20}"
        r"\bnicht (?:bestimmen|ermitteln)\b",
        r"\b(?:keine|nicht genügend|nicht genug|unzureichende) (?:\w+ )?(?:informationen|angaben|antwort)\b"
        rf".{{0,60}}\b(?:vorhanden|enthalten|verfügbar|gefunden|möglich|vor{_END}|beantworten)",
    ),
    "fr": (
        r"\b(?:texte|contexte|documents?|passages?|sources?|extraits?)\b.{0,30}\bn(?:e |')(?:contien(?:t|nent)|"
        r"mentionn(?:e|ent)|"
        r"précis(?:e|ent)|répond(?:ent)?|permet(?:tent)?|dit|disent|"
        r"indiqu(?:e|ent)|évoqu(?:e|ent)|abord(?:e|ent))\b",
        r"\b(?:texte|contexte|documents?|passages?|sources?|extraits?)\b.{0,30}\bn(?:e |')(?:fournit|fournissent|"
        r"donn(?:e|ent)|apport(?:e|ent)|offr(?:e|ent))\b.{0,30}\b(?:réponses?|informations?|précisions?|indications?|"
        r"détails?|éléments?)\b",
        r"\bje ne (?:sais|peux|dispose|trouve|suis pas)\b",
        r"\bje n'ai (?:pas|aucune?|rien)\b.{0,30}\b(?:trouvé|information|réponse|élément)",
        r"\b(?:il n'y a|il n'existe|n'y a-t-il) (?:pas|aucune?)\b.{0,30}\b(?:information|réponse|mention)s?"
        rf"(?:{_END}| (?:sur|concernant|à|pour|dans|disponible|de la|du|d'))",
        r"^(?:désolé,? )?(?:aucune|pas assez d'|pas suffisamment d') ?(?:information|réponse|donnée)s?"
        rf"(?:{_END}| (?:sur|concernant|à ce sujet|disponible|fournie|trouvée|dans|n'est|ne figure|pour))",
        r"(?:^|\bil est )impossible de (?:répondre|déterminer|dire)\b|\bpas possible de (?:répondre|déterminer|dire)\b",
    ),
    "es": (
        r"\b(?:texto|contexto|documentos?|pasajes?|fuentes?|fragmentos?)\b.{0,30}\bno (?:contienen?|"
        r"mencionan?|responden?|especifican?|indican?|dicen?|incluyen?)\b",
        r"\b(?:texto|contexto|documentos?|pasajes?|fuentes?|fragmentos?)\b.{0,30}\bno (?:proporcionan?|ofrecen?|dan?)\b"
        r".{0,30}\b(?:respuestas?|informaci(?:ón|ones)|datos|detalles?|indicaci(?:ón|ones))\b",
        r"^(?:lo siento,? )?(?:pero )?no (?:lo )?sé\b",
        r"\bno (?:puedo|es posible|se puede|dispongo|tengo|encuentro)\b.{0,40}\b(?:responder|determinar|"
        r"contestar|información|respuesta)\b",
        r"\bno hay (?:\w+ )?(?:información|datos|respuesta)"
        rf"(?:{_END}| (?:sobre|acerca|en el|en los|disponible|suficiente|para|al respecto))",
    ),
    "it": (
        r"\b(?:testo|contesto|documenti?o?|passagg[io]+|font[ei]|estratt[oi])\b.{0,30}\bnon (?:contiene|"
        r"contengono|menziona(?:no)?|risponde|rispondono|specifica(?:no)?|indica(?:no)?|dice|dicono)\b",
        r"\b(?:testo|contesto|documenti?o?|passagg[io]+|font[ei]|estratt[oi])\b.{0,30}\bnon (?:fornisce|forniscono|dà|"
        r"danno)\b.{0,30}\b(?:rispost[ae]|informazioni|dettagli|indicazioni|dati)\b",
        r"^(?:mi dispiace,? )?(?:ma )?non (?:lo )?so\b",
        r"\bnon (?:posso|è possibile|si può|dispongo|ho|trovo)\b.{0,40}\b(?:rispondere|determinare|"
        r"informazioni|risposta)\b",
        rf"\bnon ci sono (?:\w+ )?(?:informazioni|dati)(?:{_END}| (?:su|sul\w*|nel\w*|disponibili|sufficienti|per|a))",
    ),
    "pt": (
        r"\b(?:texto|contexto|documentos?|passagens?|trechos?|fontes?)\b.{0,30}\bnão (?:cont[éê]m|"
        r"menciona(?:m)?|respondem?|especificam?|indicam?|dizem?|diz)\b",
        r"\b(?:texto|contexto|documentos?|passagens?|trechos?|fontes?)\b.{0,30}\bnão (?:fornecem?|dá|dão|oferecem?)\b"
        r".{0,30}\b(?:respostas?|informaç\w+|dados|detalhes?|indicaç\w+)\b",
        r"^(?:desculpe,? )?(?:mas )?(?:eu )?não sei\b",
        r"\bnão (?:posso|consigo|é possível|se pode|tenho|encontro|encontrei)\b.{0,40}\b(?:responder|"
        r"determinar|informaç|resposta)",
        rf"\bnão há (?:\w+ )?(?:informaç\w+|dados|resposta)(?:{_END}| (?:sobre|n[oa]s?|dispon\w+|suficientes?|para|a))",
    ),
    "nl": (
        r"\b(?:tekst|context|document(?:en)?|passages?|bronn?(?:en)?|fragment(?:en)?)\b.{0,30}\b(?:bevat(?:ten)?|"
        r"vermeld(?:t|en)|noemt|noemen|beantwoordt|zegt)\b.{0,40}\b(?:niet|geen|niets)\b",
        r"\b(?:tekst|context|document(?:en)?|passages?|bronn?(?:en)?|fragment(?:en)?)\b.{0,30}\b(?:geeft|geven)\b.{0,30}"
        r"\bgeen\b.{0,20}\b(?:antwoord|informatie|gegevens|uitsluitsel)\b",
        r"\bik weet\b.{0,40}\bniet\b",
        r"\bik kan\b.{0,60}\b(?:niet|geen)\b.{0,30}\b(?:beantwoorden|vinden|zeggen|bepalen|geven)\b",
        r"(?:^|\ber (?:is|zijn|staat|wordt) |\bik (?:heb|vond|vind) )(?:helaas )?(?:geen|onvoldoende|niet genoeg) "
        r"(?:\w+ )?(?:informatie|gegevens|antwoord)\b",
    ),
    "pl": (
        r"\b(?:tekst|kontekst|dokument\w*|fragment\w*|źród\w+)\b.{0,30}\bnie (?:zawiera\w*|wspomina\w*|"
        r"podaj\w*|odpowiada\w*|określa\w*)",
        r"^(?:niestety,? )?(?:ja )?nie wiem\b",
        r"\bnie (?:mogę|można|jestem w stanie|mam)\b.{0,40}\b(?:odpowiedzieć|określić|informacji|odpowiedzi)\b",
        r"(?:^|\bniestety,? )(?:jest )?(?:brak|za mało) (?:\w+ )?(?:informacji|danych|odpowiedzi)\b",
    ),
    "ru": (
        r"\b(?:текст\w*|контекст\w*|документ\w*|отрыв\w+|источник\w*|"
        r"фрагмент\w*)\b.{0,30}\bне (?:содерж\w+|упомина\w+|отвеча\w+|указ\w+|сообща\w+)",
        r"\b(?:текст\w*|контекст\w*|документ\w*|отрыв\w+|источник\w*|фрагмент\w*)\b.{0,30}\bне (?:дает|даёт|дают)\b"
        r".{0,20}\b(?:ответ\w*|информаци\w+|сведени\w+|данны\w+)",
        r"\bя не (?:знаю|могу|нашел|нашёл|нашла)\b",
        r"^(?:к сожалению,? )?(?:здесь |в \w+ )?(?:нет|недостаточно) (?:\w+ )?(?:информации|данных|сведений|ответа)"
        rf"(?:{_END}| (?:о|об|для|чтобы|по|на|в)\b)",
        r"\b(?:невозможно|нельзя) (?:\w+ )?ответить\b",
        r"\b(?:по|из|на основе) (?:\w+ )?(?:текст\w+|контекст\w+|фрагмент\w+|документ\w+) (?:невозможно|нельзя) "
        r"(?:\w+ )?определить\b",
    ),
    "zh": (
        r"(?:文本|上下文|文档|文件|文章|资料|資料|段落|内容|內容|原文|材料)[^。！？]{0,12}(?:没有|沒有|未|并未|並未|不)[^。！？]{0,4}"
        r"(?:提供|提到|提及|包含|说明|說明|回答|涉及|给出|給出|找到)",
        r"(?:无法|無法|不能|难以|難以)[^。！？]{0,8}回答",
        r"(?:^|[，,]|我)(?:无法|無法|不能|难以|難以)[^。！？]{0,8}(?:确定|確定|得知|判断|判斷)",
        r"我(?:不知道|不清楚|不太清楚)",
        r"(?:^|[，,]|文中|上下文中|文本中|段落中)(?:并|並)?(?:没有|沒有|缺乏|未找到)(?:足够|足夠|相关|相關)?的?"
        r"(?:信息|資訊|资料|資料|答案)(?=[。，,！？]|$|来|來|可|说|說|表明|显示|顯示)",
    ),
    "ja": (
        r"(?:文章|文書|本文|テキスト|文脈|コンテキスト|資料|情報)[^。！？]{0,20}(?:記載|含まれ|述べられ|書かれ|言及|示され)"
        r"[^。！？]{0,6}(?:ません|ない|なかった)",
        r"(?:分かり|わかり|存じ)ません(?!でした)",
        r"(?:答え|回答|お答え)[^。！？]{0,8}(?:でき|られ)(?:ません|ない)",
        r"(?:文章|文書|本文|テキスト|文脈|資料)(?:から|では)[^。！？]{0,20}(?:判断|特定)[^。！？]{0,8}(?:でき|られ)(?:ません|ない)",
        r"(?:記載|答え|回答)(?:は|が)(?:ありません|ない|見つかりません|不足)",
        r"(?:^|関する|ついての|十分な|関連する|該当する|中に)情報(?:は|が)(?:ありません|ない|見つかりません|不足)",
    ),
    "ko": (
        r"(?:문서|본문|텍스트|문맥|자료|지문|내용)(?:에는|에서는|에서|에|은|는|이|가|만으로는) [^.!?。]{0,20}"
        r"(?:포함|언급|나와|나오|제공|명시|기재|설명|기술|다루|답|정보|내용)[^.!?。]{0,10}"
        r"(?:않습니다|않았습니다|없습니다|않음|없음|않는다|없다)",
        r"(?:모르겠습니다|알 수 없습니다|모릅니다|답할 수 없습니다|답변할 수 없습니다|대답할 수 없습니다)",
        r"(?:^|관련 ?|관련된 ?|관한 ?|대한 ?|충분한 ?)정보가 (?:없습니다|부족합니다|충분하지)",
    ),
    "ar": (
        r"(?:النص|السياق|المستند|الوثيقة|المقطع|المقاطع|المصدر|النصوص|المعلومات)[^.؟!]{0,30}(?:لا|لم) "
        r"(?:ي|ت)(?:ذكر|حتو|وفر|جيب|جب|قدم|تضمن|شير|شر|وضح|حدد|رد)\w*",
        r"(?:لا|لم) (?:يذكر|يحتوي|يوفر|يجيب|تذكر|تحتوي|توفر|تجيب)\w* (?:النص|السياق|المستند|الوثيقة|المقطع|المصدر)",
        r"(?:لا أعرف|لا أعلم|لا أدري|لا أستطيع|لا يمكنني)",
        r"لا يمكن (?:الإجابة|الاجابة|تحديد|معرفة)",
        rf"(?:لا توجد|لا تتوفر|ليس هناك|ليست هناك) (?:معلومات|إجابة)(?:{_END}| (?:عن|حول|في|كافية|لل\w+|بخصوص|على))",
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
