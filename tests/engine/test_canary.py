"""The canary: a made-up turn goes the whole way and leaves nothing behind; where it stops is said."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from typing import Any

import pytest

from libra.engine.background import embed_batch
from libra.engine.canary import USER, Canary
from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.engine.promote import promote_batch
from libra.engine.verbs import VERBS
from libra.ground.errors import LibraError, SourceError
from libra.ground.records import NewTurn
from libra.inference.fake import FakeEmbedder
from libra.store.wipe import tables
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

DAY_MS = 86_400_000


def everything(deps: Deps) -> dict[str, list[Any]]:
    """Return all rows of all tables."""
    with deps.store.snapshot() as s:
        return {t.name: s.rows(f'SELECT * FROM "{t.name}"') for t in tables(s)}  # noqa: S608 - names of our own tables


def test_it_arrives_and_leaves_nothing(engine: Engine, deps: Deps) -> None:
    """A test turn in somebody's memory, export or statistics would be worse than none."""
    engine.ingest(who=ME, turns=[user("We deploy on Fridays, never on Mondays.")])
    settle(engine)
    before = everything(deps)
    told = engine.status()["counts"]
    done = engine.self_check()
    assert done["canary"]["ok"] is True
    assert done["mended"] is False
    assert {name for name, rows in everything(deps).items() if rows != before[name]} <= {
        "meta",
        "sqlite_sequence",
    }
    assert "canary" not in str(everything(deps))
    assert engine.status()["counts"] == told
    assert engine.status()["canary"]["ok"] is True


def scrub(engine: Engine) -> Any:
    """Return what a scrub of the canary's words would find."""
    return engine.scrub(who=ME, text="yellow bird")["values"] or ""


LOOKS: list[Callable[[Engine], Any]] = [
    lambda engine: engine.status(),
    lambda engine: engine.export(everybody=True),
    lambda engine: engine.backup(),
    lambda engine: engine.reindex(dry_run=True),
    scrub,
]
CLEARING = {"status", "export", "backup", "reindex", "scrub", "self_check"}
"""Verbs before whose answer it is taken out."""


def under_way(deps: Deps) -> Engine:
    """Return an engine whose worker does not run, with a canary that has its vector and was judged by the gate."""
    engine = Engine(deps)
    engine.use_model(FakeEmbedder(dims=128))
    engine.ingest(who=ME, turns=[user("We deploy on Fridays, never on Mondays.")])
    engine.canary._start()
    while embed_batch(deps, 16) or promote_batch(deps, 16):
        pass
    assert "coal mine" in str(everything(deps))
    return engine


@pytest.mark.parametrize("look", LOOKS)
def test_nobody_meets_it_on_its_way(deps: Deps, look: Callable[[Engine], Any]) -> None:
    """Who counts, copies, looks through or takes out the whole database while it is under way gets it without."""
    engine = under_way(deps)
    assert "coal mine" not in str(engine.search(query="yellow bird in the old coal mine", who=ME))
    assert "coal mine" not in str(look(engine))
    assert "coal mine" not in str(everything(deps))


def test_no_answer_shows_it(deps: Deps) -> None:
    """A made-up turn in a list, a timeline or a person's page would be taken for something that was said."""
    engine = under_way(deps)
    for verb in VERBS.values():
        if verb.changes or verb.name in {*CLEARING, "drain"}:
            continue
        for who in ({"user": "me", "session": "s1"}, {"user": "else", "host": "codex"}):
            asked = dict(verb.example)
            if any(param.name == "who" for param in verb.params):
                asked["who"] = who
            try:
                told = str(getattr(engine, verb.name)(**verb.check(asked, "me")))
            except LibraError:
                continue
            assert "coal mine" not in told, verb.name
            assert USER not in told, verb.name
    assert "coal mine" in str(everything(deps))


def test_the_daily_copy_does_not_hold_it(deps: Deps, clock: FixedClock) -> None:
    """The made-up turn would stand in a copy for as long as that is kept, and come back with it."""
    engine = Engine(deps)
    engine.use_model(FakeEmbedder(dims=128))
    engine.ingest(who=ME, turns=[user("We deploy on Fridays, never on Mondays.")])
    clock.advance(2 * DAY_MS)
    engine.canary._start()
    engine.start()
    settle(engine)
    engine.stop()
    (copy,) = deps.store.backups.glob("*.gz")
    assert b"coal mine" not in gzip.decompress(copy.read_bytes())


def test_it_flies_when_it_is_due(deps: Deps, clock: FixedClock) -> None:
    """A broken step is found without anybody asking; and not every half a minute."""
    Engine(deps).use_model(FakeEmbedder(dims=128))
    canary = Canary(deps)
    assert not canary.work()
    clock.advance(DAY_MS)
    assert canary.work()
    embed_batch(deps, 16)
    assert canary.work()
    assert canary.state()["ok"] is True
    assert not canary.work()
    assert "coal mine" not in str(everything(deps))


@pytest.mark.parametrize("reason", ["file", "watcher", "reader"])
def test_the_step_that_fails_is_named(engine: Engine, reason: str) -> None:
    """A memory that silently learns nothing looks like one that has nothing to learn."""

    def broken(_text: str) -> tuple[NewTurn, ...]:
        raise SourceError("it broke", reason=reason)

    engine.canary.read_with(broken)
    engine.self_check()
    status = engine.status()
    assert status["canary"] == {"ok": False, "ts": status["canary"]["ts"], "step": "file", "reason": reason}
    assert any(line.startswith("canary: ") and reason in line for line in status["degraded"])


def test_nobody_waits_for_a_file_that_is_not_seen(engine: Engine) -> None:
    """On a disk that tells of no change, the status would stand still for as long as the canary waits for its file."""
    started, answered, in_time = threading.Event(), threading.Event(), []

    def slow(text: str) -> tuple[NewTurn, ...]:
        started.set()
        in_time.append(answered.wait(5))
        return (user(text),)

    engine.canary.read_with(slow)
    flying = threading.Thread(target=engine.self_check)
    flying.start()
    assert started.wait(5)
    engine.status()
    answered.set()
    flying.join(30)
    assert in_time == [True]
    assert engine.status()["canary"]["ok"] is True


def test_a_vector_that_never_comes_is_named(deps: Deps) -> None:
    """The worker has stopped: words are found, meanings are not."""
    engine = Engine(deps)
    engine.use_model(FakeEmbedder(dims=128))
    canary = Canary(deps)
    assert canary.fly(lambda: None)["step"] == "embedding"
    assert "coal mine" not in str(everything(deps))


@pytest.mark.parametrize("look", [*LOOKS, lambda engine: engine.self_check()])
def test_what_a_crash_has_left_goes_first(engine: Engine, deps: Deps, look: Callable[[Engine], Any]) -> None:
    """A canary that was under way when the machine stopped would stay in the database, and be counted and exported."""
    Canary(deps)._start()
    assert "coal mine" not in str(look(engine))
    assert "coal mine" not in str(everything(deps))


def test_self_check_mends(engine: Engine, deps: Deps) -> None:
    """A vector that is missing would make its text invisible to questions in other words, for good."""
    engine.ingest(who=ME, turns=[user("The relay listens on port 7443.")])
    settle(engine)
    deps.store.write(lambda tx: tx.run("DELETE FROM chunk")).result()
    done = engine.self_check()
    assert done["faults"]["without_vector"] >= 1
    assert done["mended"] is True
    assert engine.self_check()["faults"]["without_vector"] == 0
