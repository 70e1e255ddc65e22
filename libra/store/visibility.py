"""Isolation, in one place: which scopes a caller sees, and the only SELECT through which its items are read.

A caller sees its user's sessions, its user, its agent, its project, global, and what the configuration grants;
nothing else. Every read of items for a caller is built by :func:`select`; a test proves it (memory model §1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from libra.ground.records import Kind, ScopeKind
from libra.store.sql import Reader, json_list


@dataclass(frozen=True, slots=True)
class Visible:
    """What a caller may see.

    Attributes:
        user: Sessions of this user are visible; empty for none.
        session_key: The caller's own session.
        scopes: Text forms of the shared scopes (``user:…``, ``agent:…``, ``project:…``, ``global``) and of
            sessions that the configuration grants.
        every_session: False to leave only ``session_key`` of the user's sessions.
        reader: Who reads, where memories count that others have shared with ``scopes``; words of another user are marked
            as such for this one. None for views of what is somebody's own: to change, to export, to learn from.
    """

    user: str
    session_key: str | None = None
    scopes: tuple[str, ...] = ()
    every_session: bool = True
    reader: str | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """What a search may return.

    Attributes:
        visible: The caller's view.
        kinds: Kinds of items.
        types: Memory types; empty for all.
        since_ms: First time, inclusive.
        until_ms: Last time, exclusive.
        active_only: Leave out archived, superseded, covered and undone items.
        with_covered: With ``active_only``: turns that a summary stands for may be returned all the same.
        exclude_ids: Items that are known already.
        as_of_ms: With ``active_only``: what was known and held at this time, whatever became of it since. A memory
            counts from when it was told first until its successor was told; everything else by its own time.
        project: Of this project: said in it, or in its scope.
        agent: Said to or by this agent only.
        sessions: Keys of the sessions that it was said in; empty for any.
    """

    visible: Visible
    kinds: frozenset[Kind]
    types: tuple[str, ...] = ()
    since_ms: int | None = None
    until_ms: int | None = None
    active_only: bool = True
    with_covered: bool = False
    exclude_ids: tuple[int, ...] = ()
    as_of_ms: int | None = None
    project: str | None = None
    agent: str | None = None
    sessions: tuple[str, ...] = ()


def scope_clause(visible: Visible | None, alias: str = "scope") -> tuple[str, dict[str, Any]]:
    """Return the condition on a ``scope`` row, and its bindings.

    Args:
        visible: The caller's view; None for the program itself (background work, status).
        alias: Name of the table in the statement.
    """
    if visible is None:
        return "1", {}
    session = f"{alias}.kind = {int(ScopeKind.SESSION)} AND {alias}.owner = :v_user AND :v_user <> ''"
    if not visible.every_session:
        session += f" AND {alias}.name = 'session:' || :v_session"
    clause = f"(({session}) OR {alias}.name IN (SELECT value FROM json_each(:v_scopes)))"
    bindings: dict[str, Any] = {"v_user": visible.user, "v_scopes": json_list(visible.scopes)}
    if not visible.every_session:
        bindings["v_session"] = visible.session_key
    return clause, bindings


_SHARED = (
    "item.active = 1 AND item.id IN (SELECT shared.item_id FROM shared"
    " WHERE shared.place IN (SELECT value FROM json_each(:v_scopes)))"
)
"""What its owner has shared with one of the caller's scopes, while it holds (:mod:`libra.store.shared`)."""


def select(
    columns: str,
    visible: Visible | None,
    *,
    source: str = "item",
    joins: str = "",
    where: str = "1",
    tail: str = "",
    bindings: dict[str, Any] | None = None,
) -> tuple[str, dict[str, Any]]:
    """Return a SELECT over ``item`` and its ``scope`` that shows nothing outside of ``visible``.

    Args:
        columns: What to return.
        visible: The caller's view; None for the program itself.
        source: The table to start from, with its join to ``item`` if it is another one.
        joins: Further joins.
        where: Further conditions.
        tail: ORDER BY and LIMIT.
        bindings: Values for the names in the parts above; none may begin with ``v_``.
    """
    clause, values = scope_clause(visible)
    if visible is not None and visible.reader is not None:
        clause = f"({clause} OR {_SHARED})"
    text = (
        f"SELECT {columns} FROM {source} CROSS JOIN scope ON scope.id = item.scope_id {joins}"
        f" WHERE {clause} AND ({where}) {tail}"
    )
    return text, {**values, **(bindings or {})}


_COVERED = (
    f"item.kind = {int(Kind.TURN)} AND EXISTS (SELECT 1 FROM turn WHERE turn.item_id = item.id"
    " AND turn.covered_by IS NOT NULL AND turn.undone = 0 AND turn.gated <> 3)"
)


_TAKEN_BACK = (
    f"(item.kind = {int(Kind.TURN)} AND EXISTS (SELECT 1 FROM turn WHERE turn.item_id = item.id AND turn.undone = 1)"
    f" OR item.kind = {int(Kind.MEMORY)} AND EXISTS"
    " (SELECT 1 FROM relation WHERE relation.from_id = item.id AND relation.kind = 'undone'))"
)
"""What a person took back in the host, and what was learnt of that alone: in no archive either."""

_TOLD_BY_THEN = (
    f"iif(item.kind = {int(Kind.MEMORY)},"
    " EXISTS (SELECT 1 FROM memory WHERE memory.item_id = item.id AND memory.valid_from_ms <= :as_of),"
    " item.ts_ms <= :as_of)"
)
_HELD_THEN = (
    f"item.kind = {int(Kind.MEMORY)} AND EXISTS (SELECT 1 FROM memory WHERE memory.item_id = item.id"
    " AND (memory.valid_to_ms IS NULL OR memory.valid_to_ms > :as_of)"
    " AND (memory.expires_ms IS NULL OR memory.expires_ms > :as_of)"
    # A memory that was superseded or has expired was archived whenever Libra came to know of that.
    " AND (memory.archived_ms IS NULL OR memory.archived_ms > :as_of"
    " OR memory.valid_to_ms IS NOT NULL OR memory.expires_ms IS NOT NULL))"
)

_OF_PROJECT = (
    "(item.project = :project"
    " OR item.scope_id IN (SELECT mine.id FROM scope mine WHERE mine.name = 'project:' || :project))"
)
_OF_SESSIONS = "item.session_id IN (SELECT session.id FROM session WHERE session.key IN (SELECT value FROM json_each(:sessions)))"


def conditions(filt: Filter) -> tuple[str, dict[str, Any]]:
    """Return the condition on ``item`` of a filter without its view, and its bindings."""
    parts: list[str] = []
    values: dict[str, Any] = {}
    if filt.kinds != frozenset(Kind):
        parts.append(f"item.kind IN ({','.join(str(int(k)) for k in sorted(filt.kinds))})")
    if filt.as_of_ms is not None:
        parts.append(_TOLD_BY_THEN)
        values["as_of"] = filt.as_of_ms
    if filt.active_only:
        active = "item.active = 1"
        if filt.as_of_ms is not None:
            active = f"(item.kind <> {int(Kind.MEMORY)} AND item.active = 1 OR {_HELD_THEN})"
        parts.append(f"({active} OR {_COVERED})" if filt.with_covered else active)
    else:
        parts.append(f"NOT {_TAKEN_BACK}")
    if filt.types:
        parts.append("item.type IN (SELECT value FROM json_each(:types))")
        values["types"] = json_list(filt.types)
    if filt.since_ms is not None:
        parts.append("item.ts_ms >= :since_ms")
        values["since_ms"] = filt.since_ms
    if filt.until_ms is not None:
        parts.append("item.ts_ms < :until_ms")
        values["until_ms"] = filt.until_ms
    if filt.project is not None:
        parts.append(_OF_PROJECT)
        values["project"] = filt.project
    if filt.agent is not None:
        parts.append("item.agent = :agent")
        values["agent"] = filt.agent
    if filt.sessions:
        parts.append(_OF_SESSIONS)
        values["sessions"] = json_list(filt.sessions)
    if filt.exclude_ids:
        parts.append("item.id NOT IN (SELECT value FROM json_each(:exclude_ids))")
        values["exclude_ids"] = json_list(filt.exclude_ids)
    return " AND ".join(parts) or "1", values


def scope_ids(s: Reader, visible: Visible | None, after: int = 0) -> list[int]:
    """Return the ids of all scopes in view that are larger than ``after``, ascending."""
    clause, bindings = scope_clause(visible)
    sql = f"SELECT id FROM scope WHERE id > :after AND {clause} ORDER BY id"
    return [row[0] for row in s.rows(sql, {**bindings, "after": after})]
