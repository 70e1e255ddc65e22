"""A search beside much that it does not need (lessons.md C59)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

import apsw
import pytest

from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.ground.records import Kind, Who
from libra.store.store import Store, StoreParams
from libra.store.writer import WriteTx
from tests.conftest import FixedClock
from tests.engine.conftest import user

ME = Who(user="me", session="s1")
_MIB = 1024 * 1024


@dataclass
class Read:
    """How many bytes SQLite has read from the database."""

    bytes: int = 0


@contextmanager
def counted() -> Iterator[Read]:
    """Count what connections that are opened within the block read."""
    read = Read()

    class File(apsw.VFSFile):
        def __init__(self, name: apsw.URIFilename | str | None, flags: list[int]) -> None:
            super().__init__("unix", name, flags)  # type: ignore[arg-type]

        def xRead(self, amount: int, offset: int) -> bytes:
            read.bytes += amount
            return super().xRead(amount, offset)

        def xLock(self, level: int) -> None:
            try:
                super().xLock(level)
            except apsw.IOError:
                raise apsw.BusyError("not for a reader") from None

    class Shim(apsw.VFS):
        def __init__(self) -> None:
            super().__init__("counting", "unix", makedefault=True)

        def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> File:
            return File(name, flags)

    shim = Shim()
    try:
        yield read
    finally:
        shim.unregister()


def _engine(folder: Path, clock: FixedClock) -> tuple[Engine, Store]:
    # Without a check of the whole file at the start, which reads all of it.
    store = Store.open(folder / "libra.db", StoreParams(check_bytes=0), clock)
    deps = Deps(store=store, model=ModelSlot(), params=EngineParams(default_user="me"), clock=clock, zone=UTC)
    deps.model.missing("none in this test")
    return Engine(deps), store


def _neighbours(tx: WriteTx) -> None:
    """Put 24 MiB beside the memories: receipts, sessions, and a table that only a later Libra may know."""
    tx.run("CREATE TABLE stranger(words TEXT)")
    tx.many("INSERT INTO stranger VALUES(?)", [("y" * 100_000,)] * 150)
    tx.many(
        "INSERT INTO receipt(id, created_ms, session_key, query_hash, tokens, budget, items, degraded)"
        " VALUES(?, 1, 'far', 'q', 1, 1, ?, '[]')",
        [(f"r{n}", "[" + " " * 50_000 + "]") for n in range(200)],
    )
    scope = int(tx.value("SELECT min(id) FROM scope"))
    tx.many(
        "INSERT INTO session(key, user, scope_id, cwd) VALUES(?, 'other', ?, ?)",
        [(f"far-{n}", scope, "/" + "z" * 200) for n in range(10_000)],
    )


@pytest.mark.parametrize("verb", ["search", "assemble"])
def test_a_search_reads_its_own_tables_only(data_dir: Path, clock: FixedClock, verb: str) -> None:
    """24 MiB of receipts, sessions, long turns and a foreign table beside a few memories: a cold search reads hardly any of it."""
    engine, store = _engine(data_dir, clock)
    for n in range(25, 50):
        engine.remember(who=ME, text=f"The relay of pier {n} listens on port {7000 + n}.")
    long = [user(f"note {n} {'x' * 20_000}", 1000 + n) for n in range(100)]
    engine.ingest(who=Who(user="me", session="long"), turns=long)
    store.write(_neighbours).result()
    store.close()
    size = (data_dir / "libra.db").stat().st_size
    assert size > 24 * _MIB
    with counted() as read:
        engine, store = _engine(data_dir, clock)
        before = read.bytes
        if verb == "search":
            hits = engine.search(who=ME, query="relay of pier 42", kinds=frozenset({Kind.MEMORY}), k=5)[
                "hits"
            ]
            assert "7042" in hits[0]["text"]
        else:
            assert (
                "7042"
                in engine.assemble(who=ME, query="which port has the relay of pier 42?", budget_tokens=500)[
                    "text"
                ]
            )
        used = read.bytes - before
        store.close()
    assert used < 2 * _MIB, f"{used:,} of {size:,} bytes were read"
