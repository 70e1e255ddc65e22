"""Counts for status: cheap enough to be asked for at any time."""

from __future__ import annotations

from dataclasses import dataclass

from libra.ground.records import Kind
from libra.store import cursors, tombstones, vectors
from libra.store.sql import Reader


@dataclass(frozen=True, slots=True)
class Stats:
    """What the database holds.

    Attributes:
        kinds: Items of each kind, by wire name.
        scopes: Items that are no turns, by scope and kind.
        sessions: Sessions.
        archived: Memories in the archive.
        gate_waiting: Turns before the admission gate.
        vectors: Chunks by state.
        sources: Transcripts by state.
        bad_lines, oversize_lines: Lines that were skipped, over all sources.
        waiting_lines: Sources whose last line is not complete yet.
        documents: Documents by state.
        tombstones, tombstone_hits: Forgotten things, and attempts to learn them again.
        receipts: Kept receipts.
        last_learnt_ms: When the newest turn was stored.
        last_injected_ms: When something was assembled last.
    """

    kinds: dict[str, int]
    scopes: dict[str, dict[str, int]]
    sessions: int
    archived: int
    gate_waiting: int
    vectors: vectors.VectorCounts
    sources: dict[str, int]
    bad_lines: int
    oversize_lines: int
    waiting_lines: int
    documents: dict[str, int]
    tombstones: int
    tombstone_hits: int
    receipts: int
    last_learnt_ms: int | None
    last_injected_ms: int | None


def collect(s: Reader) -> Stats:
    """Return the counts of one state."""
    scoped: dict[str, dict[str, int]] = {}
    kinds = {kind.wire: 0 for kind in Kind}
    for scope, session, kind, number in s.rows(
        "SELECT scope.name, scope.kind = 1, item.kind, count(*) FROM item CROSS JOIN scope ON scope.id = item.scope_id"
        " WHERE item.kind <> 1 GROUP BY item.scope_id, item.kind"
    ):
        wire = Kind(kind).wire
        kinds[wire] += number
        of_scope = scoped.setdefault("session" if session else scope, {})
        of_scope[wire] = of_scope.get(wire, 0) + number
    kinds[Kind.TURN.wire] = _count(s, "turn")
    found = cursors.every(s)
    sources: dict[str, int] = {}
    for source in found:
        sources[source.state] = sources.get(source.state, 0) + 1
    held, hits = tombstones.counts(s)
    return Stats(
        kinds=kinds,
        scopes=scoped,
        sessions=_count(s, "session"),
        archived=int(s.value("SELECT count(*) FROM memory WHERE archived_ms IS NOT NULL")),
        gate_waiting=int(s.value("SELECT count(*) FROM turn WHERE gated = 0")),
        vectors=vectors.counts(s),
        sources=sources,
        bad_lines=sum(f.cursor.bad_lines for f in found if f.cursor),
        oversize_lines=sum(f.cursor.oversize_lines for f in found if f.cursor),
        waiting_lines=sum(f.cursor.waiting_bytes > 0 for f in found if f.cursor),
        documents=dict(s.rows("SELECT state, count(*) FROM document GROUP BY state")),
        tombstones=held,
        tombstone_hits=hits,
        receipts=_count(s, "receipt"),
        last_learnt_ms=s.value("SELECT created_ms FROM item ORDER BY id DESC LIMIT 1"),
        last_injected_ms=s.value("SELECT max(created_ms) FROM receipt"),
    )


def pending(s: Reader, *, with_vectors: bool) -> int:
    """Return how many turns wait for the gate and, if a model is there or may come, how many chunks for it."""
    waiting = int(s.value("SELECT count(*) FROM turn WHERE gated = 0"))
    return waiting + (vectors.waiting(s) if with_vectors else 0)


def _count(s: Reader, table: str) -> int:
    return int(s.value(f"SELECT count(*) FROM {table}"))
