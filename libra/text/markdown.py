"""Markdown's block structure with exact places.

A line scanner for CommonMark's blocks, pipe tables, front matter and task boxes, not a whole Markdown
engine: the partition needs the exact bytes and lines of each leaf, which AST libraries do not give,
and must be linear and safe on hostile input (deep nesting, ten thousand links in one paragraph;
feasibility.md §7). It keeps no state outside its arguments, so any thread may call it. That it sees the
same structure as a CommonMark parser is tested against mistletoe.

Where authors' habits and CommonMark part, the reading that loses no rule wins: a line that is only an
unknown tag (``<important>``) does not swallow the text behind it, and a sentence above ``---`` is a
sentence, not a heading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from libra.text.blocks import Block, BlockKind
from libra.text.markdown_lines import (
    Source,
    blank_comments,
    dedent,
    front_matter_end,
    indent_of,
    is_delimiter_row,
    read_lines,
)

_MOST_LEAVES: Final = 12_000
_INTERRUPTING: Final = frozenset("`~#*-_>+0123456789")
"""With one of these, or ``<``, begins what ends a paragraph."""
_FENCE: Final = re.compile(r" {0,3}(?P<fence>`{3,}(?=[^`]*\Z)|~{3,})")
_ATX: Final = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<title>.*))?\Z")
_RULE: Final = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_SETEXT: Final = re.compile(r" {0,3}(?P<mark>=+|-+)[ \t]*\Z")
_ITEM: Final = re.compile(
    r"(?P<in> {0,3})(?P<mark>[-+*]|(?P<number>\d{1,9})[.)])(?:(?P<gap>[ \t]+)(?=\S)|[ \t]*\Z)"
)
_QUOTE: Final = re.compile(r" {0,3}>")
_QUOTE_SIGNS: Final = re.compile(r"(?: {0,3}>)+[ \t]?|(?: {0,3}> ?)+")
_HTML: Final = re.compile(
    r" {0,3}<(?:/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    r"|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem"
    r"|nav|noframes|ol|optgroup|option|p|param|picture|search|section|source|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul|img|br)"
    r"(?=[\s/>]|\Z)|(?P<raw>script|pre|style|textarea)(?=[\s>]|\Z)|\?|![A-Za-z])",
    re.IGNORECASE,
)
_LONE_TAG: Final = re.compile(r" {0,3}</?[A-Za-z][\w:.-]{0,60}(?:\s[^<>]{0,400})?/?>[ \t]*\Z")
_SENTENCE_END: Final = (".", "!", "。", "！", ":", ";", ",")
_INNER_FENCE: Final = re.compile(
    r"(?:[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+){0,3}[ \t]*(?P<fence>`{3,}(?=[^`]*\Z)|~{3,})"
)


def blocks(text: str) -> list[Block]:
    """Return the leaves of a document in source order.

    Args:
        text: The document; a byte order mark at its start is skipped but counted in the byte spans.

    Source: memory-model.md §3.
    """
    source = read_lines(text)
    texts = blank_comments(source.texts)
    scanner = _Scanner(source, texts, range(len(texts)), None)
    end = front_matter_end(texts)
    if end:
        inner = "\n".join(line.rstrip() for line in texts[1:end]).strip("\n")
        if inner.strip():
            scanner.add(BlockKind.FRONT_MATTER, inner, 0, end)
        scanner.at = end + 1
    scanner.run()
    return scanner.out


class _Scanner:
    """Walks lines once and collects leaves; a block quote's lines get a scanner of their own."""

    def __init__(
        self,
        source: Source,
        texts: list[str],
        numbers: Sequence[int],
        quoted: tuple[str, ...] | None,
    ) -> None:
        """Start before the first line.

        Args:
            source: Where the lines are in the file.
            texts: Their text, quote signs removed.
            numbers: Index of each into ``source``.
            quoted: The heading path, if these are the lines of a block quote.
        """
        self.source = source
        self.texts = texts
        self.numbers = numbers
        self.quoted = quoted
        self.at = 0
        self.out: list[Block] = []
        self.path: list[tuple[int, str]] = []
        self.titles: list[str] = []

    def add(self, kind: BlockKind, text: str, first: int, last: int) -> None:
        """Append the leaf that reaches from line ``first`` to line ``last`` of this scanner."""
        if self.quoted is not None and kind is BlockKind.PARAGRAPH:
            kind = BlockKind.QUOTE
        start, end = self.source.span(self.numbers[first], self.numbers[last])
        heading = self.quoted if self.quoted is not None else tuple(title for _, title in self.path)
        self.out.append(
            Block(kind, text, start, end, self.numbers[first] + 1, self.numbers[last] + 1, heading)
        )

    def run(self) -> None:
        """Scan to the end; after a great many leaves, what is left becomes one."""
        texts = self.texts
        count = len(texts)
        while self.at < count:
            if len(self.out) >= _MOST_LEAVES:
                self._rest()
                return
            line = texts[self.at]
            if not line or line.isspace():
                self.at += 1
            elif line[0].isalpha():
                self._text()
            else:
                self._block(line)

    def _rest(self) -> None:
        """Take everything that is left as one leaf of code: such a file is data, not a document."""
        rest = [i for i in range(self.at, len(self.texts)) if self.texts[i].strip()]
        if rest:
            body = "\n".join(self.texts[rest[0] : rest[-1] + 1])
            self.add(BlockKind.CODE, body, rest[0], rest[-1])
        self.at = len(self.texts)

    def _block(self, line: str) -> None:
        """Scan the block that starts with ``line``, which is not blank."""
        if indent_of(line) >= 4:
            self._indented()
        elif fence := _FENCE.match(line):
            self._fenced(fence.group("fence"))
        elif title := _ATX.match(line):
            self._heading(len(title.group("marks")), title.group("title") or "", self.at)
            self.at += 1
        elif _RULE.match(line):
            self.at += 1
        elif self.quoted is None and _QUOTE.match(line):
            self._quote()
        elif item := _ITEM.match(line):
            self._item(item)
        elif html := _HTML.match(line):
            self._html(html.group("raw"))
        elif _LONE_TAG.match(line):
            self.add(BlockKind.HTML, line.strip(), self.at, self.at)
            self.at += 1
        else:
            self._text()

    def _interrupts(self, line: str) -> bool:
        """Return True if ``line`` ends a paragraph (it is not blank and does not start with a letter)."""
        sign = line.lstrip(" ")[:1]
        if sign == "<":
            return _HTML.match(line) is not None or _LONE_TAG.match(line) is not None
        if sign not in _INTERRUPTING:
            return False
        item = _ITEM.match(line)
        if item:
            return item.group("gap") is not None and item.group("number") in (None, "1")
        return any(form.match(line) is not None for form in (_FENCE, _ATX, _RULE, _QUOTE))

    def _is_table(self, at: int) -> bool:
        """Return True if a table's header row stands at ``at``."""
        return (
            "|" in self.texts[at]
            and at + 1 < len(self.texts)
            and is_delimiter_row(self.texts[at + 1], self.texts[at])
        )

    def _text(self) -> None:
        """Scan a paragraph, a table, or a heading that is underlined."""
        texts, first = self.texts, self.at
        if self._is_table(first):
            self._table()
            return
        at, count = first + 1, len(texts)
        while at < count:
            line = texts[at]
            if line[:1].isalpha():
                if "|" in line and self._is_table(at):
                    break
            elif not line or line.isspace():
                break
            else:
                underline = _SETEXT.match(line)
                if underline and self._underlined(first, at, underline.group("mark")[0]):
                    return
                if self._interrupts(line) or ("|" in line and self._is_table(at)):
                    break
            at += 1
        self.add(BlockKind.PARAGRAPH, "\n".join(line.strip() for line in texts[first:at]), first, at - 1)
        self.at = at

    def _underlined(self, first: int, at: int, mark: str) -> bool:
        """Take a setext heading; return False if the text above the line is a sentence rather than a title."""
        title = " ".join(line.strip() for line in self.texts[first:at])
        if mark == "-" and (at - first > 1 or title.endswith(_SENTENCE_END)):
            return False
        self._heading(1 if mark == "=" else 2, title, first)
        self.at = at + 1
        return True

    def _heading(self, level: int, title: str, first: int) -> None:
        """Enter a heading; inside a quote it is text."""
        title = _unclosed(title).strip().strip("*_").strip()
        if self.quoted is not None:
            self.add(BlockKind.QUOTE, title, first, first)
            return
        while self.path and self.path[-1][0] >= level:
            self.path.pop()
        self.titles.append(title)
        if title:
            self.path.append((level, title))

    def _indented(self) -> None:
        """Scan an indented code block."""
        first = last = self.at
        at = first + 1
        while at < len(self.texts):
            line = self.texts[at]
            if line and not line.isspace():
                if indent_of(line) < 4:
                    break
                last = at
            at += 1
        self.add(
            BlockKind.CODE,
            "\n".join(dedent(t, 4).rstrip() for t in self.texts[first : last + 1]),
            first,
            last,
        )
        self.at = last + 1

    def _fenced(self, fence: str) -> None:
        """Scan a fenced code block; without an end it reaches to the end."""
        first, at = self.at, self.at + 1
        while at < len(self.texts) and not _closes(self.texts[at], fence):
            at += 1
        last = min(at, len(self.texts) - 1)
        while last > first and not self.texts[last].strip():
            last -= 1
        self.add(
            BlockKind.CODE, "\n".join(line.rstrip() for line in self.texts[first : last + 1]), first, last
        )
        self.at = at + 1

    def _html(self, raw: str | None) -> None:
        """Scan an HTML block: to its closing tag (script, pre, style), else to a blank line."""
        first, at = self.at, self.at
        if raw:
            close = f"</{raw.lower()}"
            while at < len(self.texts) and close not in self.texts[at].lower():
                at += 1
            at = min(at, len(self.texts) - 1)
        else:
            while at + 1 < len(self.texts) and self.texts[at + 1].strip():
                at += 1
        while at > first and not self.texts[at].strip():
            at -= 1
        self.add(BlockKind.HTML, "\n".join(line.strip() for line in self.texts[first : at + 1]), first, at)
        self.at = at + 1

    def _table(self) -> None:
        """Scan a pipe table."""
        first, at = self.at, self.at + 2
        while at < len(self.texts):
            line = self.texts[at]
            if "|" not in line or (not line[0].isalpha() and self._interrupts(line)):
                break
            at += 1
        self.add(BlockKind.TABLE, "\n".join(line.strip() for line in self.texts[first:at]), first, at - 1)
        self.at = at

    def _item(self, item: re.Match[str]) -> None:
        """Scan a list item with everything that it owns."""
        texts, first, count = self.texts, self.at, len(self.texts)
        gap = item.group("gap") or " "
        width = len(gap.expandtabs(4))
        offset = len(item.group("in")) + len(item.group("mark")) + (width if width < 5 else 1)
        line = texts[first]
        lines = [line[item.end() :].rstrip()]
        fence = fence_after(lines[0], None)
        last, at, blank = first, first + 1, False
        while at < count:
            line = texts[at]
            if not line or line.isspace():
                if not lines[0] and at == first + 1:
                    break
                blank = True
                at += 1
                continue
            if indent_of(line) >= offset:
                inner = dedent(line, offset).rstrip()
                fence = fence_after(inner, fence)
            elif blank or fence or self._starts(line):
                break
            else:
                inner = line.strip()
            lines += [""] * (at - last - 1)
            lines.append(inner)
            last, blank = at, False
            at += 1
        body = "\n".join(lines).strip("\n")
        if body.strip():
            self.add(BlockKind.LIST_ITEM, body, first, last)
        self.at = last + 1

    def _starts(self, line: str) -> bool:
        """Return True if ``line`` starts a block, so that it cannot lazily continue a list item or a quote."""
        return not line[0].isalpha() and (_ITEM.match(line) is not None or self._interrupts(line))

    def _quote(self) -> None:
        """Scan a block quote: its lines, with all quote signs removed, are scanned on their own."""
        texts, first, count = self.texts, self.at, len(self.texts)
        rows: list[str] = []
        fence: str | None = None
        at = first
        while at < count:
            line = texts[at]
            signs = _QUOTE_SIGNS.match(line)
            if signs:
                rows.append(line[signs.end() :])
                fence = fence_after(rows[-1], fence)
            elif (
                line.strip()
                and rows[-1].strip()
                and not fence
                and indent_of(rows[-1]) < 4
                and not self._starts(line)
            ):
                rows.append(line.strip())
            else:
                break
            at += 1
        path = tuple(title for _, title in self.path)
        inner = _Scanner(self.source, rows, self.numbers[first:at], path)
        inner.run()
        self.out += inner.out
        self.at = at


def _unclosed(title: str) -> str:
    """Return a heading without the ``#`` signs that close it: those that a blank stands before. Linear."""
    bare = title.rstrip(" \t")
    words = bare.rstrip("#")
    return title if words == bare or (words and words[-1] not in " \t") else words


def _closes(line: str, fence: str) -> bool:
    """Return True if ``line`` is the closing fence of ``fence``."""
    stripped = line.strip()
    return stripped.startswith(fence) and not stripped.strip(fence[0]) and indent_of(line) < 4


def fence_after(line: str, fence: str | None) -> str | None:
    """Return the fence that is open after ``line``, a line of a list item or a quote."""
    if fence:
        stripped = line.strip()
        return None if stripped.startswith(fence) and not stripped.strip(fence[0]) else fence
    match = _INNER_FENCE.match(line)
    return match.group("fence") if match else None
