"""Uses and labels: numbers about memories, one outcome each, kept when the memory is forgotten."""

from __future__ import annotations

from libra.store import forget, use
from libra.store.use import Used
from tests.store.support import Handle

_GATE = {"g": 0.5, "admitted_by": "gate"}


def test_uses_are_kept_by_receipt(h: Handle) -> None:
    """The last word about a memory in a prompt counts; a session counts once."""
    a, b = h.remember("a", n=1), h.remember("b", n=2)
    h.do(lambda tx: use.put(tx, "r1", "s1", {a: Used.NO, b: Used.NO}, 10))
    h.do(lambda tx: use.put(tx, "r1", "s1", {a: Used.YES}, 20))
    h.do(lambda tx: use.put(tx, "r2", "s2", {a: Used.WRONG}, 30))
    assert h.read(lambda s: use.of_receipt(s, "r1")) == {a: Used.YES, b: Used.NO}
    assert [(u.receipt_id, u.used) for u in h.read(lambda s: use.of_item(s, a, 9))] == [
        ("r2", Used.WRONG),
        ("r1", Used.YES),
    ]
    assert h.read(lambda s: use.used_in_session(s, "s1", [a, b])) == {a}
    assert h.read(lambda s: use.used_in_session(s, "s2", [a, b])) == set()
    assert (h.read(lambda s: use.in_vain(s, a)), h.read(lambda s: use.in_vain(s, b))) == (0, 1)
    h.do(lambda tx: use.put(tx, "r3", "s3", {b: Used.NO}, 31 + use.KEPT_MS))
    assert h.read(lambda s: use.of_item(s, a, 9)) == []


def test_labels_are_one_a_memory(h: Handle) -> None:
    """Only memories that their score let in say something of the score; a forgotten one's number stays, nothing else."""
    a = h.remember("a", n=1, signals=_GATE)
    asked = h.remember("b", n=2, signals={"g": 0.1, "admitted_by": "request"})
    h.do(lambda tx: use.label(tx, a, "used", 5, useful=True))
    h.do(lambda tx: use.label(tx, asked, "used", 5, useful=True))
    assert h.read(use.labels) == [(0.5, True)]
    h.do(lambda tx: use.label(tx, a, "forgotten", 6, useful=False))
    h.do(lambda tx: use.put(tx, "r1", "s1", {a: Used.NO}, 10))
    h.do(lambda tx: forget.forget(tx, [a], 99))
    assert h.read(use.labels) == [(0.5, False)]
    assert h.read(use.causes) == {"forgotten": 1}
    assert h.count("use") == 0
