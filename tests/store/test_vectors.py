"""Vectors: states, fingerprints, the bit index and its mirror."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libra.ground.errors import Conflict, StoreBusy
from libra.ground.records import Kind
from libra.ground.vectors import normalise
from libra.store import bits, items, revisions, search, stats, turns, vectors
from libra.store.mirror import View
from libra.store.nearest import mask
from libra.store.snapshot import Snapshot
from libra.store.store import Store, StoreParams
from libra.store.vectors import ChunkVectors, VectorCounts
from libra.store.visibility import Filter, Visible
from tests.store.support import DIMS, FINGERPRINT, QUICK, Handle, session, turn, unit

_ALL = Filter(Visible("u", scopes=("user:u", "global")), frozenset(Kind), active_only=False)


def _near(h: Handle, query: np.ndarray, k: int = 10, filt: Filter = _ALL) -> list[int]:  # type: ignore[type-arg]
    return [i for i, _ in h.read(lambda s: search.vector_candidates(s, h.store, query, filt, k))]


def _rows(view: View) -> set[tuple[int, int, int, bool]]:
    keep = np.flatnonzero(view.alive)
    columns = (view.chunk[keep], view.item[keep], view.scope[keep], view.active[keep])
    return {(int(c), int(i), int(s), bool(a)) for c, i, s, a in zip(*columns, strict=True)}


def _same_as_loaded(h: Handle) -> None:
    """The mirror that followed the writes equals one that is loaded now."""
    followed = h.store.vectors.view()
    h.store.vectors.drop()
    loaded = h.store.vectors.view()
    assert _rows(followed) == _rows(loaded)
    keep = np.flatnonzero(followed.alive)
    words = dict(zip(followed.chunk[keep].tolist(), followed.words[:, keep].T.tolist(), strict=True))
    assert words == dict(zip(loaded.chunk.tolist(), loaded.words.T.tolist(), strict=True))


# ------------------------------------------------------------------ states


def test_pending_then_ready(h: Handle) -> None:
    """New items wait, newest first; with their vectors they are found; each window counts for its item."""
    ids = h.say("one", "two", "three")
    assert [(i, t) for _, i, t in h.read(lambda s: vectors.pending(s, 2))] == [
        (ids[2], "three"),
        (ids[1], "two"),
    ]
    assert h.begin()
    assert not h.begin()
    windows = [(0, 2, unit(1)), (1, 3, unit(2))]
    stored = h.do(lambda tx: vectors.put(tx, [ChunkVectors(ids[0], windows)], FINGERPRINT))
    assert (stored.items, stored.windows, stored.refused, stored.gone) == (1, 2, [], [])
    assert h.read(vectors.counts) == VectorCounts(pending=2, ready=2, failed=0, stale=0)
    assert h.read(lambda s: stats.pending(s, with_vectors=True)) == 2 + 3
    assert h.read(lambda s: stats.pending(s, with_vectors=False)) == 3
    for window in (1, 2):
        ((item, cosine),) = h.read(lambda s, w=window: search.vector_candidates(s, h.store, unit(w), _ALL, 5))
        assert item == ids[0]
        assert cosine == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    "bad", [np.full(DIMS, np.nan), np.zeros(DIMS), np.full(DIMS, np.inf), np.ones(DIMS // 2)]
)
def test_unusable_vectors_are_refused(h: Handle, bad: np.ndarray) -> None:  # type: ignore[type-arg]
    """NaN, zero, infinite and short vectors are never stored: the item is failed, and found by its words (§3)."""
    ids = h.say("good heron", "bad heron")
    h.begin()
    stored = h.embed({ids[0]: unit(1), ids[1]: bad.astype(np.float32)})
    assert (stored.items, stored.refused) == (1, [ids[1]])
    assert h.read(vectors.counts) == VectorCounts(0, 1, 1, 0)
    assert _near(h, unit(1)) == [ids[0]]
    assert h.read(lambda s: vectors.pending(s, 10)) == []
    found = h.read(lambda s: search.text_candidates(s, '"heron"', _ALL, 5))
    assert {i for i, _ in found} == set(ids)
    assert h.do(vectors.retry_failed) == 1
    assert len(h.read(lambda s: vectors.pending(s, 10))) == 1


def test_unusable_queries_find_nothing(h: Handle) -> None:
    """A NaN, zero or foreign query vector gives no candidates, and no error."""
    ids = h.say("one")
    h.begin()
    h.embed({ids[0]: unit(1)})
    for query in (np.full(DIMS, np.nan), np.zeros(DIMS), np.ones(DIMS * 2)):
        vector = query.astype(np.float32)
        assert _near(h, vector) == []
        assert h.read(lambda s, v=vector: search.cosines(s, h.store, ids, v)) == {}


def test_items_that_went_meanwhile(h: Handle) -> None:
    """Vectors of an item that was deleted while it was embedded are dropped."""
    ids = h.say("one", "two")
    h.begin()
    h.do(lambda tx: items.delete(tx, [ids[0]]))
    stored = h.embed({ids[0]: unit(1), ids[1]: unit(2)})
    assert (stored.items, stored.gone) == (1, [ids[0]])
    assert _near(h, unit(1)) == [ids[1]]


# ------------------------------------------------------------------ models


def test_b10_other_dimensions(h: Handle) -> None:
    """A model of other dims: text is found at once, vectors are pending, then all are of the new model."""
    ids = h.say("red heron", "blue heron", "green heron")
    h.begin()
    h.embed({i: unit(i) for i in ids})
    assert len(_near(h, unit(1))) == 3
    h.begin("b" * 32, 128)
    assert h.read(vectors.counts) == VectorCounts(pending=3, ready=0, failed=0, stale=3)
    assert _near(h, unit(1)) == []
    assert _near(h, unit(1, 128)) == []
    assert len(h.read(lambda s: search.text_candidates(s, '"heron"', _ALL, 5))) == 3
    assert [i for _, i, _ in h.read(lambda s: vectors.pending(s, 10))] == ids[::-1]
    h.embed({i: unit(i, 128) for i in ids}, "b" * 32)
    sizes = h.read(lambda s: s.rows("SELECT DISTINCT length(vector), fingerprint FROM chunk"))
    assert sizes == [(128 * 4, "b" * 32)]
    assert _near(h, unit(ids[1], 128))[0] == ids[1]
    assert [r[0] for r in h.read(lambda s: s.rows("SELECT id FROM item ORDER BY id"))] == ids


def test_b11_same_dimensions_other_model(h: Handle) -> None:
    """Two models of the same dims: no cosine is ever taken between them."""
    ids = h.say("a", "b", "c")
    h.begin()
    h.embed({i: unit(i) for i in ids})
    h.store.vectors.view()
    h.begin("b" * 32)
    assert _near(h, unit(ids[0])) == []
    assert h.read(lambda s: search.cosines(s, h.store, ids, unit(ids[0]))) == {}
    assert h.read(lambda s: search.vectors_of(s, h.store, ids)) == {}
    h.embed({ids[0]: unit(50)}, "b" * 32)
    assert _near(h, unit(ids[1])) == [ids[0]]
    assert set(h.read(lambda s: search.vectors_of(s, h.store, ids))) == {ids[0]}
    assert h.read(vectors.counts) == VectorCounts(pending=2, ready=1, failed=0, stale=2)
    assert h.read(lambda s: stats.pending(s, with_vectors=True)) == 2 + 3


def test_back_to_the_former_model(h: Handle) -> None:
    """Vectors that were not replaced yet are good again when their model comes back."""
    ids = h.say("a", "b")
    h.begin()
    h.embed({i: unit(i) for i in ids})
    h.begin("b" * 32)
    h.embed({ids[0]: unit(60)}, "b" * 32)
    h.begin()
    assert _near(h, unit(ids[1])) == [ids[1]]
    assert [i for _, i, _ in h.read(lambda s: vectors.pending(s, 10))] == [ids[0]]
    _same_as_loaded(h)


def test_back_to_the_former_model_while_loaded(h: Handle) -> None:
    """The same with the vectors in memory: they are there again at once."""
    ids = h.say("a", "b")
    h.begin()
    h.embed({i: unit(i) for i in ids})
    assert len(_near(h, unit(1))) == 2
    h.begin("b" * 32)
    assert _near(h, unit(1)) == []
    h.begin()
    assert len(_near(h, unit(1))) == 2


def test_late_batch_of_the_former_model(h: Handle) -> None:
    """A batch that was embedded before the change is refused, and waits for the new model."""
    ids = h.say("a")
    h.begin()
    h.begin("b" * 32)
    with pytest.raises(Conflict) as caught:
        h.embed({ids[0]: unit(1)})
    assert caught.value.reason == "model_changed"
    assert h.read(vectors.counts).pending == 1


def test_the_database_knows_its_model(h: Handle, db: Path) -> None:
    """The model is a fact of the database, not of the environment (C84)."""
    assert h.read(vectors.current_model) is None
    h.begin()
    h.store.close()
    again = Store.open(db, QUICK)
    with again.snapshot() as s:
        assert vectors.current_model(s) == (FINGERPRINT, DIMS)
    again.close()
    with pytest.raises(ValueError, match="7"):
        vectors.begin_model(None, "x", 7)  # type: ignore[arg-type]


def test_merged_wording_keeps_its_vector_until_the_new_one(h: Handle) -> None:
    """A memory that takes a newer wording is found by its old vector until the new one is there."""
    memory = h.remember("the heron is blue")
    (said,) = h.say("the heron is quite blue", first=50)
    h.begin()
    h.embed({memory: unit(1)})
    row = h.read(lambda s: search.rows(s, [said]))[said]
    h.do(lambda tx: revisions.merge(tx, memory, row.text, "hash2", row, 9))
    assert memory in _near(h, unit(1))
    assert memory in [i for _, i, _ in h.read(lambda s: vectors.pending(s, 10))]
    h.embed({memory: unit(2)})
    assert h.value("SELECT count(*) FROM chunk WHERE item_id = ?", (memory,)) == 1
    assert h.read(lambda s: search.cosines(s, h.store, [memory], unit(2)))[memory] == pytest.approx(
        1, abs=1e-3
    )


# ------------------------------------------------------------------ the bit index


def test_bits_follow_chunks(h: Handle) -> None:
    """The bit index holds exactly the ready chunks, after replacing and deleting too."""
    ids = h.say(*(f"text {n}" for n in range(30)))
    h.begin()
    h.embed({i: unit(i) for i in ids})
    h.embed({i: unit(i + 100) for i in ids[:10]})
    h.do(lambda tx: items.delete(tx, ids[25:]))
    with h.store.snapshot() as s:
        ready = {r[0] for r in s.rows("SELECT id FROM chunk WHERE state = 1")}
        assert {r[0] for r in s.rows("SELECT rowid FROM vec_bits")} == ready
        have, packed = bits.stored(s, DIMS)
        assert set(have.tolist()) == ready
        by_table = dict(s.rows("SELECT rowid, embedding FROM vec_bits"))
    assert {int(i): row.tobytes() for i, row in zip(have, packed, strict=True)} == by_table


def test_rebuild_when_too_much_is_dead(h: Handle) -> None:
    """Deleting leaves holes; over 30 % dead slots the table is made again, with the same rows."""
    h.begin()
    count = 3 * bits.CHUNK_ROWS
    ids = h.append([turn(f"t{n}", n) for n in range(count)]).new_ids
    vector = unit(1)
    h.embed(dict.fromkeys(ids, vector))
    victims = ids[: 2 * bits.CHUNK_ROWS : 2]
    keep_until = int(len(victims) * 0.55)
    h.do(lambda tx: items.delete(tx, victims[:keep_until]))
    assert 0.2 < h.read(bits.dead_share) < 0.3
    h.do(lambda tx: items.delete(tx, victims[keep_until:]))
    assert h.read(bits.dead_share) == 0
    with h.store.snapshot() as s:
        ready = {r[0] for r in s.rows("SELECT id FROM chunk WHERE state = 1")}
        assert {r[0] for r in s.rows("SELECT rowid FROM vec_bits")} == ready
        assert s.value("SELECT count(*) FROM vec_bits_chunks") == 2


def test_deleted_bits_are_blanked(h: Handle) -> None:
    """sqlite-vec overwrites a deleted row's slot: forgetting relies on it."""
    ids = h.say("a", "b")
    h.begin()
    h.embed({i: unit(i) for i in ids})
    first = h.value("SELECT embedding FROM vec_bits ORDER BY rowid LIMIT 1")
    assert isinstance(first, bytes)
    stored = "SELECT vectors FROM vec_bits_vector_chunks00"
    assert first in h.value(stored)  # type: ignore[operator]
    h.do(lambda tx: items.delete(tx, [ids[0]]))
    assert first not in h.value(stored)  # type: ignore[operator]


def test_without_sqlite_vec_everything_works(db: Path) -> None:
    """sqlite-vec cannot be loaded: vectors are searched over the float rows, and the status says so (C85)."""
    store = Store.open(db, StoreParams(writer=QUICK.writer, vectors=False))
    h = Handle(store)
    assert not store.vec_available
    assert store.vec_reason
    ids = h.say("one", "two")
    h.begin()
    h.embed({i: unit(i) for i in ids})
    assert _near(h, unit(ids[1])) == ids[::-1]
    h.do(lambda tx: items.delete(tx, ids[:1]))
    assert _near(h, unit(ids[1])) == ids[1:]
    _same_as_loaded(h)
    store.close()


def test_bits_are_made_when_sqlite_vec_comes_back(db: Path) -> None:
    """What was written without sqlite-vec is in the bit index after the next start that has it."""
    kept = [unit(n) for n in range(6)]
    with_it = Store.open(db, QUICK)
    h = Handle(with_it)
    ids = h.say(*"abcdef")
    h.begin()
    h.embed({ids[0]: kept[0], ids[1]: kept[1]})
    with_it.close()
    without = Store.open(db, StoreParams(writer=QUICK.writer, vectors=False))
    h = Handle(without)
    assert _near(h, kept[1])[0] == ids[1]
    h.embed({ids[2]: kept[2]})
    h.do(lambda tx: items.delete(tx, ids[:1]))
    assert set(_near(h, kept[1])) == {ids[1], ids[2]}
    without.close()
    again = Store.open(db, QUICK)
    h = Handle(again)
    with again.snapshot() as s:
        ready = {r[0] for r in s.rows("SELECT id FROM chunk WHERE state = 1")}
        assert {r[0] for r in s.rows("SELECT rowid FROM vec_bits")} == ready
    assert set(_near(h, kept[1])) == {ids[1], ids[2]}
    again.close()


def test_missing_bits_are_taken_from_the_floats(h: Handle) -> None:
    """The mirror loads whole even if the bit index does not hold a row."""
    ids = h.say("a", "b")
    h.begin()
    h.embed({i: unit(i) for i in ids})
    h.do(lambda tx: tx.run("DELETE FROM vec_bits WHERE rowid = (SELECT min(rowid) FROM vec_bits)"))
    assert _near(h, unit(ids[0]))[0] == ids[0]
    assert _near(h, unit(ids[1]))[0] == ids[1]


# ------------------------------------------------------------------ the mirror


@settings(max_examples=30, deadline=None)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["say", "embed", "delete", "inactive", "active", "model", "view"]),
            st.integers(0, 9),
        ),
        max_size=14,
    ),
    early=st.booleans(),
)
def test_mirror_follows_any_writes(steps: list[tuple[str, int]], early: bool) -> None:  # noqa: FBT001
    """After any sequence of writes the mirror equals a freshly loaded one, and what is kept of it is true of it."""
    with tempfile.TemporaryDirectory() as folder:
        h = Handle(Store.open(Path(folder) / "libra.db", QUICK))
        h.begin()
        if early:
            h.store.vectors.view()
        ids: list[int] = []
        model = FINGERPRINT
        for step, n in steps:
            chosen = ids[n % len(ids) :: 3] if ids else []
            if step == "say":
                ids += h.say(
                    *(f"{len(ids)} {i}" for i in range(n)), first=1 + len(ids), ref=session(f"s{n % 3}")
                )
            elif step == "embed":
                h.embed({i: unit(i * 10 + n) for i in chosen}, model)
            elif step == "delete":
                h.do(lambda tx, gone=chosen: items.delete(tx, gone))
                ids = [i for i in ids if i not in set(chosen)]
            elif step == "model":
                model = "ab"[n % 2] * 32
                h.begin(model)
            elif step == "view":
                h.store.vectors.view()
            else:
                h.do(lambda tx, some=chosen, on=step == "active": items.set_active(tx, some, active=on))
            if early:
                _kept_is_true(h, ids)
        _same_as_loaded(h)
        _kept_is_true(h, ids)
        h.store.close()


def _kept_is_true(h: Handle, ids: Sequence[int]) -> None:
    """Compare which rows are allowed, and where items are, with what a look through all rows tells."""
    view = h.store.vectors.view()
    if not view.n:
        return
    for filt in (_ALL, replace(_ALL, active_only=True, kinds=frozenset({Kind.TURN}))):
        seen, kept = h.read(
            lambda s, filt=filt: (
                h.store.scopes.table(s, filt.visible),
                h.store.allowed.of(s, h.store, view, filt),
            )
        )
        assert np.array_equal(kept, mask(view, h.store, filt, seen))
    some = ids[::2]
    assert h.store.vectors.rows_of(view, some).tolist() == np.flatnonzero(np.isin(view.item, some)).tolist()


def test_a_session_that_began_meanwhile_is_found(h: Handle) -> None:
    """Who reads an older state does not hide a new session's turns from the next question."""
    h.begin()
    first = h.say("old")
    h.embed({first[0]: unit(1)})
    with h.store.snapshot() as before:
        new = h.say("new", ref=session("later"), first=5)
        h.embed({new[0]: unit(2)})
        assert [i for i, _ in search.vector_candidates(before, h.store, unit(2), _ALL, 5)] == first
    assert _near(h, unit(2))[0] == new[0]


def test_places_are_sorted_anew_when_many_rows_came(h: Handle) -> None:
    """An item is found wherever its rows are: read at the start, or come since, in whatever order."""
    h.begin()
    ids = h.append([turn(f"t{n}", n) for n in range(1500)]).new_ids
    h.embed({i: unit(i % 7) for i in ids[700:710]})
    view = h.store.vectors.view()
    assert (
        h.store.vectors.rows_of(view, ids[705:707]).tolist()
        == np.flatnonzero(np.isin(view.item, ids[705:707])).tolist()
    )
    h.embed({i: unit(i % 7) for i in reversed(ids)})
    _kept_is_true(h, ids)


def test_views_are_immutable(h: Handle) -> None:
    """What a reader holds does not change under it, whatever is written meanwhile."""
    ids = h.say(*(f"t{n}" for n in range(20)))
    h.begin()
    h.embed({i: unit(i) for i in ids[:10]})
    view = h.store.vectors.view()
    before = _rows(view), view.words.copy(), view.n
    h.embed({i: unit(i) for i in ids[5:]})
    h.do(lambda tx: items.set_active(tx, ids[:3], active=False))
    h.do(lambda tx: items.delete(tx, ids[:1]))
    assert _rows(view) == before[0]
    assert np.array_equal(view.words, before[1])
    assert view.n == before[2]
    assert h.store.vectors.view() is not view


def test_growing_does_not_copy_what_is_there(h: Handle) -> None:
    """An insert goes into spare room: the words of the rows before stay at their place in memory."""
    h.begin()
    ids = h.say(*(f"t{n}" for n in range(40)))
    h.embed({ids[0]: unit(1)})
    first = h.store.vectors.view()
    moved = 0
    for n in range(1, 40):
        before = h.store.vectors.view()
        h.embed({ids[n]: unit(n)})
        moved += not np.shares_memory(before.words, h.store.vectors.view().words)
    assert moved <= 1
    assert h.store.vectors.view().n == 40
    assert first.n == 1


def test_dead_rows_are_closed_up(h: Handle) -> None:
    """Rows of replaced vectors do not pile up in memory."""
    h.begin()
    ids = h.append([turn(f"t{n}", n) for n in range(600)]).new_ids
    for round_ in range(6):
        h.embed({i: unit(i + round_) for i in ids})
        h.store.vectors.view()
    view = h.store.vectors.view()
    assert int(np.count_nonzero(view.alive)) == 600
    assert view.n < 2400
    _same_as_loaded(h)


def test_loading_while_writing(h: Handle) -> None:
    """Writes that are committed while the mirror loads are in it afterwards, once."""
    h.begin()
    ids = h.say(*(f"t{n}" for n in range(200)))
    h.embed({i: unit(i) for i in ids[:100]})
    entered, gate = threading.Event(), threading.Event()
    lend = h.store.vectors._lend

    @contextlib.contextmanager
    def slow() -> Iterator[Snapshot]:
        entered.set()
        with lend() as s:
            gate.wait(10)
            yield s

    h.store.vectors._lend = slow
    loader = threading.Thread(target=h.store.vectors.view)
    loader.start()
    assert entered.wait(5)
    h.embed({i: unit(i) for i in ids[100:150]})
    h.embed({i: unit(i + 7) for i in ids[:10]})
    h.do(lambda tx: items.set_active(tx, ids[20:30], active=False))
    h.do(lambda tx: items.delete(tx, ids[140:145]))
    gate.set()
    loader.join(10)
    h.store.vectors._lend = lend
    _same_as_loaded(h)


def test_failed_load_is_tried_again(h: Handle) -> None:
    """When the rows cannot be read, the search fails and the next one loads anew."""
    h.begin()
    (item,) = h.say("a")
    h.embed({item: unit(1)})
    lend = h.store.vectors._lend

    def refuse() -> AbstractContextManager[Snapshot]:
        raise StoreBusy("no reader")

    h.store.vectors._lend = refuse
    with pytest.raises(StoreBusy):
        h.store.vectors.view()
    h.store.vectors._lend = lend
    assert _near(h, unit(1)) == [item]


def test_mirror_that_cannot_follow_is_loaded_again(h: Handle, caplog: pytest.LogCaptureFixture) -> None:
    """What goes wrong in memory after a commit costs a reload, not the write and not the writer."""
    ids = h.say("a", "b")
    h.begin()
    h.embed({ids[0]: unit(1)})
    h.store.vectors.view()
    h.store.vectors._room.clear()
    h.store.vectors._room["chunk"] = np.zeros(0, np.int64)
    h.store.vectors._room["words"] = "broken"  # type: ignore[assignment]
    h.do(lambda tx: items.set_active(tx, ids[:1], active=False))
    h.embed({ids[1]: unit(2)})
    assert set(_near(h, unit(2))) == set(ids)
    _same_as_loaded(h)
    assert "loaded again" in caplog.text


def test_model_change_while_loading(h: Handle) -> None:
    """A model that begins while the rows are read: they are read again, for the new model."""
    h.begin()
    ids = h.say("a", "b")
    h.embed({i: unit(i) for i in ids})
    lend = h.store.vectors._lend
    changed: list[bool] = []

    @contextlib.contextmanager
    def changing() -> Iterator[Snapshot]:
        with lend() as s:
            yield s
        if not changed:
            changed.append(h.begin("b" * 32))
            h.embed({ids[0]: unit(9)}, "b" * 32)

    h.store.vectors._lend = changing
    view = h.store.vectors.view()
    assert (view.fingerprint, view.n) == ("b" * 32, 1)
    h.store.vectors._lend = lend
    _same_as_loaded(h)


def test_rehomed_turns_move_in_the_mirror(h: Handle) -> None:
    """When a copy's original is found, its turns change scope in the mirror too."""
    h.begin()
    ids = h.say("u1", "u2", "u3", ref=session("B"))
    h.embed({i: unit(i) for i in ids})
    h.store.vectors.view()
    h.append([turn("u1", 1), turn("u2", 2)], session("A"))
    scopes = {item: scope for _, item, scope, _ in _rows(h.store.vectors.view())}
    assert scopes[ids[0]] == scopes[ids[1]] != scopes[ids[2]]
    _same_as_loaded(h)


def test_nearest_is_right(h: Handle) -> None:
    """The bits and the second scoring find what an exact search finds."""
    h.begin()
    count = 1500
    ids = h.append([turn(f"t{n}", n) for n in range(count)]).new_ids
    rng = np.random.default_rng(5)
    matrix = normalise(rng.standard_normal((count, DIMS)).astype(np.float32))
    h.embed({i: matrix[n] for n, i in enumerate(ids)})
    found = good = 0
    for seed in range(20):
        query = normalise(matrix[seed] + 0.6 * unit(seed + 1000))
        exact = [ids[n] for n in np.argsort(-(matrix @ query))[:10]]
        got = _near(h, query, 10)
        found += len(set(got) & set(exact))
        good += got[0] == exact[0]
    assert found >= 190
    assert good == 20


def test_narrow_filter_fills_k(h: Handle) -> None:
    """The filter comes before the nearest-neighbour step: few matching rows are all found (C86)."""
    h.begin()
    ids = h.append([turn(f"t{n}", n) for n in range(900)]).new_ids
    query = unit(0)
    h.embed({i: (query if n >= 20 else unit(n + 5)) for n, i in enumerate(ids)})
    narrow = Filter(_ALL.visible, frozenset(Kind), until_ms=20_000)
    assert set(_near(h, query, 50, narrow)) == set(ids[:20])


def test_items_with_many_windows_fill_k(h: Handle) -> None:
    """An item whose many windows crowd the head does not keep others out."""
    h.begin()
    long, *rest = h.say(*(f"t{n}" for n in range(40)))
    query = unit(0)
    near = [(n, n + 1, normalise(query + 0.05 * unit(n + 1))) for n in range(600)]
    h.do(lambda tx: vectors.put(tx, [ChunkVectors(long, near)], FINGERPRINT))
    h.embed({i: unit(i + 2000) for i in rest})
    assert len(_near(h, query, 30)) == 30
    assert _near(h, query, 30)[0] == long


def test_vectors_of_is_the_mean_of_the_windows(h: Handle) -> None:
    """One vector an item, of unit length."""
    h.begin()
    (item,) = h.say("a")
    h.do(lambda tx: vectors.put(tx, [ChunkVectors(item, [(0, 1, unit(1)), (1, 2, unit(2))])], FINGERPRINT))
    (vector,) = h.read(lambda s: search.vectors_of(s, h.store, [item])).values()
    assert np.allclose(vector, normalise(unit(1) + unit(2)), atol=1e-6)


def test_gate_waits_for_vectors(h: Handle) -> None:
    """With a model, a turn goes through the gate when its vector is there or has failed."""
    ids = h.say("a", "b", "c")
    h.begin()
    h.embed({ids[0]: unit(1), ids[1]: np.zeros(DIMS, np.float32)})
    assert [r.id for r in h.read(lambda s: turns.pending_gate(s, 9, with_vectors=True))] == ids[:2]


def test_rough_vectors_are_the_vectors_to_three_decimals(h: Handle) -> None:
    """What the mirror holds in half precision tells near-duplicates apart as the stored vectors do."""
    ids = h.say("one", "two")
    h.begin()
    h.do(lambda tx: vectors.put(tx, [ChunkVectors(ids[0], [(0, 2, unit(1)), (1, 3, unit(2))])], FINGERPRINT))
    h.embed({ids[1]: unit(3)})
    exact = h.read(lambda s: search.vectors_of(s, h.store, ids))
    rough = h.read(lambda s: search.rough_vectors_of(s, h.store, [*ids, 999_999]))
    assert h.store.vectors.view().holds_vectors
    assert set(rough) == set(exact) == set(ids)
    for item in ids:
        assert np.abs(rough[item] - exact[item]).max() < 1e-3


def test_one_reading_reads_each_row_once(h: Handle) -> None:
    """Rows keep the order that is asked for, and are not read again."""
    ids = h.say("one", "two", "three")
    with h.store.snapshot() as s:
        reading = search.Reading(s, _ALL)
        first = reading.rows(ids[:2])
        assert list(reading.rows([ids[2], ids[0], 999_999])) == [ids[2], ids[0]]
        assert reading.rows(ids)[ids[0]] is first[ids[0]]
