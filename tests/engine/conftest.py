"""An engine over a real store with the fake embedder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest

from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.ground.records import NewTurn, Origin, Role, Who
from libra.inference.fake import FakeEmbedder
from libra.store.store import Store, StoreParams
from tests.conftest import FixedClock

ME = Who(user="me", session="s1")


@pytest.fixture
def deps(data_dir: Path, clock: FixedClock) -> Iterator[Deps]:
    """Yield the shared parts; no model yet."""
    store = Store.open(data_dir / "libra.db", StoreParams(), clock)
    yield Deps(store=store, model=ModelSlot(), params=EngineParams(default_user="me"), clock=clock, zone=UTC)
    store.close()


@pytest.fixture
def engine(deps: Deps) -> Iterator[Engine]:
    """Yield a running engine with the fake embedder."""
    made = Engine(deps)
    made.use_model(FakeEmbedder(dims=128))
    made.start()
    yield made
    made.stop()


def user(text: str, ts_ms: int | None = None, event: str | None = None) -> NewTurn:
    """Return what the person says."""
    return NewTurn(Role.USER, text, ts_ms, event, Origin.OWNER)


def assistant(text: str, ts_ms: int | None = None, event: str | None = None) -> NewTurn:
    """Return what the agent says."""
    return NewTurn(Role.ASSISTANT, text, ts_ms, event, Origin.AGENT)


def settle(engine: Engine) -> None:
    """Wait until everything is embedded and judged."""
    assert engine.drain(timeout_ms=30_000) == {"pending": 0}
