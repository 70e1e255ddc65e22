"""Build the full-text indexes again, beside those in use, some items at a time; then they change places in one step.

A search finds everything all the while, a stop costs nothing, and a crash leaves the old ones (lessons.md C11). What is
changed meanwhile reaches both: triggers tell the new ones about items that they know already.
"""

from __future__ import annotations

from libra.store import bits, meta
from libra.store.schema import SCHEMA_1
from libra.store.sql import Reader
from libra.store.writer import WriteTx
from libra.text.terms import side_terms

_AT = "reindex.at"
_WORD = (
    "CREATE VIRTUAL TABLE fts_word_next USING fts5("
    "text, content='item', content_rowid='id', tokenize='porter unicode61 remove_diacritics 0')"
)
_SIDE = (
    "CREATE VIRTUAL TABLE fts_side_next USING fts5("
    "text, content='', contentless_delete=1, tokenize=\"unicode61 remove_diacritics 0 tokenchars '_'\")"
)
_KNOWN = "old.id <= (SELECT value FROM meta WHERE key = 'reindex.at')"
_GONE = (
    "INSERT INTO fts_word_next(fts_word_next, rowid, text) VALUES('delete', old.id, old.text);"
    " DELETE FROM fts_side_next WHERE rowid = old.id;"
)
_FRESH = (
    "INSERT INTO fts_word_next(rowid, text) VALUES(new.id, new.text);"
    " INSERT OR IGNORE INTO next_again(item_id) VALUES(new.id);"
)
_FOLLOW = (
    f"CREATE TRIGGER next_delete BEFORE DELETE ON item WHEN {_KNOWN} BEGIN {_GONE} END",
    f"CREATE TRIGGER next_update BEFORE UPDATE OF text ON item WHEN {_KNOWN} BEGIN {_GONE} END",
    f"CREATE TRIGGER next_updated AFTER UPDATE OF text ON item WHEN {_KNOWN} BEGIN {_FRESH} END",
)
_TRIGGERS = tuple(
    "CREATE TRIGGER " + part.strip()
    for part in SCHEMA_1[SCHEMA_1.index("CREATE TRIGGER") : SCHEMA_1.index("CREATE TABLE tombstone")].split(
        "CREATE TRIGGER "
    )
    if part.strip()
)
"""Those of the schema, which name the tables that change places."""
_TRIGGER_NAMES = ("item_insert", "item_delete", "item_update")


def running(s: Reader) -> tuple[int, int] | None:
    """Return the last item that was taken in and the last there is; None if nothing is being built."""
    at = meta.get(s, _AT)
    return None if at is None else (int(at), int(s.value("SELECT coalesce(max(id), 0) FROM item")))


def begin(tx: WriteTx) -> None:
    """Begin, from the beginning."""
    _drop(tx)
    tx.run(_WORD)
    tx.run("INSERT INTO fts_word_next(fts_word_next, rank) VALUES('secure-delete', 1)")
    tx.run(_SIDE)
    tx.run("CREATE TABLE next_again(item_id INTEGER PRIMARY KEY)")
    meta.put(tx, _AT, 0)
    for trigger in _FOLLOW:
        tx.run(trigger)


def step(tx: WriteTx, limit: int) -> bool:
    """Take in the next items; return False once all are and the new indexes stand in the old ones' places."""
    at = meta.get(tx, _AT)
    if at is None:
        return False
    rows = tx.rows("SELECT id, text FROM item WHERE id > ? ORDER BY id LIMIT ?", (int(at), limit))
    _take(tx, rows)
    if rows:
        meta.put(tx, _AT, rows[-1][0])
    if len(rows) == limit:
        return True
    _publish(tx)
    return False


def _take(tx: WriteTx, rows: list[tuple[int, str]]) -> None:
    tx.many("INSERT INTO fts_word_next(rowid, text) VALUES(?, ?)", rows)
    tx.many(
        "INSERT INTO fts_side_next(rowid, text) VALUES(?, ?)",
        ((item, terms) for item, text in rows if (terms := side_terms(text))),
    )


def _publish(tx: WriteTx) -> None:
    again = tx.rows("SELECT item.id, item.text FROM next_again JOIN item ON item.id = next_again.item_id")
    for item, text in again:
        tx.run("DELETE FROM fts_side_next WHERE rowid = ?", (item,))
        if terms := side_terms(text):
            tx.run("INSERT INTO fts_side_next(rowid, text) VALUES(?, ?)", (item, terms))
    for name in (*_TRIGGER_NAMES, "next_delete", "next_update", "next_updated"):
        tx.run(f"DROP TRIGGER IF EXISTS {name}")
    for name in ("fts_word", "fts_side"):
        tx.run(f"DROP TABLE {name}")
        tx.run(f"ALTER TABLE {name}_next RENAME TO {name}")
    tx.run("DROP TABLE next_again")
    meta.put(tx, _AT, None)
    for trigger in _TRIGGERS:
        tx.run(trigger)
    bits.rebuild(tx)
    tx.run("REINDEX")


def _drop(tx: WriteTx) -> None:
    """Take away what an earlier beginning has left."""
    for name in ("next_delete", "next_update", "next_updated"):
        tx.run(f"DROP TRIGGER IF EXISTS {name}")
    for name in ("fts_word_next", "fts_side_next", "next_again"):
        tx.run(f"DROP TABLE IF EXISTS {name}")
    meta.put(tx, _AT, None)
