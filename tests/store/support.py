"""Short ways to make what goes into a store; shared by the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from libra.ground.records import Cursor, MemoryType, Role, SessionRef, content_key, event_key
from libra.ground.vectors import Vector, normalise
from libra.store import memories, turns, vectors
from libra.store.memories import NewMemory
from libra.store.snapshot import Snapshot
from libra.store.store import Store, StoreParams
from libra.store.tombstones import text_hash
from libra.store.turns import Appended, TurnRow
from libra.store.vectors import ChunkVectors
from libra.store.writer import WriterParams, WriteTx

T = TypeVar("T")

DIMS = 64
FINGERPRINT = "a" * 32
QUICK = StoreParams(
    writer=WriterParams(busy_ms=3_000, idle_ms=20, idle_most_ms=50, checkpoint_wait_ms=20), busy_ms=3_000
)
"""Short waits, so that a test of a time-out is short."""


def session(key: str = "s1", user: str = "u", **more: str | None) -> SessionRef:
    """Return a session of the host ``claude-code``."""
    return SessionRef(f"claude-code:{key}", user, host="claude-code", **more)  # type: ignore[arg-type]


def turn(  # noqa: D417
    text: str, n: int = 1, *, role: Role = Role.USER, event: str | None = "", ts_ms: int | None = None
) -> TurnRow:
    """Return a turn said ``n`` seconds after the start.

    Args:
        event: The host's id; the default makes one of ``n``, None leaves it out.
    """
    at = n * 1000 if ts_ms is None else ts_ms
    event_id = f"00000000-0000-0000-{n:012d}" if event == "" else event
    return TurnRow(
        role=role,
        content=text,
        ts_ms=at,
        event_key=event_key("claude-code:x", "claude-code", event_id, at),
        content_key=content_key(role, at, text),
        external_id=event_id,
        tokens=max(len(text) // 4, 1),
    )


def unit(seed: int, dims: int = DIMS) -> Vector:
    """Return a random vector of unit length."""
    return normalise(np.random.default_rng(seed).standard_normal(dims).astype(np.float32))


@dataclass(slots=True)
class Handle:
    """A store with short ways to write."""

    store: Store

    def do(self, job: Callable[[WriteTx], T]) -> T:
        """Run a job and wait for it."""
        return self.store.write(job).result(20)

    def read(self, look: Callable[[Snapshot], T]) -> T:
        """Run a read function in a snapshot of its own."""
        with self.store.snapshot() as s:
            return look(s)

    def value(self, sql: str, bindings: Sequence[object] = ()) -> object:
        """Return one value by SQL."""
        return self.read(lambda s: s.value(sql, bindings))

    def count(self, table: str) -> object:
        """Return how many rows a table has."""
        return self.value(f"SELECT count(*) FROM {table}")  # noqa: S608 - a name from a test

    def append(
        self, rows: Sequence[TurnRow], ref: SessionRef | None = None, cursor: Cursor | None = None
    ) -> Appended:
        """Append turns."""
        return self.do(lambda tx: turns.append(tx, ref or session(), rows, cursor, 5_000))

    def say(self, *texts: str, ref: SessionRef | None = None, first: int = 1) -> list[int]:
        """Append texts as turns, one second after another; return their item ids."""
        return self.append([turn(text, first + n) for n, text in enumerate(texts)], ref).new_ids

    def remember(self, text: str, user: str = "u", *, n: int = 1, **more: object) -> int:
        """Insert a memory; return its item id."""
        new = NewMemory(
            uid=f"m-{user}-{n}-{text_hash(text)[:8]}", user=user, type=MemoryType.FACT, text=text, tokens=5,
            ts_ms=n * 1000, content_hash=text_hash(text), **more,
        )  # type: ignore[arg-type] # fmt: skip
        return self.do(lambda tx: memories.insert(tx, new, 5_000))

    def begin(self, fingerprint: str = FINGERPRINT, dims: int = DIMS) -> bool:
        """Begin a model."""
        return self.do(lambda tx: vectors.begin_model(tx, fingerprint, dims))

    def embed(self, rows: dict[int, Vector], fingerprint: str = FINGERPRINT) -> vectors.Stored:
        """Give items one vector each."""
        put = [ChunkVectors(item, [(0, 1, vector)]) for item, vector in rows.items()]
        return self.do(lambda tx: vectors.put(tx, put, fingerprint))
