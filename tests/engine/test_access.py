"""Access lists: what the configuration opens is read, never changed; everything else is not there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.ground.errors import Forbidden, NotFound
from libra.ground.records import DocumentText, Kind, Scope, Who
from libra.inference.fake import FakeEmbedder
from tests.engine.conftest import settle, user

ADA = Who(user="ada", session="a", agent="main")
BEN = Who(user="ben", session="b", agent="main")
OPS = Who(user="ops", session="o", agent="ops")
NOSY = Who(user="nosy", session="n", agent="nosy")
TOLD = "My sister Linh lives in Da Nang."


@pytest.fixture
def world(deps: Deps) -> Iterator[Engine]:
    """Yield an engine in which ops may read ada's memory and the notes of the project p."""
    deps.params = replace(deps.params, access={"ops": ("user:ada", "project:p")})
    engine = Engine(deps)
    engine.use_model(FakeEmbedder(dims=128))
    engine.start()
    engine.ingest(who=ADA, turns=[user(TOLD, 1000, "e1")])
    engine.ingest(who=BEN, turns=[user("My brother Huy lives in Hue.", 1000, "e2")])
    note = "The harbour project keeps its logs on the third shelf."
    engine.document(DocumentText("/w/p/notes.md", note, "any", Scope.parse("project:p"), instructions=False))
    settle(engine)
    yield engine
    engine.stop()


def _found(engine: Engine, who: Who, query: str) -> list[str]:
    kinds = frozenset({Kind.MEMORY, Kind.LORE, Kind.TURN})
    return [hit["text"] for hit in engine.search(who=who, query=query, kinds=kinds)["hits"]]


def _memory(engine: Engine, who: Who) -> str:
    return str(engine.search(who=who, query="lives in", kinds=frozenset({Kind.MEMORY}))["hits"][0]["id"])


def test_a_grant_opens_reading(world: Engine) -> None:
    """Searched, recalled, shown, walked and explained; ada's sessions are not part of the grant, ben's nothing is."""
    assert _found(world, OPS, "sister Linh lives")[0] == TOLD
    assert _found(world, OPS, "harbour logs shelf") != []
    assert all("Huy" not in text for text in _found(world, OPS, "brother Huy lives in Hue"))
    uid = _memory(world, ADA)
    shown = world.get(id=uid, who=OPS)
    assert (shown["text"], shown["told_by"]) == (TOLD, [])
    assert len(world.get(id=uid, who=ADA)["told_by"]) == 1
    assert world.explain(id=uid, who=OPS)["text"] == TOLD
    assert world.explain(id=uid, who=OPS)["tellings"] == []
    assert world.expand(uid, OPS)["items"] == []
    assert TOLD in world.assemble(who=OPS, query="Where does the sister live?", budget_tokens=1000)["text"]


def test_a_rule_that_may_be_read_is_no_rule(world: Engine) -> None:
    """What ada wants of her agent is not put before the agent of somebody who may read it."""
    world.ingest(who=ADA, turns=[user("Always answer in metric units.", 3000, "e4")])
    settle(world)
    for who, tiers in ((Who(user="ada", session="later", agent="main"), ["guidance"]), (OPS, [])):
        items = world.assemble(who=who, query="How far is the harbour?", budget_tokens=1000)["items"]
        assert [i["tier"] for i in items if i["tier"] == "guidance"] == tiers


def test_without_one_nothing_is_there(world: Engine) -> None:
    """The same reads, for an agent without a grant: not found, and forbidden where the scope is asked for by name."""
    uid = _memory(world, ADA)
    for who in (BEN, NOSY):
        assert TOLD not in _found(world, who, "sister Linh lives in Da Nang")
        assert (
            "Linh"
            not in world.assemble(who=who, query="Where does the sister live?", budget_tokens=1000)["text"]
        )
        for read in (world.get, world.explain):
            with pytest.raises(NotFound):
                read(id=uid, who=who)
        with pytest.raises(NotFound):
            world.expand(uid, who)
        for scope in ("user:ada", "project:p", "agent:ops", "session:ada/a"):
            with pytest.raises(Forbidden):
                world.search(who=who, query="x", scopes=(Scope.parse(scope),))


def test_a_grant_does_not_open_changing(world: Engine) -> None:
    """Confirm, correct, update and forget are for the owner alone; the record stays as it is."""
    uid = _memory(world, ADA)
    before = world.get(id=uid, who=ADA)
    with pytest.raises(Forbidden):
        world.confirm(id=uid, who=OPS)
    with pytest.raises(Forbidden):
        world.correct(id=uid, text="My sister Linh lives in Hue.", who=OPS)
    with pytest.raises(Forbidden):
        world.update(id=uid, priority=1, who=OPS)
    with pytest.raises(Forbidden):
        world.forget(id=uid, who=OPS)
    with pytest.raises(Forbidden):
        world.forget(query="sister Linh", who=OPS)
    for change in (world.pin, world.unpin, world.set_priority, world.extend):
        with pytest.raises(Forbidden):
            change(id=uid, who=OPS)
    with pytest.raises(Forbidden):
        world.archive(ids=[uid], who=OPS)
    with pytest.raises(Forbidden):
        world.archive(query="sister Linh", who=OPS)
    world.archive(ids=[uid], who=ADA)
    with pytest.raises(Forbidden):
        world.unarchive(ids=[uid], who=OPS)
    world.undo(who=ADA, last=True)
    assert world.get(id=uid, who=ADA) == before
    with pytest.raises(NotFound):
        world.undo(who=OPS, last=True)


def test_writes_stay_in_the_writers_scope(world: Engine) -> None:
    """What an agent with a grant is told goes into its own user's memory, and touches nothing of the other's."""
    world.ingest(who=OPS, turns=[user("My sister Linh lives in Hue.", 2000, "e3")])
    world.remember(who=OPS, text="My sister Linh lives in Saigon.")
    settle(world)
    assert _found(world, ADA, "sister Linh lives")[0] == TOLD
    assert all(
        "Hue" not in text and "Saigon" not in text
        for text in _found(world, ADA, "sister Linh lives in Hue Saigon")
    )
    scopes = {
        hit["scope"]
        for hit in world.search(who=OPS, query="Saigon", kinds=frozenset({Kind.MEMORY}))["hits"]
        if "Saigon" in hit["text"]
    }
    assert scopes == {"user:ops"}
