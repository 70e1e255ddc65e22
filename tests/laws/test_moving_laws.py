"""The law of moving house: whatever Libra was told, an export of it, imported into an empty database, exports the same bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC
from pathlib import Path
from typing import Any

import orjson
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from libra.engine import background, promote
from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.engine.incoming import Step
from libra.ground.errors import LibraError
from libra.ground.records import NewTurn, Origin, Role, Scope, SessionRef, SourceBatch, Who
from libra.inference.fake import FakeEmbedder
from libra.store.store import Store, StoreParams
from tests.conftest import FixedClock, examples

START_MS = 1_775_001_600_000
USERS = ("me", "you")
SAID = (
    "We decided to deploy on Fridays.",
    "I live in Lyon.",
    "I live in Porto now.",
    "Always run the linter before you commit.",
    "Ich bevorzuge Tabs statt Leerzeichen.",
    "我们决定使用 SQLite 作为队列。",
    "The crane at src/harbour/crane.py:12 fails with E_TIMEOUT.",
    "Noted.",
    "password = hunter2-hunter2-9",
    "é\u0301 \u200b odd \u2028 signs 🙂",
)
Op = tuple[Any, ...]
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
"""Each example opens two databases: making a failing one smaller would take minutes."""

TURN = st.tuples(
    st.sampled_from(SAID), st.sampled_from(["user", "assistant", "tool"]), st.none() | st.integers(0, 50), st.none() | st.integers(0, 9),
    st.booleans(), st.sampled_from([None, "Ann", "Bo"]),
)  # fmt: skip
OPS: st.SearchStrategy[Op] = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(USERS), st.sampled_from("ab"), st.lists(TURN, min_size=1, max_size=8)),
    st.tuples(st.just("read"), st.sampled_from(USERS), st.sampled_from("cd"), st.sampled_from([None, "c", "z"]), st.lists(TURN, min_size=1, max_size=8)),
    st.tuples(st.just("keep"), st.sampled_from(USERS), st.sampled_from(SAID), st.none() | st.integers(0, 100), st.none() | st.integers(0, 10**9)),
    st.tuples(st.sampled_from(["change", "sure", "forget"]), st.integers(0, 30), st.sampled_from(SAID)),
    st.tuples(st.just("compact"), st.sampled_from(USERS), st.sampled_from("ab")),
    st.tuples(st.just("rule"), st.sampled_from(USERS), st.sampled_from(SAID), st.sampled_from("ab")),
    st.tuples(st.just("share"), st.integers(0, 30), st.sampled_from(["project:p", "global", "agent:x"])),
    st.tuples(st.just("back"), st.sampled_from(USERS)),
    st.tuples(st.just("wait"), st.integers(1, 10**9)),
)  # fmt: skip


@contextmanager
def engine() -> Iterator[tuple[Engine, FixedClock]]:
    """Yield an engine over an empty database, without a model and without background work."""
    with tempfile.TemporaryDirectory() as folder:
        clock = FixedClock(START_MS + 10**6)
        store = Store.open(Path(folder) / "libra.db", StoreParams(), clock)
        params = EngineParams(default_user="me")
        try:
            yield Engine(Deps(store=store, model=ModelSlot(), params=params, clock=clock, zone=UTC)), clock
        finally:
            store.close()


def turn(given_: tuple[Any, ...]) -> NewTurn:
    """Return a turn."""
    text, role, at, event, undone, speaker = given_
    origin = {"user": Origin.OWNER, "assistant": Origin.AGENT, "tool": Origin.TOOL}[role]
    return NewTurn(
        Role(role), text, None if at is None else START_MS + at, None if event is None else f"event-{event}", origin, speaker,
        metadata={"n": event} if event else {}, undone=undone,
    )  # fmt: skip


def do(made: Engine, clock: FixedClock, op: Op) -> None:
    """Do one thing that a person or a host may do; what is refused is refused."""
    name, *rest = op
    with suppress(LibraError):
        if name == "say":
            user, session, turns = rest
            made.ingest(who=Who(user=user, session=session, agent="main"), turns=[turn(t) for t in turns])
        elif name == "read":
            user, session, parent, turns = rest
            ref = SessionRef(
                f"h:{session}", user, "h", project="p", cwd="/w", parent_key=parent and f"h:{parent}"
            )
            made.take(SourceBatch(ref, tuple(turn(t) for t in turns), None))
        elif name == "keep":
            user, text, priority, ttl_ms = rest
            made.remember(who=Who(user=user), text=text, priority=priority, ttl_ms=ttl_ms)
        elif name == "rule":
            user, text, called = rest
            made.rule_set(who=Who(user=user), text=text, name=called, keywords=("EUR",))
            made.card_update(who=Who(user=user), name=called, fields={"said": text})
        elif name == "share":
            place, to = rest
            kept = [r for r in everything(made) if r["kind"] == "memory"]
            if kept:
                record = kept[place % len(kept)]
                made.share(who=Who(user=record["user"]), ids=[record["id"]], to=Scope.parse(to))
        elif name == "back":
            made.undo(who=Who(user=rest[0]), last=True)
        elif name == "compact":
            user, session = rest
            made.compact(who=Who(user=user, session=session), force=True, budget_tokens=60)
        elif name == "wait":
            clock.advance(rest[0])
        else:
            _change(made, name, *rest)
    promote.promote_batch(made.deps, 100)


def _change(made: Engine, name: str, place: int, text: str) -> None:
    items = [r for r in everything(made) if r["kind"] in {"memory", "turn"}]
    if not items:
        return
    record = items[place % len(items)]
    who = Who(user=record["user"])
    if name == "forget":
        made.forget(who=who, id=record["id"])
    elif name == "sure":
        made.confirm(who=who, id=record["id"])
    else:
        made.correct(who=who, id=record["id"], text=text)


def everything(made: Engine) -> list[dict[str, Any]]:
    """Return all records, read in pages."""
    answer = made.export(everybody=True, limit=7)
    found = list(answer["records"])
    while answer["next"] is not None:
        answer = made.export(everybody=True, limit=7, after=answer["next"])
        found += answer["records"]
    return found


def lines(records: list[dict[str, Any]]) -> list[bytes]:
    """Return the lines of the file."""
    return [orjson.dumps(record) for record in records]


@given(ops=st.lists(OPS, min_size=1, max_size=12))
@settings(examples(25), deadline=None, phases=_PHASES)
def test_what_goes_out_comes_back_to_the_byte(ops: list[Op]) -> None:
    """A person who moves to another machine finds everything there: each record, and nothing besides."""
    with engine() as (old, clock), engine() as (new, later):
        for op in ops:
            do(old, clock, op)
        before = everything(old)
        later.now_ms = clock.now_ms + 12_345
        for n in range(0, len(before), 5):
            done = new.import_records(records=before[n : n + 5], everybody=True)
            assert done["ok"], done
            assert done["unlinked"] == 0, done
        assert lines(everything(new)) == lines(before)
        assert new.import_records(records=before, everybody=True, step=Step.VERIFY)["ok"]


_FAKE = FakeEmbedder(dims=64)


@given(texts=st.lists(st.sampled_from(SAID), min_size=1, max_size=6))
@settings(examples(10), deadline=None, phases=_PHASES)
def test_vectors_may_come_along(texts: list[str]) -> None:
    """Who moves with vectors need not wait for the model: the same bytes are there, and another model's are left out."""
    with engine() as (old, _), engine() as (new, _), engine() as (other, _):
        for made, model in ((old, _FAKE), (new, _FAKE), (other, FakeEmbedder(dims=32))):
            made.use_model(model)
        old.ingest(
            who=Who(user="me", session="s"),
            turns=[turn((t, "user", n, None, False, None)) for n, t in enumerate(texts)],
        )
        while background.embed_batch(old.deps, 64) or promote.promote_batch(old.deps, 64):
            pass
        before = _with_vectors(old)
        assert any(record["kind"] == "vector" for record in before)
        for made in (new, other):
            done = made.import_records(records=before, everybody=True)
            assert (done["ok"], done["unlinked"], done["differs"]) == (True, 0, 0), done
            assert made.import_records(records=before, everybody=True, step=Step.VERIFY)["ok"]
        assert lines(_with_vectors(new)) == lines(before)
        assert all(record["kind"] != "vector" for record in _with_vectors(other))
        assert lines(everything(other)) == lines(everything(old))


def _with_vectors(made: Engine) -> list[dict[str, Any]]:
    answer = made.export(everybody=True, limit=7, vectors=True)
    found = list(answer["records"])
    while answer["next"] is not None:
        answer = made.export(everybody=True, limit=7, after=answer["next"], vectors=True)
        found += answer["records"]
    return found
