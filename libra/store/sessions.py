"""Rows of ``session``: one talk, whose it is, and which talk it goes on from."""

from __future__ import annotations

from dataclasses import dataclass

from libra.ground.records import SessionRef
from libra.store import scopes
from libra.store.sql import Reader, Row
from libra.store.writer import WriteTx


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as it is kept.

    Attributes:
        fork_id: Item id of the last turn that it shares with its parent; None when nothing was copied.
        first_ms, last_ms: Times of its first and last turn.
        gone_ms: When its source was found gone.
    """

    id: int
    key: str
    user: str
    scope_id: int
    host: str | None
    agent: str | None
    project: str | None
    cwd: str | None
    kind: str
    parent_id: int | None
    parent_key: str | None
    fork_id: int | None
    first_ms: int | None
    last_ms: int | None
    gone_ms: int | None


_SELECT = """
SELECT n.id, n.key, n.user, n.scope_id, n.host, n.agent, n.project, n.cwd, n.kind, n.parent_id,
  (SELECT p.key FROM session p WHERE p.id = n.parent_id), n.fork_id, n.first_ms, n.last_ms, n.gone_ms
FROM session n
"""


def _row(found: Row) -> SessionRow:
    return SessionRow(*found)


def find(s: Reader, key: str, user: str | None = None) -> SessionRow | None:
    """Return the session of that key; without a user, the newest of that key, whosever it is."""
    if user is None:
        found = s.one(_SELECT + "WHERE n.key = ? ORDER BY n.last_ms DESC, n.id DESC LIMIT 1", (key,))
    else:
        found = s.one(_SELECT + "WHERE n.key = ? AND n.user = ?", (key, user))
    return None if found is None else _row(found)


def get(s: Reader, session_id: int) -> SessionRow | None:
    """Return the session of that row id."""
    found = s.one(_SELECT + "WHERE n.id = ?", (session_id,))
    return None if found is None else _row(found)


def every(s: Reader, user: str | None = None) -> list[SessionRow]:
    """Return all sessions, or those of one user, newest first."""
    where = "" if user is None else "WHERE n.user = :user "
    bindings = {} if user is None else {"user": user}
    return [_row(r) for r in s.rows(f"{_SELECT}{where}ORDER BY n.last_ms DESC, n.id DESC", bindings)]


def rested(s: Reader, before_ms: int, least_turns: int) -> SessionRow | None:
    """Return a session that nothing was said in since a time and that no memory of type session tells of; None without one.

    What was said since a memory of it was kept makes it one again.
    """
    found = s.one(
        _SELECT
        + "WHERE n.last_ms < ? AND n.next_seq > ? AND NOT EXISTS (SELECT 1 FROM item WHERE item.session_id = n.id"
        " AND item.kind = 3 AND item.type = 'session' AND item.ts_ms >= n.last_ms) ORDER BY n.last_ms DESC, n.id LIMIT 1",
        (before_ms, least_turns),
    )
    return None if found is None else _row(found)


def ensure(tx: WriteTx, ref: SessionRef) -> SessionRow:
    """Return the session, making or completing its row. What was known is never emptied."""
    found = find(tx, ref.key, ref.user)
    if found is None:
        tx.run(
            "INSERT INTO session(key, user, scope_id, host, agent, project, cwd, kind) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
            (
                ref.key,
                ref.user,
                scopes.ensure(tx, ref.scope),
                ref.host,
                ref.agent,
                ref.project,
                ref.cwd,
                ref.kind,
            ),
        )
    elif _adds(ref, found):
        tx.run(
            "UPDATE session SET host = coalesce(?, host), agent = coalesce(?, agent), project = coalesce(?, project),"
            " cwd = coalesce(?, cwd), kind = ? WHERE id = ?",
            (ref.host, ref.agent, ref.project, ref.cwd, ref.kind, found.id),
        )
    else:
        return _with_parent(tx, ref, found)
    again = find(tx, ref.key, ref.user)
    assert again is not None  # noqa: S101 - inserted or found just above
    return _with_parent(tx, ref, again)


def _adds(ref: SessionRef, row: SessionRow) -> bool:
    new = (ref.host, ref.agent, ref.project, ref.cwd)
    old = (row.host, row.agent, row.project, row.cwd)
    return ref.kind != row.kind or any(n is not None and n != o for n, o in zip(new, old, strict=True))


def _with_parent(tx: WriteTx, ref: SessionRef, row: SessionRow) -> SessionRow:
    """Link the parent that the host names, unless copied turns have told it already."""
    if ref.parent_key is None or row.parent_id is not None or ref.parent_key == ref.key:
        return row
    parent = find(tx, ref.parent_key, ref.user)
    if parent is None:
        parent = ensure(tx, SessionRef(ref.parent_key, ref.user, host=ref.host))
    if is_ancestor(tx, row.id, parent.id):
        return row
    tx.run("UPDATE session SET parent_id = ? WHERE id = ?", (parent.id, row.id))
    return get(tx, row.id) or row


def is_ancestor(s: Reader, ancestor: int, session_id: int) -> bool:
    """Say whether ``ancestor`` is ``session_id`` itself or above it."""
    return bool(
        s.value(
            "WITH RECURSIVE up(id) AS (SELECT ?1 UNION SELECT n.parent_id FROM session n JOIN up ON n.id = up.id"
            " WHERE n.parent_id IS NOT NULL) SELECT 1 FROM up WHERE id = ?2",
            (session_id, ancestor),
        )
    )


def stands(s: Reader, key: str) -> bool:
    """Whether there is a session of that name that was not found gone."""
    return bool(s.value("SELECT 1 FROM session WHERE key = ? AND gone_ms IS NULL", (key,)))


def mark_gone(tx: WriteTx, key: str, now_ms: int) -> None:
    """Note that the host has deleted a session; what was learnt from it stays (lessons.md C02)."""
    tx.run("UPDATE session SET gone_ms = coalesce(gone_ms, ?) WHERE key = ?", (now_ms, key))


def mark_source_gone(tx: WriteTx, path: str, now_ms: int) -> None:
    """Note the same of each session that a transcript told of and that no other one tells of any more."""
    tx.run(
        "UPDATE session SET gone_ms = coalesce(gone_ms, ?1) WHERE id IN ("
        " SELECT item.session_id FROM source CROSS JOIN turn ON turn.source_id = source.id"
        " CROSS JOIN item ON item.id = turn.item_id WHERE source.path = ?2"
        " UNION SELECT session.id FROM source JOIN session ON session.key = source.session_key WHERE source.path = ?2)"
        " AND NOT EXISTS (SELECT 1 FROM source other WHERE other.session_key = session.key"
        "  AND other.state NOT IN ('gone', 'moved') AND other.path <> ?2)",
        (now_ms, path),
    )


def mark_there(tx: WriteTx, session_id: int) -> None:
    """Note that the host has a session (again)."""
    tx.run("UPDATE session SET gone_ms = NULL WHERE id = ? AND gone_ms IS NOT NULL", (session_id,))


def kept(s: Reader) -> dict[str, tuple[int, int]]:
    """Return how many sessions are kept that their host no longer has, and when the last was found gone, by host."""
    found = s.rows(
        "SELECT host, count(*), max(gone_ms) FROM session WHERE gone_ms IS NOT NULL AND host IS NOT NULL GROUP BY host"
    )
    return {str(host): (count, gone_ms) for host, count, gone_ms in found}
