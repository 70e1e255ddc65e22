"""What happened last, for the tray: where something was learnt, and what was injected today. No text of anybody."""

from __future__ import annotations

from typing import Any, NamedTuple

from libra.store.sql import Reader


class Learnt(NamedTuple):
    """The newest memory, without its words.

    Attributes:
        ts_ms: When it was stored.
        type: Of which type it is.
        host, project, session: Where its teller said it; None where that is not known.
    """

    ts_ms: int
    type: str | None
    host: str | None
    project: str | None
    session: str | None


class Talk(NamedTuple):
    """The session in which something was said last."""

    key: str
    host: str | None
    project: str | None
    last_ms: int


class Today(NamedTuple):
    """What was put into prompts since a time.

    Attributes:
        injections: Prompts that got something.
        tokens: What they got.
        saved_tokens: Tokens of the turns that the shown summaries stand for, less the summaries' own.
    """

    injections: int
    tokens: int
    saved_tokens: int


def learnt(s: Reader) -> Learnt | None:
    """Return where the newest memory comes from, None if there is none."""
    found = s.one(
        "SELECT item.created_ms, item.type, session.host, coalesce(item.project, session.project), session.key"
        " FROM memory JOIN item ON item.id = memory.item_id LEFT JOIN item told ON told.id = memory.source_turn"
        " LEFT JOIN session ON session.id = coalesce(item.session_id, told.session_id)"
        " ORDER BY memory.item_id DESC LIMIT 1"
    )
    return None if found is None else Learnt(*found)


def talk(s: Reader) -> Talk | None:
    """Return the session in which something was said last, None if there is none."""
    found = s.one(
        "SELECT key, host, project, last_ms FROM session WHERE last_ms IS NOT NULL ORDER BY last_ms DESC, id DESC LIMIT 1"
    )
    return None if found is None else Talk(*found)


def newest_receipt(s: Reader) -> int:
    """Return a number that changes whenever something is injected."""
    return int(s.value("SELECT coalesce(max(rowid), 0) FROM receipt"))


def injected_since(s: Reader, since_ms: int) -> Today:
    """Return what was put into prompts since a time."""
    row: Any = s.one(
        "SELECT count(*), coalesce(sum(tokens), 0) FROM receipt WHERE created_ms >= ? AND tokens > 0",
        (since_ms,),
    )
    saved = s.value(
        "SELECT coalesce(sum(max(summary.tokens_in - item.tokens, 0)), 0) FROM receipt, json_each(receipt.items) shown"
        " JOIN item ON item.uid = json_extract(shown.value, '$.id') JOIN summary ON summary.item_id = item.id"
        " WHERE receipt.created_ms >= ?",
        (since_ms,),
    )
    return Today(int(row[0]), int(row[1]), int(saved))
