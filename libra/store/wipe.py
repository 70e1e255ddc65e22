"""Change words wherever they stand in the database: in every text column of every table, its indexes and vectors too.

The tables are read off the database itself, so that one that is added later is not forgotten. What is looked through goes in
slices, each in a snapshot of its own; what is to be changed is changed in small transactions between them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from libra.ground.records import Kind, Role
from libra.store import items
from libra.store.sql import Reader, json_list
from libra.store.store import Store
from libra.store.writer import WriteTx
from libra.text.tokens import estimate

_SLICE_ROWS = 500
_NOT_WORDS = frozenset(
    {"kept_out", "export_file", "sqlite_sequence", "sqlite_schema", "sqlite_stat1", "sqlite_stat4"}
)
Change = Callable[[str, str, str], str]
"""Of a table, a column and the value in it, the value that it should have."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is to be changed.

    Attributes:
        change: See :data:`Change`.
        may: Of a table and all the words of some of its rows, whether any of them may have to be changed: asked for many
            rows at once, so that the others cost next to nothing.
    """

    change: Change
    may: Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Redaction:
    """The rules by which secrets are taken out of what is stored.

    Attributes:
        version: Of the rules.
        sweep: How they are applied.
    """

    version: int
    sweep: Sweep


@dataclass(frozen=True, slots=True)
class Said:
    """What the identity of a turn by its content is made of."""

    role: Role
    ts_ms: int
    ts_known: bool
    session: str
    host: str | None
    external_id: str | None
    event_key: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Identity:
    """How things are known again by their words.

    Attributes:
        content_hash: Of a memory's text.
        content_key: Of a turn.
        about: Subject and slot of a memory's statement; None for each that it does not make.
    """

    content_hash: Callable[[str], str]
    content_key: Callable[[Said], str]
    about: Callable[[str], tuple[str | None, str | None]]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its key and all of its columns."""

    name: str
    key: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """One value."""

    table: Table
    key: tuple[Any, ...]
    column: str


def tables(s: Reader) -> list[Table]:
    """Return the tables that hold values of ours: no virtual ones and none that stand behind one."""
    found = []
    for row in s.rows("PRAGMA table_list"):
        schema, name, kind, without_rowid = row[0], row[1], row[2], row[4]
        if schema != "main" or kind != "table" or name in _NOT_WORDS:
            continue
        columns = s.rows(f'PRAGMA table_info("{name}")')
        primary = tuple(c[1] for c in sorted(columns, key=lambda c: c[5]) if c[5])
        found.append(Table(name, primary if without_rowid else ("rowid",), tuple(c[1] for c in columns)))
    return sorted(found, key=lambda t: t.name)


def look(
    s: Reader, table: Table, after: tuple[Any, ...] | None, sweep: Sweep, limit: int = _SLICE_ROWS
) -> tuple[list[Place], tuple[Any, ...] | None]:
    """Return the values of the next rows that are to be changed, and the last row's key; None after the last row."""
    key = ", ".join(map(_quoted, table.key))
    where = f"WHERE ({key}) > ({', '.join('?' for _ in table.key)})" if after is not None else ""
    found = s.rows(
        f"SELECT {key}, {', '.join(map(_quoted, table.columns))} FROM {_quoted(table.name)} {where} ORDER BY {key} LIMIT ?",
        (*(after or ()), limit),
    )
    width = len(table.key)
    following = found[-1][:width] if len(found) == limit else None
    words = ["\0".join(v for v in row[width:] if isinstance(v, str)) for row in found]
    if not sweep.may(table.name, "\0".join(words)):
        return [], following
    places = [
        Place(table, row[:width], column)
        for row, held in zip(found, words, strict=True)
        if sweep.may(table.name, held)
        for column, value in zip(table.columns, row[width:], strict=True)
        if isinstance(value, str) and value and sweep.change(table.name, column, value) != value
    ]
    return places, following


def _quoted(name: str) -> str:
    return f'"{name}"'


def everywhere(store: Store, sweep: Sweep) -> list[Place]:
    """Return all values that are to be changed."""
    out: list[Place] = []
    with store.snapshot() as s:
        todo = tables(s)
    for table in todo:
        after: tuple[Any, ...] | None = None
        while True:
            with store.snapshot() as s:
                places, after = look(s, table, after, sweep)
            out += places
            if after is None:
                break
    return out


def wipe(store: Store, places: list[Place], change: Change, identity: Identity) -> Counter[str]:
    """Change these values; return how many there were by ``table.column``."""
    done: Counter[str] = Counter()
    for start in range(0, len(places), _SLICE_ROWS):
        part = places[start : start + _SLICE_ROWS]
        done += store.write(partial(apply, part, change, identity), full_sync=True).result()
    return done


def apply(places: list[Place], change: Change, identity: Identity, tx: WriteTx) -> Counter[str]:
    """Change values in one transaction; the words of an item with all that follows from them."""
    done: Counter[str] = Counter()
    texts: dict[int, str] = {}
    for place in places:
        name, column = place.table.name, place.column
        where = " AND ".join(f"{_quoted(part)} = ?" for part in place.table.key)
        before = tx.value(f"SELECT {_quoted(column)} FROM {_quoted(name)} WHERE {where}", place.key)
        after = change(name, column, before) if isinstance(before, str) else before
        if after == before:
            continue
        done[f"{name}.{column}"] += 1
        if (name, column) == ("item", "text"):
            texts[int(place.key[0])] = after
        else:
            tx.run(
                f"UPDATE OR IGNORE {_quoted(name)} SET {_quoted(column)} = ? WHERE {where}",
                (after, *place.key),
            )
    reword(tx, texts, identity)
    if done:
        tx.run("INSERT INTO fts_side(fts_side) VALUES('optimize')")
        tx.empty_wal = True
    return done


def reword(tx: WriteTx, texts: Mapping[int, str], identity: Identity) -> None:
    """Give items other words: indexes and identities follow, vectors go and are made anew."""
    ids = list(texts)
    items.drop_vectors(tx, ids)
    for item, text in texts.items():
        items.replace_text(tx, item, text, estimate(text))
    tx.many(
        "UPDATE memory SET content_hash = ? WHERE item_id = ?",
        ((identity.content_hash(text), item) for item, text in texts.items()),
    )
    tx.many(
        "UPDATE memory SET (subject, slot) = (?, ?) WHERE item_id = ? AND subject IS NOT NULL",
        ((*identity.about(text), item) for item, text in texts.items()),
    )
    said = tx.rows(
        "SELECT item.id, item.role, item.ts_ms, turn.ts_known, session.key, session.host, turn.external_id, turn.event_key"
        " FROM item JOIN turn ON turn.item_id = item.id JOIN session ON session.id = item.session_id"
        f" WHERE item.kind = {int(Kind.TURN)} AND item.id IN (SELECT value FROM json_each(?))",
        (json_list(ids),),
    )
    tx.many(
        # Two turns that differed by the secret alone are one saying by now: the second keeps the identity that it had.
        "UPDATE OR IGNORE turn SET content_key = ? WHERE item_id = ?",
        (
            (
                identity.content_key(
                    Said(Role(role), ts, bool(known), session, host, external, event, texts[item])
                ),
                item,
            )
            for item, role, ts, known, session, host, external, event in said
        ),
    )


def kinds(s: Reader, item_ids: list[int]) -> list[int]:
    """Return the kinds of items."""
    found = s.rows(
        "SELECT kind FROM item WHERE id IN (SELECT value FROM json_each(?))", (json_list(item_ids),)
    )
    return [row[0] for row in found]


def uids(s: Reader, item_ids: list[int]) -> list[str]:
    """Return the uids of items, in the order of their ids."""
    found = s.rows(
        "SELECT uid FROM item WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json_list(item_ids),),
    )
    return [row[0] for row in found]


def origins(s: Reader, item_ids: list[int]) -> list[str]:
    """Return the files of others that the words of items were read from: transcripts and documents."""
    found = s.rows(
        "SELECT source.path FROM turn JOIN source ON source.id = turn.source_id"
        " WHERE turn.item_id IN (SELECT value FROM json_each(?1))"
        " UNION SELECT document.path FROM node JOIN document ON document.id = node.document_id"
        " WHERE node.item_id IN (SELECT value FROM json_each(?1)) ORDER BY 1",
        (json_list(item_ids),),
    )
    return [row[0] for row in found]
