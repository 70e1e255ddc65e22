"""Search after a compaction: a summary stands for its turns, and the turns are still found."""

from __future__ import annotations

from libra.engine.core import Engine
from libra.ground.records import Kind
from tests.engine.conftest import ME, assistant, settle, user


def test_covered_turns_are_found_by_their_words(engine: Engine) -> None:
    """Compaction makes a session short in the prompt, not in the memory."""
    for number in range(30):
        engine.ingest(
            who=ME,
            turns=[
                user(f"Step {number}: the importer of region {number} stalls on row {7000 + number}.", 1_775_000_000_000 + number * 60_000, f"u{number}"),
                assistant(f"I looked at region {number}; its reader holds the lock too long.", 1_775_000_001_000 + number * 60_000, f"a{number}"),
            ],
        )  # fmt: skip
    settle(engine)
    assert engine.compact(who=ME, force=True)["did_compact"]
    settle(engine)
    hits = engine.search(who=ME, query="what stalls on row 7003?", kinds=frozenset({Kind.TURN}))["hits"]
    assert "row 7003" in hits[0]["text"]
    answer = engine.assemble(who=ME, query="what stalls on row 7003?", budget_tokens=1500)
    assert "row 7003" in answer["text"]


def test_compact_now_takes_sessions_in_use(engine: Engine) -> None:
    """A person who asks for a compaction does not wait for half an hour of quiet."""
    said = [
        user(f"Step {n}: the importer of region {n} stalls on row {7000 + n} of table t{n} since the cache of {n} is cold.", None, f"u{n}")
        for n in range(120)
    ]  # fmt: skip
    engine.ingest(who=ME, turns=said)
    settle(engine)
    assert engine.status()["counts"]["summary"] == 0
    engine.compact_all()
    settle(engine)
    assert engine.status()["counts"]["summary"] > 0
