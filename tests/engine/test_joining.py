"""The sweep: memories that say the same become one, and can be taken apart for good."""

from __future__ import annotations

from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.ground.records import Kind, MemoryType, Who
from libra.lifecycle.consolidate import content_hash
from libra.store import memories
from libra.store.memories import NewMemory
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle

_DAY = 86_400_000


def _store(deps: Deps, text: str, ts_ms: int, **more: object) -> str:
    """Put a memory into the store past the path that would have merged it, as older versions and imports did."""
    uid = f"m{content_hash(text + str(ts_ms))[:12]}"
    new = NewMemory(
        uid=uid, user="me", type=MemoryType.FACT, text=text, tokens=8, ts_ms=ts_ms, content_hash=content_hash(text), **more,
    )  # type: ignore[arg-type] # fmt: skip
    deps.store.write(lambda tx: memories.insert(tx, new, ts_ms)).result()
    deps.wake()
    return uid


def _active(engine: Engine, query: str) -> list[str]:
    hits = engine.search(who=ME, query=query, kinds=frozenset({Kind.MEMORY}), k=20)["hits"]
    return [h["text"] for h in hits if "archived" not in h]


def test_equal_and_nearly_equal_ones_are_joined(engine: Engine, deps: Deps, clock: FixedClock) -> None:
    """The older id stays with both tellings, the newer words and the better confidence; undone, both are as before."""
    older = _store(deps, "The deploy window is Friday evening.", clock.now_ms)
    newer = _store(deps, "the deploy window is Friday evening", clock.now_ms + _DAY, confidence=0.8)
    settle(engine)
    settle(engine)
    assert _active(engine, "deploy window") == ["the deploy window is Friday evening"]
    kept = engine.get(id=older, who=ME)
    assert (kept["confirmations"], kept["confidence"]) == (2, 0.8)
    shown = engine.explain(id=older, who=ME)
    assert shown["valid_from"] == clock.now_ms
    assert ("merged_from", newer) in {(r["kind"], r["id"]) for r in shown["relations"]}
    assert engine.undo(who=ME, last=True)["verb"] == "join"
    settle(engine)
    settle(engine)
    assert sorted(_active(engine, "deploy window")) == [
        "The deploy window is Friday evening.",
        "the deploy window is Friday evening",
    ]
    assert engine.get(id=older, who=ME)["confirmations"] == 1


def test_other_numbers_names_and_negations_stay_apart(engine: Engine, deps: Deps, clock: FixedClock) -> None:
    """However near in meaning: what differs in a particular is another fact."""
    texts = [
        *("We keep the logs for 30 days.", "We keep the logs for 90 days."),
        *("Linh reviews the parser.", "Huy reviews the parser."),
        *("The API supports paging.", "The API does not support paging."),
    ]
    for n, text in enumerate(texts):
        _store(deps, text, clock.now_ms + n)
    settle(engine)
    settle(engine)
    assert sorted(_active(engine, "logs parser API paging days reviews")) == sorted(texts)


def test_an_agents_word_never_stands_for_the_persons(engine: Engine, deps: Deps, clock: FixedClock) -> None:
    """Nor does another user's: isolation and origin come before tidiness."""
    text = "The harbour loader lives in the north wing."
    _store(deps, text, clock.now_ms, role="user")
    _store(deps, text, clock.now_ms + 1, role="assistant")
    engine.remember(who=Who(user="other"), text=text)
    settle(engine)
    settle(engine)
    assert _active(engine, "harbour loader") == [text, text]


def test_the_sweep_ends(engine: Engine, deps: Deps, clock: FixedClock) -> None:
    """Each memory is looked at once, in rounds; the worker comes to rest."""
    for n in range(40):
        _store(deps, f"Fact number {n} is about thing{n} alone.", clock.now_ms + n)
    settle(engine)
    settle(engine)
    with deps.store.snapshot() as s:
        assert (
            memories.newer_than(s, int(s.value("SELECT value FROM meta WHERE key = 'memories.swept'")), 5)
            == []
        )


def test_what_has_expired_can_be_brought_back(engine: Engine, clock: FixedClock) -> None:
    """Undone by its number, and kept from then on; the last change of a person is not hidden by it."""
    uid = engine.remember(who=ME, text="I need to call the plumber.", type=MemoryType.TODO)["id"]
    number = engine.confirm(id=engine.remember(who=ME, text="We deploy on Fridays.")["id"], who=ME)[
        "journal_id"
    ]
    clock.advance(31 * _DAY)
    engine.background.wake()
    settle(engine)
    assert not engine.get(id=uid, who=ME)["active"]
    entry = engine.journal(who=ME)["entries"][0]
    assert (entry["verb"], entry["actor"]) == ("archive", "libra")
    engine.undo(who=ME, journal_id=entry["id"])
    settle(engine)
    found = engine.get(id=uid, who=ME)
    assert (found["active"], found["expires"]) == (True, None)
    assert number < entry["id"]
