"""Chinese deontic forms."""

from __future__ import annotations

import re
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_forms import Finding, Sentence

_FORMS: Final = (
    (Modality.PROHIBITION, True, r"(?:永远|绝对|千万|切记|务必|一律|都|请)?(?:不要|不得|不准|不许|不应当?|禁止|严禁|切勿|请勿|勿|不可以?(?!能)|不允许|绝不能?|决不能?|切忌)"),
    (Modality.PROHIBITION, True, r"(?:你|您|代理|助手|模型|任何人|所有人|代码|文件|一律|都|绝对|永远)(?:都)?不能"),
    (Modality.OBLIGATION, True, r"(?:必须|務必|务必|一定要|必需|一律|始终|永远(?!不)|总是要?|每次都?要|应当|應當|應該|应该|须)"),
    (Modality.OBLIGATION, False, r"(?:尽量|优先|确保|保证|记得|只能|只允许|仅限|只使用|避免|尽可能)"),
    (Modality.PERMISSION, False, r"(?:你|您|代理|助手)(?:也|还)?(?:可以|允许)"),
)
_PATTERNS: Final = tuple((m, s, re.compile(p)) for m, s, p in _FORMS)
_START: Final = re.compile(
    r"\A[\s\-*•>\d.、)）【】\[\]“\"]*(?:请|先|再|然后|首先|最后|如果[^，,]{1,40}[，,]\s*(?:请|就|则)?|当[^，,]{1,40}时[，,]\s*|在[^，,]{1,30}(?:前|后|时)[，,]\s*)?"
    r"(?:使用|采用|保持|运行|执行|编写|写|检查|遵循|遵守|添加|更新|测试|提交|阅读|读取|查看|确认|询问|回答|回复|返回|避免|优先|确保|用(?:中文|英文|简体|繁体)|别|不要|引用|记录|备份|验证|删除|修改|说明|列出|提供|注意)(?![的是了者器])"
)
_BIE: Final = re.compile(r"(?:\A|[，,。；;：:]|请)\s*别(?![的人处称名墅])")
_IDENTITY: Final = re.compile(r"\A[\s\-*•>]*你是(?!不是|否|谁|什么|怎么|在|说)")
_QUESTION: Final = re.compile(r"[?？][”」』\s]*\Z|[吗嗎呢么]\s*[?？。]?\s*\Z")
_TALK: Final = re.compile(
    r"[他她](?:们)?(?:说|告诉|认为|觉得|写道|问)|(?:曾经|昨天|去年|上周|当时|后来)|(?:应该|應該|一定|必须)(?:是|已经|会|在|有)(?!效|序)|[我他她](?:们)?(?:就|也|当时|那时)?(?:必须|不得不|应该|不能|不应)|不得不|据说|传说|故事"
)


def find(sentence: Sentence) -> list[Finding]:
    """Return the Chinese forms of one sentence."""
    text = sentence.text
    if _QUESTION.search(text) or _TALK.search(text):
        return []
    out: list[Finding] = []
    taken: list[tuple[int, int]] = []
    for modality, strong, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            taken.append(match.span())
            out.append(Finding(modality, sentence.start + match.start(), sentence.start + match.end(), "form", strong))
    bie = _BIE.search(text)
    if bie:
        out.append(Finding(Modality.PROHIBITION, sentence.start + bie.start(), sentence.start + bie.end(), "prohibition", strong=True))
    for pattern, form in ((_START, "imperative"), (_IDENTITY, "identity")):
        match2 = pattern.match(text)
        if match2 and not out:
            out.append(Finding(Modality.OBLIGATION, sentence.start, sentence.start + match2.end(), form))
    return out
