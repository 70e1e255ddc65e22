"""Lines of a Markdown source with their bytes: what the block scanner stands on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_LINE: Final = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_FENCE: Final = re.compile(r"[\s>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+){0,3}(?P<fence>`{3,}(?=[^`]*\Z)|~{3,})")
_YAML_KEY: Final = re.compile(r"[A-Za-z_\"'][\w .\"'-]{0,80}\s*:(?:\s|\Z)|\s*#|- ")
_DELIMITER: Final = frozenset("|:- \t")
_FRONT_LINES: Final = 1000


@dataclass(frozen=True, slots=True)
class Source:
    r"""A document's lines.

    Attributes:
        texts: Without line ends (``\n``, ``\r\n`` or ``\r``).
        starts: Byte offset of each line in the UTF-8 source.
        ascii: True if bytes and characters are the same.
    """

    texts: list[str]
    starts: list[int]
    ascii: bool

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return the byte span from the first visible character of one line to the last of another."""
        head, tail = self.texts[first], self.texts[last].rstrip()
        start = self.starts[first] + len(head) - len(head.lstrip())
        end = self.starts[last] + (len(tail) if self.ascii else len(tail.encode("utf-8", "surrogatepass")))
        return start, max(start, end)


def read_lines(text: str) -> Source:
    """Cut ``text`` into lines; a byte order mark is skipped but counted."""
    bom = text.startswith("\ufeff")
    body = text[1:] if bom else text
    plain = body.isascii()
    texts: list[str] = []
    starts: list[int] = []
    at = 3 if bom else 0
    if "\r" not in body:
        texts = body.split("\n")
        for line in texts:
            starts.append(at)
            at += (len(line) if plain else len(line.encode("utf-8", "surrogatepass"))) + 1
        return Source(texts, starts, plain)
    for match in _LINE.finditer(body):
        line = match.group(1)
        texts.append(line)
        starts.append(at)
        at += (len(line) if plain else len(line.encode("utf-8", "surrogatepass"))) + len(match.group(2))
        if not match.group(2):
            break
    return Source(texts, starts, plain)


def blank_comments(texts: list[str]) -> list[str]:
    """Return the lines with HTML comments as spaces, outside code; an unclosed comment is text."""
    opened = [i for i, line in enumerate(texts) if "<!--" in line]
    if not opened:
        return texts
    closes = [i for i, line in enumerate(texts) if "-->" in line]
    last_close = closes[-1] if closes else -1
    out = list(texts)
    fence: str | None = None
    inside = False
    for i, line in enumerate(texts[: last_close + 1]):
        if not inside:
            if fence:
                stripped = line.strip(" \t>")
                if stripped.startswith(fence) and not stripped.strip(fence[0]):
                    fence = None
                continue
            match = _FENCE.match(line)
            if match:
                fence = match.group("fence")
                continue
        if inside or "<!--" in line:
            out[i], inside = _blanked(line, inside=inside, may_open=last_close > i)
    return out


def _blanked(line: str, *, inside: bool, may_open: bool) -> tuple[str, bool]:
    """Blank the comments of one line; return it and whether a comment is still open."""
    pieces: list[str] = []
    at = 0
    while True:
        if not inside:
            start = _outside_code(line, at)
            if start < 0:
                return "".join(pieces) + line[at:], False
            close = line.find("-->", start + 4)
            if close < 0 and not may_open:
                return "".join(pieces) + line[at:], False
            pieces.append(line[at:start])
            at, inside = start, True
        close = line.find("-->", at)
        if close < 0:
            return "".join(pieces) + " " * (len(line) - at), True
        pieces.append(" " * (close + 3 - at))
        at, inside = close + 3, False


def _outside_code(line: str, at: int) -> int:
    """Return where a comment opens at or after ``at``, outside of inline code, or -1."""
    while True:
        start = line.find("<!--", at)
        if start < 0 or line.count("`", 0, start) % 2 == 0:
            return start
        at = start + 4


def front_matter_end(texts: list[str]) -> int:
    """Return the index of the line that closes the front matter, or 0 if there is none.

    Front matter is ``---`` (or ``+++``) on the first line, something like keys, and a closing line; what
    never closes is no front matter.
    """
    if not texts or texts[0].rstrip() not in ("---", "+++"):
        return 0
    mark = texts[0].rstrip()
    ends = ("+++",) if mark == "+++" else ("---", "...")
    for i in range(1, min(len(texts), _FRONT_LINES)):
        if texts[i].rstrip() in ends:
            first = next((line for line in texts[1:i] if line.strip()), "")
            keyed = mark == "+++" or _YAML_KEY.match(first) is not None
            return i if keyed or not first else 0
    return 0


def indent_of(line: str) -> int:
    """Return the columns of leading white space, tabs to multiples of four."""
    if line[:1] not in (" ", "\t"):
        return 0
    head = line[: len(line) - len(line.lstrip(" \t"))]
    return len(head.expandtabs(4)) if "\t" in head else len(head)


def dedent(line: str, columns: int) -> str:
    """Return ``line`` without up to ``columns`` columns of leading white space."""
    body = line.lstrip(" \t")
    return " " * max(0, indent_of(line) - columns) + body


def is_delimiter_row(line: str, header: str) -> bool:
    """Return True if ``line`` is a table's ``|---|:-:|`` row under ``header``."""
    if "-" not in line or "|" not in line or not _DELIMITER.issuperset(line):
        return False
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    return all(cell.strip(":") and not cell.strip(":").strip("-") for cell in cells) and "|" in header
