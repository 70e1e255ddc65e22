"""What stands in the Markdown mirror: see :mod:`libra.engine.mirror`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from libra.ground.records import Kind
from libra.store.sql import Reader
from libra.store.tombstones import text_hash
from libra.store.visibility import Visible, select
from libra.store.writer import WriteTx


class Written(NamedTuple):
    """What was written of a memory: the file, and a hash of its words."""

    file: str
    hash: str


class Shown(NamedTuple):
    """A memory that belongs into the mirror."""

    uid: str
    type: str
    text: str
    ts_ms: int
    project: str | None


def written(s: Reader) -> dict[str, Written]:
    """Return what was written last, by uid."""
    return {row[0]: Written(row[1], row[2]) for row in s.rows("SELECT uid, file, hash FROM mirrored")}


def note(tx: WriteTx, file: str, hashes: Mapping[str, str]) -> None:
    """Remember what a file holds now."""
    tx.run("DELETE FROM mirrored WHERE file = ?", (file,))
    tx.many(
        "INSERT INTO mirrored(uid, file, hash) VALUES(?1, ?2, ?3)"
        " ON CONFLICT(uid) DO UPDATE SET file = ?2, hash = ?3",
        ((uid, file, hash_) for uid, hash_ in hashes.items()),
    )


def clear(tx: WriteTx) -> None:
    """Know nothing of what files hold: they are written anew, and what is missing in them was not deleted by anybody."""
    tx.run("DELETE FROM mirrored")


def active(s: Reader, sees: Visible) -> list[Shown]:
    """Return the active memories that somebody sees, oldest first."""
    sql, values = select(
        "item.uid, item.type, item.text, item.ts_ms, item.project", sees,
        where=f"item.kind = {int(Kind.MEMORY)} AND item.active = 1", tail="ORDER BY item.ts_ms, item.id",
    )  # fmt: skip
    return [Shown(*row) for row in s.rows(sql, values)]


def change_mark(s: Reader) -> tuple[int, ...]:
    """Return numbers that are others as soon as a memory was told, changed or forgotten."""
    return tuple(
        int(s.value(f"SELECT coalesce({what}, 0) FROM {table}") or 0)
        for what, table in (
            ("max(id)", "item"), ("max(id)", "journal"), ("max(id)", "tombstone"), ("count(*)", "memory"),
            ("sum(undone_ms IS NOT NULL)", "journal"),
        )
    )  # fmt: skip


def forgotten(s: Reader, owner: str, uid: str | None, words: str | None) -> bool:
    """Say whether a memory of that id, or one of these very words, was forgotten."""
    if uid is not None and gone(s, [uid]):
        return True
    known = "" if words is None else text_hash(words)
    return (
        s.value(
            "SELECT 1 FROM tombstone WHERE owner = ? AND text_hash = ? AND ? <> ''", (owner, known, known)
        )
        is not None
    )


def gone(s: Reader, uids: Sequence[str]) -> set[str]:
    """Return those of these memories that were forgotten."""
    return {uid for uid in uids if s.value("SELECT 1 FROM tombstone WHERE uid = ?", (uid,)) is not None}
