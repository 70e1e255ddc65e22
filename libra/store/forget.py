"""Forget: remove items with everything that was made of them, leave tombstones, leave no bytes behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from libra.ground.records import Kind
from libra.ground.vectors import from_blob
from libra.store import items, summaries, tombstones, vectors
from libra.store.sql import Reader, json_list
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

    A memory brings the turns that told it; a turn its memories and guidance; and all of them the summaries above.
    Nodes of documents are left out.
    """
    found = s.rows(
        "WITH RECURSIVE all_(id) AS ("
        " SELECT item.id FROM item WHERE item.id IN (SELECT value FROM json_each(?)) AND item.kind NOT IN (5, 6)"
        " UNION SELECT other.id FROM all_ JOIN ("
        "  SELECT from_id AS one, to_id AS id FROM relation WHERE kind IN ('told_by', 'merged_from')"
        "  UNION ALL SELECT to_id, from_id FROM relation WHERE kind IN ('told_by', 'merged_from')"
        "  UNION ALL SELECT turn_id, item_id FROM guidance"
        "  UNION ALL SELECT item_id, turn_id FROM guidance"
        " ) other ON other.one = all_.id"
        ") SELECT id FROM all_ ORDER BY id",
        (json_list(item_ids),),
    )
    told = [row[0] for row in found]
    above = s.rows(
        "WITH RECURSIVE up(id) AS (SELECT parent_id FROM coverage WHERE child_id IN (SELECT value FROM json_each(?))"
        " UNION SELECT coverage.parent_id FROM coverage JOIN up ON coverage.child_id = up.id) SELECT id FROM up",
        (json_list(told),),
    )
    return sorted({*told, *(row[0] for row in above)})


def _no_particulars(_text: str) -> str:
    return ""


def forget(
    tx: WriteTx,
    item_ids: Sequence[int],
    now_ms: int,
    particulars: Callable[[str], str] = _no_particulars,
) -> Forgotten:
    """Remove the closure of these items and keep it from being learnt again.

    Submit the job with ``full_sync=True``. After the commit the WAL is emptied; secure deletion has blanked what the pages
    held. Copies made before (backups, exports, the host's own files) are not touched.

    Args:
        tx: The transaction.
        item_ids: What the person chose.
        now_ms: Words said later are new.
        particulars: Of a text, what must be equal for another one to mean the same.
    """
    everything = closure(tx, item_ids)
    asked = tx.rows(
        "SELECT id FROM item WHERE kind IN (5, 6) AND id IN (SELECT value FROM json_each(?))",
        (json_list(item_ids),),
    )
    kinds: dict[int, int] = dict(
        tx.rows(
            "SELECT id, kind FROM item WHERE id IN (SELECT value FROM json_each(?))", (json_list(everything),)
        )
    )
    _bury(tx, [i for i in everything if kinds[i] in _TOLD], now_ms, particulars)
    summary_ids = [i for i in everything if kinds[i] == Kind.SUMMARY]
    before = (
        int(tx.value("SELECT count(*) FROM item WHERE active = 1 AND kind IN (1, 2)")) if summary_ids else 0
    )
    active_gone = len(tx.rows(
        "SELECT id FROM item WHERE active = 1 AND kind IN (1, 2) AND id IN (SELECT value FROM json_each(?))",
        (json_list(everything),),
    ))  # fmt: skip
    summaries.uncover(tx, summary_ids)
    items.delete(tx, everything)
    after = (
        int(tx.value("SELECT count(*) FROM item WHERE active = 1 AND kind IN (1, 2)")) if summary_ids else 0
    )
    if everything:
        tx.run(
            "DELETE FROM speaker WHERE NOT EXISTS (SELECT 1 FROM item WHERE item.kind = 1"
            " AND item.scope_id = speaker.scope_id AND item.speaker = speaker.name)"
        )
        # The side index only marks deleted rows; merging all of it takes their terms out.
        tx.run("INSERT INTO fts_side(fts_side) VALUES('optimize')")
        tx.empty_wal = True
    counted = Counter(Kind(kind) for kind in kinds.values())
    return Forgotten(dict(counted), [row[0] for row in asked], max(after - (before - active_gone), 0))


def _bury(tx: WriteTx, item_ids: Sequence[int], now_ms: int, particulars: Callable[[str], str]) -> None:
    """Leave a tombstone for each of these turns and memories."""
    model = vectors.current_model(tx)
    found = tx.rows(
        "SELECT item.id, item.uid, item.text, turn.event_key, turn.content_key, coalesce(session.user, substr(scope.name, 6)),"
        " (SELECT vector FROM chunk WHERE chunk.item_id = item.id AND chunk.state = 1 AND chunk.fingerprint = ?2"
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
