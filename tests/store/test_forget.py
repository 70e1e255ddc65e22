"""Forget: gone from every table, index and byte, and not learnt again."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from libra.ground.records import Cursor, DocumentText, Kind, Node, NodeTier, Scope
from libra.ground.vectors import Vector, sign_bits, to_blob
from libra.store import (
    cursors,
    documents,
    forget,
    revisions,
    search,
    stats,
    summaries,
    tombstones,
    turns,
    voices,
)
from libra.store.store import Store, StoreParams
from libra.store.summaries import SummaryRow
from libra.store.visibility import Filter, Visible
from tests.store.support import FINGERPRINT, QUICK, Handle, session, turn, unit

_FILT = Filter(Visible("u", scopes=("user:u", "global")), frozenset(Kind), active_only=False)
_HINT = "My PIN hint is the blue bike behind zanzibarquux."


def _forget(h: Handle, *ids: int, now_ms: int = 60_000) -> forget.Forgotten:
    return h.store.write(lambda tx: forget.forget(tx, list(ids), now_ms), full_sync=True).result(20)


def _learn(h: Handle) -> tuple[int, int]:
    (said,) = h.say(_HINT)
    memory = h.remember(_HINT, source_turn=said)
    return said, memory


def test_forgetting_a_memory_takes_all_that_tells_it(h: Handle) -> None:
    """The turns that told it, their guidance and the summaries above go too; what these covered comes back."""
    said, memory = _learn(h)
    (again,) = h.say("the blue bike hint again", first=5, ref=session("s2"))
    h.do(lambda tx: revisions.confirm(tx, memory, search.rows(tx, [again])[again], 9))
    (other,) = h.say("unrelated", first=9)
    row = h.read(lambda s: search.rows(s, [said]))[said]
    summary = SummaryRow(
        "sum", row.session_id or 0, 1, "the hint is a bike", 4, 9, "extractive", 1, 1, 1, 1, 9
    )
    made = h.do(lambda tx: summaries.commit(tx, summary, [said, other], [said], 9))
    everything = {said, memory, again, made.item_id, *made.guidance_ids}
    assert set(h.read(lambda s: forget.closure(s, [memory]))) == everything
    done = _forget(h, memory)
    assert done.removed == {Kind.TURN: 2, Kind.MEMORY: 1, Kind.SUMMARY: 1, Kind.GUIDANCE: 1}
    assert (done.total, done.given_back, done.kept) == (5, 1, [])
    assert [r[0] for r in h.read(lambda s: s.rows("SELECT id FROM item"))] == [other]
    assert h.value("SELECT active FROM item") == 1
    assert h.read(lambda s: turns.uncovered(s, "claude-code:s1"))[0].id == other
    assert h.read(lambda s: search.text_candidates(s, '"bike"', _FILT, 9)) == []
    for table in ("memory", "guidance", "summary", "coverage", "relation"):
        assert h.count(table) == 0
    assert h.read(lambda s: s.rows("PRAGMA foreign_key_check")) == []


def test_forgetting_a_turn_takes_its_memory(h: Handle) -> None:
    """It works from the turn too; nothing else is touched, and an unknown id is no error."""
    said, memory = _learn(h)
    h.say("unrelated", first=9)
    assert set(_forget(h, said, 999).removed) == {Kind.TURN, Kind.MEMORY}
    assert h.value("SELECT count(*) FROM item") == 1
    assert _forget(h, memory).total == 0


@pytest.mark.parametrize("vectors", [True, False])
def test_no_bytes_stay(tmp_path: Path, vectors: bool) -> None:  # noqa: FBT001
    """After forgetting, neither words, nor terms of the indexes, nor vectors are in the database or the WAL."""
    db = tmp_path / "libra.db"
    store = Store.open(db, QUICK)
    h = Handle(store)
    h.say(*(f"filler text number {n} about src/app/f{n}.py" for n in range(300)), first=1000)
    accented = _HINT + " Zanzibàrquux lives in /srv/zanzibarquux/vault.key 蓝色自行车"
    (said,) = h.say(accented)
    memory = h.remember(accented, source_turn=said)
    vector = unit(77)
    if vectors:
        h.begin()
        h.embed({said: vector, memory: vector})
    h.say(*(f"more text {n}" for n in range(300)), first=3000)
    wanted = [b"blue bike", b"zanzibarquux", b"quux", "蓝色".encode(), "Zanzibàrquux".encode()]
    wanted += [to_blob(vector)[:64], sign_bits(vector).tobytes()] if vectors else []
    raw = _bytes(db)
    assert all(w in raw for w in wanted), "the test would see them"
    # The tombstone keeps the meaning on purpose; that is looked at apart.
    _forget(h, memory)
    h.do(lambda tx: tx.run("UPDATE tombstone SET vector = NULL"))
    h.do(lambda tx: setattr(tx, "empty_wal", True))
    raw = _bytes(db)
    assert [w for w in wanted if w in raw] == []
    assert db.with_name("libra.db-wal").stat().st_size == 0
    assert len(h.read(lambda s: search.text_candidates(s, '"filler"', _FILT, 500))) == 300
    h.do(lambda tx: tx.run("INSERT INTO fts_word(fts_word, rank) VALUES('integrity-check', 1)"))
    h.do(lambda tx: tx.run("INSERT INTO fts_side(fts_side) VALUES('integrity-check')"))
    store.close()
    assert [w for w in wanted if w in _bytes(db)] == []


def _bytes(db: Path) -> bytes:
    return b"".join(
        p.read_bytes() for p in sorted(db.parent.glob("libra.db*")) if not p.name.endswith("-shm")
    )


def test_wal_is_emptied_when_a_reader_ends(h: Handle, db: Path) -> None:
    """A reader in the way only delays it: the words are gone from the WAL soon after."""
    import threading
    import time

    said, memory = _learn(h)
    wal = db.with_name("libra.db-wal")
    with h.store.snapshot() as s:
        s.value("SELECT count(*) FROM item")
        _forget(h, memory)
        assert wal.stat().st_size > 0
    end, never = time.monotonic() + 5, threading.Event()
    while wal.stat().st_size:
        assert time.monotonic() < end
        never.wait(0.01)
    assert b"zanzibarquux" not in _bytes(db)
    assert h.read(lambda s: search.rows(s, [said])) == {}


def test_the_log_of_a_crash_is_emptied_at_the_next_start(h: Handle, db: Path, tmp_path: Path) -> None:
    """Killed between forgetting and emptying the log: the next start does it, however small the log is."""
    _, memory = _learn(h)
    after = tmp_path / "after" / "libra.db"
    after.parent.mkdir()
    with h.store.snapshot() as s:
        s.value("SELECT count(*) FROM item")
        _forget(h, memory)
        for name in ("libra.db", "libra.db-wal"):
            shutil.copy(db.with_name(name), after.with_name(name))
    assert b"zanzibarquux" in _bytes(after)
    store = Store.open(after, StoreParams())
    store.write(lambda _tx: None).result(20)
    assert b"zanzibarquux" not in _bytes(after)
    store.close()


def test_b25_forgotten_is_not_learnt_again(h: Handle) -> None:
    """The file is read again from its start, and an old export comes in: each attempt is one hit, nothing is stored."""
    row = turn(_HINT, 1)
    cursor = Cursor("/x/a.jsonl", "claude-code", lines=1)
    (said,) = h.append([row], cursor=cursor).new_ids
    _forget(h, said)
    assert h.do(lambda tx: cursors.drop(tx, cursor.path))
    assert h.read(lambda s: cursors.get(s, cursor.path)) is None
    again = h.append([row, turn("another thing", 2)], cursor=cursor)
    assert (again.accepted, again.duplicates, again.forgotten) == (1, 0, 1)
    assert again.uids[0] == ""
    assert h.read(tombstones.counts) == (1, 1)
    export = turn(_HINT.replace(" ", "  ").upper(), 9, event=None, ts_ms=9_000)
    assert h.append([export], session("import")).forgotten == 1
    assert h.read(tombstones.counts) == (1, 2)
    assert h.read(lambda s: stats.collect(s).tombstone_hits) == 2
    assert h.read(lambda s: search.text_candidates(s, '"bike"', _FILT, 9)) == []


def test_said_again_later_is_new(h: Handle) -> None:
    """Words that the person says after forgetting are a new thing; so are another user's."""
    (said,) = h.say(_HINT)
    _forget(h, said, now_ms=60_000)
    assert h.append([turn(_HINT, 61)]).accepted == 1
    assert h.append([turn(_HINT, 1)], session("s1", "other")).accepted == 1


def test_short_words_are_not_banned(h: Handle) -> None:
    """Forgetting one "ok" does not forget every other."""
    (said,) = h.say("ok")
    _forget(h, said)
    assert h.append([turn("ok", 1)]).forgotten == 1
    assert h.append([turn("ok", 2)]).accepted == 1


def test_same_meaning_within_one_model(h: Handle) -> None:
    """A paraphrase is known by its vector, but only by one of the same model."""
    (said,) = h.say(_HINT)
    h.begin()
    vector = unit(5)
    h.embed({said: vector})
    _forget(h, said)
    near = vector + np.float32(0.01) * unit(6)

    def hit(fingerprint: str, query: Vector, said_ms: int | None = None, particulars: str = "") -> int | None:
        means = tombstones.meaning(query, fingerprint, particulars)
        return h.read(lambda s: tombstones.same_meaning(s, "u", means, said_ms))

    found = hit(FINGERPRINT, near)
    assert found is not None
    assert hit(FINGERPRINT, unit(9)) is None
    assert hit("b" * 32, near) is None
    assert hit(FINGERPRINT, near, particulars="another number") is None
    kept = h.value("SELECT vector FROM tombstone")
    assert isinstance(kept, bytes)
    assert len(kept) == 8 + vector.size // 8
    assert hit(FINGERPRINT, near, 61_000) is None
    h.do(lambda tx: tombstones.count_hit(tx, found))
    assert h.read(tombstones.counts) == (1, 1)


def test_lifting_a_tombstone(h: Handle) -> None:
    """What was forgotten by mistake may be learnt again."""
    done = h.append([turn(_HINT, 1)])
    _forget(h, *done.new_ids)
    assert h.do(lambda tx: tombstones.lift(tx, done.uids[0])) == 1
    assert h.append([turn(_HINT, 1)]).accepted == 1


def test_document_nodes_are_kept(h: Handle) -> None:
    """A rule goes when its document changes; forgetting it here would last until the next reading."""
    doc = DocumentText("/w/CLAUDE.md", "", "any", Scope.parse("global"), instructions=True)
    node = Node(NodeTier.HARD, "list_item", "a rule", 0, 1, 1, 1)
    h.do(lambda tx: documents.replace(tx, doc, "x", [node], degraded=False, now_ms=1))
    (item,) = h.read(lambda s: documents.nodes_of(s, doc.path))
    done = _forget(h, item)
    assert (done.total, done.kept) == (0, [item])
    assert h.read(tombstones.counts) == (0, 0)


def test_speakers_are_forgotten_with_their_turns(h: Handle) -> None:
    """A name stays known only while somebody of that name has a turn."""
    from dataclasses import replace

    ids = h.append([replace(turn("a", 1), speaker="Ada"), replace(turn("b", 2), speaker="Ben")]).new_ids
    _forget(h, ids[0])
    assert h.read(lambda s: voices.visible_names(s, None)) == ["Ben"]
