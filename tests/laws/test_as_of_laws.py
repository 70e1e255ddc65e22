"""The law of going back in time: a prompt for an earlier time holds what the prompt of that time held."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from typing import Any

from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from libra.assembly.ranker import RankParams
from libra.engine.background import embed_batch
from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.engine.promote import promote_batch
from libra.ground.records import NewTurn, Origin, Role, Who
from libra.inference.fake import FakeEmbedder
from libra.store import vectors
from libra.store.store import Store, StoreParams
from tests.conftest import FixedClock, examples

START_MS = 1_775_001_600_000
_HOUR_MS = 3_600_000
_RARER = 0.02
_FAKE = FakeEmbedder(dims=64)
SAID = (
    "I live in Hanoi.", "I live in Da Nang.", "I live in Porto.", "We use Postgres for the queue.",
    "We switched the queue to SQLite.", "We decided to deploy on Fridays.", "We decided to deploy on Mondays.",
    "My favourite colour is blue.", "My favourite colour is green now.", "The crane at src/yard/crane.py fails with E_TIMEOUT.",
)  # fmt: skip
ASKED = (
    "Where do I live?",
    "Which database holds the queue?",
    "When do we deploy?",
    "What is wrong with the crane?",
)
_STEP = st.tuples(st.integers(1, 400), st.sampled_from(SAID), st.sampled_from(ASKED))


@contextmanager
def _engine() -> Iterator[tuple[Engine, FixedClock]]:
    with tempfile.TemporaryDirectory() as folder:
        clock = FixedClock(START_MS)
        store = Store.open(Path(folder) / "libra.db", StoreParams(), clock)
        deps = Deps(
            store=store, model=ModelSlot(), params=EngineParams(default_user="me"), clock=clock, zone=UTC
        )
        store.write(lambda tx: vectors.begin_model(tx, _FAKE.fingerprint, _FAKE.dims)).result()
        deps.model.ready(_FAKE)
        try:
            yield Engine(deps), clock
        finally:
            store.close()


def _recalled(engine: Engine, asked: str, number: int, as_of: int | None = None) -> dict[str, float]:
    """Return what was recalled and how relevant it was, in a session of its own: what was shown lately in another has no say."""
    who = Who(user="me", agent="main", session=f"ask{number}")
    answer: dict[str, Any] = engine.assemble(
        who=who, query=asked, budget_tokens=8_000, as_of=as_of, deadline_ms=60_000
    )
    return {item["id"]: item["why"]["relevance"] for item in answer["items"] if item["tier"] == "recall"}


def _surely(recalled: dict[str, float]) -> set[str]:
    """Return what did not stand just above the floor: how rare a word is counts by what is known today, and that moves relevance a little."""
    return {item for item, relevance in recalled.items() if relevance >= RankParams().floor + _RARER}


_RARER_SINCE = [
    (323, "We decided to deploy on Mondays.", "When do we deploy?"),
    (201, "We decided to deploy on Fridays.", "Which database holds the queue?"),
    (297, "The crane at src/yard/crane.py fails with E_TIMEOUT.", "When do we deploy?"),
    (297, "The crane at src/yard/crane.py fails with E_TIMEOUT.", "When do we deploy?"),
    (294, "My favourite colour is blue.", "When do we deploy?"),
    (310, "My favourite colour is green now.", "What is wrong with the crane?"),
    (190, "I live in Porto.", "When do we deploy?"),
]
"""One more line made "crane" rarer, and took what had stood 0.0002 above the floor below it."""


@example(steps=_RARER_SINCE)
@given(steps=st.lists(_STEP, min_size=1, max_size=8))
@settings(examples(12), deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
def test_a_prompt_of_then_is_the_prompt_that_was(steps: list[tuple[int, str, str]]) -> None:
    """Who asks why an agent knew something sees what it was really given, not what it would be given today."""
    with _engine() as (engine, clock):
        then = []
        for number, (hours, said, asked) in enumerate(steps):
            clock.advance(hours * _HOUR_MS)
            turn = NewTurn(Role.USER, said, clock.now_ms, f"e{number}", Origin.OWNER)
            engine.ingest(who=Who(user="me", agent="main", session=f"talk{number}"), turns=[turn])
            while embed_batch(engine.deps, 64) or promote_batch(engine.deps, 64):
                pass
            clock.advance(1_000)
            then.append((clock.now_ms, asked, _recalled(engine, asked, number)))
        clock.advance(1_000 * _HOUR_MS)
        for number, (at_ms, asked, was) in enumerate(then):
            now = _recalled(engine, asked, 100 + number, at_ms)
            assert _surely(was) <= now.keys()
            assert _surely(now) <= was.keys()
