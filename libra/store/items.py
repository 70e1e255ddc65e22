"""Rows of ``item`` with everything that must be written beside them: side index, pending chunk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from libra.ground.records import Kind
from libra.store import bits
from libra.store.sql import Reader, json_list
from libra.store.writer import WriteTx
from libra.text.terms import side_terms


class NewItem(NamedTuple):
    """The common part of a record; the order is the table's."""

    id: int
    uid: str
    kind: Kind
    scope_id: int
    session_id: int | None
    project: str | None
    agent: str | None
    type: str | None
    tokens: int
    ts_ms: int
    created_ms: int
    active: int
    role: str | None
    speaker: str | None
    seq: int | None
    text: str


_INSERT = f"INSERT INTO item({', '.join(NewItem._fields)}) VALUES({', '.join('?' for _ in NewItem._fields)})"


def next_id(s: Reader) -> int:
    """Return the id that the next item gets. Ids are never used twice: candidates outlive a snapshot."""
    return int(s.value("SELECT seq FROM sqlite_sequence WHERE name = 'item'") or 0) + 1


def insert(tx: WriteTx, new: Sequence[NewItem]) -> None:
    """Insert items; the word index follows by trigger, the side index and the pending chunk here.

    Raises:
        apsw.ConstraintError: An id or uid is there already.
    """
    tx.many(_INSERT, new)
    side = ((item.id, terms) for item in new if (terms := side_terms(item.text)))
    tx.many("INSERT INTO fts_side(rowid, text) VALUES(?, ?)", side)
    add_pending(tx, ((item.id, item.text) for item in new))


def add_pending(tx: WriteTx, texts: Iterable[tuple[int, str]]) -> None:
    """Queue items for embedding: one row over the whole text, which the worker replaces by windows."""
    tx.many(
        "INSERT INTO chunk(item_id, window, start, end_, state) VALUES(?, 0, 0, ?, 0)",
        ((i, len(t)) for i, t in texts),
    )


def replace_text(tx: WriteTx, item_id: int, text: str, tokens: int) -> None:
    """Give an item another wording that says the same: both indexes follow, its vectors stand until new ones come."""
    tx.run("UPDATE item SET text = ?, tokens = ? WHERE id = ?", (text, tokens, item_id))
    tx.run("DELETE FROM fts_side WHERE rowid = ?", (item_id,))
    terms = side_terms(text)
    if terms:
        tx.run("INSERT INTO fts_side(rowid, text) VALUES(?, ?)", (item_id, terms))
    add_pending(tx, [(item_id, text)])


def set_active(tx: WriteTx, item_ids: Sequence[int], *, active: bool) -> None:
    """Put items into the active index, or take them out of it."""
    if not item_ids:
        return
    tx.run(
        "UPDATE item SET active = ? WHERE id IN (SELECT value FROM json_each(?))",
        (int(active), json_list(item_ids)),
    )
    tx.changes.active.update(dict.fromkeys(item_ids, active))


def drop_vectors(tx: WriteTx, item_ids: Sequence[int]) -> None:
    """Remove the chunks of items, in the bit index too."""
    if not item_ids:
        return
    ids = json_list(item_ids)
    # The plus: else all ready chunks are gone through for the few of these items.
    ready = tx.rows(
        "SELECT id FROM chunk WHERE item_id IN (SELECT value FROM json_each(?)) AND +state = 1", (ids,)
    )
    tx.run("DELETE FROM chunk WHERE item_id IN (SELECT value FROM json_each(?))", (ids,))
    if ready:
        # After the chunks are gone: the bit index may be built again from them.
        bits.remove(tx, [row[0] for row in ready])
        tx.changes.remove(item_ids)


def drop_words(tx: WriteTx, item_ids: Sequence[int]) -> None:
    """Empty the texts of items, with their vectors and index entries; the items stay."""
    drop_vectors(tx, item_ids)
    ids = json_list(item_ids)
    tx.run("DELETE FROM fts_side WHERE rowid IN (SELECT value FROM json_each(?))", (ids,))
    tx.run("UPDATE item SET text = '', tokens = 0 WHERE id IN (SELECT value FROM json_each(?))", (ids,))


def delete(tx: WriteTx, item_ids: Sequence[int]) -> int:
    """Delete items with all that hangs on them; return how many there were."""
    drop_vectors(tx, item_ids)
    # An entry of the journal may hold an earlier wording; it goes whole.
    tx.run(
        "DELETE FROM journal WHERE id IN (SELECT journal_id FROM journal_item"
        " WHERE item_id IN (SELECT value FROM json_each(?)))",
        (json_list(item_ids),),
    )
    return tx.run("DELETE FROM item WHERE id IN (SELECT value FROM json_each(?))", (json_list(item_ids),))
