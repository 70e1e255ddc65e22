"""File events: which are told, what happens where there are none, and how losses are noticed."""

from __future__ import annotations

import logging
import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from libra.sources.watcher import Change, Watcher

WAIT_S = 10.0


class Ear:
    """Hears a watcher."""

    def __init__(self, folders_max: int = 128) -> None:
        self.changes: queue.Queue[Change] = queue.Queue()
        self.doubts: queue.Queue[str] = queue.Queue()
        self.watcher = Watcher(self.changes.put, self.doubts.put, folders_max)

    def next_file(self) -> str:
        """Return the next changed file."""
        while True:
            change = self.changes.get(timeout=WAIT_S)
            if not change.folder:
                return change.path


@pytest.fixture
def ear() -> Iterator[Ear]:
    """Return a started watcher and what it has told."""
    made = Ear()
    made.watcher.start()
    yield made
    made.watcher.stop()


def test_changes_are_told(tmp_path: Path, ear: Ear) -> None:
    """A file in a folder that is watched whole, and one in a folder watched alone."""
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "flat").mkdir()
    ear.watcher.want({str(tmp_path / "deep"): True, str(tmp_path / "flat"): False})
    assert ear.doubts.get(timeout=WAIT_S) == "a watch began"
    (tmp_path / "deep" / "er" / "a").write_text("x")
    assert ear.next_file() == str(tmp_path / "deep" / "er" / "a")
    (tmp_path / "flat" / "b").write_text("x")
    while ear.next_file() != str(tmp_path / "flat" / "b"):
        pass


def test_both_names_of_a_move_are_told(tmp_path: Path, ear: Ear) -> None:
    """A rename changes two paths."""
    (tmp_path / "a").write_text("x")
    ear.watcher.want({str(tmp_path): False})
    (tmp_path / "a").rename(tmp_path / "b")
    assert {ear.next_file(), ear.next_file()} == {str(tmp_path / "a"), str(tmp_path / "b")}


def test_reading_tells_nothing(tmp_path: Path, ear: Ear) -> None:
    """Our own reading must not feed the loop: after it, the next change told is a real one."""
    (tmp_path / "a").write_text("x")
    ear.watcher.want({str(tmp_path): False})
    (tmp_path / "a").read_text()
    (tmp_path / "b").write_text("x")
    assert ear.next_file() == str(tmp_path / "b")


def test_folder_that_is_replaced_is_watched_again(tmp_path: Path, ear: Ear) -> None:
    """A watch stands on an inode; when another folder has the name, it is moved."""
    folder = tmp_path / "root"
    folder.mkdir()
    ear.watcher.want({str(folder): True})
    folder.rename(tmp_path / "old")
    folder.mkdir()
    ear.watcher.check()
    (folder / "new").write_text("x")
    while ear.next_file() != str(folder / "new"):
        pass


def test_folder_that_appears_is_watched(tmp_path: Path, ear: Ear) -> None:
    """A wanted folder that is not there yet is watched when it is."""
    folder = tmp_path / "later"
    ear.watcher.want({str(folder): True})
    assert ear.watcher.count() == 0
    folder.mkdir()
    ear.watcher.check()
    assert ear.watcher.count() == 1
    ear.watcher.want({})
    ear.watcher.check()
    assert ear.watcher.count() == 0


def test_too_many_folders_are_blind(tmp_path: Path) -> None:
    """C54: there is a cap; what is over it is looked at, and said."""
    ear = Ear(folders_max=1)
    ear.watcher.start()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    ear.watcher.want({str(tmp_path / "a"): True, str(tmp_path / "b"): True})
    assert (ear.watcher.count(), ear.watcher.blind()) == (1, {str(tmp_path / "b"): "too many folders"})
    ear.watcher.stop()


def test_without_events_all_is_blind(tmp_path: Path) -> None:
    """A watcher that was not started gives no events and says so."""
    ear = Ear()
    ear.watcher.want({str(tmp_path): True})
    assert ear.watcher.blind() == {str(tmp_path): "no file events"}
    ear.watcher.stop()


def test_folders_below_a_watched_one_are_not_watched_twice(tmp_path: Path, ear: Ear) -> None:
    """One recursive watch a root."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    ear.watcher.want({str(tmp_path / "a" / "b"): False, str(tmp_path / "a"): True})
    assert ear.watcher.count() == 1


def test_lost_events_raise_a_doubt(ear: Ear) -> None:
    """The only sign of lost events is watchdog's warning: it must lead to a full look."""
    logger = logging.getLogger("watchdog.observers.inotify_c")
    logger.warning("Inotify queue overflowed; filesystem events were lost")
    assert ear.doubts.get(timeout=WAIT_S) == "events were lost"
    logger.warning("something else")
    assert ear.doubts.empty()


def test_stop_twice(ear: Ear) -> None:
    """Stopping again is harmless."""
    ear.watcher.stop()
    ear.watcher.stop()
