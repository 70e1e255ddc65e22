"""Laws of compaction over random histories with crashes in between (memory-model.md §8)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libra.engine.compact import compact
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.engine.expand import expand
from libra.engine.ingest import ingest
from libra.ground.errors import StoreFull
from libra.ground.records import NewTurn, Origin, Role, Who
from libra.inference.fake import FakeEmbedder
from libra.store import summaries, turns, vectors
from libra.store.store import Store, StoreParams
from libra.store.summaries import Committed, SummaryRow
from libra.store.writer import WriteTx

ME = Who(user="me", session="s")
SESSION = "me/s"
FAKE = FakeEmbedder(dims=64)
SAID = st.sampled_from(
    [
        *(
            "The harbour service reads config.toml twice on a cold start.",
            "Never restart it without a backup.",
            "ok",
        ),
        *(
            "I raised the limit to 120 s because the slowest line needs 90 s.",
            "thanks!",
            "It failed with ETIMEDOUT in src/net.py.",
        ),
    ]
)
TURN = st.tuples(st.sampled_from([Role.USER, Role.ASSISTANT, Role.TOOL]), SAID)
STEP = st.one_of(
    st.tuples(st.just("say"), st.lists(TURN, min_size=1, max_size=45)),
    st.tuples(st.just("compact"), st.one_of(st.none(), st.integers(1, 3))),
)


@contextmanager
def _opened() -> Iterator[Deps]:
    """Yield an engine's parts over a store of their own."""
    with tempfile.TemporaryDirectory(prefix="lb-") as folder:
        now = [1_775_000_000_000]
        store = Store.open(Path(folder) / "libra.db", StoreParams(), lambda: now[0])
        deps = Deps(
            store=store,
            model=ModelSlot(),
            params=EngineParams(default_user="me"),
            clock=lambda: now[0],
            zone=UTC,
        )
        store.write(lambda tx: vectors.begin_model(tx, FAKE.fingerprint, FAKE.dims)).result()
        deps.model.ready(FAKE)
        try:
            yield deps
        finally:
            store.close()


def _say(deps: Deps, said: list[tuple[Role, str]], place: int) -> None:
    origin = {Role.USER: Origin.OWNER, Role.ASSISTANT: Origin.AGENT, Role.TOOL: Origin.TOOL}
    new = [
        NewTurn(role, f"{text} ({place + i})", 1_775_000_000_000 + place + i, f"e{place + i}", origin[role])
        for i, (role, text) in enumerate(said)
    ]
    ingest(deps, ME, new, None)


def _compact(deps: Deps, crash_at: int | None) -> None:
    """Compact; with ``crash_at``, that cluster's transaction fails after its rows were written."""
    real, count = summaries.commit, [0]

    def commit(tx: WriteTx, row: SummaryRow, covered: list[int], kept: list[int], now_ms: int) -> Committed:
        done = real(tx, row, covered, kept, now_ms)
        count[0] += 1
        if count[0] == crash_at:
            raise StoreFull("crash")
        return done

    with patch.object(summaries, "commit", commit):
        try:
            answer = compact(deps, ME, force=True)
        except StoreFull:
            return
    assert answer["ok"]
    assert answer["did_compact"] == (answer["tokens_after"] < answer["tokens_before"])
    assert not compact(deps, ME, force=True)["did_compact"]


def _check(deps: Deps, said: int) -> None:
    """Every turn is uncovered or below exactly one topmost summary; no cycle; texts are untouched."""
    with deps.store.snapshot() as s:
        every = turns.turns_of(s, SESSION)
        tops = summaries.of_session(s, SESSION, uncovered=True)
        whole = summaries.of_session(s, SESSION)
        guidance = summaries.guidance_of(s, SESSION)
        edges = {row.uid: [child.uid for child in summaries.children(s, row.uid)] for row in whole}
        figures = summaries.details(s, [row.id for row in whole])
    assert len(every) == said
    children = [child for below in edges.values() for child in below]
    assert len(children) == len(set(children))
    level = {row.uid: row.level or 0 for row in whole} | {row.uid: 0 for row in every}
    assert all(level[child] == level[parent] - 1 for parent, below in edges.items() for child in below)
    assert all(row.tokens < figures[row.id].tokens_in for row in whole)
    reached = [
        item["id"]
        for top in tops
        for item in expand(deps, ME, top.uid, 64, 10**7)["items"]
        if item["kind"] == "turn"
    ]
    uncovered = [row.uid for row in every if not row.covered]
    assert sorted(reached + uncovered) == sorted(row.uid for row in every)
    assert all(row.active != row.covered for row in every)
    assert uncovered[-4:] == [row.uid for row in every[-4:]]
    assert {row.text for row in guidance} <= {row.text for row in every if row.role == "user"}


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEP, min_size=1, max_size=6))
def test_every_turn_is_reachable_or_uncovered(steps: list[tuple[str, object]]) -> None:
    """Whatever is said, compacted, and interrupted in whatever order."""
    said = 0
    with _opened() as deps:
        for verb, value in steps:
            if verb == "say":
                assert isinstance(value, list)
                _say(deps, value, said)
                said += len(value)
            else:
                assert value is None or isinstance(value, int)
                _compact(deps, value)
            if said:
                _check(deps, said)
