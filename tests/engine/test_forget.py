"""Forget: shown first, gone after, and not learnt again."""

from __future__ import annotations

import pytest

from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.engine.exact import Exact
from libra.engine.libravdb_kernel import LibraVdbKernel
from libra.ground.errors import Conflict, LibraError, NotFound
from libra.ground.records import Kind, Scope, Who
from libra.store.wipe import tables
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

HINT = "My PIN hint is the blue bike."


def test_a_dry_run_shows_and_keeps(engine: Engine) -> None:
    """The preview names what would go, with its words; nothing goes."""
    engine.ingest(who=ME, turns=[user(HINT, 1000, "e1")])
    settle(engine)
    shown = engine.forget(who=ME, query="PIN hint", dry_run=True)
    assert shown["forgotten"] == 0
    assert {i["kind"] for i in shown["items"]} == {"turn", "memory"}
    assert all(i["text"].startswith("My PIN hint") for i in shown["items"])
    assert engine.search(who=ME, query="PIN hint")["hits"]


def test_b25_what_was_forgotten_is_not_learnt_again(engine: Engine) -> None:
    """Turn and memory go; the same event read again stays forgotten and is counted (field case B25)."""
    engine.ingest(who=ME, turns=[user(HINT, 1000, "e1")])
    settle(engine)
    done = engine.forget(who=ME, query="PIN hint")
    assert done["forgotten"] == 2
    again = engine.ingest(who=ME, turns=[user(HINT, 1000, "e1")])
    settle(engine)
    assert again["accepted"] == 0
    assert engine.search(who=ME, query="PIN hint", archive=True)["hits"] == []
    assert (
        "blue bike" not in engine.assemble(who=ME, query="what is the PIN hint?", budget_tokens=1000)["text"]
    )
    counts = engine.status()["counts"]
    assert counts["tombstone"] == 2
    assert counts["tombstone_hits"] >= 1


def test_no_prompt_of_meanwhile_keeps_it(engine: Engine, deps: Deps) -> None:
    """A prompt that was made while something was forgotten would show it on the page for as long as Libra runs."""
    kept = engine.remember(who=ME, text=HINT)["id"]
    there: list[bool] = []

    class Watching(Exact):
        def clear(self) -> None:
            with deps.store.snapshot() as snapshot:
                there.append(bool(snapshot.rows("SELECT 1 FROM item WHERE text = ?", (HINT,))))
            super().clear()

    deps.exact = Watching()
    engine.forget(who=ME, id=kept)
    assert there == [False]


def test_a_reset_leaves_no_prompt_with_what_was_set_by_name(engine: Engine, deps: Deps) -> None:
    """A person with rules alone would find them in the prompts of before, though they were said to be gone."""
    engine.rule_set(who=ME, name="quiet", text="Never mention the ferry.")
    receipt = engine.assemble(who=ME, query="How do I get home?", budget_tokens=500)
    assert "ferry" in receipt["text"]
    assert deps.exact.of(receipt["receipt_id"]) is not None
    scope = Scope.parse("user:me")
    number = engine.reset(who=ME, scope=scope, dry_run=True)["would_forget"]
    engine.reset(who=ME, scope=scope, confirm=number)
    assert deps.exact.of(receipt["receipt_id"]) is None


def test_a_reset_cannot_be_undone_rule_by_rule(engine: Engine, deps: Deps) -> None:
    """What a rule said would be in the journal still, and undoing would bring it back after all was said to be gone."""
    engine.rule_set(who=ME, name="quiet", text="Never mention the ferry.")
    engine.rule_delete(who=ME, name="quiet")
    LibraVdbKernel(engine, "me")("session_lifecycle_hint", {"hook": "session_end", "reason": "ferry"})
    scope = Scope.parse("user:me")
    number = engine.reset(who=ME, scope=scope, dry_run=True)["would_forget"]
    engine.reset(who=ME, scope=scope, confirm=number)
    with pytest.raises(LibraError):
        engine.undo(who=ME, last=True)
    assert engine.rule_list(who=ME)["rules"] == []
    with deps.store.snapshot() as snapshot:
        kept = [snapshot.rows(f'SELECT * FROM "{table.name}"') for table in tables(snapshot)]  # noqa: S608
    assert "ferry" not in str(kept)


def test_an_unknown_id_is_an_error(engine: Engine) -> None:
    """Nothing is said to be done that was not (lessons C95)."""
    with pytest.raises(NotFound):
        engine.forget(who=ME, id="m0000000000")


def test_c90_other_words_of_a_forgotten_thing_stay_forgotten(engine: Engine, clock: FixedClock) -> None:
    """An old transcript tells it in other words: the meaning is known again, the attempt counted, nothing kept."""
    clock.now_ms = 10_000_000
    engine.ingest(
        who=ME, turns=[user("The hint for my vault is the rusty blue bicycle outside", 1_000_000, "e1")]
    )
    settle(engine)
    assert engine.forget(who=ME, query="vault hint")["forgotten"] >= 1
    before = engine.status()["counts"]["tombstone_hits"]
    engine.ingest(
        who=ME,
        turns=[
            user("The hint for my vault is the rusty blue bicycle outside!", 1_100_000, "e2"),
            user("the hint for my vault is: the rusty blue bicycle outside", 1_200_000, "e3"),
            user("The hint for my vault 7 is the rusty blue bicycle outside", 1_300_000, "e4"),
            user("The hint for my vault is the rusty blue bicycle outside.", 11_000_000, "e5"),
        ],
    )
    settle(engine)
    assert engine.status()["counts"]["tombstone_hits"] == before + 2
    kept = {
        hit["text"]
        for hit in engine.search(who=ME, query="vault hint bicycle", kinds=frozenset({Kind.TURN}))["hits"]
    }
    # Another number is another thing, and what is said after the forgetting is new.
    assert kept == {
        "The hint for my vault 7 is the rusty blue bicycle outside",
        "The hint for my vault is the rusty blue bicycle outside.",
    }


def _fill(engine: Engine, number: int) -> None:
    turns = [user(f"ok {n}", 1_000 + n, f"e{n}") for n in range(number)]
    engine.ingest(who=ME, turns=turns)
    settle(engine)


def test_more_than_a_hundred_need_their_number(engine: Engine) -> None:
    """The preview counts and shows the first; only who says the number that is true now deletes so much."""
    _fill(engine, 130)
    shown = engine.forget(who=ME, session="s1", dry_run=True)
    assert (shown["would_forget"], shown["counts"]) == (130, {"turn": 130})
    assert (len(shown["ids"]), shown["more"]) == (100, 30)
    for confirm in (None, 129):
        with pytest.raises(Conflict) as refused:
            engine.forget(who=ME, session="s1", confirm=confirm)
        assert (refused.value.reason, "130" in str(refused.value.hint)) == ("confirm", True)
    assert engine.forget(who=ME, session="s1", confirm=130)["forgotten"] == 130
    assert engine.status()["counts"]["turn"] == 0


def test_what_is_said_of_records_narrows_what_goes(engine: Engine) -> None:
    """Kind, time, session and words together; what is another's is not counted."""
    _fill(engine, 20)
    turns = frozenset({Kind.TURN})

    def number(**which: object) -> int:
        return int(engine.forget(who=ME, dry_run=True, **which)["would_forget"])

    assert number(kinds=turns, since=1_015) == 5
    assert number(kinds=turns, until=1_005) == 5
    assert number(kinds=frozenset({Kind.MEMORY})) == 0
    assert number(session="s1", since=1_010, until=1_012) == 2
    assert number(session="nowhere") == 0
    assert number(query="ok 7", since=1_008) == 0
    assert engine.forget(who=Who(user="other"), kinds=turns, dry_run=True)["would_forget"] == 0
    assert engine.forget(who=ME, kinds=turns, until=1_005)["forgotten"] == 5
    assert number(kinds=turns) == 15
