"""C01, B13: what is not found is not yet deleted."""

from __future__ import annotations

from pathlib import Path

from libra.engine.feed import DocumentState
from libra.sources.absence import GONE, MISSING_ONCE, UNREADABLE, Look, judge, look

NOW_MS = 1_000_000


def known(*names: str, state: str = "present", first_ms: int | None = None) -> dict[str, DocumentState]:
    """Return kept documents."""
    return {name: DocumentState(name, "d", 1, 1, state, first_ms) for name in names}


def test_first_sighting_is_no_deletion() -> None:
    """Missing once is a state of its own."""
    judged = judge(known("a"), {"a": Look.MISSING}, NOW_MS)
    assert (judged.states, judged.missing) == ({"a": MISSING_ONCE}, ("a",))


def test_second_sighting_counts_only_after_two_seconds() -> None:
    """A second look too soon decides nothing."""
    once = known("a", state=MISSING_ONCE, first_ms=NOW_MS)
    assert judge(once, {"a": Look.MISSING}, NOW_MS + 1999).states == {}
    assert judge(once, {"a": Look.MISSING}, NOW_MS + 2000).states == {"a": GONE}


def test_unreadable_is_never_missing() -> None:
    """A document that cannot be looked at is kept, whatever it was before."""
    once = known("a", state=MISSING_ONCE, first_ms=0)
    assert judge(once, {"a": Look.UNREADABLE}, NOW_MS).states == {"a": UNREADABLE}


def test_many_at_once_are_held_back() -> None:
    """More than five and more than a fifth: nothing changes before a person says so."""
    files = known(*(f"f{n}" for n in range(20)))
    looks = {f"f{n}": Look.MISSING for n in range(6)}
    judged = judge(files, looks, NOW_MS)
    assert (judged.states, len(judged.held_back)) == ({}, 6)
    assert len(judge(files, looks, NOW_MS, accepted=True).states) == 6
    few = judge(files, {f"f{n}": Look.MISSING for n in range(5)}, NOW_MS)
    assert len(few.states) == 5
    many = known(*(f"f{n}" for n in range(40)))
    assert len(judge(many, looks, NOW_MS).states) == 6


def test_gone_documents_are_not_looked_for() -> None:
    """What is gone stays gone, and does not count."""
    assert judge(known("a", state=GONE), {"a": Look.MISSING}, NOW_MS).states == {}


def test_look(tmp_path: Path) -> None:
    """There, missing from a readable folder, and the cases of doubt."""
    root = tmp_path / "root"
    (root / "rules").mkdir(parents=True)
    (root / "rules" / "a.md").write_text("x")
    anchor = str(root)
    assert look(str(root / "rules" / "a.md"), anchor) is Look.THERE
    assert look(str(root / "rules" / "b.md"), anchor) is Look.MISSING
    assert look(str(root / "away" / "b.md"), anchor) is Look.MISSING  # the root stands, its part is gone
    assert look(str(root / "away" / "b.md")) is Look.UNREADABLE
    assert look(str(tmp_path / "gone" / "b.md"), str(tmp_path / "gone")) is Look.UNREADABLE
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert look(str(loop / "b.md"), str(loop)) is Look.UNREADABLE
    assert look(str(root / "rules" / "a.md" / "b.md"), anchor) is Look.UNREADABLE
