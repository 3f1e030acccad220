"""Texts that break splitters, as fixed examples and as a hypothesis strategy."""

from __future__ import annotations

from hypothesis import strategies as st

EXAMPLES = {
    "one word": "word",
    "one character": "x",
    "no word": " \n … !? — \n",
    "only emoji": "😀👨‍👩‍👧 🎉",
    "no punctuation": "one two three four five six seven eight nine ten " * 60,
    "10,000-word sentence": " ".join(f"w{i}" for i in range(10_000)) + ".",
    "10,000 words without blanks": "语" * 10_000,
    "long sentence of lines": "\n".join(f"item {i} of the list" for i in range(120)),
    "emoji": "Hello!😀 She smiled 👩🏽‍💻. “Fine,” he said 🎉🎉. Next one? Yes 👍!\n\n🎉 party. " * 12,
    "combining marks": "E\u0301lan vital. Cafe\u0301 noir! a\u0300 la carte? Zo\u0308e\u0308 came. " * 15,
    "chinese": "第一句话“你好。”第二句话在这里！第三句呢？价格是3.5元。\n\n新的一段　开始了。" * 15,
    "japanese": "これは最初の文です。カタカナとｶﾞﾀｶﾅも。　次の段落「はい。」と言った。" * 12,
    "thai": "สวัสดีครับ ผมชื่อสมชาย วันนี้อากาศดี " * 20,
    "arabic": "مرحبا بك. كيف حالك؟ بخير، شكرا. السعر ١٢٫٥ دينار؛ نعم! " * 15,
    "crlf": "First line.\r\nSecond line. Third.\r\n\r\nNew paragraph here.\r\n \r\nAnother. " * 15,
    "old mac": "First line.\rSecond.\r\rNew paragraph.",
    "abbreviations": "Dr. Smith of U.S. Steel, e.g. in Jan. 2020, paid No. 5 to Mr. J. K. Jones et al. Then he left. "
    * 8,
    "decimals": "It cost $3.50, i.e. 1,234.56 yen or 0.5% of v2.0.1. See fig. 3.2. Done. " * 12,
    "wide blanks": "E\u3000. F\u2003. I\u00a0. 見\u3000出し。",
    "form feeds": "page one.\x0cpage two.\u2029paragraph.\u2028line.\x85next.",
    "lone surrogate": "a\ud800b. Next one.",
    "marks first": "\u0301\u0301abc. \u200d def.",
    "repeated": "a a a a a. " * 200,
    "long paragraph": "Short one. " * 2_000,
    "heading before a long sentence": "Heading of the part\n\n" + "word " * 300,
    "long tokens": "https://example.org/a/b?c=d&e=f#g " * 80 + "x" * 5_000,
}

_PIECES = [
    *"abcXYZ019 .,;:!?…-—'\"“”‘’()[]«»\n\r\t_/",
    *(" ", " ", ". ", ".\n", "\n\n", "\r\n", "\r\n\r\n", "\u2029", "\u2028", "\x0c", "\u3000", "\xa0", "\u200b"),
    *("word", "Sentence one. ", "Dr. ", "e.g. ", "U.S.A.", "3.14", "1,000", "don't", "don’t", "No. 5"),
    *("é", "e\u0301", "\u0301", "ß", "İ", "ﬁ", "co\u00adop", "\ufeff", "\u202e", "\ud800"),
    *("😀", "👨‍👩‍👧", "🎉", "第", "一句。", "「はい」", "カタカナ", "مرحبا", "؟", "สวัสดี", "한국어 ", "नमस्ते "),
]

texts = st.one_of(
    st.lists(st.sampled_from(_PIECES), max_size=80).map("".join),
    st.text(max_size=60),
    st.lists(st.sampled_from(["one ", "two. ", "three\n", "四", "五。", "six.\n\n", "😀 "]), max_size=400).map("".join),
)
#: what a document may hold: something other than blanks
document_texts = texts.filter(lambda text: bool(text.strip()))
