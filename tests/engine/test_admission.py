"""Many who ask at once: few answers are worked on at a time, prompts first, nobody waits for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import pytest

from libra.engine.admission import Admission, AdmissionParams, Asked
from libra.engine.background import embed_batch
from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.engine.ingest import ingest
from libra.ground.records import Who
from libra.inference.fake import FakeEmbedder
from libra.inference.protocol import Window
from libra.store.store import StoreParams
from tests.engine.conftest import ME, settle, user

_LONG_S = 60.0


def _until(there: Callable[[], bool]) -> None:
    end = time.monotonic() + _LONG_S
    while not there():
        assert time.monotonic() < end
        threading.Event().wait(0.001)


def _asks(admission: Admission, asked: Asked, name: str, order: list[str]) -> threading.Thread:
    """Begin to wait for a turn in a thread of its own; return once it waits."""

    def run() -> None:
        with admission.turn(asked, _LONG_S):
            order.append(name)

    before = admission.waiting
    thread = threading.Thread(target=run)
    thread.start()
    _until(lambda: admission.waiting > before)
    return thread


def test_prompts_go_first_and_each_kind_in_its_order() -> None:
    """An agent that waits for its prompt would stand behind searches that came a moment before it."""
    admission = Admission(AdmissionParams(at_once=1, search_waits_s=_LONG_S))
    order: list[str] = []
    with admission.turn(Asked.PROMPT, _LONG_S):
        kinds = [("s1", Asked.SEARCH), ("p1", Asked.PROMPT), ("s2", Asked.SEARCH), ("p2", Asked.PROMPT)]
        threads = [_asks(admission, asked, name, order) for name, asked in kinds]
    for thread in threads:
        thread.join(_LONG_S)
    assert order == ["p1", "p2", "s1", "s2"]


def test_a_search_that_has_waited_long_goes_before_a_new_prompt() -> None:
    """A person who searches while many agents prompt would never get an answer."""
    admission = Admission(AdmissionParams(at_once=1, search_waits_s=0.0))
    order: list[str] = []
    with admission.turn(Asked.PROMPT, _LONG_S):
        threads = [_asks(admission, Asked.SEARCH, "s", order), _asks(admission, Asked.PROMPT, "p", order)]
    for thread in threads:
        thread.join(_LONG_S)
    assert order == ["s", "p"]


def test_no_more_at_once_than_there_is_room_for() -> None:
    """Sixty answers that are begun together would all end late."""
    admission = Admission(AdmissionParams(at_once=2))
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(admission.turn(Asked.PROMPT, _LONG_S))
        order: list[str] = []
        waits = _asks(admission, Asked.PROMPT, "third", order)
        assert order == []
    waits.join(_LONG_S)
    assert order == ["third"]


def test_patience_ends() -> None:
    """An answer that never ends would hold up all others for ever; and whoever went ahead would be counted twice."""
    admission = Admission(AdmissionParams(at_once=1))
    with admission.turn(Asked.PROMPT, _LONG_S):
        with admission.turn(Asked.PROMPT, 0.0):
            assert admission.waiting == 0
        assert not admission.quiet(0.0)
    assert admission.quiet(0.0)
    order: list[str] = []
    with admission.turn(Asked.PROMPT, _LONG_S):
        waits = _asks(admission, Asked.PROMPT, "next", order)
        assert order == []
    waits.join(_LONG_S)
    assert order == ["next"]


def test_whose_patience_ends_while_too_many_are_at_work_does_little() -> None:
    """Sixty prompts that all begin after a second would share the machine, and each would be cut short by its deadline."""
    admission = Admission(AdmissionParams(at_once=1))
    with ExitStack() as held:
        wholes = [held.enter_context(admission.turn(Asked.PROMPT, 0.0)) for _ in range(6)]
        assert wholes == [True, True, True, False, False, False]
        assert not admission.quiet(0.0)
    assert admission.quiet(0.0)
    with admission.turn(Asked.PROMPT, _LONG_S) as whole:
        assert whole


def test_who_does_little_takes_nobodys_place() -> None:
    """The next whole answer would wait for one that only reads the rules."""
    admission = Admission(AdmissionParams(at_once=1))
    order: list[str] = []
    with ExitStack() as little:
        with ExitStack() as whole:
            for _ in range(3):
                whole.enter_context(admission.turn(Asked.PROMPT, 0.0))
            assert not little.enter_context(admission.turn(Asked.PROMPT, 0.0))
            waits = _asks(admission, Asked.PROMPT, "next", order)
        waits.join(_LONG_S)
        assert order == ["next"]


def test_what_nobody_waits_for_goes_on_once_all_are_answered() -> None:
    """The judging of what was said would begin in the middle of an answer, or never again."""
    admission = Admission()
    begun, went_on = threading.Event(), threading.Event()

    def judge() -> None:
        begun.set()
        if admission.quiet(_LONG_S):
            went_on.set()

    with admission.turn(Asked.PROMPT, _LONG_S):
        thread = threading.Thread(target=judge)
        thread.start()
        assert begun.wait(_LONG_S)
        assert not went_on.is_set()
    assert went_on.wait(_LONG_S)
    thread.join(_LONG_S)


def test_who_has_asked_is_taken_to_ask_again() -> None:
    """Work that takes a second at a time would begin in the moment between two answers, and the next has it beside itself."""
    admission = Admission()
    assert not admission.lately(_LONG_S)
    with admission.turn(Asked.PROMPT, _LONG_S):
        assert admission.lately(0.0)
    assert admission.lately(_LONG_S)
    assert not admission.lately(0.0)


@pytest.mark.parametrize(("asked", "most"), [(False, 64), (True, 4)])
def test_history_is_read_in_small_pieces_while_somebody_asks(deps: Deps, most: int, *, asked: bool) -> None:
    """A prompt that comes while years of history are read would share the processor with sixty texts of it."""
    slices: list[int] = []

    class Counts(FakeEmbedder):
        """Notes how many texts it is given at once."""

        def embed_passages(self, texts: Sequence[str]) -> list[list[Window]]:
            slices.append(len(texts))
            return super().embed_passages(texts)

    Engine(deps).use_model(Counts(dims=128))
    ingest(deps, ME, [user(f"The relay of pier {n} is red.", 1000 + n, f"e{n}") for n in range(70)], None)
    if asked:
        with deps.admission.turn(Asked.PROMPT, _LONG_S):
            pass
    assert embed_batch(deps, 256) == 70
    assert max(slices) == most
    assert sum(slices) == 70


def test_a_prompt_does_not_wait_beyond_its_deadline(engine: Engine) -> None:
    """With every place taken, a prompt would wait for its turn beyond the time that its caller gave it."""
    engine.ingest(who=Who(user="me", session="s0"), turns=[user("The relay of pier 4 is red.", 1000)])
    settle(engine)
    with ExitStack() as held:
        for _ in range(engine.deps.params.admission.most):
            held.enter_context(engine.deps.admission.turn(Asked.PROMPT, _LONG_S))
        told = engine.assemble(
            who=ME, query="Which colour has the relay of pier 4?", budget_tokens=1000, deadline_ms=100
        )
    assert "red" in told["text"] or any(why.startswith("deadline") for why in told["degraded"])


def _full(engine: Engine, held: ExitStack) -> None:
    """Take every place, also those out of turn."""
    while held.enter_context(engine.deps.admission.turn(Asked.PROMPT, 0.0)):
        pass


def test_a_prompt_among_too_many_has_its_rules_and_its_conversation(engine: Engine) -> None:
    """Among sixty agents that ask at once an agent would lose the rules that it works under, or get an error for a prompt."""
    engine.rule_set(who=ME, text="Never push to the main branch.", name="branch")
    engine.ingest(who=ME, turns=[user("The relay of pier 4 is red.", 1000)])
    settle(engine)
    with ExitStack() as held:
        _full(engine, held)
        told = engine.assemble(who=ME, query="Which colour?", budget_tokens=1000, deadline_ms=50)
    assert "Never push to the main branch." in told["text"]
    assert "The relay of pier 4 is red." in told["text"]
    assert told["degraded"] == ["deadline: no time was left to search"]


@contextmanager
def _no_reader(engine: Engine) -> Iterator[None]:
    """Let other threads hold every reading connection."""
    readers, done = StoreParams().readers, threading.Event()
    held = threading.Barrier(readers + 1)

    def hold() -> None:
        with engine.deps.store.snapshot():
            held.wait(_LONG_S)
            done.wait(_LONG_S)

    threads = [threading.Thread(target=hold) for _ in range(readers)]
    for thread in threads:
        thread.start()
    held.wait(_LONG_S)
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join(_LONG_S)


@pytest.mark.parametrize("many", [False, True])
def test_a_prompt_that_finds_no_place_to_read_is_no_error(engine: Engine, *, many: bool) -> None:
    """On a machine that is starved of its processor a host would have shown its person an error instead of going on."""
    with ExitStack() as held:
        if many:
            _full(engine, held)
        held.enter_context(_no_reader(engine))
        told = engine.assemble(who=ME, query="Which colour?", budget_tokens=1000, deadline_ms=50)
    assert told["degraded"] == ["deadline: nothing could be read in time"]
    assert told["receipt_id"]
