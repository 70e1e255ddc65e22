"""The full row of an item, as the rest of Libra sees it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import orjson

from libra.ground.records import Kind, Metadata
from libra.store.sql import Row


class ItemRow(NamedTuple):
    """One stored item with what its kind adds; absent parts are None.

    A named tuple, not a dataclass: recall makes hundreds of them, and this takes a quarter of the time.

    Attributes:
        id, uid: Number within this database; name for callers.
        tokens: Estimate, or the caller's count, for ``text``.
        ts_ms: When it was said, or else stored.
        active: In the active index.
        session_key, session_id, seq: The session of a turn, summary or guidance, and the turn's place in it.
        line, source_path: Where it stands in a transcript or document.
        confidence: Of a memory or summary, in [0, 1]; of a superseded memory the one that it had before.
        priority: Of a memory, 0–100.
        archived_ms: When a memory left the active index.
        superseded: A newer memory stands in its place.
        confirmations: How often a memory was told.
        recalls: How often a memory was recalled and used.
        covered: A summary stands for this turn or summary.
        level: Of a summary: 1 over turns, 2 over summaries, …
        heading: Titles above a document's node.
        touched_ms: When a memory was told, confirmed or recalled last; its ``confidence`` is as of then.
    """

    id: int
    uid: str
    kind: Kind
    type: str | None
    text: str
    tokens: int
    ts_ms: int
    created_ms: int
    active: bool
    scope: str
    session_key: str | None
    session_id: int | None
    seq: int | None
    project: str | None
    agent: str | None
    role: str | None
    speaker: str | None
    external_id: str | None
    origin: str | None
    line: int | None
    source_path: str | None
    confidence: float | None
    priority: int | None
    archived_ms: int | None
    superseded: bool
    confirmations: int | None
    recalls: int | None
    covered: bool
    level: int | None
    heading: tuple[str, ...]
    metadata: Metadata
    touched_ms: int | None


COLUMNS = """item.id, item.uid, item.kind, item.type, item.text, item.tokens, item.ts_ms, item.created_ms,
item.active, scope.name, session.key, item.session_id, item.seq, item.project, item.agent, item.role, item.speaker,
turn.external_id, turn.origin, coalesce(turn.line, node.line_start), coalesce(source.path, document.path),
coalesce(memory.confidence, summary.confidence), memory.priority, memory.archived_ms, memory.superseded_by,
memory.confirmations, memory.recalls, coalesce(turn.covered_by, summary.covered_by), summary.level, node.heading,
turn.metadata, memory.touched_ms"""
"""What :func:`item_rows` reads; needs :data:`JOINS`."""

JOINS = """LEFT JOIN session ON session.id = item.session_id
LEFT JOIN turn ON item.kind = 1 AND turn.item_id = item.id
LEFT JOIN source ON source.id = turn.source_id
LEFT JOIN memory ON item.kind = 3 AND memory.item_id = item.id
LEFT JOIN summary ON item.kind = 2 AND summary.item_id = item.id
LEFT JOIN node ON item.kind >= 5 AND node.item_id = item.id
LEFT JOIN document ON document.id = node.document_id"""

_KINDS = {int(kind): kind for kind in Kind}


def item_rows(found: Iterable[Row]) -> list[ItemRow]:
    """Make rows of tuples in the order of :data:`COLUMNS`."""
    return [_item_row(row) for row in found]


def _item_row(found: Row) -> ItemRow:
    f = list(found)
    f[2] = _KINDS[f[2]]
    f[8] = f[8] == 1
    f[24] = f[24] is not None
    f[27] = f[27] is not None
    f[29] = tuple(orjson.loads(f[29])) if f[29] else ()
    f[30] = orjson.loads(f[30]) if f[30] else {}
    return ItemRow._make(f)
