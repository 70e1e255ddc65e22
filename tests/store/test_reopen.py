"""What stood behind something that goes away holds again, in whatever order things go and come back (C96)."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from libra.ground.records import MemoryType
from libra.store import forget, memories, reopen, revisions, undo
from libra.store.memories import NewMemory
from libra.store.store import Store
from libra.store.tombstones import text_hash
from tests.conftest import examples
from tests.store.support import QUICK, Handle, session

_NUMBERS = itertools.count(1)
_MOST = 5
_STEP = st.tuples(st.booleans(), st.sets(st.integers(0, _MOST - 1), min_size=1))


def line(h: Handle, length: int) -> tuple[list[int], list[int]]:
    """Say something and correct it again and again; return the turns and their memories."""
    number = next(_NUMBERS)
    ref = session(f"s{number}", f"u{number}")
    said = h.say(*(f"Crane {number} is {n} metres high." for n in range(length)), ref=ref)
    held = [
        h.remember(f"Crane {number} is {n} metres high.", f"u{number}", n=n + 1, source_turn=turn)
        for n, turn in enumerate(said)
    ]
    for old, new in itertools.pairwise(held):
        h.do(lambda tx, old=old, new=new: revisions.supersede(tx, old, new, 9_000))  # type: ignore[misc]
    return said, held


def check(h: Handle, held: list[int], gone: set[int]) -> None:
    """Of those that are left the last one holds, and each other one stands behind the next."""
    left = [item for n, item in enumerate(held) if n not in gone]
    found = h.read(lambda s: memories.of_items(s, held))
    assert [item for item in held if item in found and found[item].active] == left[-1:]
    for item, following in zip(left, [*left[1:], None], strict=False):
        assert found[item].superseded_by == following
        until = None if following is None else found[following].valid_from_ms
        assert found[item].valid_to_ms == until


@given(
    length=st.integers(1, _MOST), steps=st.lists(_STEP, max_size=4), last=st.sets(st.integers(0, _MOST - 1))
)
@examples(40)
def test_the_last_one_that_was_not_taken_back_holds(
    length: int, steps: list[tuple[bool, set[int]]], last: set[int]
) -> None:
    """Corrections that are rewound, redone and forgotten would leave a person with nothing, or with what they took back."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "libra.db", QUICK)
        h = Handle(store)
        try:
            said, held = line(h, length)
            undone: set[int] = set()
            for back, which in steps:
                now = {n for n in which if n < length and (n in undone) is not back}
                h.do(lambda tx, now=now, back=back: undo.settle(tx, {said[n]: back for n in now}, 10_000))  # type: ignore[misc]
                undone = undone | now if back else undone - now
                check(h, held, undone)
            forgotten = {n for n in last if n < length}
            h.do(lambda tx: forget.forget(tx, [held[n] for n in forgotten], 11_000))
            check(h, held, undone | forgotten)
        finally:
            store.close()


def test_what_has_expired_meanwhile_or_is_said_again_stays_put_away(h: Handle) -> None:
    """A forgotten correction would bring an old to-do back, or the same sentence twice."""
    old = h.remember("Call the depot.", n=1, expires_ms=5_000)
    twin = h.remember("The gate is red.", n=2)
    new, other = h.remember("Call the harbour.", n=3), h.remember("The gate is green.", n=4)
    h.do(lambda tx: revisions.supersede(tx, old, new, 4_000))
    h.do(lambda tx: revisions.supersede(tx, twin, other, 4_000))
    again = h.remember("The gate is red.", n=5)
    h.do(lambda tx: forget.forget(tx, [new, other], 6_000))
    found = h.read(lambda s: memories.of_items(s, [old, twin, again]))
    assert [found[item].active for item in (old, twin, again)] == [False, False, True]


def test_the_memory_of_a_session_goes_with_a_turn_that_it_may_tell_of(h: Handle) -> None:
    """What was rewound in the host would stand in prompts by the session's memory; an earlier one knows nothing of it."""

    def kept(n: int) -> int:
        text = f"Session s1: {n} turns."
        row = h.value("SELECT id FROM session")
        assert isinstance(row, int)
        new = NewMemory(
            uid=f"m-session-{n}", user="u", type=MemoryType.SESSION, text=text, tokens=5, ts_ms=n * 1000,
            content_hash=text_hash(text), session_id=row,
        )  # fmt: skip
        return h.do(lambda tx: memories.insert(tx, new, 5_000))

    h.say("We use a red crane.")
    first = kept(1)
    (slip,) = h.say("My sister leaves in May.", first=2)
    second, third = kept(2), kept(3)
    h.do(lambda tx: revisions.supersede(tx, first, second, 5_000))
    h.do(lambda tx: revisions.supersede(tx, second, third, 5_000))
    h.do(lambda tx: undo.settle(tx, {slip: True}, 6_000))
    assert [h.value("SELECT active FROM item WHERE id = ?", (i,)) for i in (first, second, third)] == [
        1,
        0,
        0,
    ]
    assert h.read(lambda s: [reopen.is_undone(s, i) for i in (first, second, third)]) == [False, True, True]
    h.do(lambda tx: undo.settle(tx, {slip: False}, 7_000))
    assert [h.value("SELECT active FROM item WHERE id = ?", (i,)) for i in (first, second, third)] == [
        0,
        0,
        1,
    ]
