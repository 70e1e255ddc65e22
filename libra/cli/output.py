"""What goes to standard output and standard error, and how it looks."""

from __future__ import annotations

import io
import os
import sys
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import IO, Any

from libra.ground.errors import LibraError

BOLD, DIM, RED, GREEN, YELLOW, CYAN = "1", "2", "31", "32", "33", "36"
"""SGR codes of the styles that are used."""

_WIDE = frozenset("WF")
_EMPTY_TABLE_WIDTH = 100


def force_utf8() -> None:
    """Read and write UTF-8 on every pipe and terminal, whatever the system's code page (lessons.md C51)."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "replace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            with suppress(OSError, ValueError, io.UnsupportedOperation):
                stream.reconfigure(encoding="utf-8", errors=errors)


def coloured(stream: IO[str]) -> bool:
    """Return True if the stream is a terminal that wants colours."""
    with suppress(ValueError):
        return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return False


def paint(text: str, *styles: str, stream: IO[str] | None = None) -> str:
    """Return the text in these styles if the stream (standard output) shows them."""
    if not styles or not coloured(stream or sys.stdout):
        return text
    return f"\x1b[{';'.join(styles)}m{text}\x1b[0m"


def show_json(value: Any) -> None:
    """Write one JSON document."""
    import orjson

    print(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode())


def show_json_line(value: Any) -> None:
    """Write one JSON object on one line, and hand it over at once."""
    import orjson

    print(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode(), flush=True)


def note(text: str) -> None:
    """Write a line for the person to standard error."""
    print(text, file=sys.stderr, flush=True)


def show_error(error: LibraError, *, as_json: bool) -> None:
    """Say what went wrong: a sentence on standard error, and with ``--json`` an object on standard output."""
    if as_json:
        show_json({"error": {"code": error.code, "message": error.message, "data": error.data()}})
    note(f"{paint('libra:', BOLD, RED, stream=sys.stderr)} {error.message}")
    if error.hint:
        note(f"  {error.hint}")


def width(text: str) -> int:
    """Return how many terminal columns a text takes: wide characters two, combining ones none."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in _WIDE else 1 for c in text
    )


def fit(text: str, columns: int) -> str:
    """Return the text cut to at most so many columns, with an ellipsis if it was cut; never two lines."""
    text = " ".join(text.split())
    if width(text) <= columns:
        return text
    out, used = [], 0
    for char in text:
        used += width(char)
        if used > columns - 1:
            break
        out.append(char)
    return "".join(out).rstrip() + "…"


def terminal_columns() -> int:
    """Return the width to lay tables out for."""
    import shutil

    return shutil.get_terminal_size((_EMPTY_TABLE_WIDTH, 24)).columns


def table(head: Sequence[str], rows: Sequence[Sequence[Any]], *, right: Sequence[int] = ()) -> str:
    """Return a table; the last column takes what is left of the line.

    Args:
        head: Column titles.
        rows: Cells; None is shown as nothing.
        right: Indexes of columns that are set flush right.
    """
    cells = [[("" if c is None else str(c)) for c in row] for row in rows]
    last = len(head) - 1
    sizes = [max([width(title), *(width(row[i]) for row in cells)]) for i, title in enumerate(head)]
    taken = sum(sizes[:last]) + 2 * last
    sizes[last] = max(min(sizes[last], terminal_columns() - taken), width(head[last]), 20)

    def line(row: Sequence[str], *styles: str) -> str:
        parts = []
        for i, cell in enumerate(row):
            shown = fit(cell, sizes[i])
            gap = " " * (sizes[i] - width(shown))
            parts.append(gap + shown if i in right else shown + (gap if i != last else ""))
        return paint("  ".join(parts).rstrip(), *styles)

    return "\n".join([line(head, BOLD), *(line(row) for row in cells)])


def pairs(rows: Sequence[tuple[str, Any]]) -> str:
    """Return lines of a name and its value; rows whose value is None or empty are left out."""
    shown = [(name, str(value)) for name, value in rows if value is not None and value != ""]
    wide = max((width(name) for name, _ in shown), default=0)
    return "\n".join(f"{paint(name.ljust(wide), BOLD)}  {value}" for name, value in shown)


def count(number: float | None) -> str:
    """Return a number with thousands marked."""
    return "–" if number is None else f"{number:,}"


def size(bytes_: int | None) -> str:
    """Return a size for a person."""
    if bytes_ is None:
        return "–"
    value = float(bytes_)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":  # noqa: PLR2004 - SI units
            return f"{value:,.0f} {unit}" if unit == "B" or value >= 100 else f"{value:,.1f} {unit}"  # noqa: PLR2004
        value /= 1000
    return ""


def moment(ts_ms: int | None) -> str:
    """Return a time in the person's own zone."""
    if ts_ms is None:
        return "–"
    with suppress(OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(ts_ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
    return "–"
