"""The canary: a made-up turn goes the whole way and leaves nothing behind; where it stops is said."""

from __future__ import annotations

from typing import Any

import pytest

from libra.engine.background import embed_batch
from libra.engine.canary import Canary
from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.ground.errors import SourceError
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


def test_nobody_meets_it_on_its_way(engine: Engine, deps: Deps) -> None:
    """Who counts, copies or takes out the whole database while it is under way gets it without."""
    canary = engine.canary
    for look in (engine.status, lambda: engine.export(everybody=True), engine.backup):
        canary._start()
        settle(engine)
        assert engine.search(query="yellow bird in the old coal mine", who=ME)["hits"] == []
        assert "coal mine" not in str(look())
        assert "coal mine" not in str(everything(deps))


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


def test_a_vector_that_never_comes_is_named(deps: Deps) -> None:
    """The worker has stopped: words are found, meanings are not."""
    engine = Engine(deps)
    engine.use_model(FakeEmbedder(dims=128))
    canary = Canary(deps)
    assert canary.fly(lambda: None)["step"] == "embedding"
    assert "coal mine" not in str(everything(deps))


def test_what_a_crash_has_left_goes_first(engine: Engine, deps: Deps) -> None:
    """A canary that was under way when the machine stopped would stay in the database."""
    Canary(deps)._start()
    assert engine.self_check()["canary"]["ok"] is True
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
