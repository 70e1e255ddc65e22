"""Forget: remove items with everything that was made of them, leave tombstones, leave no bytes behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from libra.ground.records import Kind, MemoryType
from libra.ground.vectors import from_blob
from libra.store import byname, items, reopen, rule_history, sidewords, summaries, tombstones, vectors, voices
from libra.store.sql import Reader, json_list, json_pairs
from libra.store.writer import WriteTx

_TOLD = (int(Kind.TURN), int(Kind.MEMORY))
"""Kinds that are somebody's words: each leaves a tombstone. The others are made of these."""
_AUTHORED = (int(Kind.DIRECTIVE), int(Kind.LORE))


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed.

    Attributes:
        removed: How many items of each kind.
        kept: Item ids that were asked for but stand in a document: they go when the document changes.
        given_back: Turns and summaries that are in the active index again, since their summary told of what was
            forgotten.
    """

    removed: dict[Kind, int]
    kept: list[int]
    given_back: int

    @property
    def total(self) -> int:
        """How many items were removed."""
        return sum(self.removed.values())


def closure(s: Reader, item_ids: Sequence[int]) -> list[int]:
    """Return these items and all that tell the same or were made of them, for a preview.

    A memory brings the turns that told it; a turn its memories and guidance, and the memory of its session, which may
    name what was said in it; and all of them the summaries above.
    Nodes of documents are left out.
    """
    found = s.rows(
        "WITH RECURSIVE all_(id) AS ("
        " SELECT item.id FROM item WHERE item.id IN (SELECT value FROM json_each(?)) AND item.kind NOT IN (5, 6)"
        # One step each: what is put together first would be read whole (a million relations for one memory).
        " UNION SELECT to_id FROM all_ CROSS JOIN relation ON from_id = all_.id AND kind IN ('told_by', 'merged_from')"
        " UNION SELECT from_id FROM all_ CROSS JOIN relation ON to_id = all_.id AND kind IN ('told_by', 'merged_from')"
        " UNION SELECT item_id FROM all_ CROSS JOIN guidance ON turn_id = all_.id"
        " UNION SELECT turn_id FROM all_ CROSS JOIN guidance ON item_id = all_.id"
        ") SELECT id FROM all_ ORDER BY id",
        (json_list(item_ids),),
    )
    return _with_what_tells_of_them(s, [row[0] for row in found])


def alone(s: Reader, item_ids: Sequence[int]) -> list[int]:
    """Return these items and what was made of nothing else, for a preview.

    Unlike :func:`closure` this leaves what others have told, too: off the record means that these words were not
    said, not that what was known before is wrong.
    """
    found = s.rows(
        "WITH gone(id) AS (SELECT item.id FROM item JOIN json_each(?) ON item.id = value WHERE item.kind NOT IN (5, 6))"
        " SELECT id FROM gone"
        " UNION SELECT item_id FROM guidance WHERE turn_id IN gone"
        " UNION SELECT memory.item_id FROM memory WHERE memory.source_turn IN gone AND NOT EXISTS ("
        "  SELECT 1 FROM relation WHERE from_id = memory.item_id AND kind IN ('told_by', 'merged_from')"
        "  AND to_id NOT IN gone)"
        # Its wording may be the one that was said then.
        " UNION SELECT relation.from_id FROM relation JOIN memory ON memory.item_id = relation.to_id"
        "  WHERE relation.kind = 'merged_from' AND memory.source_turn IN gone"
        " ORDER BY 1",
        (json_list(item_ids),),
    )
    return _with_what_tells_of_them(s, [row[0] for row in found])


def _with_what_tells_of_them(s: Reader, told: Sequence[int]) -> list[int]:
    """Return items, the summaries that tell of them, and the memories of whole sessions that turns of them stand in."""
    above = s.rows(
        "WITH RECURSIVE up(id) AS (SELECT parent_id FROM coverage WHERE child_id IN (SELECT value FROM json_each(?))"
        " UNION SELECT coverage.parent_id FROM coverage JOIN up ON coverage.child_id = up.id) SELECT id FROM up",
        (json_list(told),),
    )
    sessions = s.rows(
        "SELECT told.id FROM item said CROSS JOIN item told ON told.session_id = said.session_id AND told.kind = 3"
        " WHERE said.id IN (SELECT value FROM json_each(?)) AND said.kind = 1 AND told.type = ?",
        (json_list(told), MemoryType.SESSION.value),
    )
    return sorted({*told, *(row[0] for row in above), *(row[0] for row in sessions)})


def _no_particulars(_text: str) -> str:
    return ""


def forget(
    tx: WriteTx,
    item_ids: Sequence[int],
    now_ms: int,
    particulars: Callable[[str], str] = _no_particulars,
    reach: Callable[[Reader, Sequence[int]], list[int]] = closure,
) -> Forgotten:
    """Remove these items and what they reach, and keep all of it from being learnt again; what they had superseded holds again.

    Submit the job with ``full_sync=True``. After the commit the WAL is emptied; secure deletion has blanked what the pages
    held. Copies made before are not touched here: backups, and a database that a restore kept aside, are cleaned when Libra
    rests (:mod:`libra.store.scrub`) and when one is restored; exports and the host's own files are the person's.

    Args:
        tx: The transaction.
        item_ids: What the person chose.
        now_ms: Words said later are new.
        particulars: Of a text, what must be equal for another one to mean the same.
        reach: :func:`closure` or :func:`alone`.
    """
    everything = reach(tx, item_ids)
    asked = tx.rows(
        "SELECT id FROM item WHERE kind IN (5, 6) AND id IN (SELECT value FROM json_each(?))",
        (json_list(item_ids),),
    )
    kinds: dict[int, int] = dict(
        tx.rows(
            "SELECT id, kind FROM item WHERE id IN (SELECT value FROM json_each(?))", (json_list(everything),)
        )
    )
    rule_history.forget(tx, *_bury(tx, [i for i in everything if kinds[i] in _TOLD], now_ms, particulars))
    summary_ids = [i for i in everything if kinds[i] == Kind.SUMMARY]
    covered = _resting_below(tx, summary_ids)
    heard = voices.of_turns(tx, everything)
    summaries.uncover(tx, summary_ids)
    left = reopen.behind(tx, everything)
    items.delete(tx, everything)
    reopen.reopen(tx, left, now_ms)
    if everything:
        voices.quieten(tx, heard)
        sidewords.take_out(tx)
        tx.empty_wal = True
    counted = Counter(Kind(kind) for kind in kinds.values())
    return Forgotten(dict(counted), [row[0] for row in asked], _active(tx, covered))


def _resting_below(s: Reader, summary_ids: Sequence[int]) -> list[int]:
    """Return what these summaries cover and what is therefore not in the active index."""
    found = s.rows(
        "SELECT DISTINCT item.id FROM coverage CROSS JOIN item ON item.id = coverage.child_id AND item.active = 0"
        " WHERE coverage.parent_id IN (SELECT value FROM json_each(?))",
        (json_list(summary_ids),),
    )
    return [row[0] for row in found]


def _active(s: Reader, item_ids: Sequence[int]) -> int:
    """Return how many of these items are there, and in the active index."""
    sql = "SELECT count(*) FROM item WHERE active = 1 AND id IN (SELECT value FROM json_each(?))"
    return int(s.value(sql, (json_list(item_ids),)))


class Grave(NamedTuple):
    """A tombstone of another database; the fields are the table's."""

    uid: str
    owner: str
    event_key: str | None
    content_key: str | None
    text_hash: str
    vector: bytes | None
    fingerprint: str | None
    created_ms: int
    hits: int


def forget_again(
    tx: WriteTx,
    graves: Sequence[Grave],
    standing: AbstractSet[str],
    now_ms: int,
    particulars: Callable[[str], str] = _no_particulars,
) -> int:
    """Take out of an older copy what was forgotten since, and carry the tombstones over; return how many items went.

    Args:
        tx: The transaction, on the copy.
        graves: All tombstones of the newer database.
        standing: Uids of what the newer database holds: of the same words as something forgotten, but not forgotten.
        now_ms: Now.
        particulars: See :func:`forget`.
    """
    known = set(tx.rows("SELECT uid, owner, text_hash, created_ms FROM tombstone"))
    new = [g for g in graves if (g.uid, g.owner, g.text_hash, g.created_ms) not in known]
    if not new:
        return 0
    before = int(tx.value("SELECT coalesce(max(id), 0) FROM tombstone"))
    # Each that was forgotten has a tombstone of its own: what others have told besides stays, as it did then.
    done = forget(tx, _of_graves(tx, new, standing), now_ms, particulars, alone)
    rule_history.forget(tx, {g.uid for g in new}, {g.text_hash for g in new})
    resets = ((g.owner, until) for g in new if (until := tombstones.reset_of(g.uid)) is not None)
    cleared = sum(byname.clear(tx, owner, until, now_ms) for owner, until in resets)
    # The graves that were just dug are of today; the old ones say since when the words are new again.
    tx.many("DELETE FROM tombstone WHERE id > ? AND uid = ?", {(before, g.uid) for g in new})
    tx.many(
        f"INSERT INTO tombstone({', '.join(Grave._fields)}) VALUES({', '.join('?' for _ in Grave._fields)})",
        new,
    )
    return done.total + cleared


def _of_graves(s: Reader, graves: Sequence[Grave], standing: AbstractSet[str]) -> list[int]:
    """Return the turns and memories that tombstones stand for: by id, by event, or by their words."""
    found = s.rows(
        "SELECT item.id FROM json_each(?1) grave JOIN item ON item.uid = grave.value AND item.kind IN (1, 3)"
        " UNION SELECT turn.item_id FROM json_each(?2) grave JOIN turn ON turn.event_key = grave.value ->> 0"
        "  JOIN scope ON scope.id = turn.owner AND scope.name = 'user:' || (grave.value ->> 1)"
        " UNION SELECT turn.item_id FROM json_each(?3) grave JOIN turn ON turn.content_key = grave.value ->> 0"
        "  JOIN scope ON scope.id = turn.owner AND scope.name = 'user:' || (grave.value ->> 1)",
        (
            json_list([g.uid for g in graves]),
            json_pairs([(g.event_key, g.owner) for g in graves if g.event_key]),
            json_pairs([(g.content_key, g.owner) for g in graves if g.content_key]),
        ),
    )
    words: dict[tuple[str, str], int] = {}
    for grave in graves:
        if grave.text_hash:
            key = (grave.owner, grave.text_hash)
            words[key] = max(words.get(key, grave.created_ms), grave.created_ms)
    told = s.rows(
        "SELECT item.id, coalesce(session.user, substr(scope.name, 6)), item.text, item.ts_ms, item.uid FROM item"
        " JOIN scope ON scope.id = item.scope_id LEFT JOIN session ON session.id = item.session_id WHERE item.kind IN (1, 3)"
    )
    said = [
        item
        for item, owner, text, ts_ms, uid in told
        if uid not in standing and ts_ms <= words.get((owner, tombstones.text_hash(text)), ts_ms - 1)
    ]
    return sorted({*(row[0] for row in found), *said, *_off_record(s, graves, standing)})


def _off_record(s: Reader, graves: Sequence[Grave], standing: AbstractSet[str]) -> list[int]:
    """Return what was said in times that are off the record."""
    out = []
    for grave in graves:
        if (period := tombstones.period_of(grave.uid)) is None:
            continue
        since, until, holds = period
        found = s.rows(
            "SELECT item.id, item.uid, session.key FROM item JOIN scope ON scope.id = item.scope_id"
            " LEFT JOIN session ON session.id = item.session_id WHERE item.kind IN (1, 3)"
            " AND item.ts_ms BETWEEN ?1 AND ?2 AND coalesce(session.user, substr(scope.name, 6)) = ?3",
            (since, until, grave.owner),
        )
        out += [item for item, uid, key in found if holds(key) and uid not in standing]
    return out


def _bury(
    tx: WriteTx, item_ids: Sequence[int], now_ms: int, particulars: Callable[[str], str]
) -> tuple[list[str], list[str]]:
    """Leave a tombstone for each of these turns and memories; return their uids and the hashes of their texts."""
    model = vectors.current_model(tx)
    found = tx.rows(
        "SELECT item.id, item.uid, item.text, turn.event_key, turn.content_key, coalesce(session.user, substr(scope.name, 6)),"
        " (SELECT vector FROM chunk WHERE chunk.item_id = item.id AND +chunk.state = 1 AND +chunk.fingerprint = ?2"
        "  ORDER BY window LIMIT 1)"
        " FROM item JOIN scope ON scope.id = item.scope_id LEFT JOIN session ON session.id = item.session_id"
        " LEFT JOIN turn ON turn.item_id = item.id WHERE item.id IN (SELECT value FROM json_each(?1))",
        (json_list(item_ids), model[0] if model else None),
    )
    for _, uid, text, event, content, owner, blob in found:
        means = None
        if blob is not None and model is not None:
            means = tombstones.meaning(from_blob(blob), model[0], particulars(text))
        tombstones.add(
            tx,
            uid=uid,
            owner=owner,
            text=text,
            now_ms=now_ms,
            event_key=event,
            content_key=content,
            means=means,
        )
    return [row[1] for row in found], [tombstones.text_hash(row[2]) for row in found]
