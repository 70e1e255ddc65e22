"""Calls that come together on one connection: questions beside each other, all else in its place."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator

import pytest

from libra.rpc.answer import answer
from libra.rpc.beside import Conversation, Helpers
from libra.rpc.protocol import Json, Message

_LONG_S = 60.0
_MOMENT_S = 0.2
"""So long something that must not happen is waited for."""


@pytest.fixture
def helpers() -> Iterator[Helpers]:
    """Yield two threads to borrow."""
    made = Helpers(2)
    yield made
    made.close()


def lines(*methods: str) -> list[bytes]:
    """Return a call of each, numbered from 0."""
    calls = ({"jsonrpc": "2.0", "id": number, "method": method} for number, method in enumerate(methods))
    return [json.dumps(call).encode() for call in calls]


def talk(
    dispatch: Callable[[str, Json], object], helpers: Helpers, most: int = 2
) -> tuple[Conversation, list[bytes]]:
    """Return a conversation, and what it sends."""
    sent: list[bytes] = []

    def carry_out(message: Message) -> bytes | None:
        return answer(message, dispatch)

    return Conversation(carry_out, sent.append, helpers, lambda: most), sent


def ids(sent: list[bytes]) -> list[int]:
    """Return the numbers of the calls in the order in which they were answered, without an error."""
    return [told["id"] for told in map(json.loads, sent) if "result" in told]


def test_two_questions_are_worked_on_beside_each_other(helpers: Helpers) -> None:
    """The second would wait for all of the first, although the model could read it meanwhile."""
    both = threading.Barrier(2)

    def dispatch(_method: str, _params: Json) -> int:
        return both.wait(_LONG_S)

    conversation, sent = talk(dispatch, helpers)
    conversation.take(lines("assemble", "search"))
    assert sorted(ids(sent)) == [0, 1]


def test_a_question_alone_needs_no_other_thread(helpers: Helpers) -> None:
    """Nearly every client asks one thing at a time: it would pay for a thread that it has no use for."""
    where: list[int] = []
    conversation, _ = talk(lambda _method, _params: where.append(threading.get_ident()), helpers)
    conversation.take(lines("assemble"))
    conversation.take(lines("ingest", "assemble"))
    assert where == [threading.get_ident()] * 3


@pytest.mark.parametrize("change", ["ingest", "forget", "drain", "nothing-that-is-known"])
def test_what_changes_something_keeps_its_place(helpers: Helpers, change: str) -> None:
    """A question would not find what was told just before it on the same connection, or find what comes after it."""
    changed = threading.Event()
    seen: list[bool] = []

    def dispatch(method: str, _params: Json) -> None:
        if method == "search":
            changed.wait(_MOMENT_S if not seen else _LONG_S)
            seen.append(changed.is_set())
        else:
            changed.set()

    conversation, sent = talk(dispatch, helpers)
    conversation.take(lines("search", change, "search"))
    assert seen == [False, True]
    assert ids(sent) == [0, 1, 2]


def test_health_waits_for_no_question(helpers: Helpers) -> None:
    """A watcher that asks whether Libra is there would take it for dead while a long question is answered."""
    told = threading.Event()

    def dispatch(method: str, _params: Json) -> bool:
        if method == "health":
            told.set()
        return told.wait(_LONG_S)

    conversation, sent = talk(dispatch, helpers)
    conversation.take(lines("search", "health"))
    assert sorted(ids(sent)) == [0, 1]


def test_no_more_at_once_than_the_settings_say(helpers: Helpers) -> None:
    """A client that sends a hundred questions would stand in a hundred places of the line that all others wait in."""
    lock, running, most = threading.Lock(), [0], [0]

    def dispatch(_method: str, _params: Json) -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        with lock:
            running[0] -= 1

    conversation, sent = talk(dispatch, helpers, most=1)
    conversation.take(lines(*["search"] * 20))
    assert (len(ids(sent)), most[0]) == (20, 1)


def test_without_a_thread_to_spare_questions_take_their_turn(helpers: Helpers) -> None:
    """While others have all threads, a client would wait for one of them to end, outside of all order."""
    held, busy = threading.Event(), threading.Barrier(3)

    def hold() -> None:
        busy.wait(_LONG_S)
        held.wait(_LONG_S)

    assert helpers.begin(hold)
    assert helpers.begin(hold)
    busy.wait(_LONG_S)
    conversation, sent = talk(lambda _method, _params: None, helpers)
    conversation.take(lines("search", "search", "assemble"))
    held.set()
    assert ids(sent) == [0, 1, 2]


def test_a_client_that_takes_no_answer_holds_no_thread() -> None:
    """Eight clients that never read would have taken all threads away from everybody else."""
    helpers = Helpers(1)

    def refuse(_line: bytes) -> None:
        raise TimeoutError

    conversation = Conversation(
        lambda message: answer(message, lambda _m, _p: None), refuse, helpers, lambda: 2
    )
    with pytest.raises(TimeoutError):
        conversation.take(lines("search", "search"))
    free = threading.Event()
    while not helpers.begin(free.set):
        threading.Event().wait(0.001)
    assert free.wait(_LONG_S)
    helpers.close()


def test_a_batch_and_a_line_that_is_no_call_are_answered_in_order(helpers: Helpers) -> None:
    """One line is one answer: a batch whose calls went their own ways could not be put together again."""
    conversation, sent = talk(lambda _method, _params: None, helpers)
    batch = b"[" + b",".join(lines("search", "search")) + b"]"
    conversation.take([batch, b"", b"{", *lines("search")])
    together, *single = map(json.loads, sent)
    assert [one["id"] for one in together] == [0, 1]
    assert [one.get("error", {}).get("code") for one in single] == [-32700, None]
