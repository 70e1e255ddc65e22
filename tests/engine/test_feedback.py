"""Use: an answer that draws on a memory makes it surer, an objection less sure, and both teach the gate."""

from __future__ import annotations

import pytest

from libra.engine.core import Engine
from libra.ground.records import Kind, Who
from libra.store import use
from tests.conftest import FixedClock
from tests.engine.conftest import assistant, settle, user

NOW = Who(user="me", session="now")
_MINUTE = 60_000


def _learn(engine: Engine, clock: FixedClock, *texts: str) -> list[str]:
    """Tell texts in an earlier session; return the memories' ids in order."""
    engine.ingest(who=Who(user="me", session="old"), turns=[user(t, clock.now_ms, f"o{t}") for t in texts])
    settle(engine)
    found = engine.search(who=NOW, query=" ".join(texts), kinds=frozenset({Kind.MEMORY}), k=20)["hits"]
    by_text = {h["text"]: h["id"] for h in found}
    return [by_text[t] for t in texts]


def _ask(engine: Engine, clock: FixedClock, question: str, *answers: str, who: Who = NOW) -> str:
    """Let Libra assemble for a question, and the host tell question and answers; return the receipt's id."""
    clock.advance(_MINUTE)
    receipt = engine.assemble(who=who, query=question, budget_tokens=2000)
    engine.ingest(
        who=who, turns=[user(question, clock.now_ms), *(assistant(a, clock.now_ms + 1000) for a in answers)]
    )
    clock.advance(2000)
    settle(engine)
    return str(receipt["receipt_id"])


def _say(engine: Engine, clock: FixedClock, text: str, who: Who = NOW) -> None:
    clock.advance(_MINUTE)
    engine.ingest(who=who, turns=[user(text, clock.now_ms)])
    settle(engine)


def _shown(engine: Engine, uid: str) -> tuple[float, int, list[str]]:
    found = engine.explain(id=uid, who=NOW)
    return (
        found["confidence"]["now"],
        found["confidence"]["recalls_used"],
        [u["outcome"] for u in found["uses"]],
    )


def _labels(engine: Engine) -> dict[str, int]:
    with engine.deps.store.snapshot() as s:
        return use.causes(s)


def test_a_used_memory_becomes_surer(engine: Engine, clock: FixedClock) -> None:
    """10 % of what is missing, once a session; another memory in the same prompt is noted as not used."""
    linh, port = _learn(engine, clock, "My sister Linh lives in Da Nang.", "Our staging port is 7443.")
    receipt = _ask(
        engine, clock, "Where does my sister live? And the staging?", "Your sister Linh lives in Da Nang."
    )
    sure, recalls, outcomes = _shown(engine, linh)
    assert (sure, recalls, outcomes) == (pytest.approx(0.64), 1, ["used"])
    assert _shown(engine, port) == (pytest.approx(0.6), 0, ["not used"])
    assert engine.explain(id=linh, who=NOW)["uses"][0]["receipt_id"] == receipt
    _ask(engine, clock, "Where does my sister live?", "Linh lives in Da Nang, as before.")
    assert _shown(engine, linh)[:2] == (pytest.approx(0.64), 1)
    other = Who(user="me", session="later")
    _ask(engine, clock, "Where does my sister live?", "Linh lives in Da Nang.", who=other)
    assert _shown(engine, linh)[:2] == (pytest.approx(0.676), 2)


def test_a_later_part_of_the_same_answer_counts(engine: Engine, clock: FixedClock) -> None:
    """An agent speaks several times for one prompt: the memory was used if any of it draws on it."""
    (linh,) = _learn(engine, clock, "My sister Linh lives in Da Nang.")
    _ask(
        engine,
        clock,
        "Where does my sister live?",
        "Let me look at what I know about that.",
        "Linh lives in Da Nang.",
    )
    assert _shown(engine, linh)[1:] == (1, ["used"])


def test_an_answer_about_something_else_is_no_use(engine: Engine, clock: FixedClock) -> None:
    """Nor is an old answer that is read now, nor one in a session without a prompt of ours."""
    (linh,) = _learn(engine, clock, "My sister Linh lives in Da Nang.")
    _ask(engine, clock, "Where does my sister live?", "A mutex is a lock that one thread holds at a time.")
    assert _shown(engine, linh) == (pytest.approx(0.6), 0, ["not used"])
    engine.ingest(who=NOW, turns=[assistant("Linh lives in Da Nang.", clock.now_ms - 90 * 86_400_000)])
    engine.ingest(
        who=Who(user="me", session="bare"), turns=[assistant("Linh lives in Da Nang.", clock.now_ms)]
    )
    settle(engine)
    assert _shown(engine, linh)[1] == 0


@pytest.mark.parametrize("objection", ["That's wrong.", "Nein, das stimmt nicht mehr.", "不对"])
def test_an_objection_lowers_what_it_is_about(engine: Engine, clock: FixedClock, objection: str) -> None:
    """Called wrong right after: less sure, a label for the gate, in the journal, and undoable."""
    (linh,) = _learn(engine, clock, "My sister Linh lives in Da Nang.")
    _ask(engine, clock, "Where does my sister live?", "Linh lives in Da Nang.")
    _say(engine, clock, objection)
    assert _shown(engine, linh) == (pytest.approx(0.32), 1, ["called wrong"])
    assert engine.journal(who=NOW)["entries"][0]["verb"] == "doubt"
    engine.undo(who=NOW, last=True)
    assert _shown(engine, linh)[0] == pytest.approx(0.64)


def test_where_it_is_not_clear_nothing_is_lowered(engine: Engine, clock: FixedClock) -> None:
    """Two memories were used and the objection names neither: both keep their confidence."""
    both = _learn(engine, clock, "My sister Linh lives in Da Nang.", "Our staging port is 7443.")
    _ask(
        engine,
        clock,
        "Tell me what you know of my sister and of staging.",
        "Linh lives in Da Nang, and staging is on 7443.",
    )
    _say(engine, clock, "That's wrong.")
    assert [_shown(engine, uid)[0] for uid in both] == [pytest.approx(0.64)] * 2
    _say(engine, clock, "It is a nice day for a walk by the sea.")
    assert [_shown(engine, uid)[0] for uid in both] == [pytest.approx(0.64)] * 2


def test_labels_follow_what_became_of_memories(engine: Engine, clock: FixedClock) -> None:
    """Used, then forgotten: the last word counts, and outlives the memory; five prompts in vain count as not useful."""
    prefer, sister = _learn(engine, clock, "My brother Huy lives in Hue.", "My sister Linh lives in Da Nang.")
    assert _labels(engine) == {}
    _ask(engine, clock, "Where does my sister live?", "Linh lives in Da Nang.")
    assert _labels(engine) == {"used": 1}
    engine.forget(who=NOW, id=sister)
    assert _labels(engine) == {"forgotten": 1}
    for n in range(5):
        _ask(
            engine,
            clock,
            f"Where does my brother live, number {n}?",
            "A mutex is a lock.",
            who=Who(user="me", session=f"x{n}"),
        )
    assert _labels(engine) == {"forgotten": 1, "unused": 1}
    engine.confirm(id=prefer, who=NOW)
    assert _labels(engine) == {"confirmed": 1, "forgotten": 1}
    shown = engine.calibrate()
    assert (shown["labels"], shown["calibrated"], shown["threshold"]) == (2, False, 0.35)


def test_enough_labels_move_the_threshold(engine: Engine, clock: FixedClock) -> None:
    """From 50 outcomes on, what the gate lets in follows them: scores that never helped are no longer admitted."""

    def outcomes(tx: object) -> None:
        for n in range(60):
            useful = n >= 40
            tx.run(  # type: ignore[attr-defined]
                "INSERT INTO label(item_id, g, useful, cause, at_ms) VALUES(?, ?, ?, 'used', 1)",
                (10_000 + n, 0.36 + 0.01 * n, int(useful)),
            )

    engine.deps.store.write(outcomes).result()
    shown = engine.calibrate()
    assert shown["calibrated"]
    assert shown["threshold"] == pytest.approx(0.76)
    assert [b["chance"] for b in shown["curve"]] == [0.0, 1.0]
    assert [b["labels"] for b in shown["curve"]] == [40, 20]
    assert engine.status()["gatingThreshold"] == pytest.approx(0.76)
    engine.ingest(who=NOW, turns=[user("My brother Huy lives in Hue.", clock.now_ms, "e1")])
    settle(engine)
    assert engine.search(who=NOW, query="brother Huy", kinds=frozenset({Kind.MEMORY}))["hits"] == []
