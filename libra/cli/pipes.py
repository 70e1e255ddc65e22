"""Pipes: one JSON object a line in, one a line out, without a running app. Each loads no more than it uses.

A line that cannot be used is answered with ``{"id", "error"}`` and makes the exit code 1; the others go on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from libra.cli import EXIT_FAILED, EXIT_OK, output
from libra.ground.errors import InvalidParams, LibraError

Json = dict[str, Any]

_GARBLED_SHARE = 0.20
_GARBLED_CHARS = 20
"""Shorter texts may well be a few question marks."""


def lines() -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of every line on standard input that is not blank."""
    for number, line in enumerate(sys.stdin.buffer, 1):
        raw = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if raw.strip():
            yield number, raw


def object_of(number: int, raw: bytes) -> Json:
    """Return the JSON object of a line.

    Raises:
        InvalidParams: It is not UTF-8, no JSON, or no object.
    """
    where = f"line {number}"
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise InvalidParams(f"{where}: no JSON in UTF-8 ({error.msg})", where=where) from None
    if not isinstance(value, dict):
        raise InvalidParams(f"{where}: expected a JSON object", where=where)
    return value


def refuse_garbled(text: str) -> None:
    """Refuse a text that a shell has turned into question marks (lessons.md C51).

    Raises:
        InvalidParams: More than a fifth of it is ``?`` or U+FFFD.
    """
    lost = text.count("\ufffd") + (text.count("?") if len(text) >= _GARBLED_CHARS else 0)
    if lost > _GARBLED_SHARE * len(text):
        raise InvalidParams(
            "the text has lost its letters on the way (too many ? or U+FFFD)",
            reason="garbled",
            hint="send it as UTF-8",
            where="text",
        )


def _each_line(answer: Callable[[Json], Json]) -> int:
    """Answer every line of standard input."""
    code = EXIT_OK
    for number, raw in lines():
        value: Json = {}
        try:
            value = object_of(number, raw)
            out = answer(value)
        except LibraError as error:
            code = EXIT_FAILED
            out = {"error": {"code": error.code, "message": error.message, "data": error.data()}}
            output.note(f"libra: line {number}: {error.message}")
        line_id = value.get("id")
        output.show_json_line(out if line_id is None else {"id": line_id, **out})
    return code


def _text_of(value: Json) -> str:
    text = value.get("text")
    if not isinstance(text, str):
        raise InvalidParams("text: expected a string", where="text")
    refuse_garbled(text)
    return text


def classify(args: argparse.Namespace) -> int:
    """``libra classify``: the lexer alone."""
    if args.jsonl:
        return _each_line(lambda value: _verdict(_text_of(value)))
    if not args.texts:
        raise InvalidParams("classify needs paragraphs, or --jsonl", where="texts")
    found = [_verdict(text) for text in args.texts]
    if args.json:
        output.show_json(found)
    else:
        rows = [
            [v["tier"], ", ".join(v["modalities"]) or "–", t] for v, t in zip(found, args.texts, strict=True)
        ]
        print(output.table(["tier", "says", "text"], rows))
    return EXIT_OK


def _verdict(text: str) -> Json:
    from libra.text.partition import classify as classified

    found = classified(text)
    return {
        "promoted": found.promoted,
        "tier": found.tier.value,
        "modalities": [m.value for m in found.modalities],
        "spans": [list(span) for span in found.spans],
    }


def gate(args: argparse.Namespace) -> int:
    """``libra gate``: the gate's signals for texts that nothing is known about (H = 1, R = 0)."""
    from libra.cli.meanings import Meanings

    with Meanings(args) as meanings:
        return _each_line(lambda value: _admission(value, args.role, meanings.of))


def _admission(value: Json, role: str, meaning: Callable[[str], float | None]) -> Json:
    from dataclasses import asdict

    from libra.gate.admission import GateInput, GateParams, admits, score
    from libra.ground.records import Origin, Role
    from libra.lifecycle.types import detect
    from libra.text.noise import noise

    text = _text_of(value)
    spoken = value.get("role", role)
    if spoken not in tuple(Role):
        raise InvalidParams(f"role: expected one of {', '.join(Role)}", where="role")
    params = GateParams()
    found = score(GateInput(text, (), (), meaning(text)), params)
    kind = noise(text, Role(spoken))
    origin = Origin.OWNER if spoken == Role.USER else Origin.AGENT
    becomes = detect(text, Role(spoken), found.a, found.t)
    return {
        "admitted": kind is None and admits(found, Role(spoken), origin, becomes, params),
        "type": becomes.value if becomes else None,
        "noise": kind.value if kind else None,
        **asdict(found),
    }


def summarize(args: argparse.Namespace) -> int:
    """``libra summarize``: the extractive summariser with the real model, nothing stored."""
    from libra.cli.summaries import Summaries

    with Summaries(args) as summaries:
        return _each_line(lambda value: summaries.of(value, args.budget_tokens))
