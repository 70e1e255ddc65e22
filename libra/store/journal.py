"""What was changed of memories, so that it can be explained and undone: columns before and after, no second copy of texts.

The entry of a change is written in the change's own transaction. It is bounded by age and number, and goes with the
memory when that is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson

from libra.store import ledger
from libra.store.ledger import Leaf
from libra.store.sql import Reader, json_list
from libra.store.writer import WriteTx

DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class JournalParams:
    """How much is kept, and for how long a change can be undone.

    Attributes:
        undo_days: Changes older than this stand.
        kept: Newest entries that are kept, at least one.
    """

    undo_days: int = 30
    kept: int = 20_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One change.

    Attributes:
        id: Its number, ascending in time.
        at_ms: When.
        verb: What was done: ``supersede``, ``merge``, ``archive``, ``confirm``, ``correct``, ….
        owner: The user whose memories they are.
        actor: Who did it: ``libra`` by itself, else the agent that asked.
        changed: By item, by column: ``[before, after]``.
        made: Items that came into being by it.
        relations: ``[from, to, kind]`` of the relations that it added; ``gone`` of those set by hand that it took away.
        leaf: Of a change of the ledger: kind and name of the row, what it was, and the version that it became.
        undone_ms: When it was undone.
        split: ``[from, to, [turns]]`` of memories of an earlier period that were made of tellings of another one.
        shared: Of what was shared: the scope, the items that it ``put`` there or took (``taken``), and the copies that
            another user was ``told``.
    """

    id: int
    at_ms: int
    verb: str
    owner: str
    actor: str
    changed: dict[int, dict[str, list[Any]]]
    made: list[int]
    relations: list[list[Any]]
    undone_ms: int | None = None
    leaf: dict[str, Any] | None = None
    gone: list[list[Any]] = field(default_factory=list)
    split: list[list[Any]] = field(default_factory=list)
    shared: dict[str, Any] | None = None

    @property
    def item_ids(self) -> list[int]:
        """All items that it touched, those that it made last."""
        return [*self.changed, *self.made]


@dataclass(slots=True)
class Change:
    """A change that is being made: what it touches is looked at before and after.

    Attributes:
        verb, owner, actor: See :class:`Entry`.
        made, split: Filled in by who makes the change; see :class:`Entry`.
        id: The entry's number once it is written; None if nothing changed.
    """

    verb: str
    owner: str
    actor: str = "libra"
    made: list[int] = field(default_factory=list)
    id: int | None = None
    split: list[list[Any]] = field(default_factory=list)


ITEM = ("type", "text", "ts_ms", "active")
_MEMORY = (
    *(
        "confidence",
        "confirmations",
        "priority",
        "ttl_ms",
        "expires_ms",
        "archived_ms",
        "superseded_by",
        "content_hash",
    ),
    *("valid_from_ms", "valid_to_ms", "touched_ms", "priority_manual", "ttl_manual"),
)
_WATCHED = (*ITEM, *_MEMORY)
BY_HAND = frozenset({"related_to", "evolved_from"})
"""Kinds of relations that a person sets; others follow from what was told."""
COUNTED = "confirmations"
"""A number that others may have raised since: undoing takes off what the change had added."""
FREE = frozenset({"touched_ms", COUNTED})
"""What may have moved on since without standing in the way of undoing."""


@contextmanager
def change(
    tx: WriteTx,
    verb: str,
    owner: str,
    item_ids: Sequence[int],
    now_ms: int,
    params: JournalParams,
    actor: str = "libra",
) -> Iterator[Change]:
    """Note in the journal what the block does to these memories; nothing is noted if it does nothing.

    Args:
        tx: The transaction.
        verb: What is done.
        owner: Whose memories.
        item_ids: Those that exist already; the block adds to ``made`` what it creates.
        now_ms: Now.
        params: How much is kept.
        actor: Who asked.
    """
    made = Change(verb, owner, actor)
    before, linked = look(tx, item_ids), _links(tx, item_ids)
    yield made
    after = look(tx, item_ids)
    changed = {
        item: differs
        for item, was in before.items()
        if (
            differs := {
                c: [was[c], after[item][c]] for c in was if item in after and was[c] != after[item][c]
            }
        )
    }
    for differs in changed.values():
        if "text" in differs:
            differs["text"][1] = None  # the words that stand now need no second copy
    links = _links(tx, item_ids)
    relations = [list(link) for link in sorted(links - linked)]
    gone = [list(link) for link in sorted(linked - links) if link[2] in BY_HAND]
    if changed or made.made or relations or gone:
        entry = {
            "changed": {str(i): d for i, d in changed.items()},
            "made": made.made,
            "relations": relations,
            **({"gone": gone} if gone else {}),
            **({"split": made.split} if made.split else {}),
        }
        made.id = _keep(tx, made, entry, now_ms, params)


def change_leaf(
    tx: WriteTx,
    done: Change,
    row: tuple[Leaf, str],
    body: Mapping[str, Any] | None,
    now_ms: int,
    params: JournalParams,
) -> None:
    """Set a row of the ledger down, change it, or take it away, and note in the journal what it was.

    Args:
        tx: The transaction.
        done: By whom, whose; its ``id`` is filled in.
        row: Kind and name.
        body: What it says from now on; None to take it away.
        now_ms: Now.
        params: How much is kept.
    """
    kind, name = row
    before = ledger.get(tx, kind, done.owner, name)
    if body is None:
        ledger.delete(tx, kind, done.owner, name)
    else:
        ledger.put(tx, kind, done.owner, name, body, now_ms)
    after = ledger.get(tx, kind, done.owner, name)
    leaf = {
        "kind": kind.value,
        "name": name,
        "before": None if before is None else dict(before.body),
        "created": None if before is None else before.created_ms,
        "version": None if after is None else after.version,
    }
    entry = {"changed": {}, "made": [], "relations": [], "leaf": leaf}
    done.id = _keep(tx, done, entry, now_ms, params)


def change_shares(
    tx: WriteTx,
    done: Change,
    place: str,
    now_ms: int,
    params: JournalParams,
    *,
    put: Sequence[int] = (),
    taken: Sequence[int] = (),
    told: Sequence[tuple[int, int]] = (),
) -> None:
    """Note in the journal what was shared with a scope, or is no longer; nothing is noted of nothing.

    Args:
        tx: The transaction that has done it.
        done: By whom, whose; its ``id`` is filled in.
        place: The scope.
        now_ms: Now.
        params: How much is kept.
        put: Items that it sees from now on.
        taken: Items that it sees no longer.
        told: Items with the copies that were made of them for another user.
    """
    if not (put or taken or told):
        return
    shared_ = {"place": place, "put": list(put), "taken": list(taken), "told": [copy for _, copy in told]}
    entry = {"changed": {}, "made": [], "relations": [], "shared": shared_}
    done.id = _keep(tx, done, entry, now_ms, params, [*put, *taken, *(item for item, _ in told)])


def drop_leaves(tx: WriteTx, owner: str, until_ms: int) -> int:
    """Take out the changes of a person's ledger until a time: each holds what a row had said, and would bring it back."""
    return tx.run(
        "DELETE FROM journal WHERE owner = ? AND at_ms <= ? AND before ->> '$.leaf' IS NOT NULL",
        (owner, until_ms),
    )


def look(s: Reader, item_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return what is watched of these memories, by column."""
    columns = ", ".join([*(f"item.{c}" for c in ITEM), *(f"memory.{c}" for c in _MEMORY)])
    found = s.rows(
        f"SELECT item.id, {columns} FROM memory JOIN item ON item.id = memory.item_id"
        " WHERE memory.item_id IN (SELECT value FROM json_each(?))",
        (json_list(item_ids),),
    )
    return {row[0]: dict(zip(_WATCHED, row[1:], strict=True)) for row in found}


def _links(s: Reader, item_ids: Sequence[int]) -> set[tuple[int, int, str]]:
    found = s.rows(
        "SELECT from_id, to_id, kind FROM relation WHERE from_id IN (SELECT value FROM json_each(?))",
        (json_list(item_ids),),
    )
    return {(one, other, kind) for one, other, kind in found}


def _keep(
    tx: WriteTx,
    made: Change,
    before: dict[str, Any],
    now_ms: int,
    params: JournalParams,
    about: Sequence[int] = (),
) -> int:
    number = tx.insert(
        "INSERT INTO journal(at_ms, verb, owner, actor, before) VALUES(?, ?, ?, ?, ?)",
        (now_ms, made.verb, made.owner, made.actor, orjson.dumps(before).decode()),
    )
    links = [*before["relations"], *before.get("gone", ())]
    touched = {*(int(i) for i in before["changed"]), *made.made, *(link[0] for link in links), *about}
    tx.many(
        "INSERT INTO journal_item(item_id, journal_id) VALUES(?, ?)", ((i, number) for i in sorted(touched))
    )
    tx.run(
        "DELETE FROM journal WHERE at_ms < ? OR id <= ?",
        (now_ms - params.undo_days * DAY_MS, number - max(params.kept, 1)),
    )
    return number


# ------------------------------------------------------------------ reading


def get(s: Reader, number: int) -> Entry | None:
    """Return the entry of that number, or None."""
    found = _entries(s, "id = ?", "", (number,))
    return found[0] if found else None


def last(s: Reader, owner: str) -> Entry | None:
    """Return the owner's newest entry that was not undone, or None; what has expired is undone by its number only."""
    found = _entries(
        s, "owner = ? AND undone_ms IS NULL AND NOT (verb = 'archive' AND actor = 'libra')", "ORDER BY id DESC LIMIT 1",
        (owner,),
    )  # fmt: skip
    return found[0] if found else None


def newest(s: Reader, owner: str, limit: int, since_ms: int | None = None) -> list[Entry]:
    """Return the owner's newest entries, newest first."""
    return _entries(s, "owner = ? AND at_ms >= ?", "ORDER BY id DESC LIMIT ?", (owner, since_ms or 0, limit))


def of_item(s: Reader, item_id: int, limit: int) -> list[Entry]:
    """Return the newest entries about an item, newest first."""
    return _entries(
        s,
        "id IN (SELECT journal_id FROM journal_item WHERE item_id = ?)",
        "ORDER BY id DESC LIMIT ?",
        (item_id, limit),
    )


def _entries(s: Reader, where: str, tail: str, values: Sequence[object]) -> list[Entry]:
    found = s.rows(
        f"SELECT id, at_ms, verb, owner, actor, before, undone_ms FROM journal WHERE {where} {tail}", values
    )
    out = []
    for number, at_ms, verb, owner, actor, text, undone_ms in found:
        before = orjson.loads(text)
        changed = {int(item): differs for item, differs in before["changed"].items()}
        out.append(
            Entry(
                number, at_ms, verb, owner, actor, changed, before["made"], before["relations"], undone_ms,
                before.get("leaf"), before.get("gone", []), before.get("split", []), before.get("shared"),
            )
        )  # fmt: skip
    return out
