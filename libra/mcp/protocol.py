"""MCP's wire: one JSON-RPC message a line, its revisions, its errors. Pure: bytes in, values out.

By hand, because the official SDK (``mcp`` 2.3.0) brings 54 MB of packages (starlette, uvicorn, cryptography, pydantic, …)
and 1.6 s of processor time before the first answer. Source: hosts.md §5; the schemas of 2025-11-25 and 2026-07-28.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

Json = dict[str, Any]
Id = str | int

HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that begin with ``initialize``, oldest first."""
STATELESS: Final = ("2026-07-28",)
"""Revisions whose every request names its revision, without a handshake."""

PARSE, INVALID, NO_METHOD, BAD_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
NO_RESOURCE: Final = -32002
"""Of the revisions up to 2025-11-25; later ones answer ``BAD_PARAMS``."""
UNSUPPORTED_REVISION: Final = -32022

_META = "io.modelcontextprotocol/"


class Refused(Exception):
    """A request that gets an error for an answer.

    Args:
        code: JSON-RPC's or MCP's number.
        message: For a person.
        data: More for the program.
    """

    def __init__(self, code: int, message: str, data: Json | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


@dataclass(frozen=True, slots=True)
class Request:
    """A request, or a notification where ``id`` is None.

    Attributes:
        method: What is asked for.
        params: With what.
        id: 0 and strings are ids as good as any.
    """

    method: str
    params: Json = field(default_factory=dict)
    id: Id | None = None

    @property
    def _meta(self) -> Json:
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def revision(self) -> str | None:
        """The revision that the request itself names: stateless clients do."""
        found = self._meta.get(f"{_META}protocolVersion")
        return found if isinstance(found, str) else None

    @property
    def client(self) -> str | None:
        """The name of the program that asks, where the request tells it."""
        info = self.params.get("clientInfo") or self._meta.get(f"{_META}clientInfo")
        name = info.get("name") if isinstance(info, dict) else None
        return name if isinstance(name, str) and name else None


def decode(line: bytes) -> list[Request | bytes]:
    """Return what a line holds: requests and notifications, and answers to what is neither.

    An answer of the client (to a request that we never send) is passed over. A batch is a revision of its own
    (2025-03-26), so its members come one after the other.
    """
    if not line.strip():
        return []
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return [failure(None, Refused(PARSE, "the line is no JSON"))]
    members = value if isinstance(value, list) and value else [value]
    return [found for member in members if (found := _member(member)) is not None]


def _member(value: Any) -> Request | bytes | None:
    if not isinstance(value, dict):
        return failure(None, Refused(INVALID, "a message is a JSON object"))
    if "method" not in value and ("result" in value or "error" in value):
        return None
    method, params, number = value.get("method"), value.get("params", {}), value.get("id")
    known = number if _is_id(number) else None
    if "id" in value and known is None:
        return failure(None, Refused(INVALID, "an id is a string or an integer"))
    if value.get("jsonrpc") != "2.0" or not isinstance(method, str):
        return failure(known, Refused(INVALID, "this is no JSON-RPC 2.0 request"))
    if params is None:
        params = {}
    if not isinstance(params, dict):
        return failure(known, Refused(BAD_PARAMS, "params must be an object"))
    return Request(method, params, known)


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def success(number: Id, result: Json) -> bytes:
    """Return the line that answers a request."""
    return _line({"jsonrpc": "2.0", "id": number, "result": result})


def failure(number: Id | None, why: Refused) -> bytes:
    """Return the line that refuses a request; without an id where none could be read."""
    error: Json = {"code": why.code, "message": why.message}
    if why.data is not None:
        error["data"] = why.data
    return _line({"jsonrpc": "2.0", "id": number, "error": error})


def _line(message: Json) -> bytes:
    # Half of a cut emoji has no UTF-8: it becomes a question mark rather than an answer that never comes.
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def stateless(result: Json, *, cached_ms: int | None, server: Json) -> Json:
    """Return a result as revisions without a handshake want it.

    Args:
        result: The result as older revisions have it.
        cached_ms: How long the client may keep it; None for results that are no lists.
        server: Name and version of this program.
    """
    out = {**result, "resultType": "complete", "_meta": {f"{_META}serverInfo": server}}
    if cached_ms is not None:
        out |= {"ttlMs": cached_ms, "cacheScope": "private"}
    return out
