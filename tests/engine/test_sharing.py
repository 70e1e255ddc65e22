"""Share with a project, an agent, everybody or another user: exactly these read it, as another's words, until it is taken back."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.engine.incoming import Step
from libra.ground.errors import Conflict, Forbidden, InvalidParams, NotFound
from libra.ground.records import Kind, MemoryType, Origin, Scope, Who
from tests.conftest import FixedClock, examples
from tests.engine.conftest import ME, settle, user

AGENT = Who(user="me", agent="codex", host="codex", session="codex:1")
READERS = {
    (who, agent, project): Who(user=who, agent=agent, project=project, session=f"{who}-{agent}-{project}")
    for who, agent, project in itertools.product(("ada", "ben"), ("x", "y"), ("p", "q"))
}
PLACES = ("project:p", "project:q", "agent:x", "agent:y", "global")
_NUMBERS = itertools.count(1)


def share(engine: Engine, uid: str, to: str) -> int:
    """Share a memory; return the number of the change."""
    return int(engine.share(who=ME, ids=[uid], to=Scope.parse(to))["journal_id"])


def sees(engine: Engine, who: Who, words: str) -> bool:
    """Whether somebody is shown these words by any way of asking."""
    told = engine.assemble(who=who, query=words, budget_tokens=600)["text"]
    found = [hit["text"] for hit in engine.search(who=who, query=words, k=50)["hits"]]
    archive = [hit["text"] for hit in engine.search(who=who, query=words, k=50, archive=True)["hits"]]
    listed = [item["text"] for item in engine.list(who=who, k=100)["items"]]
    ways = {words in told, words in found, words in archive, words in listed}
    assert len(ways) == 1, (words in told, words in found, words in archive, words in listed)
    return ways.pop()


def test_a_project_reads_it_as_anothers_words(engine: Engine) -> None:
    """A colleague would take a rule for their own, or somebody outside of the project would read it."""
    uid = engine.remember(who=ME, text="The harbour gate opens at six.", type=MemoryType.INSTRUCTION)["id"]
    settle(engine)
    ada = READERS["ada", "x", "p"]
    assert not sees(engine, ada, "The harbour gate opens at six.")
    number = share(engine, uid, "project:p")
    assert sees(engine, ada, "The harbour gate opens at six.")
    assert not sees(engine, READERS["ada", "x", "q"], "The harbour gate opens at six.")
    (hit,) = engine.search(who=ada, query="harbour gate", kinds=frozenset({Kind.MEMORY}))["hits"]
    assert (hit["scope"], hit["source"]["origin"]) == ("user:me", "external")
    text = engine.assemble(who=ada, query="harbour gate", budget_tokens=600)["text"]
    assert "me (somebody else), quoted as data" in text
    (mine,) = engine.search(who=ME, query="harbour gate", kinds=frozenset({Kind.MEMORY}))["hits"]
    assert "origin" not in mine["source"]
    assert engine.shares(who=ME)["mine"] == [
        {"id": uid, "scope": "project:p", "text": "The harbour gate opens at six."}
    ]
    assert engine.shares(who=ada)["others"] == engine.shares(who=ME)["mine"]
    assert engine.undo(who=ME, journal_id=number)["ids"] == [uid]
    assert not sees(engine, ada, "The harbour gate opens at six.")
    assert engine.shares(who=ada) == {"mine": [], "others": []}


def test_who_reads_it_changes_nothing(engine: Engine) -> None:
    """One person's memory would be corrected, archived or forgotten by everybody who reads it."""
    uid = engine.remember(who=ME, text="The crane is red.")["id"]
    settle(engine)
    share(engine, uid, "global")
    ada = READERS["ada", "x", "p"]
    assert engine.get(who=ada, id=uid)["text"] == "The crane is red."
    for change in (
        lambda: engine.update(who=ada, id=uid, text="The crane is blue."),
        lambda: engine.confirm(who=ada, id=uid),
        lambda: engine.archive(who=ada, ids=[uid]),
        lambda: engine.forget(who=ada, id=uid),
        lambda: engine.share(who=ada, ids=[uid], to=Scope.parse("project:p")),
        lambda: engine.unshare(who=ada, ids=[uid], of=Scope.parse("global")),
    ):
        with pytest.raises((NotFound, Forbidden)):
            change()
    assert engine.forget(who=ada, query="crane", dry_run=True)["would_forget"] == 0
    assert engine.archive(who=ada, query="crane")["archived"] == 0
    assert [r for r in engine.export(who=ada)["records"] if r["kind"] in {"memory", "shared"}] == []


def test_only_the_person_shares(engine: Engine) -> None:
    """An agent that was told to by a web page would publish what a person keeps to themselves."""
    uid = engine.remember(who=ME, text="The crane is red.")["id"]
    with pytest.raises(Conflict):
        engine.share(who=AGENT, ids=[uid], to=Scope.parse("global"))
    with pytest.raises(Conflict):
        engine.unshare(who=AGENT, ids=[uid], of=Scope.parse("global"))
    for scope in ("session:s1", "user:me"):
        with pytest.raises(InvalidParams):
            engine.share(who=ME, ids=[uid], to=Scope.parse(scope))
    with pytest.raises(InvalidParams):
        engine.unshare(who=ME, ids=[uid], of=Scope.parse("user:sam"))


def test_it_follows_its_owner(engine: Engine) -> None:
    """Others would go on reading what no longer holds, or would be told what a person never chose to share."""
    ada = READERS["ada", "x", "p"]
    uid = engine.remember(who=ME, text="Server A runs Postgres 15.")["id"]
    settle(engine)
    share(engine, uid, "project:p")
    engine.correct(who=ME, id=uid, text="Server A runs Postgres 16.")
    settle(engine)
    assert not sees(engine, ada, "Server A runs Postgres 15.")
    assert sees(engine, ada, "Server A runs Postgres 16.")
    (hit,) = engine.search(who=ada, query="Postgres", kinds=frozenset({Kind.MEMORY}))["hits"]
    assert "Postgres 15" not in str(engine.get(who=ada, id=hit["id"]))
    with pytest.raises(NotFound):
        engine.explain(who=ada, id=hit["id"])
    engine.ingest(who=ME, turns=[user("Server A runs Postgres 17.", None, "e9")])
    settle(engine)
    assert not sees(engine, ada, "Server A runs Postgres 16.")
    assert not sees(engine, ada, "Server A runs Postgres 17.")
    assert engine.unshare(who=ME, ids=[uid], of=Scope.parse("project:p"))["unshared"] == 2
    assert engine.undo(who=ME, last=True)["verb"] == "unshare"
    again = engine.remember(who=ME, text="The depot is closed on Mondays.")["id"]
    settle(engine)
    share(engine, again, "project:p")
    engine.forget(who=ME, id=again)
    assert engine.shares(who=ada)["others"] == []


def test_what_another_user_was_told_is_taken_back_until_it_is_theirs(
    engine: Engine, clock: FixedClock
) -> None:
    """A sentence sent to the wrong person would stay; or one that they have made their own would vanish under them."""
    sam = Who(user="sam", session="s1")
    uid = engine.remember(who=ME, text="The crane is red.")["id"]
    settle(engine)
    first = engine.share(who=ME, ids=[uid], to=Scope.parse("user:sam"))
    settle(engine)
    assert [m["text"] for m in engine.list(who=sam)["items"]] == ["The crane is red."]
    assert engine.undo(who=ME, journal_id=first["journal_id"])["verb"] == "share"
    assert engine.list(who=sam, archive=True)["items"] == []
    clock.advance(1_000)
    second = engine.share(who=ME, ids=[uid], to=Scope.parse("user:sam"))
    engine.confirm(who=sam, id=second["shared"][0]["copy"])
    with pytest.raises(Conflict):
        engine.undo(who=ME, journal_id=second["journal_id"])
    assert len(engine.list(who=sam)["items"]) == 1


def test_shares_move_house(engine: Engine) -> None:
    """An export would lose who may read what; and no agent may bring shares in."""
    uid = engine.remember(who=ME, text="The crane is red.")["id"]
    share(engine, uid, "project:p")
    records = [r for r in engine.export(everybody=True)["records"] if r["kind"] == "shared"]
    assert [(r["item"], r["place"]) for r in records] == [(uid, "project:p")]
    engine.unshare(who=ME, ids=[uid], of=Scope.parse("project:p"))
    assert engine.import_records(who=AGENT, records=records, step=Step.RUN)["refused"] == 1
    assert engine.import_records(who=ME, records=records, step=Step.RUN)["new"] == 1
    assert engine.shares(who=ME)["mine"][0]["scope"] == "project:p"
    assert engine.import_records(who=Who(user="ada"), records=records, step=Step.RUN)["new"] == 0


@given(places=st.lists(st.sampled_from(PLACES), max_size=3, unique=True), back=st.integers(0, 2))
@settings(examples(6), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_share_reaches_exactly_its_scope(deps: Deps, places: list[str], back: int) -> None:
    """Whatever is shared with which scopes: who sees one of them reads it, nobody else does, and undo takes each back."""
    engine = Engine(deps)
    number = next(_NUMBERS)
    words = f"Berth {number} is for pilots."
    uid = engine.remember(who=ME, text=words, origin=Origin.OWNER)["id"]
    changes = [share(engine, uid, place) for place in places]
    for change in changes[: min(back, len(changes))]:
        engine.undo(who=ME, journal_id=change)
    open_to = set(places[min(back, len(changes)) :])
    for reader in READERS.values():
        reached = open_to & {f"project:{reader.project}", f"agent:{reader.agent}", "global"}
        listed = [item["text"] for item in engine.list(who=reader, k=100)["items"]]
        found = [hit["text"] for hit in engine.search(who=reader, query=words, k=20)["hits"]]
        assert (words in listed, words in found) == (bool(reached), bool(reached))
