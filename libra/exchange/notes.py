"""Memory that an agent keeps in Markdown (MEMORY.md, memory/*.md): every list item is a statement.

A heading says what the items below it are about, so it goes in front of an item that would not be understood alone. A date
in the file's name (``2026-04-01.md``) is when its items were written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from libra.ground.records import digest
from libra.text.dates import parse_ts

Json = dict[str, Any]

_ITEM: Final = re.compile(r"^\s{0,12}(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?(.+)$")
_HEADING: Final = re.compile(r"^#{1,6}\s+(.+)$")
_FENCE: Final = re.compile(r"^\s{0,3}(?:```|~~~)")
_DATED: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_ALONE_WORDS: Final = 4
"""An item of fewer words ("use pnpm") is told with its heading."""


def bullets(text: str, path: str) -> Iterator[Json]:
    """Yield a statement for each list item outside of code.

    Args:
        text: The file's text.
        path: Its name, part of each item's id: the same item of two files is two.
    """
    dated = _DATED.search(path.rsplit("/", 1)[-1])
    ts = parse_ts(dated.group()) if dated else None
    heading, fenced = "", False
    for line in text.removeprefix("\ufeff").splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and (found := _HEADING.match(line)):
            heading = found[1].strip().rstrip("#").strip()
        elif not fenced and (found := _ITEM.match(line)):
            item = found[1].strip()
            said = f"{heading}: {item}" if heading and len(item.split()) < _ALONE_WORDS else item
            record: Json = {
                "kind": "statement",
                "system": "memory-md",
                "id": digest(path, said),
                "text": said,
            }
            yield record | ({"ts": ts} if ts is not None else {})
