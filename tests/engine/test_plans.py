"""What a prompt, a search and upkeep cost must not grow with all that was ever said: no statement of theirs reads a whole table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path

import apsw

from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.ground.records import Who
from libra.inference.fake import FakeEmbedder
from libra.store.store import Store, StoreParams
from tests.conftest import FixedClock
from tests.engine.conftest import assistant, settle, user

ME = Who(user="me", session="s1")
_GROWING = {
    "item",
    "turn",
    "memory",
    "chunk",
    "relation",
    "coverage",
    "journal",
    "journal_item",
    "sighting",
    "use",
    "summary",
    "vec_bits_rowids",
}
"""Tables that grow with what is said. Receipts are kept for some weeks; sessions and their scopes are a fortieth of it."""
_WHOLE = re.compile(r"SCAN (\w+)\b(?! VIRTUAL TABLE)")
_ALIAS = re.compile(r"\b(?:FROM|JOIN) (\w+) (?:AS )?(\w+)\b")
_READY_OF = re.compile(r"\bitem_id (?:=|IN)(?s:.)*\+?state = 1")
"""Asks for the vectors of some items: the index of states would give all ready ones."""
_BY_NUMBER = re.compile(r"ORDER BY (?:item\.)?id(?: DESC)? LIMIT 1$")


@contextmanager
def traced() -> Iterator[dict[str, object]]:
    """Note each statement with its bindings, of connections that are opened within the block."""
    seen: dict[str, object] = {}

    def note(_cursor: apsw.Cursor, sql: str, bindings: object) -> bool:
        if sql.lstrip().upper().startswith(("SELECT", "WITH", "UPDATE", "DELETE")):
            seen.setdefault(sql, bindings)
        return True

    def hook(con: apsw.Connection) -> None:
        con.exec_trace = note

    apsw.connection_hooks.append(hook)
    try:
        yield seen
    finally:
        apsw.connection_hooks.remove(hook)


def _whole_reads(store: Store, seen: dict[str, object]) -> list[str]:
    """Return the statements that read a growing table from end to end."""
    found = []
    for sql, bindings in seen.items():
        with store.snapshot() as s:
            plan = [str(row[3]) for row in s.rows("EXPLAIN QUERY PLAN " + sql, bindings or ())]  # type: ignore[arg-type]
        names = {alias: table for table, alias in _ALIAS.findall(sql)}
        for line in plan:
            if "INDEX chunk_state (state=" in line and _READY_OF.search(sql):
                found.append(f"{line}: {' '.join(sql.split())[:300]}")
            match = _WHOLE.match(line)
            if match and {match[1], names.get(match[1])} & _GROWING and not _BY_NUMBER.search(sql):
                found.append(f"{line}: {' '.join(sql.split())[:300]}")
    return found


def test_no_statement_reads_a_whole_table(data_dir: Path, clock: FixedClock) -> None:
    """A person with ten years of talk gets a prompt, forgets and compacts as quickly as one who has just begun."""
    store = Store.open(data_dir / "libra.db", StoreParams(), clock)
    engine = Engine(Deps(store, ModelSlot(), EngineParams(default_user="me"), clock, UTC))
    engine.use_model(FakeEmbedder(dims=128))
    engine.start()
    said = [
        turn
        for n in range(30)
        for turn in (
            user(f"We use port {n} for the pier.", 10 * n),
            assistant(f"The pier has it, {n}.", 10 * n + 5),
        )
    ]
    engine.ingest(who=ME, turns=said)
    kept = engine.remember(who=ME, text="The relay of the pier listens on port 7042.")["id"]
    settle(engine)
    engine.stop()
    store.close()
    with traced() as seen:
        store = Store.open(data_dir / "libra.db", StoreParams(check_bytes=0), clock)
        engine = Engine(Deps(store, ModelSlot(), EngineParams(default_user="me"), clock, UTC))
        engine.use_model(FakeEmbedder(dims=128))
        seen.clear()
        engine.assemble(who=ME, query="which port has the relay of the pier?", budget_tokens=500)
        assert engine.search(who=ME, query="relay of the pier", k=5)["hits"]
        engine.ingest(who=ME, turns=[user("And the harbour has port 9.", 9_000)])
        assert engine.compact(who=ME, force=True)["did_compact"]
        assert engine.forget(who=ME, ids=[kept])["forgotten"]
        assert len(seen) > 40
        found = _whole_reads(store, dict(seen))
        ready = "SELECT id FROM chunk WHERE item_id IN (SELECT value FROM json_each(?)) AND state = 1"
        assert _whole_reads(store, {ready: ("[1]",)})
        assert _whole_reads(store, {"SELECT count(*) FROM relation one WHERE one.kind = ?": ("told_by",)})
        store.close()
    assert not found, "\n".join(found)
