"""List and recent: everything that is kept, page by page, and nothing of anybody else's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from libra.engine.core import Engine
from libra.engine.paging import After
from libra.engine.verbs import VERBS
from libra.ground.errors import Conflict, Forbidden, InvalidParams
from libra.ground.records import Kind, MemoryType, Scope, Who
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

OTHER = Who(user="other", session="s9")
PORTS = [f"Our port number {n} is for the service called zeta{n}." for n in range(7)]


def _keep(engine: Engine, clock: FixedClock) -> list[str]:
    ids = []
    for text in PORTS:
        clock.advance(1000)
        ids.append(str(engine.remember(who=ME, text=text, type=MemoryType.FACT)["id"]))
    settle(engine)
    return ids


def _ask(engine: Engine, who: Who = ME, **asked: Any) -> dict[str, Any]:
    found: dict[str, Any] = getattr(engine, "list")(  # noqa: B009 - through the declaration, as the socket does
        **(VERBS["list"].check(asked, "me") | {"who": who})
    )
    return found


def _pages(engine: Engine, **asked: Any) -> Iterator[list[str]]:
    page = _ask(engine, **asked)
    yield [i["id"] for i in page["items"]]
    while "next" in page:
        page = _ask(engine, after=page["next"], **asked)
        yield [i["id"] for i in page["items"]]


def test_pages_are_the_whole_list_in_order(engine: Engine, clock: FixedClock) -> None:
    """Nothing twice, nothing left out, whatever the order and although all of a kind have the same priority."""
    ids = _keep(engine, clock)
    engine.set_priority(who=ME, id=ids[3], priority=90)
    engine.confirm(who=ME, id=ids[2])
    for sort, first in (("newest", ids[6]), ("oldest", ids[0]), ("priority", ids[3]), ("confidence", None)):
        pages = list(_pages(engine, k=3, sort=sort))
        assert [len(page) for page in pages] == [3, 3, 1]
        flat = [uid for page in pages for uid in page]
        assert sorted(flat) == sorted(ids)
        assert first in (None, flat[0])
        assert flat == [i["id"] for i in _ask(engine, k=100, sort=sort)["items"]]
    assert [p for page in _pages(engine, k=7, sort="newest") for p in page] == ids[::-1]


def test_a_page_goes_on_although_the_list_changes(engine: Engine, clock: FixedClock) -> None:
    """What is told or forgotten between two pages neither repeats nor hides an entry."""
    ids = _keep(engine, clock)
    page = _ask(engine, k=3)
    engine.forget(who=ME, id=ids[4])
    clock.advance(1000)
    engine.remember(who=ME, text="The harbour was built in 1901.")
    rest = _ask(engine, k=100, after=page["next"])
    assert [i["id"] for i in rest["items"]] == ids[3::-1]


def test_by_confidence_the_age_counts(engine: Engine, clock: FixedClock) -> None:
    """A memory that fades stands below one that does not, and every page sees the time of the first one."""
    clock.now_ms = 1_000_000_000
    fading = engine.remember(who=ME, text="We are waiting for the review of Ada.", type=MemoryType.CONTEXT)[
        "id"
    ]
    lasting = engine.remember(who=ME, text="The harbour was built in 1901.", type=MemoryType.FACT)["id"]
    clock.advance(5 * 86_400_000)
    first = _ask(engine, sort="confidence", k=1)
    assert [i["id"] for i in first["items"]] == [lasting]
    clock.advance(86_400_000)
    second = _ask(engine, sort="confidence", k=1, after=first["next"])
    assert [i["id"] for i in second["items"]] == [fading]
    assert second["items"][0]["confidence"] < first["items"][0]["confidence"]


def test_the_filters_narrow(engine: Engine, clock: FixedClock) -> None:
    """Type, kind, project, scope and time; the archive only if it is asked for."""
    here = Who(user="me", session="s1", project="harbor")
    start = clock.now_ms
    mine = engine.remember(who=here, text="The crane stands on quay nine.", type=MemoryType.FACT)["id"]
    clock.advance(10_000)
    todo = engine.remember(who=ME, text="Call the plumber.", type=MemoryType.TODO)["id"]
    engine.ingest(who=ME, turns=[user("ok", clock.now_ms, "e1")])
    settle(engine)

    def ids(**asked: Any) -> list[str]:
        return [i["id"] for i in _ask(engine, **asked)["items"]]

    assert ids(types=["todo"]) == [todo]
    assert ids(project="harbor") == [mine]
    assert ids(scopes=["user:me"]) == [todo, mine]
    assert ids(scopes=["global"]) == []
    assert ids(since=start + 5_000) == ids(types=["todo"])
    assert ids(until=start + 5_000) == [mine]
    assert [i["kind"] for i in _ask(engine, kinds=["turn"])["items"]] == ["turn"]
    engine.archive(who=ME, ids=[todo])
    assert ids() == [mine]
    shown = _ask(engine, archive=True)["items"]
    assert [(i["id"], "archived" in i) for i in shown] == [(todo, True), (mine, False)]


def test_nobody_lists_what_is_anothers(engine: Engine, clock: FixedClock) -> None:
    """Another person's list is empty, and a scope that is not theirs is refused."""
    _keep(engine, clock)
    assert _ask(engine, OTHER)["items"] == []
    assert engine.recent(who=OTHER)["items"] == []
    with pytest.raises(Forbidden):
        _ask(engine, OTHER, scopes=[Scope.parse("user:me").text])


def test_what_cannot_be_listed_is_said(engine: Engine, clock: FixedClock) -> None:
    """Turns have no priority; a page of one order is no page of another; a made-up place is no place."""
    _keep(engine, clock)
    with pytest.raises(InvalidParams):
        _ask(engine, kinds=["turn"], sort="priority")
    page = _ask(engine, k=1)
    with pytest.raises(InvalidParams):
        _ask(engine, sort="oldest", after=page["next"])
    for text in (
        "",
        "newest",
        "newest.1.2",
        "newest.1.2.x",
        "poem.1.2.3",
        "newest.1.2.٣",
        "newest.1.2." + "9" * 30,
    ):
        with pytest.raises(InvalidParams):
            _ask(engine, after=text)
    assert After.parse("newest.1.-5.3").key == -5


def test_recent_is_by_when_it_was_learnt(engine: Engine, clock: FixedClock) -> None:
    """An old talk that is read today comes before what was told yesterday."""
    clock.now_ms = 1_000_000_000
    told = engine.remember(who=ME, text="The crane stands on quay nine.")["id"]
    clock.advance(1000)
    engine.ingest(who=ME, turns=[user("We decided to deploy on Fridays.", 5_000, "e1")])
    settle(engine)
    found = engine.recent(who=ME, k=10)["items"]
    assert [i["id"] for i in found[-1:]] == [told]
    assert found[0]["ts"] == 5_000
    assert len(engine.recent(who=ME, k=1)["items"]) == 1


def test_long_texts_are_cut_in_the_list_only(engine: Engine) -> None:
    """A page stays readable; get shows the whole."""
    engine.ingest(who=ME, turns=[user("x" * 5_000, 1_000, "e1")])
    (turn,) = _ask(engine, kinds=[Kind.TURN.wire])["items"]
    assert (len(turn["text"]), turn["cut"]) == (1_000, True)
    assert len(engine.get(who=ME, id=turn["id"])["text"]) == 5_000


def test_the_beginning_of_an_id_is_enough(engine: Engine, clock: FixedClock) -> None:
    """Eight characters and more do wherever an id is taken; fewer do not."""
    uid = _keep(engine, clock)[0]
    short = uid[:8]
    assert engine.get(who=ME, id=short)["id"] == uid
    assert engine.explain(who=ME, id=short)["id"] == uid
    assert engine.describe(who=ME, id=short)["id"] == uid
    assert engine.confirm(who=ME, id=short)["id"] == uid
    assert engine.pin(who=ME, id=short)["id"] == uid
    assert engine.update(who=ME, id=short, priority=3)["id"] == uid
    assert engine.archive(who=ME, ids=[short])["ids"] == [uid]
    assert engine.unarchive(who=ME, ids=[short])["ids"] == [uid]
    assert engine.expand(short, ME)["items"] == []
    assert engine.forget(who=ME, id=short, dry_run=True)["ids"] == [uid]
    for who, part in ((ME, uid[:7]), (OTHER, short), (ME, short[:-1] + "%")):
        with pytest.raises(Exception, match="no record with that id"):
            engine.get(who=who, id=part)
    assert engine.forget(who=ME, ids=[short])["ids"] == [uid]


def test_an_id_that_several_begin_with_is_refused(engine: Engine, clock: FixedClock) -> None:
    """It says how many there are; nothing is done to any of them."""
    ids = _keep(engine, clock)
    store = engine.deps.store
    twins = ["m1234567" + "a" * 16, "m1234567" + "b" * 16]
    for old, new in zip(ids, twins, strict=False):
        store.write(lambda tx, o=old, n=new: tx.run("UPDATE item SET uid = ? WHERE uid = ?", (n, o))).result()
    with pytest.raises(Conflict, match="2 records") as refused:
        engine.forget(who=ME, id="m1234567")
    assert refused.value.reason == "ambiguous"
    assert engine.get(who=ME, id="m1234567a")["id"] == twins[0]
