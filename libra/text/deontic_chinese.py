"""Chinese deontic forms."""

from __future__ import annotations

import re
from typing import Final

from libra.ground.records import Modality
from libra.text.deontic_forms import Finding, Sentence, finding

_VERBS: Final = (
    "使用|采用|保持|运行|执行|编写|写|检查|遵循|遵守|添加|更新|测试|提交|阅读|读取|查看|确认|询问|回答|回复|返回|停止|记录|备份|验证|删除|修改"
    "|说明|列出|提供|注意|引用|避免|优先|确保|保证|用(?=中文|英文|简体|繁体|英语|越南)|默认使用|默认用|使用繁體|執行|檢查|遵循|確認|確保|回覆|更新|保留|忽略"
)
_THINGS: Final = "：|:|的|是|了|者|器|率|要|需要|会|能|可|在|有|由|都|已|方法|方式|说明|情况|结果|覆盖|文件|用例|环境|数据|框架|目录|报告|保存|如下|位置|格式|顺序|日志|人员|工具|流程|手册|指南"
"""After a verb: the two together are a thing ("测试文件", "使用方法")."""

_FORMS: Final = (
    (
        Modality.PROHIBITION,
        True,
        r"(?:永远|绝对|千万|切记|务必|一律|都|请|請)?(?:不要(?!紧|緊|钱|脸)|不得(?!不|已|了)|不准(?!确|確)|不许|不應該|不应该|不应当?|禁止|严禁|嚴禁|切勿|请勿|請勿|不可以?(?!能|思议|避免|或缺)|不允许|绝不能?|决不能?|切忌)",
    ),
    (
        Modality.PROHIBITION,
        True,
        r"(?:你|您|代理|助手|模型|任何人|所有人|代码|文件|一律|都|绝对|永远|任何[^，。]{1,12})(?:都)?不能|(?:未经|没有|未得到|未獲)[^，。]{1,20}[，,]\s*(?:都)?(?:不能|不可|不准)",
    ),
    (
        Modality.OBLIGATION,
        True,
        rf"(?:必须|必須|務必|务必|一定要|必需|一律|始终|始終|永远(?!不)|每次都?要|总是(?=要|先|{_VERBS})|应当|應當|應該|应该|须(?!知)|只有[^，。]{{1,24}}才(?:可以|能够?|可|允许))",
    ),
    (
        Modality.OBLIGATION,
        False,
        (
            r"(?:尽量|盡量|优先(?!级)|確保|确保|保证(?!金)|记得|只能|只允许|仅限|只使用|避免|尽可能|要(?:简洁|简短|诚实|清晰|礼貌|准确|完整|清楚|具体|按|用(?!户)|先|保持|避免|注意|遵|加上|放在|放到|写明|写清|使用|检查|确认|说明|尽量)"
            r"|都要(?!求)|都需要|(?:最多|至少|不超过|不多于|不少于)[\d一二两三四五六七八九十百]+[^，。]{0,8}[。！]?\Z)"
        ),
    ),
    (Modality.PERMISSION, False, r"(?:你|您|代理|助手)(?:也|还)?(?:可以|允许)"),
)
_PATTERNS: Final = tuple((modality, strong, re.compile(pattern)) for modality, strong, pattern in _FORMS)
_START: Final = re.compile(
    r"\A[\s\-*•>\d.、)）【】\[\]“\"]*(?:(?:如果|若|当|當|在|每次|每当)?[^，,。]{1,40}[，,]\s*)?(?:请|請|先|再|就|则|然后|首先|最后|应|同时|一并|直接|主动|仔细|认真|严格|统一|及时|尽快|尽早|一律|都){0,3}"
    rf"(?:{_VERBS})(?!{_THINGS})"
)
_ASK: Final = re.compile(
    r"(?:\A|[，,；;：:])[\s\-*•>\d.、)）\[\]]*(?:请|請)(?!问|問|求|假|教|客|柬|帖)[\u4e00-\u9fff]"
)
"""A polite order: "请同时提供 …", at the start of a clause."""
_FIRST: Final = re.compile(r"(?:[，,]|前)\s*(?:就|应|则)?先(?!生|前|后|进|天|例)[\u4e00-\u9fff]{2,}")
"""What comes first, after a condition: "遇到…，先…"."""
_PUT: Final = re.compile(
    r"\A[\s\-*•>\d.、)）\[\]]*(?:请)?(?:把|将)[^，。]{1,40}(?:放到|放在|放进|写入|写在|写进|移到|改为|改成|保存到|存到|提取|抽取|拆分|封装|作为|设为|总结成|翻译成|改写成|转换成|转成|换成|分成|拆成|整理成|合并|归类)(?![^，。]{0,20}的是)"
)
_LEAD_IN: Final = re.compile(
    r"\A[\s\-*•>\d.、)）\[\]“\"]*(?:如果|若|当|當|在|每次|每当|遇到|提交|修改|完成)?[^，,。]{0,40}(?:前|后|後|时|時|失败|问题)[，,]"
)
_LEAD_IN_WORD: Final = re.compile(
    r"\A[\s\-*•>\d.、)）\[\]]*(?:如果|若|当|當|在|每次|每当|遇到|提交|修改|完成|发现|对于|新增|删除|添加|发布|合并|部署)"
)
_NOT: Final = re.compile(r"(?:\A|[，,。；;：:]|请)\s*别(?![的人处称名墅])")
_IDENTITY: Final = re.compile(r"\A[\s\-*•>]*(?:你|您)是(?!不是|否|谁|什么|怎么|在|说|对|错)")
_QUESTION: Final = re.compile(
    r"[?？][”」』\s]*\Z|[吗嗎呢么]\s*[?？。]?\s*\Z|\A\s*(?:为什么|怎么|如何|是否|什么)"
)
_TALK: Final = re.compile(
    r"(?:客户|老板|经理|同事|作者|有人|别人|朋友|老师|文章|书上|新闻)[^，。]{0,4}(?:说|认为|觉得|表示|提到|告诉|写道)|[我他她](?:们)?[^，。]{1,5}(?:必须|不得不|应该|不能)"
    r"|[他她](?:们)?(?:说|告诉|认为|觉得|写道|问)|(?:曾经|昨天|去年|上周|当时|后来)|(?:应该|應該|一定)(?:是|已经|已|会|可以)|[我他她](?:们)?(?:就|也|当时|那时)?(?:必须|不得不|应该|不能|不应)"
    r"|不得不|据说|传说|故事"
)


def find(sentence: Sentence) -> list[Finding]:
    """Return the Chinese forms of one sentence."""
    text = sentence.text
    if _QUESTION.search(text) or _TALK.search(text):
        return []
    out: list[Finding] = []
    taken = bytearray(len(text))
    for modality, strong, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
            out.append(finding(sentence, modality, match.start(), match.end(), "form", strong=strong))
    refusal = _NOT.search(text)
    if refusal:
        out.append(
            finding(
                sentence, Modality.PROHIBITION, refusal.start(), refusal.end(), "prohibition", strong=True
            )
        )
    if out:
        return out
    start = _START.match(text)
    if start and (("，" not in start.group() and "," not in start.group()) or _LEAD_IN.match(text)):
        out.append(finding(sentence, Modality.OBLIGATION, 0, start.end(), "imperative"))
    for pattern in (_ASK, _PUT, _FIRST):
        polite = pattern.search(text) if not out else None
        if polite and (pattern is not _FIRST or _LEAD_IN_WORD.match(text)):
            out.append(finding(sentence, Modality.OBLIGATION, polite.start(), polite.end(), "imperative"))
    identity = _IDENTITY.match(text)
    if identity and not out:
        out.append(finding(sentence, Modality.OBLIGATION, 0, identity.end(), "identity"))
    return out
