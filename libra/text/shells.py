"""What a host puts around a whole block of ours: a code fence, an element, empty once the block is cut out.

A shell is taken away only where nothing else stands in it: a fence around the block and a person's own lines stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_BEFORE_CHARS: Final = 400
_ELEMENT: Final = re.compile(r"[ \t>]*<(?P<name>[A-Za-z][\w:.-]{0,60})(?:\s[^<>\n]{0,200})?>[\s>]*\Z")
_ESCAPED: Final = re.compile(
    r"[ \t>]*&(?:amp;){0,2}lt;(?P<name>[A-Za-z][\w:.-]{0,60})(?:\s[^<>\n]{0,200}?)?&(?:amp;){0,2}gt;[\s>]*\Z"
)
_FENCE: Final = re.compile(r"(?:^|(?<=\n))[ \t>]*(?P<fence>`{3,}|~{3,})[^\n`]{0,80}\n[\s>]*\Z")
_FENCE_LINE: Final = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})", re.MULTILINE)
_GAP: Final = re.compile(r"[\s>|]*\Z")
_GAP_CHARS: Final = 400
_MOST: Final = 16
"""Groups of blocks in one text that are looked around."""
_LAYERS: Final = 3


def with_shells(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans, those with nothing but blanks between them joined, each with the shells around it.

    Args:
        text: The whole text.
        spans: Regions of ours in order, none touching another.
    """
    out = _joined(text, spans)
    for i in range(min(len(out), _MOST)):
        for _ in range(_LAYERS):
            wider = _shell(text, *out[i])
            if wider is None:
                break
            out[i] = wider
    return out


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for start, end in spans:
        if out and start - out[-1][1] <= _GAP_CHARS and _GAP.match(text[out[-1][1] : start]):
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return out


def _shell(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span with the shell that opens right before it and closes right behind it, or None."""
    floor = max(0, start - _BEFORE_CHARS)
    before = text[floor:start]
    for form, closing in (
        (_ELEMENT, r"[\s>]*</{}\s*>"),
        (_ESCAPED, r"[\s>]*&(?:amp;){{0,2}}lt;/{}\s*&(?:amp;){{0,2}}gt;"),
    ):
        opened = form.search(before)
        if opened is None:
            continue
        closed = re.compile(closing.format(re.escape(opened["name"]))).match(text, end)
        if closed:
            return floor + opened.start(), closed.end()
    fence = _FENCE.search(before)
    if fence is None:
        return None
    closed = re.compile(rf"[\s>]*{fence['fence']}[`~]*[ \t]*(?=\r?\n|\Z)").match(text, end)
    if closed and len(_FENCE_LINE.findall(text, 0, start)) % 2:
        return floor + fence.start(), closed.end()
    return None
