"""What a large store does otherwise than a small one: codes for vectors, loading in the background, merging in steps."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from libra.ground.records import Kind
from libra.ground.vectors import normalise
from libra.store import codes, items, search, sidewords
from libra.store.seen import SeenScopes
from libra.store.snapshot import Snapshot
from libra.store.store import Store
from libra.store.visibility import Filter, Visible
from tests.store.support import QUICK, Handle, session, turn, unit

_ALL = Filter(Visible("u", scopes=("user:u", "global")), frozenset(Kind), active_only=False)
_CODES = replace(QUICK, whole_most_rows=0)
_SIGNS = replace(QUICK, whole_most_rows=0, codes_most_bytes=0)


@pytest.mark.parametrize("params", [_CODES, _SIGNS], ids=["codes", "signs"])
def test_a_large_store_finds_the_nearest(db: Path, params: object) -> None:
    """With codes, or with signs alone, the nearest are those of the vectors themselves, through any writes and a restart."""
    h = Handle(Store.open(db, params))  # type: ignore[arg-type]
    h.begin()
    ids = h.append([turn(f"t{n}", n) for n in range(400)]).new_ids
    known = {item: unit(item) for item in ids}
    h.embed({i: known[i] for i in ids[:300]})
    h.store.vectors.view()
    h.embed({i: known[i] for i in ids[300:]})
    known[ids[0]] = unit(9_999)
    h.embed({ids[0]: known[ids[0]]})
    h.do(lambda tx: items.delete(tx, ids[5:9]))
    for item in ids[5:9]:
        del known[item]
    for again in (False, True):
        if again:
            h.store.close()
            h = Handle(Store.open(db, params))  # type: ignore[arg-type]
        for seed in range(5):
            query = unit(50_000 + seed)
            found = h.read(lambda s, q=query, h=h: search.vector_candidates(s, h.store, q, _ALL, 10))
            exact = sorted(known, key=lambda item, q=query: -float(known[item] @ q))[:10]
            assert [i for i, _ in found] == exact
            assert found[0][1] == pytest.approx(float(known[exact[0]] @ query), abs=1e-3)
            near = h.read(lambda s, q=query, h=h, ids=exact: search.cosines(s, h.store, ids, q))
            for item in exact:
                assert near[item] == pytest.approx(float(known[item] @ query), abs=0.1)
    view = h.store.vectors.view()
    assert (view.holds_vectors, view.holds_codes) == (False, params is _CODES)
    h.store.close()


def test_codes_are_near_the_vectors() -> None:
    """Half a byte a component is off by a hundredth of a cosine; a vector with one huge component is still known by it."""
    vectors = normalise(np.random.default_rng(1).standard_normal((300, 384)).astype(np.float32))
    vectors[7] = normalise(np.eye(384, dtype=np.float32)[3] + 0.01)
    packed, step = codes.coded(vectors)
    assert packed.shape == (300, 192)
    asked = normalise(np.random.default_rng(2).standard_normal(384).astype(np.float32))
    off = codes.dots(packed, step, asked) - vectors @ asked
    assert float(np.abs(np.delete(off, 7)).max()) < 0.03
    again = normalise(codes.decoded(packed, step))
    same = (again * vectors).sum(axis=1)
    assert float(same[7]) > 0.7
    assert float(np.delete(same, 7).min()) > 0.98
    assert codes.coded(vectors[:0])[0].shape == (0, 192)


def test_a_search_does_not_wait_for_a_large_store(db: Path) -> None:
    """While a million vectors are being read, a question is answered by what is there, and told so; afterwards by all."""
    h = Handle(Store.open(db, _CODES))
    h.begin()
    ids = h.say("a", "b", "c")
    h.embed({i: unit(i) for i in ids})
    h.store.vectors.drop()
    gate = threading.Event()
    lend = h.store.vectors._lend
    loader: list[threading.Thread] = []

    @contextlib.contextmanager
    def slow() -> Iterator[Snapshot]:
        if threading.current_thread().name == "libra-vectors":
            gate.wait(20)
        with lend() as s:
            yield s

    h.store.vectors._lend = slow
    loader.append(h.store.vectors.begin())
    assert h.store.vectors.present().n == 0
    assert "still being loaded" in h.store.vectors.missing
    assert h.read(lambda s: search.vector_candidates(s, h.store, unit(ids[0]), _ALL, 5)) == []
    gate.set()
    loader[0].join(20)
    assert h.store.vectors.missing == ""
    assert h.read(lambda s: search.vector_candidates(s, h.store, unit(ids[0]), _ALL, 5))[0][0] == ids[0]
    h.store.close()


def test_closing_ends_the_loading(db: Path) -> None:
    """Libra ends at once although its vectors are still being read."""
    h = Handle(Store.open(db, _CODES))
    h.begin()
    h.embed({i: unit(i) for i in h.say("a", "b")})
    h.store.vectors.drop()
    loader = h.store.vectors.begin()
    h.store.close()
    assert not loader.is_alive()


def test_forgotten_terms_leave_a_large_side_index_in_steps(h: Handle) -> None:
    """An identifier of something forgotten is not left in a large index; what stands stays findable."""
    ids = h.say(*(f"see {'zanzibar_quux' if n == 7 else f'relay_{n}'}.py" for n in range(40)))
    h.do(lambda tx: tx.run("DELETE FROM fts_side WHERE rowid = ?", (ids[7],)))
    h.do(lambda tx: sidewords.take_out(tx, few_pages=0))
    held = "SELECT count(*) FROM fts_side_data WHERE instr(block, CAST('zanzibar' AS BLOB))"
    assert int(str(h.value(held))) > 0
    assert h.read(sidewords.waits)
    for _ in range(50):
        if not h.do(sidewords.step):
            break
    assert not h.read(sidewords.waits)
    assert h.value(held) == 0
    assert h.value("SELECT count(*) FROM fts_side WHERE fts_side MATCH '\"relay_5f_8_2e_py\"'") == 1
    assert h.do(sidewords.step) is False


def test_scopes_are_looked_up_once(h: Handle) -> None:
    """A session that begins after a question is in view of the next one; another person's never is."""
    seen = SeenScopes()
    h.say("mine")
    mine, theirs = Visible("u"), Visible("v")
    first = h.read(lambda s: seen.table(s, mine))
    assert first.sum() == 1
    h.say("mine too", ref=session("s2"), first=5)
    h.say("theirs", ref=session("s3", "v"), first=9)
    later, other = h.read(lambda s: (seen.table(s, mine), seen.table(s, theirs)))
    assert (later.sum(), other.sum()) == (2, 1)
    assert not (later & other[: len(later)]).any()
    assert not later[-1]
