"""What comes in from an export of our own: each record is put where it was, once; nothing that is known is changed.

The counterpart of :mod:`libra.store.outgoing`. Records arrive in its order, so that what one refers to is there already;
what is missing all the same (it was forgotten here, or the file was cut) is told, never made up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from libra.ground.records import Kind, SessionRef
from libra.ground.vectors import from_blob
from libra.store import content, items, ledger, never, scopes, sessions, shared, tombstones, vectors
from libra.store.ledger import Leaf, LedgerRow
from libra.store.revisions import SUPERSEDED_BY, relate
from libra.store.sql import Reader, json_list, json_text
from libra.store.tombstones import Meaning
from libra.store.writer import WriteTx

Json = dict[str, Any]


class Outcome(StrEnum):
    """What became of a record."""

    NEW = "new"
    KNOWN = "known"
    DIFFERS = "differs"
    """It is known by its id, and says something else here: it stays as it is here."""
    FORGOTTEN = "forgotten"
    REFUSED = "refused"
    UNLINKED = "unlinked"
    """What it refers to is not here."""
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Known:
    """What of a record follows from its words, and is never taken from the file.

    Attributes:
        tokens: Of the text as it is stored.
        content_hash: By which an exact repetition is found.
        means: What it means, where that has to be held against what was forgotten.
    """

    tokens: int
    content_hash: str
    means: Meaning | None = None


def put(tx: WriteTx, record: Json, known: Known, owner: str | None, now_ms: int) -> Outcome:
    """Store one record that was checked against :mod:`libra.exchange.shapes`.

    Args:
        tx: The transaction.
        record: The record; its text has neither our marks nor secrets.
        known: See :class:`Known`.
        owner: The only user whose records are taken; None for everybody's.
        now_ms: Now.
    """
    user = record.get("user")
    if owner is not None and user is not None and user != owner:
        return Outcome.REFUSED
    return _PUT[record["kind"]](_Coming(tx, record, known, owner, now_ms))


@dataclass(frozen=True, slots=True)
class _Coming:
    tx: WriteTx
    record: Json
    known: Known
    owner: str | None
    now_ms: int

    def __getitem__(self, name: str) -> Any:
        return self.record.get(name)

    def item(self, name: str, kind: Kind | None = None) -> int | None:
        """Return the item that a field names, if it is here and the caller's."""
        return find(self.tx, self.record.get(name), self.owner, kind)

    def session(self) -> sessions.SessionRow | None:
        """Return the session that the record names, made if it is new; None where it names none."""
        key = self["session"]
        if key is None:
            return None
        return sessions.find(self.tx, key, self["user"]) or sessions.ensure(
            self.tx, SessionRef(key, self["user"])
        )

    def same(self) -> Outcome | None:
        """Say whether the record's id is here, and what it says."""
        row = self.tx.one("SELECT kind, text FROM item WHERE uid = ?", (self["id"],))
        if row is None:
            return None
        return Outcome.KNOWN if row == (Kind[self["kind"].upper()], self["text"]) else Outcome.DIFFERS

    def buried(
        self, event: str | None = None, content: str | None = None, said_ms: int | None = None
    ) -> bool:
        """Say whether a person made Libra forget this."""
        user = self["user"]
        graves = tombstones.open_graves(self.tx, user)
        if graves is None:
            return False
        if self.tx.value("SELECT 1 FROM tombstone WHERE owner = ? AND uid = ?", (user, self["id"])):
            return True
        if graves.holds(self.tx, event, content, self["text"], said_ms):
            return True
        return self.known.means is not None and graves.hold_meaning(self.tx, self.known.means, said_ms)

    def insert(
        self, kind: Kind, scope_id: int, session_id: int | None, *, active: bool, seq: int | None = None
    ) -> int:
        """Insert the common part; return the item's id."""
        item_id = items.next_id(self.tx)
        new = items.NewItem(
            item_id, self["id"], kind, scope_id, session_id, self["project"], self["agent"], self["type"],
            self.known.tokens, self["ts"], self["created"], int(active), self["role"], self["speaker"], seq, self["text"],
        )  # fmt: skip
        items.insert(self.tx, [new])
        return item_id


def find(s: Reader, uid: str | None, owner: str | None, kind: Kind | None = None) -> int | None:
    """Return the row id of an item of that user (of anybody for None), or None."""
    found = s.value(
        "SELECT item.id FROM item JOIN scope ON scope.id = item.scope_id WHERE item.uid = ?1"
        " AND (?2 IS NULL OR scope.owner = ?2 OR scope.name = 'user:' || ?2) AND (?3 IS NULL OR item.kind = ?3)",
        (uid, owner, None if kind is None else int(kind)),
    )
    return None if found is None else int(found)


def _tombstone(c: _Coming) -> Outcome:
    same = "SELECT 1 FROM tombstone WHERE uid = ?1 AND owner = ?2 AND text_hash = ?3 AND event_key IS ?4 AND content_key IS ?5"
    identity = (c["id"], c["user"], c["text_hash"], c["event_key"], c["content_key"])
    if c.tx.value(same, identity):
        return Outcome.KNOWN
    vector = bytes.fromhex(c["vector"]) if c["vector"] else None
    c.tx.run(
        "INSERT INTO tombstone(uid, owner, text_hash, event_key, content_key, vector, fingerprint, created_ms)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
        (*identity, vector, c["fingerprint"], c["created"]),
    )
    return Outcome.NEW


def _leaf(c: _Coming) -> Outcome:
    kind, user, name = Leaf(c["leaf"]), c["user"], c["name"]
    if c["changed"] <= (tombstones.last_reset(c.tx, user) or c["changed"] - 1):
        return Outcome.FORGOTTEN
    here = ledger.get(c.tx, kind, user, name)
    if here is not None:
        return Outcome.KNOWN if dict(here.body) == c["body"] else Outcome.DIFFERS
    row = LedgerRow(kind, user, name, c["body"], c["version"], c["created"], c["changed"])
    ledger.restore(c.tx, row, c["changed"])
    return Outcome.NEW


def _session(c: _Coming) -> Outcome:
    before = sessions.find(c.tx, c["session"], c["user"])
    bare = before is None or (before.agent, before.project, before.cwd, before.first_ms) == (None,) * 4
    if c["parent"] is not None and sessions.find(c.tx, c["parent"], c["user"]) is None:
        sessions.ensure(c.tx, SessionRef(c["parent"], c["user"]))
    row = sessions.ensure(
        c.tx,
        SessionRef(
            c["session"], c["user"], c["host"], c["agent"], c["project"], c["cwd"], c["parent"],
            c["session_kind"] if bare or before is None else before.kind,
        ),
    )  # fmt: skip
    if bare and c["gone_ms"] is not None:
        c.tx.run("UPDATE session SET gone_ms = ? WHERE id = ?", (c["gone_ms"], row.id))
    return Outcome.NEW if before is None else Outcome.KNOWN


def _turn(c: _Coming) -> Outcome:
    if (outcome := c.same()) is not None:
        return outcome
    owner = scopes.ensure(c.tx, scopes.user_scope(c["user"]))
    if c.tx.value(
        "SELECT 1 FROM turn WHERE owner = ?1 AND (event_key = ?2 OR content_key = ?3)", (owner, c["event_key"], c["content_key"])
    ):  # fmt: skip
        return Outcome.KNOWN
    if c.buried(c["event_key"], c["content_key"], c["ts"] if c["ts_known"] else None):
        return Outcome.FORGOTTEN
    session = c.session()
    if session is None:
        return Outcome.INVALID
    following = int(c.tx.value("SELECT next_seq FROM session WHERE id = ?", (session.id,)))
    seq = max(c["seq"], following)
    item = c.insert(Kind.TURN, session.scope_id, session.id, active=not c["undone"], seq=seq)
    c.tx.run(
        "INSERT INTO turn(item_id, owner, event_key, content_key, external_id, origin, line, ts_known, metadata, gated, undone)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            item, owner, c["event_key"], c["content_key"], c["external_id"], c["origin"], c["line"], int(c["ts_known"]),
            json_text(c["metadata"]), c["gated"], int(c["undone"]),
        ),
    )  # fmt: skip
    if c["speaker"]:
        c.tx.run(
            "INSERT OR IGNORE INTO speaker(scope_id, name) VALUES(?, ?)", (session.scope_id, c["speaker"])
        )
    c.tx.run(
        "UPDATE session SET next_seq = ?1, first_ms = min(coalesce(first_ms, ?2), ?2),"
        " last_ms = max(coalesce(last_ms, ?2), ?2) WHERE id = ?3",
        (seq + 1, c["ts"], session.id),
    )
    if not c["text"]:
        # Its words were purged: there is nothing to embed.
        items.drop_vectors(c.tx, [item])
    return Outcome.NEW


def _fork(c: _Coming) -> Outcome:
    turn, session = c.item("turn", Kind.TURN), c.session()
    if turn is None or session is None:
        return Outcome.UNLINKED
    if session.fork_id is not None:
        return Outcome.KNOWN
    c.tx.run("UPDATE session SET fork_id = ? WHERE id = ?", (turn, session.id))
    return Outcome.NEW


def _sighting(c: _Coming) -> Outcome:
    turn, session = c.item("turn", Kind.TURN), c.session()
    if turn is None or session is None:
        return Outcome.UNLINKED
    made = c.tx.run("INSERT OR IGNORE INTO sighting(session_id, item_id) VALUES(?, ?)", (session.id, turn))
    return Outcome.NEW if made else Outcome.KNOWN


def _summary(c: _Coming) -> Outcome:
    if (outcome := c.same()) is not None:
        return outcome
    session = c.session()
    if session is None:
        return Outcome.INVALID
    table = "turn" if c["level"] == 1 else "summary"
    below: dict[str, int] = dict(
        c.tx.rows(
            f"SELECT item.uid, item.id FROM item JOIN {table} ON {table}.item_id = item.id WHERE item.session_id = ?"
            f" AND {table}.covered_by IS NULL AND item.uid IN (SELECT value FROM json_each(?))",
            (session.id, json_list(c["covers"])),
        )
    )
    if not c["covers"] or len(below) != len(set(c["covers"])):
        # It tells of something that was forgotten, or that another summary stands for.
        return Outcome.UNLINKED
    item = c.insert(Kind.SUMMARY, session.scope_id, session.id, active=True)
    c.tx.run(
        "INSERT INTO summary(item_id, session_id, level, method, confidence, align, cover, ident, tokens_in)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            item, session.id, c["level"], c["method"], c["confidence"], c["align"], c["cover"], c["ident"], c["tokens_in"],
        ),
    )  # fmt: skip
    covered = [below[uid] for uid in c["covers"]]
    c.tx.many(
        "INSERT INTO coverage(parent_id, child_id, position) VALUES(?, ?, ?)", ((item, child, n) for n, child in enumerate(covered))
    )  # fmt: skip
    c.tx.run(
        f"UPDATE {table} SET covered_by = ? WHERE item_id IN (SELECT value FROM json_each(?))",
        (item, json_list(covered)),
    )
    items.set_active(c.tx, covered, active=False)
    return Outcome.NEW


def _memory(c: _Coming) -> Outcome:
    if (outcome := c.same()) is not None:
        return outcome
    if c["active"] and content.holds(c.tx, c["user"], c.known.content_hash):
        return Outcome.KNOWN
    if c.buried(said_ms=c["ts"]):
        return Outcome.FORGOTTEN
    session = c.session()
    scope = scopes.ensure(c.tx, scopes.user_scope(c["user"]))
    item = c.insert(Kind.MEMORY, scope, session.id if session else None, active=c["active"])
    columns = {
        "item_id": item, "content_hash": c.known.content_hash, "source_turn": c.item("source_turn", Kind.TURN),
        "signals": json_text(c["signals"]), **{name: c[name] for name in _AS_THEY_ARE},
    }  # fmt: skip
    c.tx.run(
        f"INSERT INTO memory({', '.join(columns)}) VALUES({', '.join('?' for _ in columns)})",
        tuple(columns.values()),
    )
    return Outcome.NEW


_AS_THEY_ARE = (
    "confidence", "confirmations", "priority", "priority_manual", "ttl_ms", "ttl_manual", "expires_ms", "archived_ms",
    "valid_from_ms", "valid_to_ms", "touched_ms", "subject", "slot", "recalls", "last_recalled_ms",
)  # fmt: skip
"""Columns of ``memory`` that the record has under their names."""


def _guidance(c: _Coming) -> Outcome:
    if (outcome := c.same()) is not None:
        return outcome
    turn, session = c.item("turn", Kind.TURN), c.session()
    if turn is None or session is None:
        return Outcome.UNLINKED
    if c.tx.value("SELECT 1 FROM guidance WHERE turn_id = ?", (turn,)):
        return Outcome.KNOWN
    item = c.insert(Kind.GUIDANCE, session.scope_id, session.id, active=c["active"])
    c.tx.run("INSERT INTO guidance(item_id, turn_id, session_id) VALUES(?, ?, ?)", (item, turn, session.id))
    return Outcome.NEW


def _successor(c: _Coming) -> Outcome:
    old, new = c.item("memory", Kind.MEMORY), c.item("by", Kind.MEMORY)
    if old is None or new is None:
        return Outcome.UNLINKED
    made = c.tx.run(
        "UPDATE memory SET superseded_by = ? WHERE item_id = ? AND superseded_by IS NULL"
        " AND (SELECT active FROM item WHERE id = memory.item_id) = 0",
        (new, old),
    )
    return Outcome.NEW if made else Outcome.KNOWN


def _relation(c: _Coming) -> Outcome:
    one, other = c.item("from"), c.item("to")
    if one is None or other is None:
        return Outcome.UNLINKED
    if c["relation"] == SUPERSEDED_BY and c.tx.value("SELECT active FROM item WHERE id = ?", (one,)):
        # It was taken up again here: a link would say that it does not hold.
        return Outcome.KNOWN
    return Outcome.NEW if relate(c.tx, one, other, c["relation"], c["created"]) else Outcome.KNOWN


def _never(c: _Coming) -> Outcome:
    item = c.item("item")
    if item is None:
        return Outcome.UNLINKED
    if c.tx.value("SELECT kind IN (5, 6) FROM item WHERE id = ?", (item,)):
        # What stands in a file holds where the file is.
        return Outcome.REFUSED
    return Outcome.NEW if never.put(c.tx, c["place"], [item], c["created"]) else Outcome.KNOWN


def _shared(c: _Coming) -> Outcome:
    item = c.item("item", Kind.MEMORY)
    if item is None:
        return Outcome.UNLINKED
    return Outcome.NEW if shared.put(c.tx, c["place"], [item], c["created"]) else Outcome.KNOWN


def _vector(c: _Coming) -> Outcome:
    """Take vectors of the very model that is used here; those of another one are of no use, and made anew here."""
    item = c.item("item")
    if item is None:
        return Outcome.UNLINKED
    model = vectors.current_model(c.tx)
    if model is None or model[0] != c["fingerprint"] or vectors.has(c.tx, item, model[0]):
        return Outcome.KNOWN
    if c.tx.value("SELECT length(text) FROM item WHERE id = ?", (item,)) != c["chars"]:
        # Its words were cleaned on their way in: the vector is of other ones.
        return Outcome.KNOWN
    windows = [(start, end, from_blob(bytes.fromhex(held))) for start, end, held in c["windows"]]
    row = vectors.ChunkVectors(item, windows)
    if not vectors.is_good(row, model[1]):
        return Outcome.INVALID
    vectors.put(c.tx, [row], model[0])
    return Outcome.NEW


_PUT: Mapping[str, Callable[[_Coming], Outcome]] = {
    "tombstone": _tombstone,
    "leaf": _leaf,
    "session": _session,
    "turn": _turn,
    "fork": _fork,
    "sighting": _sighting,
    "summary": _summary,
    "memory": _memory,
    "guidance": _guidance,
    "successor": _successor,
    "relation": _relation,
    "never": _never,
    "shared": _shared,
    "vector": _vector,
}
