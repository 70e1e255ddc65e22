"""The turnstile: questions first, two at a time only where that is allowed."""

from __future__ import annotations

import threading

import pytest

from libra.inference.turnstile import Turnstile, TurnstileParams

WAIT_S = 5.0


def start(target: threading.Thread) -> threading.Thread:
    """Start a thread that dies with the test run."""
    target.daemon = True
    target.start()
    return target


def test_question_runs_beside_a_batch_on_cpu() -> None:
    """A question does not wait for a batch that has begun."""
    turnstile = Turnstile(exclusive=False)
    asked = threading.Event()

    def ask() -> None:
        with turnstile.question():
            asked.set()

    with turnstile.batch():
        thread = start(threading.Thread(target=ask))
        assert asked.wait(WAIT_S)
    thread.join(WAIT_S)


@pytest.mark.parametrize("exclusive", [False, True])
def test_batch_lets_a_question_go_first(exclusive: bool) -> None:  # noqa: FBT001 -- a parameter of the test
    """A batch that comes while a question is running begins after it."""
    turnstile = Turnstile(exclusive=exclusive, params=TurnstileParams(patience_s=WAIT_S))
    order: list[str] = []
    waiting = threading.Event()

    def learn() -> None:
        waiting.set()
        with turnstile.batch():
            order.append("batch")

    with turnstile.question():
        thread = start(threading.Thread(target=learn))
        assert waiting.wait(WAIT_S)
        thread.join(0.05)
        order.append("question")
    thread.join(WAIT_S)
    assert order == ["question", "batch"]


def test_exclusive_question_waits_for_the_running_batch_only() -> None:
    """Where two runs at a time are forbidden, a question comes right after the batch that is running."""
    turnstile = Turnstile(exclusive=True, params=TurnstileParams(patience_s=WAIT_S))
    order: list[str] = []
    first_runs, may_end = threading.Event(), threading.Event()

    def learn() -> None:
        for number in (1, 2):
            with turnstile.batch():
                order.append(f"batch {number}")
                first_runs.set()
                may_end.wait(WAIT_S)

    def ask() -> None:
        with turnstile.question():
            order.append("question")

    learner = start(threading.Thread(target=learn))
    assert first_runs.wait(WAIT_S)
    asker = start(threading.Thread(target=ask))
    while not turnstile._questions:
        asker.join(0.005)
    may_end.set()
    learner.join(WAIT_S)
    asker.join(WAIT_S)
    assert order == ["batch 1", "question", "batch 2"]


def test_patience_ends() -> None:
    """Questions without pause do not stop learning for ever."""
    turnstile = Turnstile(exclusive=False, params=TurnstileParams(patience_s=0.01))
    with turnstile.question(), turnstile.batch():
        pass


def test_a_failed_run_lets_go() -> None:
    """An error within leaves the turnstile free."""
    turnstile = Turnstile(exclusive=True, params=TurnstileParams(patience_s=WAIT_S))
    with pytest.raises(ZeroDivisionError), turnstile.question():
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), turnstile.batch():
        raise ZeroDivisionError
    with turnstile.question():
        pass
    with turnstile.batch():
        pass
