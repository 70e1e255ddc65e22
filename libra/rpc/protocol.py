"""JSON-RPC 2.0, one message a line: bytes to calls and back. Knows no socket and no thread.

A line is either one call or a batch of calls. What cannot be a call becomes a :class:`Fault`, so that every
line has its answer and nothing that a peer sends raises. Source: protocol.md, Transport.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import orjson

from libra.ground.errors import InvalidParams, LibraError, OverLimit

MAX_LINE_BYTES: Final = 16 * 1024 * 1024
"""The longest line that is taken, its newline not counted."""

MAX_DEPTH: Final = 100
"""How deep objects and arrays may nest; below the depth that orjson can write again (254)."""

MAX_BATCH: Final = 1_000

Id = str | int | float | None
Json = dict[str, Any]

_INT_LIMIT = 2**63
_SURROGATE = re.compile("[\ud800-\udfff]")


class ParseError(LibraError):
    """The line is no JSON."""

    code = -32700
    default_reason = "parse"


class InvalidRequest(LibraError):
    """The line is JSON, but no JSON-RPC 2.0 call."""

    code = -32600
    default_reason = "request"


class MethodNotFound(LibraError):
    """There is no method of that name."""

    code = -32601
    default_reason = "method"


@dataclass(frozen=True, slots=True)
class Call:
    """A well-formed call. ``params`` is an object; a notification wants no answer."""

    method: str
    params: Json = field(default_factory=dict)
    id: Id = None
    notification: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is no call, and the error that answers it."""

    error: LibraError
    id: Id = None


@dataclass(frozen=True, slots=True)
class Message:
    """What one line held."""

    parts: tuple[Call | Fault, ...]
    batch: bool = False


def decode(line: bytes) -> Message | None:
    """Return what a line (without its newline) says, or None for a blank one. Never raises."""
    if not line or line.isspace():
        return None
    try:
        value = _parse(line)
    except LibraError as error:
        return Message((Fault(error),))
    if not isinstance(value, list):
        return Message((_call(value),))
    if not value:
        return Message((Fault(InvalidRequest("a batch must hold at least one call")),))
    if len(value) > MAX_BATCH:
        return Message((Fault(OverLimit(f"a batch may hold at most {MAX_BATCH:,} calls")),))
    return Message(tuple(_call(item) for item in value), batch=True)


def _parse(line: bytes) -> Any:
    """Return the JSON value of a line.

    orjson is strict and fast. What it refuses is tried once more with the standard parser, because JavaScript
    writes half of a cut emoji as a lone surrogate: that becomes U+FFFD rather than a lost message.
    """
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and _depth(line) > MAX_DEPTH:
        raise OverLimit(f"the message nests deeper than {MAX_DEPTH} levels")
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        strict = error
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParseError(f"the line is not UTF-8 (byte {error.start})", reason="utf8") from None
    if b"\\u" not in line:
        raise ParseError(f"the line is no JSON (column {strict.colno})") from None
    try:
        return _whole(json.loads(line, parse_constant=_refuse, parse_float=_finite, parse_int=_whole_number))
    except (ValueError, RecursionError):
        raise ParseError(f"the line is no JSON (column {strict.colno})") from None


def _refuse(_name: str) -> NoReturn:
    raise ValueError("NaN and infinity are no JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return value


def _whole_number(text: str) -> int | float:
    """Return an int where 64 bits hold it, else a float, as orjson does."""
    value = _finite(text)
    return int(text) if abs(value) < _INT_LIMIT else value


def _whole(value: Any) -> Any:
    """Replace lone surrogates in every string; the depth has been checked."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value


_STRING_OR_BRACKET = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{\]}]', re.DOTALL)


def _depth(line: bytes) -> int:
    """Return the deepest nesting of a line, brackets inside strings not counted."""
    deepest = depth = 0
    for match in _STRING_OR_BRACKET.finditer(line):
        token = line[match.start()]
        if token in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif token in b"]}":
            depth -= 1
    return deepest


def _is_id(value: Any) -> bool:
    return value is None or (isinstance(value, str | int | float) and not isinstance(value, bool))


def _call(value: Any) -> Call | Fault:
    """Return the call that a JSON value is, or what is wrong with it."""
    if not isinstance(value, dict):
        return Fault(InvalidRequest("a call must be an object"))
    call_id = value.get("id")
    if not _is_id(call_id):
        return Fault(InvalidRequest("id: expected a string, a number or null", where="id"))
    if value.get("jsonrpc") != "2.0":
        return Fault(InvalidRequest('jsonrpc: expected "2.0"', where="jsonrpc"), call_id)
    method = value.get("method")
    if not isinstance(method, str) or not method:
        return Fault(InvalidRequest("method: expected a string that is not empty", where="method"), call_id)
    params = value.get("params")
    if params is None or params == []:
        params = {}
    if not isinstance(params, dict):
        kind = InvalidParams if isinstance(params, list) else InvalidRequest
        return Fault(kind("params: expected an object (parameters by name)", where="params"), call_id)
    return Call(method, params, call_id, notification="id" not in value)


def result(call_id: Id, value: Any) -> Json:
    """Return the answer of a call that succeeded."""
    return {"jsonrpc": "2.0", "id": call_id, "result": value}


def failure(call_id: Id, error: LibraError) -> Json:
    """Return the answer of a call that did not."""
    body = {"code": error.code, "message": error.message, "data": error.data()}
    return {"jsonrpc": "2.0", "id": call_id, "error": body}


def request(call_id: Id, method: str, params: Json) -> Json:
    """Return a call, as a client sends it."""
    return {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}


def encode(value: Any) -> bytes:
    """Return one line, newline included.

    Lone surrogates are written as U+FFFD; NaN and infinity as null.

    Raises:
        TypeError: The value holds something that JSON cannot.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS)
    except TypeError:
        return orjson.dumps(_whole(value), option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS)


class TooLong:
    """Stands for a line over the limit, in what :meth:`Lines.feed` returns."""


TOO_LONG: Final = TooLong()


class Lines:
    """Cuts a stream of bytes into lines at 0x0A only; a line over the limit is dropped as it comes in.

    Args:
        limit_bytes: The longest line that is kept.
    """

    def __init__(self, limit_bytes: int = MAX_LINE_BYTES) -> None:
        self.limit_bytes = limit_bytes
        self._rest = bytearray()
        self._dropping = False

    @property
    def waiting_bytes(self) -> int:
        """How many bytes of an unfinished line are held."""
        return len(self._rest)

    def feed(self, data: bytes) -> list[bytes | TooLong]:
        """Return the lines that ``data`` completes; TOO_LONG once for each that is over the limit."""
        out: list[bytes | TooLong] = []
        pieces = data.split(b"\n")
        for piece in pieces[:-1]:
            self._add(piece, out)
            if not self._dropping:
                out.append(bytes(self._rest))
            self._rest.clear()
            self._dropping = False
        self._add(pieces[-1], out)
        return out

    def _add(self, piece: bytes, out: list[bytes | TooLong]) -> None:
        if self._dropping:
            return
        if len(self._rest) + len(piece) > self.limit_bytes:
            out.append(TOO_LONG)
            self._rest = bytearray()
            self._dropping = True
            return
        self._rest += piece
