"""Take a change back: what an entry of the journal has noted is put back, unless that has moved on since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from libra.store import items, ledger, shared
from libra.store.journal import COUNTED, FREE, ITEM, Entry, look
from libra.store.ledger import Leaf, LedgerRow
from libra.store.revisions import SUPERSEDED_BY, hand_back, relate
from libra.store.sql import Reader
from libra.store.writer import WriteTx
from libra.text.tokens import estimate


def moved_on(s: Reader, entry: Entry) -> list[tuple[int, str]]:
    """Return what stands in the way of undoing: (item, column) whose present value the entry did not leave.

    An item that is gone stands in the way with the column ``id``, one that was made and is no longer active with
    ``active``.
    """
    now = look(s, entry.item_ids)
    out = [(item, "id") for item in entry.item_ids if item not in now]
    asleep = {past for _, past, _ in entry.split}
    out += [
        (item, "active")
        for item in entry.made
        if item in now and not now[item]["active"] and item not in asleep
    ]
    for item, differs in entry.changed.items():
        for column, (_, after) in differs.items():
            # Of a wording the hash is held against the present one.
            if item in now and column not in FREE and column != "text" and now[item][column] != after:
                out.append((item, column))
    if entry.leaf is not None and _version(s, entry) != entry.leaf["version"]:
        out.append((0, "version"))
    told = look(s, entry.shared["told"]) if entry.shared is not None else {}
    # What another user has confirmed or changed since is theirs by now.
    out += [(item, "active") for item, row in told.items() if not row["active"] or row[COUNTED] > 1]
    return out


def _version(s: Reader, entry: Entry) -> int | None:
    leaf = entry.leaf or {}
    row = ledger.get(s, Leaf(leaf["kind"]), entry.owner, leaf["name"])
    return None if row is None else row.version


def _undo_leaf(tx: WriteTx, entry: Entry, now_ms: int) -> None:
    leaf = entry.leaf or {}
    kind, name = Leaf(leaf["kind"]), leaf["name"]
    if leaf["before"] is None:
        ledger.delete(tx, kind, entry.owner, name)
    else:
        row = LedgerRow(kind, entry.owner, name, leaf["before"], 1, leaf["created"], now_ms)
        ledger.restore(tx, row, now_ms)


def _undo_rest(tx: WriteTx, entry: Entry, now_ms: int) -> None:
    if entry.leaf is not None:
        _undo_leaf(tx, entry, now_ms)
    if entry.shared is not None:
        _undo_shares(tx, entry.shared, now_ms)


def _undo_shares(tx: WriteTx, entry: Mapping[str, Any], now_ms: int) -> None:
    shared.take_back(tx, entry["place"], entry["put"])
    there = look(tx, entry["taken"])
    shared.put(tx, entry["place"], list(there), now_ms)
    items.delete(tx, entry["told"])


def undo(tx: WriteTx, entry: Entry, now_ms: int) -> None:
    """Put back what an entry changed, and mark it as undone. What it made stays: its maker decides about that.

    Args:
        tx: The transaction; :func:`moved_on` has found nothing in it.
        entry: What to undo.
        now_ms: Now.
    """
    for item, differs in entry.changed.items():
        for column, (before, after) in differs.items():
            if column == "text":
                items.replace_text(tx, item, before, estimate(before))
            elif column == "active":
                items.set_active(tx, [item], active=bool(before))
            elif column == COUNTED:
                tx.run(
                    "UPDATE memory SET confirmations = max(confirmations + ?, 1) WHERE item_id = ?",
                    (before - after, item),
                )
            else:
                table, key = ("item", "id") if column in ITEM else ("memory", "item_id")
                tx.run(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (before, item))
            if column == "type":
                tx.changes.types[item] = before
    tx.many("DELETE FROM relation WHERE from_id = ? AND to_id = ? AND kind = ?", entry.relations)
    for one, other, kind in entry.gone:
        relate(tx, one, other, kind, now_ms)
    for item, differs in entry.changed.items():
        if (successor := differs.get("superseded_by", [None])[0]) is not None:
            relate(tx, item, successor, SUPERSEDED_BY, now_ms)
    _undo_rest(tx, entry, now_ms)
    for whole, past, turns in entry.split:
        hand_back(tx, past, whole, turns, now_ms)
    tx.run("UPDATE journal SET undone_ms = ? WHERE id = ?", (now_ms, entry.id))
