"""Smallest and largest values of settings: by unit, with a table of the exceptions."""

from __future__ import annotations

import types
from typing import Any, Final, Union, get_args, get_origin

Bounds = tuple[float, float]

_UNITS: Final[dict[str, Bounds]] = {
    "_ms": (0, 86_400_000),
    "_s": (0, 86_400),
    "_bytes": (1, 2**40),
    "_kib": (64, 2**22),
    "_tokens": (0, 10_000_000),
    "_chars": (1, 10_000_000),
    "_days": (0, 36_500),
}
"""By the ending of the name. A day, a tebibyte, four gibibytes, ten million, a hundred years: beyond is a slip of the hand."""

UNITS: Final[dict[str, str]] = {
    "_ms": "ms",
    "_s": "s",
    "_days": "days",
    "_percent": "%",
    "_bytes": "bytes",
    "_kib": "KiB",
    "_tokens": "tokens",
    "_chars": "characters",
}
"""What a number is counted in, by the ending of the name."""

_SHARE: Final[Bounds] = (0, 1)
_COUNT: Final[Bounds] = (0, 1_000_000)
_FACTOR: Final[Bounds] = (0, 1_000)

_EXCEPTIONS: Final[dict[str, Bounds]] = {
    "assemble.min_tail_turns": (1, 1_000),
    "assemble.deadline_ms": (10, 600_000),
    "answers.at_once": (0, 64),
    "model.dims": (8, 8_192),
    "model.threads": (1, 256),
    "page.idle_s": (10, 86_400),
    "page.link_s": (5, 3_600),
    "page.visit_s": (60, 30 * 86_400),
    "server.asked_at_once": (1, 8),
    "server.max_connections": (1, 64),
    "server.send_timeout_s": (0.1, 3_600),
    "server.login_timeout_s": (0.1, 3_600),
    "summarizer.beams": (1, 8),
    "summarizer.breaker.failures": (1, 1_000),
    "summarizer.server.window_tokens": (256, 1_000_000),
    "summarizer.threads": (1, 256),
    "summarizer.timeout_s": (0.1, 3_600),
    "sources.look.dying_s": (0, 30 * 86_400),
    "background.rest.battery_least_percent": (0, 100),
    "background.rest.give_back_s": (1, 86_400),
    "background.rest.look_s": (1, 3_600),
    "background.rest.memory_most_bytes": (300_000_000, 2**40),
    "store.most_bytes": (16 * 1024**2, 2**44),
    "store.readers": (1, 64),
    "store.backup.keep_daily": (1, 366),
    "store.backup.keep_others": (1, 100),
    "store.busy_ms": (100, 600_000),
    "store.writer.queue_limit": (1, 1_000_000),
    "store.writer.batch_limit": (1, 10_000),
    "store.writer.patience_ms": (0, 1_000),
}


def bounds(path: str, kind: Any, default: Any) -> Bounds | None:
    """Return the bounds of a key, or None if it is no number.

    A fraction whose default lies in [0, 1] is a share; other numbers are counts or factors.

    Args:
        path: The key's full name.
        kind: Its type; an optional number counts as one.
        default: Its default.
    """
    if get_origin(kind) in (Union, types.UnionType):
        kind = next((a for a in get_args(kind) if a is not types.NoneType), None)
    if kind not in (int, float):
        return None
    if path in _EXCEPTIONS:
        return _EXCEPTIONS[path]
    for ending, limits in _UNITS.items():
        if path.endswith(ending):
            return limits
    if kind is int:
        return _COUNT
    return _SHARE if isinstance(default, float) and 0 <= default <= 1 else _FACTOR


def unit(path: str) -> str | None:
    """Return what a number is counted in, or None for shares, factors and plain counts.

    Args:
        path: The key's name, or its full one.
    """
    return next((words for ending, words in UNITS.items() if path.endswith(ending)), None)
