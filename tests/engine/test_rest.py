"""Quiet on battery, bounded in memory and on disk: and what is put off is done later."""

from __future__ import annotations

import os
import sys
import threading
from datetime import UTC
from pathlib import Path

import pytest

from libra.engine.background import Background, BackgroundParams
from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.engine.rest import Rest, RestParams, Spare, verdict
from libra.ground import machine
from libra.ground.errors import StoreFull
from libra.ground.machine import Load
from libra.inference.fake import FakeEmbedder
from libra.store.store import Store, StoreParams
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

PARAMS = RestParams(memory_most_bytes=1_000_000_000)


def test_mains_power_and_little_memory_work_on() -> None:
    """Nothing is slowed down where there is no reason."""
    assert verdict(Load(None, 10), PARAMS).work
    assert verdict(Load(None, 10), PARAMS).rest_s == 0.0


def test_on_battery_it_goes_slowly_and_then_not_at_all() -> None:
    """A journey by train does not end early because history is being read."""
    slow, low = verdict(Load(80.0), PARAMS), verdict(Load(12.0), PARAMS)
    assert (slow.work, slow.rest_s) == (True, PARAMS.battery_rest_s)
    assert (low.work, low.reason) == (False, "on battery, 12 % left")


def test_too_much_memory_is_given_back_and_told() -> None:
    """Over its bound the worker rests, unused memory goes back, and the person can read why."""
    given: list[int] = []
    loads = [Load(None, 2_000_000_000), Load(None, 500_000_000)]
    now = [0.0]
    rest = Rest(PARAMS, lambda: loads.pop(0), lambda: given.append(1), lambda: now[0])
    assert not rest.now().work
    assert rest.now().reason.startswith("memory: 2,000 MB are held")
    assert given == [1]
    now[0] = PARAMS.look_s
    assert rest.now().work


def test_the_machine_answers_whatever_it_is() -> None:
    """No battery, no sensor, a container: no strain, and a plausible memory."""
    found = machine.load()
    assert found.battery_percent is None or 0 <= found.battery_percent <= 100
    assert found.memory_bytes > 10_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="a thread's own niceness is Linux's")
def test_only_the_calling_thread_gets_the_low_priority() -> None:
    """The worker steps back; whoever answers a person does not (lessons.md C57)."""
    found: list[int] = []

    def work() -> None:
        assert machine.lower_priority()
        found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [max(machine._NICE, before)]
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before


@pytest.mark.skipif(sys.platform != "linux", reason="a thread's own niceness is Linux's")
def test_the_worker_itself_steps_back(deps: Deps) -> None:
    """A first reading of years of history does not make the machine slow for who works on it (lessons.md C57)."""
    found: list[int] = []
    looked = threading.Event()

    def load() -> Load:
        found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        looked.set()
        return Load(None)

    mine = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    engine = Engine(deps, BackgroundParams(), load=load)
    engine.start()
    try:
        assert looked.wait(10)
    finally:
        engine.stop()
    assert set(found) == {max(machine._NICE, mine)}


def test_work_waits_for_power_and_is_done_then(deps: Deps) -> None:
    """On a low battery turns are stored and found by their words; vectors and memories come with the power."""
    low = threading.Event()
    low.set()
    looked = threading.Event()

    def load() -> Load:
        looked.set()
        return Load(10.0 if low.is_set() else None)

    engine = Engine(deps, BackgroundParams(rest=RestParams(look_s=0.02)), load=load)
    engine.use_model(FakeEmbedder(dims=128))
    engine.start()
    try:
        assert looked.wait(10)
        engine.ingest(who=ME, turns=[user("My PIN hint is the blue bike.", 1000, "e1")])
        assert engine.drain(timeout_ms=200)["pending"] > 0
        status = engine.status()
        assert status["queue"]["resting"] == "on battery, 10 % left"
        assert status["degraded"] == []
        assert engine.search(who=ME, query="PIN hint")["hits"]
        low.clear()
        settle(engine)
        assert engine.status()["counts"]["memory"] == 1
    finally:
        engine.stop()


def fill(engine: Engine) -> None:
    """Tell more than the database may hold."""
    for n in range(60):
        words = " ".join(f"berth{n}x{i}" for i in range(8_000))
        engine.ingest(who=ME, turns=[user(words, 2000 + n, f"e{n}")])


def test_a_database_at_its_limit_refuses_says_so_and_goes_on(data_dir: Path, clock: FixedClock) -> None:
    """Nothing is lost in silence: the write is refused with its reason, what is there answers, room is used again."""
    store = Store.open(data_dir / "libra.db", StoreParams(most_bytes=2_000_000), clock)
    deps = Deps(store=store, model=ModelSlot(), params=EngineParams(default_user="me"), clock=clock, zone=UTC)
    engine = Engine(deps)
    try:
        engine.ingest(who=ME, turns=[user("My PIN hint is the blue bike.", 1000, "first")])
        with pytest.raises(StoreFull) as caught:
            fill(engine)
        assert caught.value.reason == "limit"
        assert "store.most_bytes" in str(caught.value.hint)
        assert [line for line in engine.status()["degraded"] if "limit of 2 MB" in line]
        assert engine.search(who=ME, query="PIN hint")["hits"]
        assert (data_dir / "libra.db").stat().st_size <= 2_000_000
    finally:
        engine.stop()
        store.close()


def test_the_end_is_not_slept_through(deps: Deps) -> None:
    """Asked to end in the very moment in which it begins a round, it ends; it slept for half a minute, and the app with it."""
    made = Background(deps, BackgroundParams(), lambda _hurry: False)

    class Late(threading.Event):
        """Somebody asks for the end just before the wake-up call is cleared."""

        def clear(self) -> None:
            made._stop.set()
            self.set()
            super().clear()

    made._wake = Late()
    deps.model.ready(FakeEmbedder(dims=128))
    made.start()
    made._thread.join(10)
    assert not made._thread.is_alive()


@pytest.mark.parametrize(("rounds", "times"), [(3, 0), (25, 1)])
def test_memory_is_given_back_after_a_long_stretch_of_work(deps: Deps, rounds: int, times: int) -> None:
    """What a first start has needed to read years of history would stay held for as long as Libra runs."""
    deps.model.missing("none is here")
    left = iter(range(rounds))
    given: list[bool] = []
    made = Background(
        deps, BackgroundParams(), lambda _hurry: next(left, None) is not None,
        load=Load, give_back=lambda: given.append(True),
    )  # fmt: skip
    made.start()
    made.wake()
    assert made.wait_idle(60.0) == 0
    made.stop()
    assert len(given) == times


def test_memory_is_given_back_now_and_then_while_many_ask() -> None:
    """What sixty answers at once have needed for a moment would stay held for ever: their work never comes in a long stretch."""
    now = [0.0]
    given: list[float] = []
    spare = Spare(60.0, lambda: given.append(now[0]), lambda: now[0])
    for second in range(200):
        now[0] = float(second)
        spare.look(0, done=second)
    assert given == [60.0, 120.0, 180.0]


def test_nothing_is_given_back_while_nothing_is_done() -> None:
    """A Libra that nobody uses would go through its memory every minute, for years."""
    now = [0.0]
    given: list[float] = []
    spare = Spare(60.0, lambda: given.append(now[0]), lambda: now[0])
    for second in range(0, 6_000, 30):
        now[0] = float(second)
        spare.look(0, done=7)
    assert given == [60.0]
