"""Looking after memory: relations, joining, pruning, lessons, code, suggestions, misses, statistics, workflows, reset."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libra.engine import pruning, session_memory
from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.ground.errors import Conflict, Forbidden, InvalidParams, NotFound
from libra.ground.records import Kind, MemoryType, Origin, Scope, Who
from tests.conftest import FixedClock
from tests.engine.conftest import ME, assistant, settle, user

AGENT = Who(user="me", host="claude-code", session="s9")
OTHER = Who(user="other", session="s1")
_DAY = 86_400_000


def texts(engine: Engine, who: Who = ME) -> list[str]:
    """Return the active memories' words, oldest first."""
    return [item["text"] for item in engine.list(who=who)["items"]][::-1]


def test_relations_are_set_seen_from_both_sides_and_undone(engine: Engine) -> None:
    """What a person knows to hang together would be found one by one, and a slip stay for ever."""
    one = engine.remember(who=ME, text="The crane was rebuilt in May.")["id"]
    two = engine.remember(who=ME, text="The depot lost its roof.")["id"]
    engine.relate(who=ME, id=one[:10], to=two, kind="evolved_from")
    seen = engine.relations(who=ME, id=two)["relations"]
    assert [(r["kind"], r["id"]) for r in seen if r["kind"] == "evolved_from"] == [("evolved_from", one)]
    engine.unrelate(who=ME, id=one, to=two, kind="evolved_from")
    assert engine.relations(who=ME, id=two, kinds=("evolved_from",))["relations"] == []
    engine.undo(who=ME, last=True)
    assert len(engine.relations(who=ME, id=two, kinds=("evolved_from",))["relations"]) == 1
    engine.undo(who=ME, last=True)
    assert engine.relations(who=ME, id=two, kinds=("evolved_from",))["relations"] == []
    with pytest.raises(InvalidParams):
        engine.relate(who=ME, id=one, to=one)
    with pytest.raises(NotFound):
        engine.relations(who=OTHER, id=one)


def test_duplicates_are_reported_and_two_that_are_named_are_joined(engine: Engine) -> None:
    """A person could not look at duplicates before they go, nor join two that only they know to be one."""
    one = engine.remember(who=ME, text="The relay listens on port 7443.")["id"]
    two = engine.remember(who=ME, text="Connections to the relay go to 7443.")["id"]
    settle(engine)
    report = engine.consolidate(who=ME, min_cosine=0.5, dry_run=True)
    assert (report["joined"], len(texts(engine))) == (0, 2)
    done = engine.consolidate(who=ME, ids=(two, one))
    assert (done["joined"], [i["id"] for i in engine.list(who=ME)["items"]]) == (1, [one])
    engine.undo(who=ME, last=True)
    assert len(texts(engine)) == 2
    agents = engine.remember(who=AGENT, text="Port 7443 is the relay's.")["id"]
    with pytest.raises(Conflict):
        engine.consolidate(who=ME, ids=(one, agents))
    with pytest.raises(InvalidParams):
        engine.consolidate(who=ME, ids=(one, one))


def test_what_is_of_no_use_is_put_away_and_comes_back(engine: Engine, deps: Deps, clock: FixedClock) -> None:
    """Memory would fill with what never helped, or lose for good what somebody wants back."""
    engine.remember(who=ME, text="The bakery sells rye bread.", type=MemoryType.FACT)
    engine.remember(who=ME, text="We deploy on Fridays.", type=MemoryType.DECISION)
    clock.advance(61 * _DAY)
    seen = engine.prune(who=ME, dry_run=True)
    assert (seen["would_archive"], seen["reasons"], seen["items"][0]["text"]) == (
        1, {"unused": 1}, "The bakery sells rye bread.",
    )  # fmt: skip
    assert pruning.prune_daily(deps) is False  # off unless the setting says so
    deps.params = replace(
        deps.params,
        lifecycle=replace(deps.params.lifecycle, prune=replace(deps.params.lifecycle.prune, automatic=True)),
    )
    assert (pruning.prune_daily(deps), pruning.prune_daily(deps)) == (True, False)
    assert texts(engine) == ["We deploy on Fridays."]
    number = engine.journal(who=ME)["entries"][0]["id"]
    engine.undo(who=ME, journal_id=number)
    assert len(texts(engine)) == 2


def test_a_lesson_is_found_by_its_symptom(engine: Engine) -> None:
    """The next agent would look for the same fault for an hour."""
    engine.lesson(
        who=AGENT, symptom="The build fails with ETIMEDOUT.", fix="Set CACHE_URL.", cause="The cache moved."
    )
    engine.lesson(
        who=ME, symptom="The tray has no icon.", fix="Install the indicator.", prevention="Ask doctor."
    )
    settle(engine)
    (best,) = engine.lessons(who=ME, query="build ETIMEDOUT", k=1)["lessons"]
    assert (best["symptom"], best["cause"], best["fix"]) == (
        "The build fails with ETIMEDOUT.", "The cache moved.", "Set CACHE_URL.",
    )  # fmt: skip
    assert [one["symptom"][:8] for one in engine.lessons(who=ME)["lessons"]] == ["The tray", "The buil"]
    assert engine.stats(who=ME)["types"] == {"lesson": 2}


def test_code_is_found_by_what_it_is(engine: Engine) -> None:
    """A search by meaning brings what sounds alike, not the file."""
    engine.ingest(
        who=ME,
        turns=[
            user("src/app.py raises ETIMEDOUT in load_config()."),
            assistant("I changed src/app.py and tests/test_app.py."),
            user("The app is nice, and/or slow."),
        ],
    )
    found = engine.code_search(who=ME, path="src/APP.py")
    assert [hit["text"][:10] for hit in found["hits"]] == ["I changed ", "src/app.py"]
    assert {"path": "tests/test_app.py", "records": 1} in found["files"]
    both = engine.code_search(who=ME, path="app.py", error="etimedout")
    assert [hit["role"] for hit in both["hits"]] == ["user"]
    assert engine.code_search(who=ME, function="load_config")["hits"][0]["fits"][0]["text"].startswith(
        "load_config"
    )
    assert engine.code_search(who=OTHER, path="src/app.py")["hits"] == []
    assert engine.code_search(who=ME, path="src/app.py", k=1)["truncated"] is True


def test_statements_that_are_not_kept_are_suggested(engine: Engine, deps: Deps) -> None:
    """What the gate refused could only be found by reading everything again."""
    deps.params = replace(deps.params, gate=replace(deps.params.gate, threshold=1.0))
    engine.ingest(
        who=ME,
        turns=[user("My name is Sam and I live in Oslo."), user("What time is it?"), assistant("Noon.")],
    )
    settle(engine)
    found = engine.suggest_capture(who=ME)["suggestions"]
    assert [one["type"] for one in found] == ["identity"]
    assert found[0]["g"] > 0
    engine.remember(who=ME, text=found[0]["text"])
    with pytest.raises(NotFound):
        engine.suggest_capture(who=OTHER)


def test_a_missed_recall_tells_why_and_is_learnt_from(engine: Engine, clock: FixedClock) -> None:
    """The person would say again and again what is known, and nothing would follow."""
    depot = engine.remember(who=ME, text="The depot opens at six.", type=MemoryType.TODO)["id"]
    engine.archive(who=ME, ids=[depot])
    settle(engine)
    done = engine.missed(who=ME, id=depot, query="When does the depot open?")
    assert (done["why"], done["done"]) == ("archived", "brought back")
    assert texts(engine) == ["The depot opens at six."]
    before = engine.get(who=ME, id=depot)["confidence"]
    again = engine.missed(who=ME, id=depot, query="When does the depot open?")
    assert (again["done"], again["place"]) == ("counted", 1)
    assert engine.get(who=ME, id=depot)["confidence"] > before
    engine.ingest(
        who=ME, turns=[user("Is the crane in use? The crane on quay nine is out of order.", event="e1")]
    )
    (turn,) = engine.grep(who=ME, pattern="quay nine")["hits"]
    kept = engine.missed(who=ME, id=turn["id"], query="Which crane is out of order?")
    assert kept["done"] == "kept"
    assert any("quay nine" in text for text in texts(engine))
    counts = engine.correction_stats(who=ME)
    assert counts["verbs"]["missed"] == 2
    with pytest.raises(NotFound):
        engine.missed(who=OTHER, id=depot, query="x")


def test_corrections_are_counted_by_what_whom_and_day(engine: Engine, clock: FixedClock) -> None:
    """Nobody could see which memories are wrong again and again."""
    port = engine.remember(who=ME, text="The port is 7443.", type=MemoryType.FACT)["id"]
    engine.correct(who=ME, id=port, text="The port is 8443.")
    found = engine.correction_stats(who=ME)
    assert (found["verbs"]["correct"], found["types"], found["undone"]) == (1, {"fact": 1}, 0)
    assert [one["id"] for one in found["most"]] == [port]
    assert list(found["days"].values()) == [1]
    engine.undo(who=ME, last=True)
    assert engine.correction_stats(who=ME)["verbs"]["correct"] == 0
    assert engine.correction_stats(who=OTHER)["most"] == []


def test_repeated_runs_of_commands_are_told(engine: Engine, clock: FixedClock) -> None:
    """A person would type the same four commands for years."""
    for n in range(3):
        turns = [
            assistant(f"Run `ruff check src{n}` first.", clock.now_ms + n, f"a{n}"),
            assistant(f"Then `git commit -m x{n}` and `git push`.", clock.now_ms + n + 1, f"b{n}"),
        ]
        engine.ingest(who=Who(user="me", session=f"s{n}"), turns=turns)
    (one,) = engine.workflows(who=ME)["workflows"]
    assert (one["steps"], one["sessions"], one["last_session"]) == (
        ["ruff check", "git commit", "git push"],
        3,
        "me/s2",
    )
    assert engine.workflows(who=ME, least=4)["workflows"] == []
    assert engine.workflows(who=OTHER)["workflows"] == []


def test_a_session_is_kept_as_one_memory(engine: Engine, deps: Deps, clock: FixedClock) -> None:
    """A session would be kept again at every look, or never by itself though the setting says so."""
    said = [user(f"The crane on quay {n} works as it should.", clock.now_ms + n, f"e{n}") for n in range(5)]
    engine.ingest(who=ME, turns=said)
    first = engine.keep_session(who=ME)
    assert (first["outcome"], first["text"].startswith("Session me/s1: 5 turns")) == ("created", True)
    assert engine.keep_session(who=ME)["outcome"] == "known"
    clock.advance(_DAY)
    engine.ingest(who=ME, turns=[user("The last crane works, too.", clock.now_ms, "e9")])
    settle(engine)
    assert session_memory.keep_rested(deps) is False
    deps.params = replace(deps.params, session_memory=replace(deps.params.session_memory, automatic=True))
    assert session_memory.keep_rested(deps) is False  # it has not rested yet
    clock.advance(_DAY)
    assert (session_memory.keep_rested(deps), session_memory.keep_rested(deps)) == (True, False)
    notes = engine.list(who=ME, types=(MemoryType.SESSION,))["items"]
    assert [n["text"].startswith("Session me/s1: 6 turns") for n in notes] == [True]


def test_dreams_are_kept_once_as_the_agents(engine: Engine) -> None:
    """A diary that is read every night would fill memory, or its thoughts pass for the person's."""
    diary = "## Dreams\n- The harbour office opens at six. {score=0.8 recall=3 unique=2}\n- Rain. {score=0.1 recall=1 unique=1}\n"
    seen = engine.promote_dreams(who=AGENT, text=diary, dry_run=True)
    assert (seen["promoted"], seen["refused"], texts(engine)) == (0, 1, [])
    assert engine.promote_dreams(who=AGENT, text=diary)["promoted"] == 1
    assert engine.promote_dreams(who=AGENT, text=diary)["entries"][0]["outcome"] == "known"
    assert texts(engine) == ["The harbour office opens at six."]
    (hit,) = engine.search(who=ME, query="harbour office", kinds=frozenset({Kind.MEMORY}))["hits"]
    assert hit["source"]["origin"] == "agent"


def test_a_scope_is_reset_by_who_knows_how_much_goes(engine: Engine) -> None:
    """A slip of the hand would empty a memory, or a reset leave half of it."""
    here, there = Who(user="me", session="s1"), Who(user="me", session="s2")
    engine.ingest(who=here, turns=[user("The crane on quay nine is out of order.", event="e1")])
    engine.ingest(who=there, turns=[user("The depot opens at six.", event="e2")])
    engine.rule_set(who=ME, text="Never tell prices.", name="prices")
    settle(engine)
    scope = Scope.parse("session:me/s1")
    seen = engine.reset(who=ME, scope=scope, dry_run=True)
    assert seen["would_forget"] >= 1
    with pytest.raises(Conflict):
        engine.reset(who=ME, scope=scope)
    with pytest.raises(Conflict):
        engine.reset(who=AGENT, scope=scope, confirm=seen["would_forget"])
    engine.reset(who=ME, scope=scope, confirm=seen["would_forget"])
    assert engine.grep(who=ME, pattern="quay nine")["hits"] == []
    assert len(engine.grep(who=ME, pattern="depot")["hits"]) == 1
    mine = Scope.parse("user:me")
    count = engine.reset(who=ME, scope=mine, dry_run=True)["would_forget"]
    done = engine.reset(who=ME, scope=mine, confirm=count)
    assert (done["forgotten"], done["by_name"]) == (count, 1)
    assert engine.grep(who=ME, pattern="depot")["hits"] == []
    assert engine.rule_list(who=ME)["rules"] == []
    assert "prices" not in engine.assemble(who=ME, query="What about prices?", budget_tokens=500)["text"]
    for name in ("global", "user:other"):
        with pytest.raises(Forbidden):
            engine.reset(who=ME, scope=Scope.parse(name), dry_run=True)


def test_search_and_list_keep_to_a_project_and_an_agent(engine: Engine) -> None:
    """What another agent was told would stand among what one looks for."""
    a = Who(user="me", session="s1", agent="a", project="harbor")
    b = Who(user="me", session="s2", agent="b", project="depot")
    engine.remember(who=a, text="The crane is blue.", origin=Origin.OWNER)
    engine.remember(who=b, text="The crane is tall.", origin=Origin.OWNER)
    settle(engine)

    def found(**narrow: str) -> set[str]:
        return {
            h["text"]
            for h in engine.search(who=a, query="crane", kinds=frozenset({Kind.MEMORY}), **narrow)["hits"]
        }

    assert found() == {"The crane is blue.", "The crane is tall."}
    assert found(agent="b") == {"The crane is tall."}
    assert found(project="harbor") == {"The crane is blue."}
    assert [i["text"] for i in engine.list(who=a, agent="b")["items"]] == ["The crane is tall."]


def test_a_memory_is_told_on_as_anothers_word(engine: Engine) -> None:
    """It would pass for the other person's own word, or come back after they have forgotten it."""
    rule = engine.remember(who=ME, text="Always answer in Norwegian.", type=MemoryType.INSTRUCTION)["id"]
    sam = Who(user="sam", session="s1")
    settle(engine)
    with pytest.raises(Conflict):
        engine.share(who=AGENT, ids=[rule], to=Scope.parse("user:sam"))
    with pytest.raises(InvalidParams):
        engine.share(who=ME, ids=[rule], to=Scope.parse("user:me"))
    (told,) = engine.share(who=ME, ids=[rule], to=Scope.parse("user:sam"))["shared"]
    (copy,) = engine.list(who=sam)["items"]
    assert (told["outcome"], copy["type"], copy["source"]["origin"]) == ("created", "fact", "agent")
    assert engine.share(who=ME, ids=[rule], to=Scope.parse("user:sam"))["shared"][0]["outcome"] == "known"
    engine.forget(who=sam, id=told["copy"])
    assert engine.share(who=ME, ids=[rule], to=Scope.parse("user:sam"))["shared"][0]["outcome"] == "forgotten"
