"""The files that an instruction file imports (``@docs/style.md``)."""

from __future__ import annotations

import re
from typing import Final

from libra.text.blocks import BlockKind
from libra.text.markdown import blocks, fence_after

_CODE_SPAN: Final = re.compile(r"(`{1,8})(?!`)[^\n]*?(?<!`)\1(?!`)")
_IMPORT: Final = re.compile(r"(?<![\w@`/.])@(?P<path>(?:~/|\.{0,2}/)?[\w.-][\w./@+-]*(?:\\ [\w./@+-]+)*)")


def imports(text: str) -> list[str]:
    r"""Return the ``@path`` imports of a Claude Code instruction file, distinct, in order.

    Code spans, code blocks and comments are no imports, nor are mail addresses. A path is as written
    (relative, ``~/`` or absolute), with ``\ `` for a blank undone and the full stop of a sentence cut off.

    Source: hosts.md §2.3.
    """
    found: dict[str, None] = {}
    for block in blocks(text) if "@" in text else ():
        if "@" not in block.text or block.kind in (BlockKind.CODE, BlockKind.FRONT_MATTER):
            continue
        fence: str | None = None
        for line in block.text.split("\n"):
            was = fence
            fence = fence_after(line, fence)
            if was or fence or "@" not in line:
                continue
            for match in _IMPORT.finditer(_CODE_SPAN.sub(" ", line) if "`" in line else line):
                path = match.group("path").replace("\\ ", " ").rstrip(".,;:")
                if path and not path.endswith("/"):
                    found.setdefault(path, None)
    return list(found)
