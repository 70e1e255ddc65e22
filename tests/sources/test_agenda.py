"""What is done next, and when."""

from __future__ import annotations

import threading
import time

from libra.sources.agenda import Agenda, AgendaParams, Task
from libra.sources.backlog import Backlog, BacklogParams
from libra.sources.slices import TalkFile


def file(name: str) -> TalkFile:
    """Return a transcript."""
    return TalkFile("h", name, (name,))


def test_live_comes_before_history_and_history_newest_first() -> None:
    """What changed now is read first; then what is old, the newest first."""
    backlog = Backlog(BacklogParams(debounce_s=1.0, longest_s=3.0))
    for name, age in (("a", 1), ("b", 3), ("c", 2)):
        backlog.history(file(name), age)
    backlog.changed(file("live"), 10.0)
    assert backlog.wait_s(10.0) == 0.0
    order = [backlog.pop(now) for now in (10.5, 11.0, 11.0, 11.0, 11.0)]
    assert [one.path if one else None for one in order] == ["b", "live", "c", "a", None]
    assert backlog.wait_s(11.0) is None


def test_a_busy_file_is_read_at_last() -> None:
    """Debouncing waits for quiet, but not for ever."""
    backlog = Backlog(BacklogParams(debounce_s=1.0, longest_s=3.0))
    for now in (0.0, 0.9, 1.8, 2.7):
        backlog.changed(file("a"), now)
        assert backlog.pop(now) is None
    assert backlog.wait_s(2.7) is not None
    assert backlog.pop(3.0) == file("a")


def test_a_file_is_on_it_once() -> None:
    """A file that changed and lies in the history is read once."""
    backlog = Backlog(BacklogParams())
    backlog.history(file("a"), 1)
    backlog.changed(file("a"), 0.0)
    assert backlog.pop(1.0) == file("a")
    assert backlog.pop(1.0) is None
    backlog.later(file("a"), 1.0, 5.0)
    assert backlog.pop(3.0) is None
    assert len(backlog) == 1
    assert backlog.pop(6.1) == file("a")


def drain(agenda: Agenda, again_s: float = 60.0) -> list[Task]:
    """Do all looks that are due at the start."""
    done = []
    for _ in range(3):
        todo = agenda.next()
        assert todo is not None
        done.append(todo[0])
        agenda.finished(todo[0], again_s)
    return done


def test_looks_come_first_and_again() -> None:
    """Documents before talk before checks; each again after its time."""
    agenda = Agenda(BacklogParams(debounce_s=0.0))
    assert drain(agenda) == [Task.DOCUMENTS, Task.TALK, Task.CHECK]
    agenda.history(file("a"), 1)
    agenda.due(Task.DOCUMENTS)
    assert [agenda.next() for _ in range(2)] == [(Task.DOCUMENTS, None), (Task.READ, file("a"))]


def test_refusal_keeps_the_task() -> None:
    """C15: after a refusal everything waits a while, and the same is done again."""
    agenda = Agenda(BacklogParams(debounce_s=0.0), AgendaParams(retry_s=0.02, retry_max_s=0.05))
    drain(agenda)
    agenda.history(file("a"), 1)
    task = agenda.next()
    assert task is not None
    began = time.monotonic()
    assert [agenda.refused(*task, "disk_full") for _ in range(3)] == [0.02, 0.04, 0.05]
    assert agenda.refusal == "disk_full"
    assert agenda.next() == task
    assert time.monotonic() - began >= 0.04
    agenda.finished(Task.READ)
    assert agenda.refusal == ""


def test_idle_is_waited_for_and_stop_ends_all() -> None:
    """``wait_idle`` needs a look that begins after it was called; ``stop`` ends ``next``."""
    agenda = Agenda(BacklogParams(debounce_s=0.0, longest_s=0.01))
    seen: list[Task] = []

    def work() -> None:
        while (todo := agenda.next()) is not None:
            seen.append(todo[0])
            agenda.finished(todo[0], 60.0)

    thread = threading.Thread(target=work)
    thread.start()
    assert agenda.wait_idle(10)
    assert agenda.wait_documents(10)
    before = seen.count(Task.TALK)
    assert agenda.wait_idle(10)
    assert seen.count(Task.TALK) > before
    assert agenda.idle
    agenda.pause(60)
    assert agenda.paused
    assert not agenda.wait_idle(0.05)
    agenda.resume()
    assert agenda.wait_idle(10)
    agenda.stop()
    thread.join(10)
    assert not thread.is_alive()
    assert agenda.next() is None
