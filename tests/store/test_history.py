"""Looks at history for compaction: long sessions, and the turn behind guidance."""

from __future__ import annotations

from pathlib import Path

from libra.ground.records import Role, SessionRef, content_key
from libra.store import history, summaries, turns, undo
from libra.store.store import Store, StoreParams
from libra.store.turns import TurnRow
from tests.conftest import FixedClock


def _append(store: Store, key: str, texts: list[str], now_ms: int, tokens: int = 100) -> list[int]:
    rows = [
        TurnRow(Role.USER, t, i, content_key(Role.USER, i, t, key), tokens=tokens)
        for i, t in enumerate(texts)
    ]
    session = SessionRef(key=key, user="me")
    return store.write(lambda tx: turns.append(tx, session, rows, None, now_ms)).result().new_ids


def test_long_sessions(data_dir: Path, clock: FixedClock) -> None:
    """Only sessions over the sum, the one that rests longest first; covered and undone turns do not count."""
    store = Store.open(data_dir / "libra.db", StoreParams(), clock)
    _append(store, "new", ["a", "b", "c"], 300)
    _append(store, "old", ["d", "e", "f"], 200)
    _append(store, "short", ["g"], 100)
    undone = _append(store, "undone", ["h", "i", "j"], 100)
    store.write(lambda tx: undo.set_undone(tx, undone[:2])).result()
    with store.snapshot() as s:
        found = history.long_sessions(s, 250)
    assert found == [
        history.LongSession("old", "me", 3, 300, 200),
        history.LongSession("new", "me", 3, 300, 300),
    ]
    store.close()


def test_the_turn_behind_guidance(data_dir: Path, clock: FixedClock) -> None:
    """Guidance names its turn, everything else none."""
    store = Store.open(data_dir / "libra.db", StoreParams(), clock)
    (turn,) = _append(store, "s", ["Never do that."], 100)
    (kept,) = store.write(lambda tx: summaries.protect(tx, [turn], 1)).result()
    with store.snapshot() as s:
        assert history.turns_behind(s, kept) == [turn]
        assert history.turns_behind(s, turn) == []
    store.close()
