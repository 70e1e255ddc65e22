"""Japanese deontic forms."""

from __future__ import annotations

import re
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_forms import Finding, Sentence, finding

_KANA: Final = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_END: Final = r"(?=\s*(?:[。！!.」』）):：]|\Z))"
_FORMS: Final = (
    (
        Modality.PROHIBITION,
        True,
        (
            r"ないで(?:ください|下さい|ほしい)|(?:て|で)は(?:いけ|なら|なり)(?:ません|ない)(?!でした)|禁止(?!され(?:た|ました))|厳禁|べきでは(?:ない|ありません)(?!でした)"
            r"|許可され(?:ていません|ていない|ません)|(?:認め(?:られ)?|受け付け|受け入れ|許容し|許し)(?:ません|ない)|(?:ない|ぬ)よう(?:に(?:する|して|しましょう)|注意)"
            rf"|ないこと{_END}|(?:絶対に|決して|一切)[^。、]{{1,60}}(?:ない|ません){_END}|不可(?:とする|です)?{_END}"
        ),
    ),
    (
        Modality.OBLIGATION,
        True,
        (
            r"なければ(?:なら|なり|いけ)(?:ない|ません)(?!ので|から)|なくては(?:なら|いけ)(?:ない|ません)|必ず|必須|義務付け|(?:常に|いつも)(?=[^。]{1,40}(?:する|こと|ください|下さい))"
            rf"|(?:のみ|だけ)とする{_END}|に限る{_END}|必要があ(?:る|ります){_END}"
        ),
    ),
    (
        Modality.OBLIGATION,
        False,
        (
            r"(?:て|で)(?:ください|下さい|ほしい)|をお願いします|べき(?:です|である|だ)?(?!で(?:は|した)|だった|か)"
            rf"|[うくすつぬむるぐぶ]こと{_END}|(?:ましょう|せよ|しろ){_END}|ようにする{_END}|を?(?:優先|推奨|徹底|厳守|遵守)(?:する|します)?{_END}|(?:が望ましい|を推奨)"
        ),
    ),
    (
        Modality.PERMISSION,
        False,
        r"(?:て|で)も(?:よい|良い|いい|構いません|構わない|かまいません|かまわない)",
    ),
)
_PATTERNS: Final = tuple((modality, strong, re.compile(pattern)) for modality, strong, pattern in _FORMS)
_PLAIN: Final = re.compile(
    rf"(?:前に|後に|場合は|場合、|ときは|時は|際は|際に|たら)、?[^。]{{2,80}}[うくすつぬむるぐぶ]{_END}"
)
_VERB_LAST: Final = re.compile(
    rf"を(?:[^。、]{{1,20}})?(?:使う|使用する|書く|記述する|実行する|確認する|避ける|守る|更新する|追加する|残す|付ける|つける|保つ|用いる|記載する|明記する|渡す|置き換える){_END}"
    rf"|を(?:[^。、は]{{1,12}})?(?:注入|使用|利用|確認|実行|参照|追加|更新|削除|記載|統一|明記|維持|保持|指定|徹底|遵守|厳守){_END}"
)
_IDENTITY: Final = re.compile(r"\A[\s\-*•>]*あなたは[^。]{2,80}(?:です|である|だ)[。.]?\s*\Z")
_QUESTION: Final = re.compile(r"[?？][」』\s]*\Z|(?:です|ます|でしょう|べき)か[。]?\s*\Z")
_TALK: Final = re.compile(
    r"(?:と(?:言っ|述べ|語っ|書い|言われ|聞い)|によると|によれば|昨日|先週|先月|去年|昨年|当時|昔々|むかし|かつて|かもしれない|に違いない)"
    r"|(?:ました|でした|だった|かった|った|した|いた|れた|えた)[。！」]?\s*\Z"
)
_NOT_RULES: Final = re.compile(r"(?:必要な|不要な|必須ではない|必要はありません|必要はない|必要がない)")


def has_kana(text: str) -> bool:
    """Return True if a text holds Hiragana or Katakana: it is Japanese, not Chinese."""
    return _KANA.search(text) is not None


def find(sentence: Sentence) -> list[Finding]:
    """Return the Japanese forms of one sentence."""
    text = sentence.text.rstrip()
    if not has_kana(text) or _QUESTION.search(text) or _TALK.search(text):
        return []
    out: list[Finding] = []
    taken = bytearray(len(text))
    for match in _NOT_RULES.finditer(text):
        taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
    for modality, strong, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
            out.append(finding(sentence, modality, match.start(), match.end(), "form", strong=strong))
    if out:
        return out
    for pattern, form in ((_PLAIN, "imperative"), (_VERB_LAST, "imperative"), (_IDENTITY, "identity")):
        found = pattern.search(text)
        if found:
            return [finding(sentence, Modality.OBLIGATION, found.start(), found.end(), form)]
    return out
