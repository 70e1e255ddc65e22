"""What the page asks for beyond other callers: receipts, the review of a day, never here, figures over time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.engine.exact import Exact
from libra.engine.page_places import ReceiptPlace
from libra.ground.errors import InvalidParams, NotFound
from libra.ground.records import DocumentText, Kind, Origin, Scope, Who
from libra.store.store import Store, StoreParams
from libra.store.writer import WriterParams
from tests.conftest import FixedClock
from tests.engine.conftest import ME, assistant, settle, user

OTHER = Who(user="somebody", session="s9")
HERE = Who(user="me", session="s2", project="/home/dev/harbor")


def told(engine: Engine) -> str:
    """Tell something that is remembered, and return the memory's id."""
    engine.ingest(
        who=ME,
        turns=[
            user("Decision: we deploy on Fridays, because the harbor is quiet then."),
            assistant("Noted."),
        ],
    )
    settle(engine)
    return str(engine.list(who=ME)["items"][0]["id"])


def asked(engine: Engine, who: Who = HERE, budget_tokens: int = 2_000) -> str:
    """Ask about it, and return the receipt's id once it is stored."""
    answer = engine.assemble(
        who=who, query="On which day do we deploy the harbor?", budget_tokens=budget_tokens
    )
    engine.deps.store.write(lambda _tx: None).result()
    return str(answer["receipt_id"])


def test_a_receipt_shows_the_very_text_and_every_item(engine: Engine) -> None:
    """Else nobody could see what an agent was told in their name."""
    told(engine)
    answer = engine.assemble(who=HERE, query="On which day do we deploy?", budget_tokens=2_000)
    engine.deps.store.write(lambda _tx: None).result()
    found = engine.receipt(who=HERE, id=answer["receipt_id"])
    assert found["text"] == answer["text"] != ""
    assert found["query"] == "On which day do we deploy?"
    assert [item["id"] for item in found["items"]] == [item["id"] for item in answer["items"]]
    assert all(item["text"] and item["source"] and "why" in item for item in found["items"])
    assert (found["project"], found["session"]) == ("/home/dev/harbor", "me/s2")
    assert found["took_ms"] > 0


def test_a_receipt_shows_cards_and_reminders_too(engine: Engine) -> None:
    """Else what stands in every prompt would be called "no longer kept", and nobody knew where to change it."""
    told(engine)
    engine.card_update(who=HERE, name="me", fields={"role": "harbour master"}, origin=Origin.OWNER)
    engine.intent_set(who=HERE, remind="Bump the version.", when=("deploy",))
    receipt_id = asked(engine, budget_tokens=2_000)
    found = {item["id"]: item for item in engine.receipt(who=HERE, id=receipt_id)["items"]}
    assert "harbour master" in found["card:me"]["text"]
    assert [item["text"] for item in found.values() if item["kind"] == "intent"] == ["Bump the version."]
    engine.card_delete(who=HERE, name="me", origin=Origin.OWNER)
    found = {item["id"]: item for item in engine.receipt(who=HERE, id=receipt_id)["items"]}
    assert found["card:me"]["gone"] is True


def test_a_turn_of_a_long_session_is_found_on_its_page(engine: Engine) -> None:
    """Else the way from a summary to what it was made of would end where the first page ends."""
    said = [user(f"Berth {n} is free.", ts_ms=1_775_000_000_000 + n * 1_000) for n in range(25)]
    ids = engine.ingest(who=ME, turns=said)["ids"]
    first = engine.session(who=ME, session="s1", k=10)
    assert (first["of"], first["first"], len(first["turns"])) == (25, 0, 10)
    page = engine.session(who=ME, session="s1", k=10, turn=ids[23])
    assert (page["first"], [turn["id"] for turn in page["turns"]]) == (20, ids[20:])
    assert engine.session(who=ME, session="s1", first=5, k=2)["turns"][0]["id"] == ids[5]
    with pytest.raises(NotFound) as missing:
        engine.session(who=ME, session="s1", turn="t0000000")
    assert missing.value.where == "turn"


def test_the_rulebook_gives_its_halves_alone(engine: Engine) -> None:
    """Else whoever has thousands of rules would wait for the doctor before seeing a single file."""
    told(engine)
    whole = engine.rulebook(everywhere=True)
    files, doctor = (engine.rulebook(everywhere=True, show=half) for half in ("documents", "findings"))
    assert "findings" not in files
    assert "documents" not in doctor
    assert {**files, **doctor} == whole


def test_what_was_left_out_is_named_with_its_reason(engine: Engine) -> None:
    """Else a person would wonder why an agent did not know what Libra knows."""
    told(engine)
    found = engine.receipt(who=HERE, id=asked(engine, budget_tokens=60))
    assert {entry["left_out"] for entry in found["left_out"]} == {"over the budget"}
    assert all(entry["text"] for entry in found["left_out"])


def test_after_forgetting_no_prompt_is_kept_that_may_hold_it(engine: Engine) -> None:
    """Else the words would live on in the receipts."""
    memory = told(engine)
    receipt = asked(engine)
    engine.forget(who=ME, id=memory)
    found = engine.receipt(who=HERE, id=receipt)
    assert found["text"] is None
    assert found["query"] is None
    assert all(item.get("gone") for item in found["items"] if item["id"] == memory)
    assert "Fridays" not in str(found)


def test_receipts_are_the_users_own(engine: Engine) -> None:
    """Else one person would read what another one's agents were told."""
    told(engine)
    receipt = asked(engine)
    assert engine.receipts(who=OTHER)["items"] == []
    with pytest.raises(NotFound):
        engine.receipt(who=OTHER, id=receipt)


def test_receipts_come_page_by_page(engine: Engine, clock: FixedClock) -> None:
    """Else a busy fortnight would be one answer of megabytes, or show some twice."""
    told(engine)
    ids = []
    for n in range(5):
        clock.advance(n % 2)
        ids.append(asked(engine))
    got: list[str] = []
    after: ReceiptPlace | None = None
    while True:
        page = engine.receipts(who=HERE, k=2, after=after)
        got += [item["id"] for item in page["items"]]
        if "next" not in page:
            break
        after = ReceiptPlace.parse(page["next"])
    assert sorted(got) == sorted(ids)
    assert engine.receipts(who=HERE, session="me/s2", k=9)["items"][0]["tiers"]
    assert engine.receipts(who=HERE, session="me/none")["items"] == []


def test_never_here_keeps_a_thing_out_of_one_place_only(engine: Engine) -> None:
    """Else "not in this project" would have to mean forgetting it everywhere, or would be said in vain."""
    memory = told(engine)
    assert (
        "Fridays"
        in engine.assemble(who=HERE, query="On which day do we deploy?", budget_tokens=2_000)["text"]
    )
    done = engine.never(who=ME, id=memory, place="project:/home/dev/harbor")
    assert done["records"] >= 2, "the turn that told it says the same"
    engine.deps.clock.advance(14 * 86_400_000)  # type: ignore[attr-defined]
    assert (
        "Fridays"
        not in engine.assemble(who=HERE, query="On which day do we deploy?", budget_tokens=2_000)["text"]
    )
    elsewhere = Who(user="me", session="s3", project="/home/dev/other")
    assert (
        "Fridays"
        in engine.assemble(who=elsewhere, query="On which day do we deploy?", budget_tokens=2_000)["text"]
    )
    assert engine.allow(who=ME, id=memory, place="project:/home/dev/harbor")["records"] == done["records"]
    assert (
        "Fridays"
        in engine.assemble(who=HERE, query="On which day do we deploy?", budget_tokens=2_000)["text"]
    )


HARBOR = "project:/home/dev/harbor"


def shows(engine: Engine, word: str, query: str) -> bool:
    """Say whether a prompt of the harbor's project holds a word."""
    return word in engine.assemble(who=HERE, query=query, budget_tokens=2_000)["text"]


def test_never_here_outlives_a_correction_and_another_telling(engine: Engine) -> None:
    """Else what was kept out would be back as soon as it is said again, or is said more exactly."""
    memory = told(engine)
    engine.never(who=ME, id=memory, place=HARBOR)
    engine.ingest(
        who=Who(user="me", session="s7"),
        turns=[user("Decision: we deploy on Fridays, because the harbor is quiet then!", 1_775_000_500_000)],
    )
    settle(engine)
    assert not shows(engine, "Fridays", "On which day do we deploy?")
    engine.update(
        who=ME, id=memory, text="Decision: we deploy on Thursdays, because the harbor is quiet then."
    )
    settle(engine)
    assert not shows(engine, "Thursdays", "On which day do we deploy?")
    assert not shows(engine, "Fridays", "On which day do we deploy?")


def test_never_here_holds_for_what_compaction_protected(engine: Engine, clock: FixedClock) -> None:
    """Else a rule that is not for this project would stand in its prompts all the same, as guidance."""
    said = [
        turn
        for n in range(30)
        for turn in (
            user(
                f"Step {n}: the importer of region {n} stalls on row {7000 + n}.", clock.now_ms + n * 60_000
            ),
            assistant(f"I looked at region {n}; its reader holds the lock.", clock.now_ms + n * 60_000 + 1),
        )
    ]
    said.insert(5, user("Always run the whole test suite before a release.", clock.now_ms + 130_000))
    engine.ingest(who=ME, turns=said)
    settle(engine)
    engine.compact(who=ME, force=True)
    settle(engine)
    query = "Is the test suite to be run before a release?"
    kinds = frozenset({Kind.GUIDANCE})
    (shard,) = engine.search(who=ME, query=query, kinds=kinds)["hits"]
    assert shows(engine, "whole test suite", query)
    engine.never(who=ME, id=shard["id"], place=HARBOR)
    assert not shows(engine, "whole test suite", query)


def forget_it(engine: Engine, memory: str) -> None:
    """Forget one memory."""
    engine.forget(who=ME, id=memory)


def forget_talk(engine: Engine, _memory: str) -> None:
    """Take a session off the record."""
    engine.off_record(who=ME, session="s1")


def forget_all(engine: Engine, _memory: str) -> None:
    """Reset the user."""
    scope = Scope.parse("user:me")
    number = engine.reset(who=ME, scope=scope, dry_run=True)["would_forget"]
    engine.reset(who=ME, scope=scope, confirm=number)


@pytest.mark.parametrize("forget", [forget_it, forget_talk, forget_all])
def test_never_here_goes_with_what_it_was_said_of(
    engine: Engine, forget: Callable[[Engine, str], None]
) -> None:
    """Else a trace of what was forgotten would stay, and would be said of nothing."""
    memory = told(engine)
    engine.never(who=ME, id=memory, place=HARBOR)
    forget(engine, memory)
    with engine.deps.store.snapshot() as snapshot:
        assert snapshot.rows("SELECT * FROM never") == []


def test_never_here_of_somebody_elses_memory_or_of_a_files_rule_is_refused(engine: Engine) -> None:
    """Else one user could blind another one's agents, and a rule's own file would be contradicted in silence."""
    memory = told(engine)
    with pytest.raises(NotFound):
        engine.never(who=OTHER, id=memory, place="agent:main")
    engine.document(
        DocumentText(
            "/home/dev/CLAUDE.md", "- Never push to main.\n", "any", Scope.parse("global"), instructions=True
        )
    )
    rule = engine.assemble(who=ME, query="May I push?", budget_tokens=2_000)["items"][0]["id"]
    with pytest.raises(InvalidParams):
        engine.never(who=ME, id=rule, place="agent:main")


def test_the_least_sure_come_up_for_review_until_the_days_share_is_done(
    engine: Engine, clock: FixedClock
) -> None:
    """Else the inbox would be endless, and nobody would begin."""
    for n in range(8):
        engine.remember(who=ME, text=f"Berth {n} is {n * 11} metres long.", origin=Origin.OWNER)
        clock.advance(1_000)
    settle(engine)
    first = engine.review(who=ME)
    assert (len(first["items"]), first["done"], first["of"]) == (5, 0, 5)
    sure = [item["confidence"] for item in engine.list(who=ME, k=50)["items"]]
    assert [item["confidence"] for item in first["items"]] == sorted(sure)[:5]
    engine.confirm(who=ME, id=first["items"][0]["id"])
    second = engine.review(who=ME)
    assert (len(second["items"]), second["done"]) == (4, 1)
    assert first["items"][0]["id"] not in {item["id"] for item in second["items"]}
    clock.advance(86_400_000)
    assert engine.review(who=ME)["done"] == 0


def test_the_timeline_counts_what_there_is(engine: Engine) -> None:
    """Else the drawings would tell another story than the lists."""
    told(engine)
    asked(engine)
    found = engine.timeline(who=HERE)
    assert sum(day["memories"] for day in found["memories"]) == len(engine.list(who=HERE, k=100)["items"])
    (context,) = found["contexts"]
    assert sum(context["tiers"].values()) <= context["tokens"] + 1
    assert context["took_ms"] > 0
    assert [agent["contexts"] for agent in found["agents"] if agent["name"] == "main"] == [1]
    assert engine.timeline(who=OTHER)["contexts"] == []


def test_a_trial_shows_the_words_and_leaves_no_trace(engine: Engine) -> None:
    """Else trying a question on the page would count as something that an agent was told."""
    told(engine)
    got = engine.assemble(
        who=HERE, query="On which day do we deploy?", budget_tokens=2_000, explain=True, trial=True
    )
    assert all(item["text"] and item["text"].strip() in got["text"] for item in got["items"])
    engine.deps.store.write(lambda _tx: None).result()
    assert engine.receipts(who=HERE)["items"] == []
    assert "receipt_id" not in got


def test_only_so_much_of_the_prompts_is_remembered() -> None:
    """Else a Libra that runs for months would hold every prompt of them in memory."""
    kept = Exact()
    for n in range(5):
        kept.add(str(n), "q", {"text": "x" * 900_000})
    assert [kept.of(str(n)) is not None for n in range(5)] == [False, False, False, True, True]
    kept.clear()
    assert kept.of("4") is None


def test_what_was_just_told_is_shown_at_once(data_dir: Path, clock: FixedClock) -> None:
    """Else who asks right after a prompt why it said so gets "there is no such receipt", or the one before it."""
    store = Store.open(data_dir / "patient.db", StoreParams(writer=WriterParams(patience_ms=1000)), clock)
    engine = Engine(
        Deps(store=store, model=ModelSlot(), params=EngineParams(default_user="me"), clock=clock, zone=UTC)
    )
    saved = engine.remember(who=ME, text="The crane on pier 1 lifts 12 tonnes.")["id"]
    told = engine.assemble(who=ME, query="What does the crane on pier 1 lift?")["receipt_id"]
    assert [line["id"] for line in engine.receipts(who=ME)["items"]] == [told]
    told = engine.assemble(who=ME, query="Which crane lifts 12 tonnes?")["receipt_id"]
    assert engine.receipt(who=ME, id=told)["id"] == told
    told = engine.assemble(who=Who("me", session="other"), query="What does the crane on pier 1 lift?")[
        "receipt_id"
    ]
    assert told in [use["receipt_id"] for use in engine.explain(who=ME, id=saved)["uses"]]
    store.close()
