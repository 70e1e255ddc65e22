"""What was known and held at an earlier time: superseded later is current then, told later is absent."""

from __future__ import annotations

import itertools

import pytest

from libra.ground.records import Kind
from libra.store import memories, revisions, search
from libra.store.visibility import Filter, Visible
from tests.store.support import Handle, unit

_FILT = Filter(Visible("u", scopes=("user:u",)), frozenset({Kind.MEMORY, Kind.TURN}))


def _at(h: Handle, second: float) -> set[str]:
    """Return the texts that both kinds of search find as of a time."""
    filt = Filter(_FILT.visible, _FILT.kinds, as_of_ms=int(second * 1000))
    with h.store.snapshot() as s:
        words = {i for i, _ in search.text_candidates(s, '"heron" OR "live" OR "port"', filt, 50)}
        near = {i for i, _ in search.vector_candidates(s, h.store, unit(1), filt, 50)}
        rows = search.rows(s, sorted(words))
    assert words == near
    return {row.text for row in rows.values()}


@pytest.fixture
def places(h: Handle) -> Handle:
    """Return a store in which somebody lives in Hanoi, in Da Nang, and in Hanoi again."""
    h.begin()
    ids = [
        h.remember(f"I live in {town}.", n=n, subject="user", slot="lives in")
        for n, town in ((10, "Hanoi"), (20, "Da Nang"), (30, "Hanoi"))
    ]
    for old, new in itertools.pairwise(ids):
        h.do(lambda tx, o=old, n=new: revisions.supersede(tx, o, n, 99_000))
    said = h.say("I saw a heron.", first=15)
    h.embed({i: unit(1) + 0.01 * unit(i + 5) for i in [*ids, *said]})
    return h


@pytest.mark.parametrize(
    ("second", "texts"),
    [
        (5, set()),
        (10, {"I live in Hanoi."}),
        (17, {"I live in Hanoi.", "I saw a heron."}),
        (20, {"I live in Da Nang.", "I saw a heron."}),
        (29.9, {"I live in Da Nang.", "I saw a heron."}),
        (30, {"I live in Hanoi.", "I saw a heron."}),
    ],
)
def test_a_fact_of_two_periods_has_two_intervals(places: Handle, second: float, texts: set[str]) -> None:
    """At each time exactly what held then, whenever Libra came to know of the change."""
    assert _at(places, second) == texts


def test_intervals_of_the_line(places: Handle) -> None:
    """Hanoi has two intervals that do not touch."""
    line = places.read(lambda s: memories.slot_line(s, "u", "user", ("lives in", "lives in")))
    assert [(m.valid_from_ms, m.valid_to_ms) for m in line] == [
        (10_000, 20_000),
        (20_000, 30_000),
        (30_000, None),
    ]
    assert [m.confidence for m in line] == [0.0, 0.0, 0.6]


def test_archived_later_is_present(h: Handle) -> None:
    """What a person has archived, and what has expired, was there before that, and not after."""
    h.begin()
    shelved = h.remember("heron by hand", n=10)
    expired = h.remember("heron for a while", n=10, expires_ms=40_000)
    h.embed({i: unit(1) for i in (shelved, expired)})
    h.do(lambda tx: revisions.archive(tx, [shelved], 50_000))
    h.do(lambda tx: revisions.archive(tx, [expired], 90_000_000))
    assert _at(h, 30) == {"heron by hand", "heron for a while"}
    assert _at(h, 45) == {"heron by hand"}
    assert _at(h, 50) == set()


def test_a_newer_wording_does_not_make_a_memory_younger(h: Handle) -> None:
    """It was known from its first telling on, also one that was read later."""
    h.begin()
    first, again = h.say("the port is 70, mind", "the port is 70, really", first=20)
    memory = h.remember("the port is 70", n=21)
    h.embed({memory: unit(1)})
    rows = h.read(lambda s: search.rows(s, [first, again]))
    h.do(
        lambda tx: revisions.merge(
            tx, memory, "the port is 70, really", "h", rows[again]._replace(ts_ms=60_000), 9
        )
    )
    h.do(lambda tx: revisions.confirm(tx, memory, rows[first], 9))
    row = h.read(lambda s: memories.get(s, memory))
    assert row is not None
    assert (row.valid_from_ms, row.ts_ms, row.touched_ms) == (20_000, 60_000, 60_000)
    filt = Filter(_FILT.visible, frozenset({Kind.MEMORY}), as_of_ms=25_000)
    assert [i for i, _ in h.read(lambda s: search.vector_candidates(s, h.store, unit(1), filt, 5))] == [
        memory
    ]


def test_as_of_in_the_archive(places: Handle) -> None:
    """With the archive, everything that was told by then, also what no longer held."""
    filt = Filter(_FILT.visible, frozenset({Kind.MEMORY}), active_only=False, as_of_ms=25_000)
    found = places.read(lambda s: search.text_candidates(s, '"live"', filt, 9))
    assert len(found) == 2
