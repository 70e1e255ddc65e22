"""A copy of the database to try something on, made while it is in use and gone afterwards."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from libra.ground.records import Clock, Kind
from libra.store import backup, connection, items
from libra.store.connection import translate_os
from libra.store.sql import Reader, json_list
from libra.store.store import Store, StoreParams
from libra.store.writer import WriteTx

_BUSY_MS = 10_000


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person said to an agent, once.

    Attributes:
        text: Their words.
        ts_ms: When.
        session, host, agent, project: Where.
        budget: Of the last prompt that was assembled for that session, if any was.
    """

    text: str
    ts_ms: int
    session: str
    host: str | None
    agent: str | None
    project: str | None
    budget: int | None


@contextmanager
def trial(store: Store, clock: Clock, params: StoreParams | None = None) -> Iterator[Store]:
    """Yield a copy of a store that may be changed; it is removed at the end.

    Raises:
        StoreError: There is no room for a copy.
    """
    room = store.path.parent / backup.TRIAL
    shutil.rmtree(room, ignore_errors=True)
    try:
        try:
            room.mkdir(mode=0o700)
        except OSError as error:
            raise translate_os(error, room) from error
        copy = _copied(store.path, room)
        made = Store.open(copy, params or StoreParams(), clock)
        try:
            yield made
        finally:
            made.close()
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _copied(database: Path, room: Path) -> Path:
    con = connection.open_reader(database, busy_ms=_BUSY_MS, cache_kib=2048)
    try:
        with connection.translated(database):
            return backup.copy_into(con, room / database.name)
    finally:
        con.close()


def prompts(s: Reader, user: str, sessions: int, most: int) -> list[Prompt]:
    """Return what a person said in the last sessions with agents, oldest first, at most so many of the newest."""
    found = s.rows(
        "WITH last AS (SELECT id FROM session WHERE user = ?1 AND kind = 'main' AND last_ms IS NOT NULL"
        "  ORDER BY last_ms DESC LIMIT ?2)"
        " SELECT item.text, item.ts_ms, session.key, session.host, session.agent, session.project,"
        "  (SELECT budget FROM receipt WHERE receipt.session_key = session.key ORDER BY created_ms DESC LIMIT 1)"
        " FROM last JOIN session ON session.id = last.id JOIN item ON item.session_id = session.id AND item.kind = 1"
        " JOIN turn ON turn.item_id = item.id AND turn.origin = 'owner' AND turn.undone = 0 AND turn.ts_known = 1"
        " WHERE item.role = 'user' AND item.text <> '' ORDER BY item.ts_ms DESC, item.id DESC LIMIT ?3",
        (user, sessions, most),
    )
    return [Prompt(*row) for row in reversed(found)]


def unlearn(tx: WriteTx, keys: Sequence[str], user: str) -> int:
    """Take back what was learnt from the talk of these sessions, on a copy: its turns go before the gate again."""
    told = (
        "SELECT item.id FROM item JOIN session ON session.id = item.session_id WHERE item.kind = 1"
        " AND session.user = ?2 AND session.key IN (SELECT value FROM json_each(?1))"
    )
    values = (json_list(list(keys)), user)
    learnt = tx.rows(f"SELECT item_id FROM memory WHERE source_turn IN ({told})", values)
    items.delete(tx, [row[0] for row in learnt])
    tx.run(f"UPDATE turn SET gated = 0 WHERE gated = 1 AND item_id IN ({told})", values)
    return len(learnt)


def forget_prompts(tx: WriteTx) -> None:
    """Know nothing of the prompts that were assembled: what was shown lately is not shown again."""
    for table in ("receipt", "injected"):
        tx.run(f"DELETE FROM {table}")


def learnt(s: Reader, user: str) -> set[str]:
    """Return the words of a person's active memories."""
    found = s.rows(
        "SELECT item.text FROM item JOIN scope ON scope.id = item.scope_id WHERE item.kind = 3 AND item.active = 1"
        " AND scope.name = 'user:' || ?",
        (user,),
    )
    return {row[0] for row in found}


def words(s: Reader, uids: Sequence[str]) -> dict[str, str]:
    """Return the words of items, by uid."""
    found = s.rows(
        "SELECT uid, text FROM item WHERE uid IN (SELECT value FROM json_each(?))", (json_list(list(uids)),)
    )
    return dict(found)


def judged_after(s: Reader, after: int, limit: int) -> tuple[list[int], list[int]]:
    """Return the next memories by id, and the turns among the same ids that the gate has refused."""
    found = s.rows(
        "SELECT id, kind FROM item WHERE id > ?1 AND (kind = 3 OR (kind = 1 AND EXISTS (SELECT 1 FROM turn"
        "  WHERE turn.item_id = item.id AND turn.gated = 1 AND turn.undone = 0) AND NOT EXISTS (SELECT 1 FROM relation"
        "  WHERE relation.to_id = item.id AND relation.kind IN ('told_by', 'merged_from'))))"
        " ORDER BY id LIMIT ?2",
        (after, limit),
    )
    return [row[0] for row in found if row[1] == int(Kind.MEMORY)], [
        row[0] for row in found if row[1] == int(Kind.TURN)
    ]


def judge_again(tx: WriteTx, turn_ids: Sequence[int]) -> None:
    """Put turns before the gate once more."""
    tx.run(
        "UPDATE turn SET gated = 0 WHERE gated = 1 AND item_id IN (SELECT value FROM json_each(?))",
        (json_list(list(turn_ids)),),
    )
