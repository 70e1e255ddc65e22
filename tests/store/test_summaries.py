"""Summaries: all of a commit or nothing; every turn reachable or uncovered."""

from __future__ import annotations

import pytest

from libra.ground.errors import Conflict
from libra.ground.records import Kind
from libra.store import items, search, sessions, summaries, turns, undo
from libra.store.summaries import Committed, SummaryRow
from libra.store.visibility import Filter, Visible
from tests.store.support import Handle, session

_FILT = Filter(Visible("u"), frozenset(Kind))
_KEY = "claude-code:s1"


def _summary(h: Handle, uid: str = "sum1", level: int = 1, key: str = _KEY) -> SummaryRow:
    found = h.read(lambda s: sessions.find(s, key))
    assert found is not None
    return SummaryRow(uid, found.id, level, f"summary {uid}", 3, 5_000, "extractive", 0.8, 0.7, 0.9, 1.0, 40)


def _commit(h: Handle, summary: SummaryRow, covered: list[int], guidance: tuple[int, ...] = ()) -> Committed:
    return h.do(lambda tx: summaries.commit(tx, summary, covered, guidance, 9))


def test_commit_covers_and_protects(h: Handle) -> None:
    """Turns leave the active index but stay; the summary and the guidance are found instead."""
    ids = h.say("heron one", "always greet the heron", "heron three", "heron tail")
    done = _commit(h, _summary(h), ids[:3], (ids[1],))
    assert done.new
    rows = h.read(lambda s: search.rows(s, [*ids, done.item_id, *done.guidance_ids]))
    assert [rows[i].active for i in ids] == [False, False, False, True]
    assert [rows[i].covered for i in ids] == [True, True, True, False]
    assert (rows[done.item_id].kind, rows[done.item_id].level, rows[done.item_id].confidence) == (
        Kind.SUMMARY,
        1,
        0.8,
    )
    (guide,) = done.guidance_ids
    assert (rows[guide].kind, rows[guide].text, rows[guide].active) == (
        Kind.GUIDANCE,
        "always greet the heron",
        True,
    )
    found = {i for i, _ in h.read(lambda s: search.text_candidates(s, '"heron"', _FILT, 9))}
    assert found == {ids[3], guide}
    assert [r.text for r in h.read(lambda s: turns.uncovered(s, _KEY))] == ["heron tail"]
    assert [r.id for r in h.read(lambda s: summaries.children(s, "sum1"))] == ids[:3]
    assert [r.uid for r in h.read(lambda s: summaries.parents(s, rows[ids[0]].uid))] == ["sum1"]
    assert [r.id for r in h.read(lambda s: summaries.guidance_of(s, _KEY))] == [guide]
    assert h.read(lambda s: turns.tail(s, _KEY, 10**6))[0].text == "heron tail"
    (detail,) = h.read(lambda s: summaries.details(s, [done.item_id])).values()
    assert detail == _summary(h)


def test_same_run_again_is_a_no_op(h: Handle) -> None:
    """A content-addressed summary is committed once."""
    ids = h.say("a", "b")
    first = _commit(h, _summary(h), ids, (ids[0],))
    again = _commit(h, _summary(h), ids, (ids[0],))
    assert (again.item_id, again.guidance_ids, again.new) == (first.item_id, [], False)
    assert h.value("SELECT count(*) FROM item") == 4


def test_nothing_changes_when_something_changed_meanwhile(h: Handle) -> None:
    """A turn that is covered, gone, of another session or of another level declines the whole commit."""
    ids = h.say("a", "b", "c")
    other = h.say("x", ref=session("s2"), first=50)
    _commit(h, _summary(h), ids[:1])
    for covered in ([ids[0], ids[1]], [ids[1], 999], [ids[1], other[0]], []):
        with pytest.raises(Conflict) as caught:
            _commit(h, _summary(h, "sum2"), covered)
        assert caught.value.reason == "covered"
    with pytest.raises(Conflict):
        _commit(h, _summary(h, "sum3", level=2), [ids[1]])
    assert h.value("SELECT count(*) FROM summary") == 1
    assert [r.text for r in h.read(lambda s: turns.uncovered(s, _KEY))] == ["b", "c"]


def test_levels(h: Handle) -> None:
    """Summaries are summarised in their turn; lists by level and coverage."""
    ids = h.say("a", "b", "c", "d")
    one = _commit(h, _summary(h, "s1"), ids[:2]).item_id
    two = _commit(h, _summary(h, "s2"), ids[2:]).item_id
    top = _commit(h, _summary(h, "s3", level=2), [one, two]).item_id

    def of(**how: object) -> list[int]:
        return [r.id for r in h.read(lambda s: summaries.of_session(s, _KEY, **how))]  # type: ignore[arg-type]

    assert of() == [one, two, top]
    assert of(level=1) == [one, two]
    assert of(level=1, uncovered=True) == []
    assert of(uncovered=True) == [top]
    assert [r.id for r in h.read(lambda s: summaries.children(s, "s3"))] == [one, two]
    rows = h.read(lambda s: search.rows(s, [one, top]))
    assert (rows[one].active, rows[one].covered, rows[top].active) == (False, True, True)


def test_uncover_gives_back(h: Handle) -> None:
    """A removed summary gives its turns back to the active index, except undone ones; those above go with it."""
    ids = h.say("a", "b", "c", "d")
    one = _commit(h, _summary(h, "s1"), ids[:2]).item_id
    two = _commit(h, _summary(h, "s2"), ids[2:]).item_id
    top = _commit(h, _summary(h, "s3", level=2), [one, two]).item_id
    h.do(lambda tx: undo.set_undone(tx, [ids[1]]))
    gone = h.do(lambda tx: summaries.uncover(tx, [one]))
    assert set(gone) == {one, top}
    active = {r[0] for r in h.read(lambda s: s.rows("SELECT id FROM item WHERE active = 1"))}
    assert active == {ids[0], two}
    assert [r.text for r in h.read(lambda s: turns.uncovered(s, _KEY))] == ["a"]


def test_protecting_twice(h: Handle) -> None:
    """A turn becomes guidance once; only turns do."""
    ids = h.say("always a", "b")
    first = h.do(lambda tx: summaries.protect(tx, ids[:1], 1))
    assert h.do(lambda tx: summaries.protect(tx, [*ids[:1], *first], 1)) == []
    h.do(lambda tx: items.delete(tx, ids[:1]))
    assert h.value("SELECT count(*) FROM guidance") == 0
