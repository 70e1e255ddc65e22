"""The shapes of records in an export, and of what other systems' files are read into.

A file may come from anywhere: each record is checked here, field by field, before anything is done with it. A fault names
the field, never its value.

Our own kinds mirror :mod:`libra.store.outgoing`. Two more are what every reader of this package makes: a ``statement``
(something durable) and a ``message`` (a turn of a talk).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from libra.ground.records import MemoryType, Origin, Role

Json = dict[str, Any]

FORMAT: Final = 1
"""Version of our own export; a file of a newer one is refused."""
HEADER: Final = "libra-export"
"""The kind of its first line."""

_MOST_MS: Final = 2**53
_NAME_CHARS: Final = 4_096
_TEXT_CHARS: Final = 8 * 1024 * 1024
_NEVER: Final = object()


@dataclass(frozen=True, slots=True)
class _Field:
    """One field: what it must be, and its value where it is left out (``_NEVER`` for one that may not be)."""

    fits: Callable[[Any], bool]
    default: Any = _NEVER


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _text(most: int, least: int = 1) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and least <= len(value) <= most


def _word(words: type[Role | Origin | MemoryType]) -> Callable[[Any], bool]:
    known = frozenset(word.value for word in words)
    return lambda value: isinstance(value, str) and value in known


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _uids(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) and v for v in value)


def _hex(value: Any) -> bool:
    return (
        isinstance(value, str) and len(value) % 2 == 0 and all(c in "0123456789abcdefABCDEF" for c in value)
    )


def _windows(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(w, list) and len(w) == _WINDOW_PARTS and _COUNT(w[0]) and _COUNT(w[1]) and _floats(w[2])
        for w in value
    )


def _floats(value: Any) -> bool:
    return _hex(value) and len(value) % _HEX_OF_FLOAT == 0


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _or_none(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


_BODIES: Final[Mapping[str, Mapping[str, Callable[[Any], bool]]]] = {
    "rule": {"text": _text(4_000), "keywords": _texts, "reply": _text(4_000)},
    "card": {"fields": _object, "by": _object, "aliases": _texts, "main": _flag},
    "intent": {
        "when": _texts, "remind": _text(4_000), "times": _number, "cooldown_ms": _number, "expires": _number, "fired": _number,
        "last": _or_none(_number), "asked": _or_none(_text(100)), "done": _flag,
    },
    "noise": {"item": _text(200)},
}  # fmt: skip
"""What was set by name (store/ledger.py), by its kind."""


def _body(value: Any) -> bool:
    """Say whether this is the body of one of :data:`_BODIES`."""
    return isinstance(value, dict) and any(
        value.keys() == shape.keys() and all(fits(value[name]) for name, fits in shape.items())
        for shape in _BODIES.values()
    )


def _place(value: Any) -> bool:
    """Say whether this names a place of prompts (engine/page_places.py)."""
    kind, _, name = value.partition(":") if isinstance(value, str) else ("", "", "")
    return kind in {"project", "agent", "host", "session"} and 0 < len(name) <= _NAME_CHARS


def _audience(value: Any) -> bool:
    """Say whether this names a scope that memories can be shared with (engine/sharing.py)."""
    kind, _, name = value.partition(":") if isinstance(value, str) else ("", "", "")
    return value == "global" or (kind in {"project", "agent"} and 0 < len(name) <= _NAME_CHARS)


_WINDOW_PARTS: Final = 3
"""Where it begins, where it ends, its vector."""
_HEX_OF_FLOAT: Final = 8
_TIME = _Field(_whole(-_MOST_MS, _MOST_MS))
_MAYBE_TIME = _Field(_TIME.fits, None)
_COUNT = _whole(0, _MOST_MS)
_NAME = _Field(_text(_NAME_CHARS))
_MAYBE = _Field(_text(_NAME_CHARS), None)
_TEXT = _Field(_text(_TEXT_CHARS))
_ROLE = _Field(_word(Role))
_MAYBE_ROLE = _Field(_word(Role), None)
_SHARE = _Field(_share)
_TOLD: Final[Mapping[str, _Field]] = {"project": _MAYBE, "agent": _MAYBE, "speaker": _MAYBE}
_OF_SESSION: Final[Mapping[str, _Field]] = {"session": _NAME, "user": _NAME}
_ITEM: Final[Mapping[str, _Field]] = {"id": _NAME, "ts": _TIME, "created": _TIME, "tokens": _Field(_COUNT, 0)}

SHAPES: Final[Mapping[str, Mapping[str, _Field]]] = {
    HEADER: {"format": _Field(_whole(1, FORMAT)), "schema": _Field(_COUNT, None)},
    "tombstone": {
        "id": _NAME, "user": _NAME, "event_key": _MAYBE, "content_key": _MAYBE, "text_hash": _Field(_text(64, 0)),
        "vector": _Field(_hex, None), "fingerprint": _MAYBE, "created": _TIME,
    },
    "leaf": {
        "user": _NAME, "leaf": _Field(lambda value: value in _BODIES), "name": _NAME, "body": _Field(_body),
        "version": _Field(_COUNT, 1), "created": _TIME, "changed": _TIME,
    },
    "session": {
        **_OF_SESSION, "host": _MAYBE, "agent": _MAYBE, "project": _MAYBE, "cwd": _MAYBE,
        "session_kind": _Field(_text(64), "main"), "parent": _MAYBE, "gone_ms": _MAYBE_TIME,
    },
    "turn": {
        **_ITEM, **_OF_SESSION, **_TOLD, "seq": _Field(_COUNT), "role": _ROLE, "ts_known": _Field(_flag),
        "event_key": _MAYBE, "content_key": _NAME, "external_id": _MAYBE, "origin": _Field(_word(Origin)),
        "line": _Field(_COUNT, None), "metadata": _Field(_object, None), "gated": _Field(_whole(0, 3)),
        "undone": _Field(_flag), "text": _Field(_text(_TEXT_CHARS, 0)),
    },
    "fork": {**_OF_SESSION, "turn": _NAME},
    "sighting": {**_OF_SESSION, "turn": _NAME},
    "summary": {
        **_ITEM, **_OF_SESSION, "project": _MAYBE, "agent": _MAYBE, "level": _Field(_whole(1, 1_000)),
        "method": _Field(_text(64)), "confidence": _SHARE, "align": _SHARE, "cover": _SHARE, "ident": _SHARE,
        "tokens_in": _Field(_COUNT), "covers": _Field(_uids), "text": _TEXT,
    },
    "memory": {
        **_ITEM, **_TOLD, "user": _NAME, "session": _MAYBE, "type": _Field(_word(MemoryType)), "role": _MAYBE_ROLE,
        "active": _Field(_flag), "confidence": _SHARE, "confirmations": _Field(_COUNT), "priority": _Field(_whole(0, 100)),
        "priority_manual": _Field(_flag, default=False), "ttl_ms": _MAYBE_TIME, "ttl_manual": _Field(_flag, default=False),
        "expires_ms": _MAYBE_TIME, "archived_ms": _MAYBE_TIME, "valid_from_ms": _TIME, "valid_to_ms": _MAYBE_TIME,
        "touched_ms": _TIME, "subject": _MAYBE, "slot": _MAYBE, "source_turn": _MAYBE, "signals": _Field(_object, None),
        "recalls": _Field(_COUNT, 0), "last_recalled_ms": _MAYBE_TIME, "text": _TEXT,
    },
    "guidance": {
        **_ITEM, **_OF_SESSION, **_TOLD, "turn": _NAME, "role": _MAYBE_ROLE, "active": _Field(_flag), "text": _TEXT,
    },
    "vector": {"item": _NAME, "fingerprint": _NAME, "chars": _Field(_COUNT), "windows": _Field(_windows)},
    "successor": {"memory": _NAME, "by": _NAME},
    "relation": {"from": _NAME, "to": _NAME, "relation": _Field(_text(64)), "created": _TIME},
    "never": {"item": _NAME, "place": _Field(_place), "created": _TIME},
    "shared": {"item": _NAME, "place": _Field(_audience), "created": _TIME},
    "statement": {
        "system": _Field(_text(64)), "id": _MAYBE, "text": _TEXT, "type": _Field(_word(MemoryType), None),
        "ts": _MAYBE_TIME, "priority": _Field(_whole(0, 100), None), "confidence": _Field(_share, None),
        "origin": _Field(_word(Origin), Origin.AGENT.value), "agent": _MAYBE, "project": _MAYBE,
        "active": _Field(_flag, default=True), "expires_ms": _MAYBE_TIME,
    },
    "message": {
        "system": _Field(_text(64)), "session": _NAME, "id": _MAYBE, "role": _ROLE, "text": _TEXT, "ts": _MAYBE_TIME,
        "speaker": _MAYBE, "agent": _MAYBE, "project": _MAYBE,
    },
}  # fmt: skip


def check(record: Any) -> Json | str:
    """Return the record with its defaults filled in, or what is wrong with it: the name of a field, or ``kind``.

    Unknown fields are left out: a newer Libra may have written them.
    """
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        return "kind"
    shape = SHAPES.get(record["kind"])
    if shape is None:
        return "kind"
    found: Json = {"kind": record["kind"]}
    for name, field in shape.items():
        value = record.get(name)
        if value is None:
            if field.default is _NEVER:
                return name
            value = field.default
        elif not field.fits(value):
            return name
        found[name] = value
    if found["kind"] == "turn" and not found["text"] and found["gated"] != _PURGED:
        return "text"
    return found


_PURGED: Final = 3
"""A turn whose words were purged has none (``libra.store.turns.PURGED``)."""
