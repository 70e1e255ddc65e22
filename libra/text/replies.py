"""Questions for what the agent said: "What did you recommend?", "your advice", 你上次推荐的."""

from __future__ import annotations

import re
from typing import Final

_CHARS: Final = 2000
"""A question stands at the beginning of what is asked; what is longer is a paste."""
_FEW: Final = r"(?:[\w'’-]+ ){0,3}?"
_ENGLISH: Final = (
    rf"\b(?:did|had|have) you {_FEW}(?:recommend|suggest|advi[sc]e|propos|say\b|said|tell|told|explain|describ|mention|give\b|gave|given|show|list|outlin|offer"
    r"|provid|answer|reply|replied|write\b|wrote|written|help(?:ed)? me)"
    r"|\byou(?:['’](?:d|ve)| had| have)? (?:\w+ly |once |also |just )?(?:recommended|suggested|advised|proposed|said|told|explained|described|mentioned|gave|listed|outlined"
    r"|offered|showed|answered|replied|wrote|helped me)\b"
    rf"|\byour {_FEW}(?:advice|suggestions?|recommendations?|answers?|explanations?|proposals?|repl(?:y|ies)|responses?|tips?)\b"
)
_GERMAN: Final = (
    r"\b(?:hast|hattest|haben|hatten) (?:du|sie) (?:[\w-]+ ){0,8}?(?:empfohlen|vorgeschlagen|geraten|gesagt|erklärt|genannt|geschrieben|gezeigt|beschrieben|geantwortet|erwähnt)\b"
    r"|\b(?:du|sie) (?:mir|uns) (?:[\w-]+ ){0,8}?(?:empfohlen|vorgeschlagen|geraten|gesagt|erklärt|genannt|gezeigt|beschrieben) ha(?:st|ttest|ben|tten)\b"
    r"|\b(?:dein|ihr)(?:e|en|em|er|es)? (?:[\w-]+ ){0,2}?(?:rat|ratschlag|vorschlag|vorschläge|empfehlung(?:en)?|antwort(?:en)?|erklärung(?:en)?|tipps?)\b"
)
_FRENCH: Final = (
    r"\b(?:tu m['’]as|tu nous as|tu avais|tu m['’]avais|tu as|m['’]as-tu|as-tu|vous m['’]ave[zs]|vous nous avez|vous avez|vous m['’]aviez|m['’]avez-vous|avez-vous) (?:\w+ ){0,2}?"
    r"(?:conseillé|recommandé|suggéré|proposé|dit|expliqué|décrit|donné|montré|indiqué|répondu|écrit|mentionné)"
    r"|\b(?:ton|ta|tes|votre|vos) (?:\w+ )?(?:conseils?|suggestions?|recommandations?|réponses?|explications?|propositions?)\b"
)
_SPANISH: Final = (
    r"\b(?:recomendaste|sugeriste|aconsejaste|propusiste|dijiste|explicaste|describiste|diste|mostraste|indicaste|mencionaste|respondiste|escribiste)\b"
    r"|\b(?:has|habías) (?:recomendado|sugerido|aconsejado|propuesto|dicho|explicado|descrito|dado|mostrado|indicado|mencionado|respondido|escrito)\b"
    r"|\b(?:tus?|vuestr[oa]s?) (?:consejos?|sugerencias?|recomendaci(?:ón|ones)|respuestas?|explicaci(?:ón|ones)|propuestas?)\b"
)
_VIETNAMESE: Final = (
    r"\bbạn (?:\w+ ){0,3}?(?:đã|từng) (?:\w+ ){0,3}?(?:khuyên|gợi ý|đề xuất|đề nghị|nói|giải thích|tư vấn|trả lời|liệt kê|nhắc|hướng dẫn|viết)\b"
    r"|\b(?:lời khuyên|gợi ý|đề xuất|câu trả lời|lời giải thích) (?:\w+ ){0,2}?của bạn\b"
)
_CHINESE: Final = (
    r"[你您](?:之前|以前|先前|上次|上回|当时|當時|那时|那時|刚才|剛才|昨天|曾经|曾經|曾|已经|已經)[^，。？！\n]{0,8}?(?:建议|建議|推荐|推薦|提到|提议|提議|解释|解釋|告诉|告訴|回答|说|說|讲|講|给|給|教|列)"
    r"|[你您](?:给|給|跟|对|對|向)?我?(?:建议|建議|推荐|推薦|提到|提议|提議|解释|解釋|告诉|告訴|回答|说|說|讲|講|给|給|教|列)(?:我)?(?:了|过|過|的)"
    r"|[你您]的(?:建议|建議|推荐|推薦|回答|解释|解釋|说法|說法|答复|答覆)"
)
_JAPANESE: Final = (
    r"(?:勧め|薦め|すすめ|提案し|教え|説明し|言っ|答え|挙げ)てくれた|(?:勧め|薦め|すすめ|提案し|教え|説明し|言っ|答え)ていただいた"
    r"|(?:あなた|君)[がはの][^。？！\n]{0,20}?(?:勧めた|薦めた|すすめた|提案した|教えた|説明した|言った|答えた|挙げた|勧めました|薦めました|提案しました|説明しました|言いました|答えました)"
    r"|(?:あなた|君)の(?:提案|助言|アドバイス|おすすめ|回答|説明|返事)"
)
_ASKED: Final = re.compile(
    f"{_ENGLISH}|{_GERMAN}|{_FRENCH}|{_SPANISH}|{_VIETNAMESE}|{_CHINESE}|{_JAPANESE}", re.IGNORECASE
)


def asks_for_reply(query: str) -> bool:
    """Say whether a question is about what the agent itself said, recommended or explained before.

    "What would you suggest?" is a wish for something new, "what did I tell you?" asks for the person's own words: neither is meant.

    Args:
        query: The person's own words; only the first 2,000 characters are read.
    """
    return _ASKED.search(query[:_CHARS]) is not None
