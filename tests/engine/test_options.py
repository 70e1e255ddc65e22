"""What can be switched on: entries that are always in, decay by tiers, tenants, noise; and what is kept of what was refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from libra.engine.core import Engine
from libra.engine.deps import AlwaysParams, Deps, NoiseParams
from libra.engine.libravdb_kernel import LibraVdbKernel
from libra.ground.records import Kind, MemoryType, Origin, Who
from libra.lifecycle.decay import DecayParams
from libra.store import use
from libra.store.use import Used
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

_DAY = 86_400_000
QUIET = "Hello!"
"""Nothing is recalled for a greeting."""


def prompt(engine: Engine, query: str = QUIET, who: Who = ME, budget: int = 2_000) -> str:
    """Return the text of a prompt."""
    return str(engine.assemble(who=who, query=query, budget_tokens=budget)["text"])


def switch(deps: Deps, **parts: Any) -> None:
    """Change settings."""
    deps.params = replace(deps.params, **parts)


def test_what_matters_most_is_always_in_within_the_budget(
    engine: Engine, deps: Deps, clock: FixedClock
) -> None:
    """A person who relies on it would find the prompt without it, twice, too old, or over its budget."""
    old = engine.remember(who=ME, text="Our office is in Bergen.", type=MemoryType.DECISION)["id"]
    clock.advance(31 * _DAY)
    engine.remember(who=ME, text="Invoices go out on the first.", type=MemoryType.DECISION)
    engine.remember(who=ME, text="The bakery sells rye bread.", type=MemoryType.FACT)
    settle(engine)
    assert "Invoices" not in prompt(engine)
    switch(deps, always=AlwaysParams(enabled=True))
    text = prompt(engine)
    assert ("Invoices" in text, "Bergen" in text, "rye" in text) == (True, False, False)
    assert prompt(engine, "When do invoices go out?").count("Invoices go out") == 1
    switch(deps, always=AlwaysParams(enabled=True, days=0, most=1))
    assert ("Invoices" in prompt(engine), "Bergen" in prompt(engine)) == (True, False)
    small = engine.assemble(who=ME, query=QUIET, budget_tokens=20)
    assert small["tokens"] <= 20
    switch(deps, always=AlwaysParams(enabled=True, days=0))
    here = Who(user="me", session="s1", project="harbor")
    engine.never(who=here, id=old, place="project:harbor")
    assert ("Bergen" in prompt(engine), "Bergen" in prompt(engine, who=here)) == (True, False)


def test_what_stood_in_vain_three_times_rests(engine: Engine, deps: Deps, clock: FixedClock) -> None:
    """The same useless memory would take its place in every prompt of the day."""
    kept = engine.remember(who=ME, text="The harbour crane was painted blue in spring.")["id"]
    settle(engine)
    ask = "Is there any news about the harbour today?"
    assert "painted blue" in prompt(engine, ask)
    (item,) = deps.store.write(
        lambda tx: [r[0] for r in tx.rows("SELECT id FROM item WHERE uid = ?", (kept,))]
    ).result()
    for n in range(3):
        deps.store.write(
            lambda tx, n=n: use.put(tx, f"r{n}", "me/s1", {item: Used.NO}, clock.now_ms)
        ).result()
    engine._warm()
    assert "painted blue" not in prompt(engine, ask)
    assert "painted blue" in prompt(engine, "Which harbour crane was painted blue?")  # asked for
    assert engine.search(who=ME, query=ask, kinds=frozenset({Kind.MEMORY}))["hits"]
    clock.advance(31 * 60_000)
    assert "painted blue" in prompt(engine, ask)


def test_what_the_gate_refuses_is_told_with_its_numbers(engine: Engine, deps: Deps) -> None:
    """Why something was not learnt would be a riddle."""
    switch(deps, gate=replace(deps.params.gate, threshold=1.0))
    engine.ingest(
        who=ME, turns=[user("My name is Sam and I live in Oslo."), user("What time is it in Oslo?")]
    )
    settle(engine)
    found = engine.audit(who=ME)["refused"]
    assert [one["why"] for one in found] == ["no statement", "below the threshold"]
    assert found[1]["g"] < found[1]["threshold"] == 1.0
    assert engine.audit(who=ME, why="no statement")["refused"] == found[:1]
    assert engine.audit(who=Who(user="other"))["refused"] == []
    engine.forget(who=ME, query="Oslo")
    assert engine.audit(who=ME)["refused"] == []


def test_what_is_like_noise_is_not_learnt(engine: Engine, deps: Deps, clock: FixedClock) -> None:
    """A person would put the same chatter away every day."""
    first = engine.remember(who=ME, text="I like the weather in the harbour today, it is nice.")["id"]
    settle(engine)
    engine.noise(who=ME, id=first)
    assert engine.list(who=ME)["items"] == []
    switch(deps, noise=NoiseParams(cosine=0.6))
    said = "I like the weather in the harbour now, it is very nice."
    engine.ingest(who=ME, turns=[user(said, clock.now_ms, "e1")])
    settle(engine)
    assert engine.list(who=ME)["items"] == []
    assert [one["why"] for one in engine.audit(who=ME)["refused"]] == ["noise"]
    for _ in range(2):
        engine.undo(who=ME, last=True)
    assert len(engine.list(who=ME)["items"]) == 1


def test_a_tenants_agent_writes_to_its_own_memory_and_reads_what_it_may(engine: Engine, deps: Deps) -> None:
    """One customer's agent would tell another's secrets."""
    switch(deps, tenants={"shop": "shop-ltd", "audit": "audit-ltd"}, access={"audit": ("user:shop-ltd",)})
    shop = Who(user="me", agent="shop")
    engine.remember(who=shop, text="The shop opens at nine.", origin=Origin.OWNER)
    settle(engine)
    assert engine.list(who=ME)["items"] == []
    assert [i["text"] for i in engine.list(who=shop)["items"]] == ["The shop opens at nine."]
    auditor = Who(user="me", agent="audit")
    assert len(engine.search(who=auditor, query="shop opens")["hits"]) == 1
    engine.remember(who=auditor, text="The audit is on Monday.", origin=Origin.OWNER)
    assert len(engine.list(who=shop)["items"]) == 1


def test_decay_by_tiers_ranks_what_helps_before_what_only_is_new(
    engine: Engine, deps: Deps, clock: FixedClock
) -> None:
    """The option would do nothing, or break the ranking."""
    engine.remember(who=ME, text="The relay listens on port 7443.", type=MemoryType.FACT)
    settle(engine)
    clock.advance(400 * _DAY)

    def fresh() -> float:
        (hit,) = engine.search(who=ME, query="relay port", kinds=frozenset({Kind.MEMORY}), explain=True)[
            "hits"
        ]
        return float(hit["score"])

    plain = fresh()
    lifecycle = replace(deps.params.lifecycle, decay=DecayParams(model="weibull"))
    switch(deps, lifecycle=lifecycle)
    assert fresh() > plain


def test_a_hosts_words_about_a_session_hold_no_secret(engine: Engine) -> None:
    """A token in the reason why a session ended would be kept, and be told to whoever asks for the journal."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    call = LibraVdbKernel(engine, "me")
    call("session_lifecycle_hint", {"hook": "session_end", "sessionId": "S", "reason": f"push with {secret}"})
    with engine.deps.store.snapshot() as snapshot:
        (body,) = snapshot.rows("SELECT body FROM hint")
    assert "push with" in body[0]
    assert secret not in body[0]


def test_hosts_words_about_sessions_outlive_a_restart(engine: Engine, deps: Deps) -> None:
    """LibraVDB's journal of session lives would be empty after each start, or grow for ever."""
    switch(deps, audit=replace(deps.params.audit, hints=3))
    call = LibraVdbKernel(engine, "me")
    for n in range(5):
        call("session_lifecycle_hint", {"hook": "session_start", "sessionId": f"S{n}"})
    again = LibraVdbKernel(engine, "me")
    assert again("status", {})["lifecycleHintCount"] == 3
    assert len(again("list_lifecycle_journal", {"sessionId": "S4"})["entries"]) == 1
    assert [e["hook"] for e in engine.lifecycle(who=ME)["entries"]] == ["session_start"] * 3


def test_dreams_of_libravdbs_clients_pass_the_gates(engine: Engine) -> None:
    """A client that hands its whole diary in would fill memory with passing thoughts."""
    call = LibraVdbKernel(engine, "me")
    entries = [
        {"text": "The harbour office opens at six.", "score": 0.9, "recallCount": 3, "uniqueQueries": 2},
        {"text": "It may rain over the harbour.", "score": 0.2, "recallCount": 3, "uniqueQueries": 2},
    ]
    assert call("promote_dream_entries", {"entries": entries}) == {"promoted": 1, "rejected": 1}
