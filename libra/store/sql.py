"""What a read function needs: rows of one consistent state. Snapshots and write transactions both offer it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import orjson

Bindings = Sequence[Any] | Mapping[str, Any]
"""Values for ``?`` or ``:name``."""
Row = tuple[Any, ...]


class Reader(Protocol):
    """Something that runs SELECT statements within one transaction; who inherits it writes ``rows`` only."""

    def rows(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Return all rows."""
        ...

    def one(self, sql: str, bindings: Bindings = ()) -> Row | None:
        """Return the first row, or None."""
        found = self.rows(sql, bindings)
        return found[0] if found else None

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """Return the first column of the first row, or None."""
        found = self.rows(sql, bindings)
        return found[0][0] if found else None


def json_list(values: Sequence[int] | Sequence[str]) -> str:
    """Return the values as JSON for ``IN (SELECT value FROM json_each(?))``: any number of them, one statement."""
    return orjson.dumps(list(values)).decode()


def json_pairs(values: Sequence[tuple[str, str]]) -> str:
    """Return pairs as JSON for ``json_each(?)``, whose value is then a pair."""
    return orjson.dumps(values).decode()


def json_text(value: Any) -> str | None:
    """Return ``value`` as JSON, or None for an empty one: most turns carry no metadata."""
    return orjson.dumps(value).decode() if value else None


def from_json(text: str | None) -> Any:
    """Return what :func:`json_text` was given; an empty dict for None."""
    return orjson.loads(text) if text else {}
