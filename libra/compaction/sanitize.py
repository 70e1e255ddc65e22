"""Take out of a turn what no summary should be made of: binary text, floods of equal lines, big tool outputs."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from libra.ground.records import Role


@dataclass(frozen=True, slots=True)
class SanitizeParams:
    """Limits.

    Attributes:
        blob_chars: A run of base64 or hex at least this long is replaced.
        flood_lines: From so many lines of one shape in a row on, only the first and the last are shown; in a tool's
            output from twice as many on also if other lines stand between them.
        code_lines: A fenced block longer than this shows its beginning and its definitions.
        tool_chars: A tool's output longer than this is reduced to its ends and its errors.
        longest_chars: Nothing longer than this is looked at, whatever it is.
        json_items: Elements shown of a JSON list, and keys of an object.

    Source: memory-model.md §8 (2); reference-systems.md 2.1, Compaction.
    """

    blob_chars: int = 96
    flood_lines: int = 4
    code_lines: int = 12
    tool_chars: int = 1500
    longest_chars: int = 12_000
    json_items: int = 3


_DATA_URL = re.compile(r"data:[\w.+/-]{0,60}(?:;[\w=-]{1,40}){0,4},[A-Za-z0-9+/=%_-]{24,}")
_WRAPPED = re.compile(r"^(?:[A-Za-z0-9+/_-]{40,}\r?\n){2,}[A-Za-z0-9+/_-]{0,}={0,2}[ \t]*$", re.MULTILINE)
"""Base64 or hex in lines of one length, as mail and keys have it."""
_DUMP = re.compile(r"^[0-9a-fA-F]{4,16}:?(?:[ \t]+[0-9a-fA-F]{2,8}){4,}(?:[ \t].*)?$")
# Possessive, since a line of tildes that no line end follows would be split in every way (the square of its length).
_FENCE = re.compile(
    r"^([ \t]*)(`{3,}+|~{3,}+)([^\n`]*+)\n(.*?)(?:^[ \t]*\2[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_DEFINES = re.compile(
    r"^\s*(?:(?:async |pub |export |public |private |static )*(?:def|class|func|fn|function|interface|struct|impl)\b|[#/]{1,2} ?(?:TODO|FIXME))"
)
_TELLS = re.compile(
    r"(?i)\b(?:error|exception|traceback|fail(?:ed|ure)?|fatal|panic|warning|denied|refused|not found|exit code|assert\w*|passed|success(?:ful(?:ly)?)?|updated|created|completed)\b"
)
_VARIES = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|\d+")
_ENDS_LINES = 6
_TELLING_LINES = 10
_MAX_VALUE_CHARS = 80
_MAX_JSON_DEPTH = 4


def sanitise(text: str, role: Role | None, params: SanitizeParams) -> str:
    """Return a text that is worth summarising; what was taken out is named in square brackets.

    Args:
        text: A turn.
        role: Tool outputs are reduced further than what people and agents say.
        params: Limits.
    """
    if role is Role.TOOL and (sampled := _json(text, params)) is not None:
        return sampled
    text = _middle_out(text, params.longest_chars)
    text = _DATA_URL.sub(lambda m: f"[data URL, {len(m.group())} characters]", text)
    text = _WRAPPED.sub(_named_blob, text)
    blob = re.compile(rf"[A-Za-z0-9+/_-]{{{params.blob_chars},}}={{0,2}}")
    text = blob.sub(_named_blob, text)
    text = _FENCE.sub(lambda m: _fence(m, params), text)
    text = _without_floods(text, params.flood_lines)
    if role is Role.TOOL:
        text = _without_mixed_floods(text, 2 * params.flood_lines)
    if role is Role.TOOL and len(text) > params.tool_chars:
        text = _tool_output(text, params)
    return text.strip()


def telling(line: str) -> bool:
    """Return True for a line of a tool's output that tells of an error or an outcome."""
    return _TELLS.search(line) is not None


def _named_blob(m: re.Match[str]) -> str:
    """Name a run of base64 or hex; a long path or an identifier in words stays."""
    run = "".join(m.group().split())
    if run.count("/") + run.count("-") + run.count("_") > len(run) // 20 or not any(c.isdigit() for c in run):
        return m.group()
    kind = "hex" if re.fullmatch(r"[0-9a-fA-F]+", run) else "base64"
    return f"[{kind}, {len(run)} characters]"


def _middle_out(text: str, longest: int) -> str:
    """Return an over-long text without its middle."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def _fence(m: re.Match[str], params: SanitizeParams) -> str:
    """Shorten a fenced block: JSON by its keys, else its first lines and definitions; and how long it was.

    The fence keeps its marks and its language: what is inside is code, and remains one piece.
    """
    lines = m.group(4).splitlines()
    if (sampled := _json(m.group(4), params)) is not None:
        return (
            f"{m.group(1)}{m.group(2)}{m.group(3)}\n{sampled}\n[{len(lines)} lines]\n{m.group(1)}{m.group(2)}"
        )
    if len(lines) <= params.code_lines:
        return m.group()
    shown = lines[: params.code_lines // 2]
    shown += [line for line in lines[params.code_lines // 2 :] if _DEFINES.match(line)][
        : params.code_lines // 2
    ]
    return (
        f"{m.group(1)}{m.group(2)}{m.group(3)}\n"
        + "\n".join(shown)
        + f"\n[{len(lines)} lines]\n{m.group(1)}{m.group(2)}"
    )


def _without_floods(text: str, flood: int) -> str:
    """Return the text with runs of lines of one shape (equal but for numbers and ids) counted once."""
    lines = text.split("\n")
    out: list[str] = []
    at = 0
    while at < len(lines):
        shape = _shape(lines[at])
        end = at + 1
        while end < len(lines) and shape and _shape(lines[end]) == shape:
            end += 1
        if end - at >= flood:
            out += [lines[at], f"[{end - at - 2} more lines like it]", lines[end - 1]]
        else:
            out += lines[at:end]
        at = end
    return "\n".join(out)


def _without_mixed_floods(text: str, flood: int) -> str:
    """Return the text with lines of one shape that come again and again between others counted once.

    The first one stands, with the count behind it, and the last; errors and outcomes always stand.
    """
    lines = text.split("\n")
    shapes = [_shape(line) for line in lines]
    counts = Counter(shapes)
    last = {shape: at for at, shape in enumerate(shapes)}
    out: list[str] = []
    seen: set[str] = set()
    for at, (line, shape) in enumerate(zip(lines, shapes, strict=True)):
        if not shape or counts[shape] < flood or last[shape] == at or telling(line):
            out.append(line)
        elif shape not in seen:
            seen.add(shape)
            out += [line, f"[{counts[shape] - 2} more lines like it]"]
    return "\n".join(out)


def _shape(line: str) -> str:
    """Return a line without its numbers and ids; every line of a hex dump has the same shape."""
    line = line.strip()
    return "#:" if _DUMP.match(line) else _VARIES.sub("#", line)


def _tool_output(text: str, params: SanitizeParams) -> str:
    """Return the ends of a long tool output and the lines between them that tell of errors."""
    lines = [line[: params.tool_chars // 4] for line in text.split("\n")]
    if len(lines) <= 2 * _ENDS_LINES:
        return _middle_out(text, params.tool_chars)
    middle = lines[_ENDS_LINES:-_ENDS_LINES]
    outcomes = [line for line in middle if telling(line)][:_TELLING_LINES]
    shown = [*lines[:_ENDS_LINES], f"[{len(middle)} lines, of which:]", *outcomes, *lines[-_ENDS_LINES:]]
    return _middle_out("\n".join(shown), 2 * params.tool_chars)


def _json(text: str, params: SanitizeParams) -> str | None:
    """Return a big JSON document sampled by key, or None if the text is none or is small."""
    body = text.strip()
    if not params.tool_chars < len(body) <= 100 * params.tool_chars or body[0] not in "[{":
        return None
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return json.dumps(_sample(value, params, 0), ensure_ascii=False)


def _sample(value: Any, params: SanitizeParams, depth: int) -> Any:
    """Return the first elements of lists, all keys of objects, short values."""
    if isinstance(value, str):
        return value if len(value) <= _MAX_VALUE_CHARS else value[:_MAX_VALUE_CHARS] + "…"
    if depth >= _MAX_JSON_DEPTH and isinstance(value, (list, dict)):
        return f"[{len(value)} items]"
    if isinstance(value, list):
        shown = [_sample(v, params, depth + 1) for v in value[: params.json_items]]
        return (
            shown if len(value) <= params.json_items else [*shown, f"[{len(value) - params.json_items} more]"]
        )
    if isinstance(value, dict):
        keys = list(value)[: params.json_items * 4]
        return {k: _sample(value[k], params, depth + 1) for k in keys}
    return value
