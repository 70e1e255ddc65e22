"""Explain: how a record came about and stands, with every number that decided."""

from __future__ import annotations

import pytest

from libra.engine.core import Engine
from libra.ground.errors import NotFound
from libra.ground.records import Kind, Who
from tests.conftest import FixedClock
from tests.engine.conftest import ME, assistant, settle, user

_DAY = 86_400_000
_HOUR = 3_600_000


def _memory(engine: Engine, query: str) -> str:
    return str(engine.search(who=ME, query=query, kinds=frozenset({Kind.MEMORY}))["hits"][0]["id"])


def test_the_gates_terms_make_up_g(engine: Engine, clock: FixedClock) -> None:
    """Each signal with its weight, the branches from them, and G from the branches: a person can follow the sum."""
    engine.ingest(who=ME, turns=[user("My brother Huy lives in Hue.", clock.now_ms, "e1")])
    settle(engine)
    gate = engine.explain(id=_memory(engine, "brother Huy"), who=ME)["gate"]
    assert gate["admitted_by"] == "gate"
    assert gate["g"] >= gate["threshold"] == 0.35
    sums = {
        branch: sum(t["part"] for t in gate["terms"] if t["branch"] == branch)
        for branch in ("conversation", "technical")
    }
    assert sums["conversation"] == pytest.approx(gate["gconv"])
    assert sums["technical"] == pytest.approx(gate["gtech"])
    assert gate["g"] == pytest.approx((1 - gate["t"]) * gate["gconv"] + gate["t"] * gate["gtech"])
    assert {t["signal"] for t in gate["terms"]} == {"h", "r", "d", "p", "a", "dtech"}


def test_tellings_chain_and_neighbours(engine: Engine, clock: FixedClock) -> None:
    """Who told it and when, what it replaced with the times, and what else is known of its subject."""
    start = clock.now_ms
    for n, text in enumerate(
        ("Server A runs Postgres 15.", "Server A runs Postgres 17.", "Remember that Server A's port is 80.")
    ):
        engine.ingest(who=ME, turns=[user(text, start + n * _DAY, f"e{n}")])
        settle(engine)
    engine.ingest(
        who=Who(user="me", session="s2"), turns=[user("Server A runs Postgres 17.", start + 3 * _DAY, "e9")]
    )
    settle(engine)
    shown = engine.explain(id=_memory(engine, "Postgres 17"), who=ME)
    assert [(t["role"], t["origin"], t["ts"]) for t in shown["tellings"]] == [
        ("user", "owner", start + _DAY),
        ("user", "owner", start + 3 * _DAY),
    ]
    assert [(h["text"], h["valid_to"]) for h in shown["history"]] == [
        ("Server A runs Postgres 15.", start + _DAY),
        ("Server A runs Postgres 17.", None),
    ]
    relations = {(r["kind"], r["text"]) for r in shown["relations"]}
    assert ("same_subject", "Remember that Server A's port is 80.") in relations
    assert ("supersedes", "Server A runs Postgres 15.") in relations
    assert [e["verb"] for e in shown["journal"]] == ["supersede"]
    assert (shown["subject"], shown["slot"]) == ("server a", "runs postgres")


def test_confidence_now_and_why(engine: Engine, clock: FixedClock) -> None:
    """What lasts keeps its confidence; what is for a while loses 5 % a day from when it was touched, at read time."""
    engine.ingest(who=ME, turns=[user("I need to call the plumber tomorrow.", clock.now_ms, "e1")])
    settle(engine)
    uid = _memory(engine, "plumber")
    clock.advance(2 * _DAY)
    sure = engine.explain(id=uid, who=ME)["confidence"]
    assert (sure["stored"], sure["days"], sure["daily_loss"]) == (0.6, 2.0, 0.05)
    assert sure["now"] == pytest.approx(0.6 * 0.95**2)
    assert engine.explain(id=uid, who=ME)["confidence"] == sure
    assert engine.get(id=uid, who=ME)["confidence"] == pytest.approx(sure["now"])


def test_the_prompts_that_it_stood_in(engine: Engine, clock: FixedClock) -> None:
    """Receipts of the last prompts name it; until an answer came, nobody can say whether it helped."""
    engine.ingest(
        who=Who(user="me", session="old"),
        turns=[user("My sister Linh lives in Da Nang.", clock.now_ms, "e1")],
    )
    settle(engine)
    receipt = engine.assemble(who=ME, query="Where does my sister live?", budget_tokens=500)["receipt_id"]
    settle(engine)
    engine.deps.store.write(lambda _tx: None).result()
    (used,) = engine.explain(id=_memory(engine, "sister"), who=ME)["uses"]
    assert (used["receipt_id"], used["outcome"], used["session"]) == (receipt, "not judged", "me/s1")


def test_episodes(engine: Engine, clock: FixedClock) -> None:
    """A turn, and the memory of it, belong to the stretch of talk around it; half an hour of silence ends one."""
    start = clock.now_ms
    talk = [
        (0, "Good morning, shall we go on?"),
        (5, "My brother Huy lives in Hue."),
        (80, "Back again."),
    ]
    turns = [
        (user if n % 2 else assistant)(text, start + minute * 60_000, f"e{n}")
        for n, (minute, text) in enumerate(talk)
    ]
    ids = engine.ingest(who=ME, turns=turns)["ids"]
    settle(engine)
    first = {"start": start, "end": start + 5 * 60_000, "turns": 2}
    assert engine.explain(id=ids[0], who=ME)["episode"] == first
    assert engine.get(id=ids[1], who=ME)["episode"] == first
    assert engine.get(id=ids[2], who=ME)["episode"]["turns"] == 1
    assert engine.explain(id=_memory(engine, "brother Huy"), who=ME)["episode"] == first


def test_nobody_elses(engine: Engine, clock: FixedClock) -> None:
    """What a caller may not see is not there."""
    engine.ingest(who=ME, turns=[user("My brother Huy lives in Hue.", clock.now_ms, "e1")])
    settle(engine)
    with pytest.raises(NotFound):
        engine.explain(id=_memory(engine, "brother Huy"), who=Who(user="other"))
