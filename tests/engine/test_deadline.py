"""A deadline: what is ready goes out in time, whatever is slow."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.ground.errors import StoreBusy
from libra.ground.records import DocumentText, Scope, ScopeKind, Who
from libra.ground.vectors import Vector
from libra.inference.fake import FakeEmbedder
from libra.store.store import Snapshot
from tests.engine.conftest import settle, user

ME = Who(user="me", session="s1")
_RULE = "- Never restart the relay without a backup.\n"


class Slow(FakeEmbedder):
    """Embeds no question before it is let go."""

    def __init__(self) -> None:
        super().__init__(dims=128)
        self.go = threading.Event()
        self.go.set()

    def embed_query(self, text: str) -> Vector:
        """Wait, then embed."""
        self.go.wait(30)
        return super().embed_query(text)


@pytest.fixture
def model() -> Slow:
    """Return a model that is not slow yet."""
    return Slow()


@pytest.fixture
def told(deps: Deps, model: Slow, data_dir: Path) -> Iterator[Engine]:
    """Yield an engine that knows a rule and forty turns."""
    engine = Engine(deps)
    engine.use_model(model)
    engine.start()
    rules = data_dir / "AGENTS.md"
    rules.write_text(_RULE, encoding="utf-8")
    engine.document(
        DocumentText(
            path=str(rules), host="openclaw", scope=Scope(ScopeKind.GLOBAL), text=_RULE, mtime_ns=1,
            size=len(_RULE), instructions=True,
        )
    )  # fmt: skip
    engine.ingest(
        who=Who(user="me", session="s0"),
        turns=[user(f"The relay of pier {n} listens on port {7000 + n}.", 1000 + n) for n in range(40)],
    )
    engine.ingest(who=ME, turns=[user("We talk about the relay now.", 9000)])
    settle(engine)
    yield engine
    model.go.set()
    engine.stop()


def test_a_slow_model_costs_its_part_only(told: Engine, model: Slow) -> None:
    """The embedding never comes: the answer does, with rules, conversation and what is found by words."""
    model.go.clear()
    answer = told.assemble(
        who=ME, query="on which port does the relay of pier 7 listen?", budget_tokens=2000, deadline_ms=2000
    )
    assert not model.go.is_set()
    assert "Never restart the relay" in answer["stable"]
    assert "7007" in answer["text"]
    assert any(line.startswith("deadline:") for line in answer["degraded"])


def test_no_time_is_left_to_search(told: Engine, deps: Deps) -> None:
    """The machine was busy elsewhere until the time was over: rules and conversation go out, and it is said what is missing."""
    real = deps.clock

    def late() -> int:
        until = time.monotonic() + 0.02
        while time.monotonic() < until:
            pass
        return real()

    deps.clock = late
    answer = told.assemble(
        who=ME, query="on which port does the relay of pier 7 listen?", budget_tokens=2000, deadline_ms=10
    )
    assert "Never restart the relay" in answer["stable"]
    assert "We talk about the relay now." in answer["volatile"]
    assert "7007" not in answer["text"]
    assert [line for line in answer["degraded"] if line.startswith("deadline: not everything")]


def test_a_snapshot_that_is_ended_under_a_question(told: Engine, deps: Deps) -> None:
    """A question that took so long that its snapshot was ended is answered with what it had, not with an error."""
    real = deps.clock
    cut = threading.Event()

    def ended() -> int:
        if not cut.is_set():
            cut.set()
            assert deps.store._pool.expire(-1000) >= 1
        return real()

    deps.clock = ended
    answer = told.assemble(
        who=ME, query="on which port does the relay of pier 7 listen?", budget_tokens=2000,
        messages=[user("We talk about the relay now.", 9000)],
    )  # fmt: skip
    assert cut.is_set()
    assert "We talk about the relay now." in answer["volatile"]


@pytest.mark.parametrize("verb", ["search", "compact"])
def test_a_snapshot_that_is_ended_under_a_search_or_a_compaction(told: Engine, deps: Deps, verb: str) -> None:
    """On a machine that gave Libra no processor for five seconds, the person got an error instead of what they had asked for."""
    real = deps.store.snapshot
    cut = threading.Event()

    @contextmanager
    def ended() -> Iterator[Snapshot]:
        with real() as snapshot:
            if not cut.is_set():
                cut.set()
                assert deps.store._pool.expire(-1000) >= 1
            yield snapshot

    deps.store.snapshot = ended  # type: ignore[method-assign]
    if verb == "search":
        assert told.search(who=ME, query="the relay of pier 7")["hits"]
    else:
        assert told.compact(who=Who(user="me", session="s0"), force=True)["ok"]
    assert cut.is_set()


def test_a_search_that_never_ends_is_ended(deps: Deps) -> None:
    """Whatever SQLite is doing stops at the time, and the same snapshot can be read on."""
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    with deps.store.snapshot() as snapshot:
        with pytest.raises(StoreBusy) as ended, snapshot.until(time.monotonic() + 0.05):
            snapshot.rows(endless)
        assert ended.value.reason == "read_too_long"
        with pytest.raises(StoreBusy), snapshot.until(time.monotonic()):
            snapshot.rows("SELECT 1")
        assert snapshot.rows("SELECT 1") == [(1,)]
