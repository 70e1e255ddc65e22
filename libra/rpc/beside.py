"""Calls of one connection that are carried out beside each other: those that only ask.

While the model works on one question the interpreter can work on the next, so that a client that sends two at once has both in little
more than the time of one. What changes something, or waits for what was changed, keeps its place: it begins when all before it is
answered, and nothing after it begins before it is, so that a question finds what was told before it on the same connection.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from libra.rpc.answer import read
from libra.rpc.protocol import Call, Message, TooLong

ASK: Final = frozenset({"assemble", "search", "get", "expand", "describe", "grep"})
"""Calls that only ask, and take long enough for it to matter."""
AT_ONCE: Final = frozenset({"health"})
"""Calls that wait for nobody's answer: who asks whether Libra is there wants to know it now."""

Answer = Callable[[Message], bytes | None]


class Helpers:
    """Threads that any connection may borrow for a call; nobody waits for one.

    A call that waited here for a thread would wait outside of all order: without a thread to spare it is carried out by the connection's own,
    in its turn.

    Args:
        most: Threads; they begin when they are first needed.
    """

    def __init__(self, most: int) -> None:
        self._room = threading.BoundedSemaphore(most)
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="libra-rpc-beside")

    def begin(self, work: Callable[[], None]) -> bool:
        """Begin ``work``, which must not raise; False if no thread is free."""
        if not self._room.acquire(blocking=False):
            return False
        try:
            self._pool.submit(self._run, work)
        except RuntimeError:  # the end, or the system gives no more threads
            self._room.release()
            return False
        return True

    def close(self) -> None:
        """Begin nothing more; what runs goes on."""
        self._pool.shutdown(wait=False)

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            self._room.release()


class Conversation:
    """The calls of one connection. For the connection's own thread, which alone sends: a client that takes no answers holds up no helper.

    Args:
        answer: Carries out the calls of a message; never raises.
        send: Sends an answer.
        helpers: Threads to borrow.
        most: Calls that only ask and are carried out at once.
    """

    def __init__(
        self, answer: Answer, send: Callable[[bytes], object], helpers: Helpers, most: Callable[[], int]
    ) -> None:
        self._answer = answer
        self._send = send
        self._helpers = helpers
        self._most = most
        self._done: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._under_way = 0

    def take(self, lines: Sequence[bytes | TooLong]) -> None:
        """Answer lines that came together; returns when all of them are answered.

        Raises:
            OSError: The client does not take its answers, or is gone.
        """
        for number, line in enumerate(lines, 1):
            message = read(line)
            if message is None:
                continue
            method = _method(message)
            if method in ASK:
                self._ask(message, last=number == len(lines))
                continue
            if method not in AT_ONCE:
                self._collect(0)
            self._out(self._answer(message))
        self._collect(0)

    def _ask(self, message: Message, *, last: bool) -> None:
        """Begin a call beside the others. One that is alone, or that there is no thread for, is answered first."""
        self._collect(self._most() - 1)
        alone = last and not self._under_way
        if alone or not self._helpers.begin(partial(self._carry_out, message)):
            self._out(self._answer(message))
        else:
            self._under_way += 1

    def _carry_out(self, message: Message) -> None:
        out = None
        try:
            out = self._answer(message)
        finally:
            self._done.put(out)

    def _collect(self, left: int) -> None:
        """Send answers as they come, until no more than ``left`` calls are under way."""
        while self._under_way > max(left, 0):
            out = self._done.get()
            self._under_way -= 1
            self._out(out)

    def _out(self, out: bytes | None) -> None:
        if out is not None:
            self._send(out)


def _method(message: Message) -> str | None:
    """Return the method of a line that holds one call; None for a batch, which is one answer in its order, and for what is no call."""
    part = message.parts[0]
    return part.method if isinstance(part, Call) and not message.batch else None
