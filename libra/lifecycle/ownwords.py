"""Which words of a turn are the person's own: what they quote, report, paste or show as code is somebody else's.

Text in quotation marks, in code or pasted from elsewhere may never become what a person is said to have stated
(lessons.md C37): "my boss said: always use tabs" is no rule of theirs.
"""

from __future__ import annotations

import re
from typing import Final

_FENCE: Final = re.compile(
    r"^[ \t]*(`{3,}+|~{3,}+)[^\n]*+\n(?:(?![ \t]*\1)[^\n]*(?:\n|\Z))*[^\n]*", re.MULTILINE
)
_ELEMENT: Final = re.compile(r"^[ \t]*<([A-Za-z][\w-]{0,40})(?:\s[^<>\n]{0,200})?>", re.MULTILINE)
_CODE_SPAN: Final = re.compile(r"(?<!`)`[^`\n]{1,400}`(?!`)")
_QUOTED: Final = re.compile(
    r"\"[^\"\n]{1,600}\"|“[^“”\n]{1,600}”|„[^„“”\n]{1,600}[“”]|«[^«»\n]{1,600}»|「[^「」\n]{1,600}」|『[^『』\n]{1,600}』"
    r"|(?:(?<=[\s(:,])|^)['‘](?=[^\s'‘’])[^'‘’\n]{1,40}(?:['’](?=\w)[^'‘’\n]{1,100}){0,8}\s[^'‘’\n]{0,400}(?:['’](?=\w)[^'‘’\n]{1,100}){0,8}['’](?!\w)",
    re.MULTILINE,
)
_FOREIGN_LINE: Final = re.compile(
    r"[ \t]*(?:>|&gt;)"
    r"|(?: {4}|\t)[ \t]*+(?!(?:[-*+•]|\d{1,3}[.)])[ \t])\S"
    r"|[ \t]*(?:\$|>>>|\.\.\.|❯|➜|PS [A-Z]:[^>\n]{0,60}>|C:\\[^>\n]{0,80}>)[ \t]\S"
    r"|\[?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}|\[?\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?\]?(?: [AP]M\]?)? \S{1,40}:"
    r"|[ \t]*\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|CRITICAL)\]?[ \t:]"
    r"|[ \t]*(?:User|Assistant|Human|AI|System|Bot|Agent|Claude|ChatGPT|Gemini|Codex|Tool)[ \t]?[:：][ \t]"
    r"|[ \t]*(?:Traceback \(most|File \"|at [\w$.<>]{1,200}\(|diff --git |@@ -|index [0-9a-f]{6,}|\+\+\+ |--- [ab]/)"
    r"|[ \t]*\|.*\|[ \t]*$|[ \t]*</?[A-Za-z][\w-]*[^<>\n]{0,200}>|[ \t]*[{}\[\]();,]+[ \t]*$|[ \t]*[\"'][\w .-]{1,60}[\"'][ \t]*:[ \t]"
)
"""Block quotes, indented code, prompts, logs, transcripts, traces, diffs, tables, markup, JSON."""
_PASTE: Final = re.compile(
    r"^[ \t]*(?:-{2,}[ \t]?(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Message d['’]origine)|Begin forwarded message|From: [^\n]{1,200}\n(?:To|Sent|Date|Subject|Cc): )"
    r"|^[ \t]*(?:On|Am|Le|El) [^\n]{4,120} (?:wrote|schrieb[^\n]{0,60}|a écrit|escribió)\s?:[ \t]*$"
    r"|^[^\n]{0,120}\b(?:e-?mails?|logs?|transcripts?|articles?|outputs?|error(?: message)?|message|diff|file|docs?|documentation|readme|guide|manual|spec|post|ticket|issue|comment|review|thread|snippet|page|paste|template|prompt"
    r"|text|letter|notes from \w+|excerpt|said|says|wrote|writes|replied|answered|schrieb|sagte|a écrit|a dit|escribió|dijo)(?: (?:is|was|below|here|from \w+|i got|ist|est|es)){0,3}[ \t]*:[ \t]*\n"
    r"|^[^\n]{0,60}(?:日志|邮件|文章|报错|输出|文档|原文|写道|回复)[^\n]{0,12}[:：][ \t]*\n|^[^\n]{0,60}(?:ログ|メール|記事|出力|原文)[^\n]{0,12}[:：][ \t]*\n"
    r"|^[^\n]{0,60}\b(?:nhật ký|bài viết|tài liệu|thông báo lỗi|viết|trả lời)\b[^\n]{0,12}:[ \t]*\n",
    re.MULTILINE | re.IGNORECASE,
)
"""What introduces a paste: what follows is not the person's."""
_BY_MACHINE: Final = re.compile(
    r"\b(?:logs?|outputs?|error(?: message)?|diff)\b|日志|报错|输出|ログ|出力|\b(?:nhật ký|thông báo lỗi)\b",
    re.IGNORECASE,
)
_MACHINE_LINE: Final = re.compile(
    r"[^\n]*(?:\d{2}|[=\[\]{}<>|\\_]|\w/\w|\w\(|\b\w{0,40}(?:Error|Exception)\b|\b(?:ERROR|WARN|FATAL|FAIL(?:ED)?|INFO|DEBUG)\b)"
)
_SPEAKS: Final = re.compile(
    r"(?:so |then |ok(?:ay)?,? |anyway,? |also,? |now )?(?:we|i|i['’]m|i['’]ve|we['’]ve|our|my|let['’]s|please|from now on|wir|ich|unser\w*|mein\w*|bitte|ab jetzt"
    r"|nous|je|notre|nos|mon|ma|désormais|hemos|decidimos|prefiero|nuestr[oa]|a partir de ahora|chúng tôi|tôi|mình|từ giờ)\b[ '’]"
    r"|j['’]|(?:我们?|以后|今后|请)|(?:私|僕|今後)",
    re.IGNORECASE,
)
"""How a paragraph begins in which the person speaks again."""

_WHO: Final = r"(?:(?-i:(?!I\b)[A-Z][\w-]*)|he|she|they|it|someone|somebody|everyone|everybody|people|(?:the|my|our|your|his|her|their|this|that|an?) (?:[\w'’-]+ ){0,2}[\w'’-]+)"
_SAYS: Final = (
    r"(?:said|says|say|told (?:me|us|him|her|them)|tells (?:me|us)|wrote|writes|claims?|claimed|suggest(?:ed|s)?|recommend(?:ed|s)?|insist(?:ed|s)?"
    r"|mentioned|mentions|stated|states|reported|reports|replied|answered|argued|argues|explained|demanded|demands|asked (?:me|us)|asks (?:me|us))"
)
_REPORTED: Final = re.compile(
    rf"(?:^|(?<=[\s,;(—-]))(?:{_WHO}(?: (?:just|also|always|once|has|have|had|even|still|clearly|explicitly)){{0,2}} {_SAYS}(?!\s+(?:yes|no|hi|hello|so)\b[.!]?$)[,:]?"
    r"|(?:according to|as per|in the words of|per) [^,.;:!?\n]{1,60}[,:]?|(?:laut|gemäß) [^,.;:!?\n]{1,40}[,:]?|(?:selon|d['’]après) [^,.;:!?\n]{1,40}[,:]?|según [^,.;:!?\n]{1,40}[,:]?"
    r"|(?:er|sie|man|(?:der|die|das|mein\w?|unser\w?) \w+) (?:sagte?|meinte?|schreibt|schrieb|behauptet|empfiehlt|hat gesagt)[,:]?"
    r"|(?:il|elle|on|(?:le|la|les|mon|ma) \w+|l['’]\w+) (?:a dit|dit|a écrit|écrit|prétend|affirme|recommande|m['’]a dit)[,:]?"
    r"|(?:él|ella|(?:el|la|los|mi) \w+) (?:dijo|dice|me dijo|escribió|afirma|recomienda)[,:]?"
    r"|(?:anh ấy|cô ấy|ông ấy|bà ấy|họ|tài liệu|sếp(?: tôi)?|theo) (?:\S+ ){0,3}?(?:nói|bảo|viết|ghi|cho rằng|khuyên|tài liệu)(?: (?:rằng|là))?[,:]?)"
    r"(?P<rest>[\s.!…].*|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_REPORTED_CHINESE: Final = re.compile(
    r"(?:他|她|他们|老板|同事|文档|文章|手册|作者|客户|医生|老师|网上|据说|根据.{1,12}[,，])(?:.{0,6}?)(?:说|写道|写着|表示|认为|建议|要求|[,，])(?P<rest>.+)",
    re.DOTALL,
)
_REPORTED_JAPANESE: Final = re.compile(
    r"(?P<rest>.+)(?:と|って)(?:言(?:って|い|った|われ)|書(?:いて|かれ)|述べ|話して|聞いた|聞きました|のこと)",
    re.DOTALL,
)
_OF_MYSELF: Final = re.compile(
    r"[\s,:]*(?:that |dass |que |rằng |là )?(?:i|i['’]m|my|ich|mein\w?|je|j['’]\S+|mon|ma|yo|mi|mis|tôi|mình|我)\b",
    re.IGNORECASE,
)
"""Reported words about the person themselves ("the doctor told me I am allergic …") are told as their own."""
_CHARS: Final = 20_000
"""Statements are looked for in the beginning of a turn (lessons.md C67)."""
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|$)|[。！？\n]")
_REPORT_CHARS: Final = 600


def own_words(text: str) -> str:
    """Return ``text`` with what is not the person's own blanked out; every offset stays true.

    Whole lines and reported clauses become blanks. A code span or a quotation inside a sentence becomes one
    nameless word (``Xxxx``), so that "my favourite film is “…”" stays a sentence. Only the first 20,000
    characters are read, what follows is cut off.

    Source: lessons.md C37.
    """
    text = text[:_CHARS]
    raw = text
    for pattern in (_FENCE, _ELEMENT, _PASTE):
        text = _without_regions(text, pattern, raw)
    lines = text.split("\n")
    text = "\n".join(" " * len(line) if _FOREIGN_LINE.match(line) else line for line in lines)
    text = _QUOTED.sub(_nameless, _CODE_SPAN.sub(_nameless, text))
    return _without_reports(text)


def _nameless(match: re.Match[str]) -> str:
    return "X" + "x" * (len(match.group()) - 1)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _without_regions(text: str, pattern: re.Pattern[str], raw: str) -> str:
    """Blank fences; elements up to their end tag; pastes from their introduction to where they end in ``raw``."""
    pieces: list[str] = []
    at = 0
    lower = text.lower() if pattern is _ELEMENT else ""
    for match in pattern.finditer(text):
        if match.start() < at:
            continue
        start, end = match.span()
        if pattern is _ELEMENT:
            close = lower.find(f"</{match.group(1).lower()}>", end)
            if close < 0:
                continue
            end = close + len(match.group(1)) + 3
        elif pattern is _PASTE:
            end = _paste_end(raw, match)
        pieces += [text[at:start], _blank(text[start:end])]
        at = end
    return "".join([*pieces, text[at:]])


def _paste_end(raw: str, introduction: re.Match[str]) -> int:
    """Return where a paste ends: behind its fence, or before the paragraph in which the person speaks again.

    The latter only if all that came before looks like a program's words: a mail, an article or a chat has
    paragraphs in the first person itself, so those reach to the end of the turn (lessons.md C37).
    """
    at = introduction.end()
    while raw[at : at + 1].isspace():
        at += 1
    fence = _FENCE.match(raw, raw.rfind("\n", 0, at) + 1)
    if fence:
        return fence.end()
    if not _BY_MACHINE.search(introduction.group()):
        return len(raw)
    seen = blank = False
    for line in raw[at:].splitlines(keepends=True):
        if not line.strip():
            blank = True
        elif seen and blank and _SPEAKS.match(line):
            return at
        elif _MACHINE_LINE.match(line):
            seen, blank = True, False
        else:
            break
        at += len(line)
    return len(raw)


def _without_reports(text: str) -> str:
    """Blank what sentences tell as somebody else's words."""
    pieces: list[str] = []
    at = 0
    ends = [m.end() for m in _SENTENCE_END.finditer(text)]
    for end in [*ends, len(text)]:
        pieces.append(_own_of(text[at:end]))
        at = end
    return "".join(pieces)


def _own_of(sentence: str) -> str:
    head = sentence[:_REPORT_CHARS]
    # Each of the others needs a letter that is not ASCII, and looks for it at every place.
    for pattern in (_REPORTED,) if head.isascii() else (_REPORTED, _REPORTED_CHINESE, _REPORTED_JAPANESE):
        match = pattern.search(head)
        if match and not _OF_MYSELF.match(match.group("rest")):
            # The report itself goes with its words: "the docs say …" states nothing of the person either.
            return _blank(sentence)
    return sentence
