"""opencode's storage before its database: a file each for session, message and part."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.sources.writers import HOSTS, ONE, Say

WAIT_S = 20.0
FILES, ROWS = HOSTS["opencode (files)"], HOSTS["opencode"]
TALK = [Say(0, "user", "one"), Say(1, "assistant", "two"), Say(2, "user", "three")]


def session(path: Path, **more: Any) -> None:
    """Write a session's file anew, as the host does with each message."""
    path.write_text(json.dumps({"id": path.stem, "directory": "/home/dev/app", **more}), "utf-8")


def test_read_and_followed(home: Any, sink: Any) -> None:
    """A person who has not opened the new version yet: all is there, and what comes is taken once."""
    path = FILES.put(home.path, ONE, TALK[:2])
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["one", "two"]
    FILES.put(home.path, ONE, TALK)
    session(path, time={"updated": 2})
    assert sink.wait(lambda s: s.contents() == ["one", "two", "three"])
    assert sink.turns[-1].session.key == f"opencode:{path.stem}"
    service.stop()
    takes = sink.takes
    assert home.service().wait_idle(WAIT_S)
    assert sink.takes == takes


def open_again(path: Path) -> Path:
    """Take the mark of completion from the answer; return its file."""
    message = next((path.parents[2] / "message" / path.stem).glob("*_1.json"))
    data = json.loads(message.read_text("utf-8"))
    del data["time"]["completed"]
    message.write_text(json.dumps(data), "utf-8")
    return message


def test_an_answer_waits_until_it_is_complete(home: Any, sink: Any) -> None:
    """Half of an answer would be kept for all of it; one that was broken off long ago keeps nothing waiting."""
    path = FILES.put(home.path, ONE, TALK[:2])
    open_again(path)
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["one"]
    FILES.put(home.path, ONE, TALK[:2])
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["one", "two"]


def test_an_answer_that_was_broken_off(home: Any, sink: Any) -> None:
    """It would be looked for again at every look, for ever."""
    path = FILES.put(home.path, ONE, TALK[:2])
    open_again(path)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    takes = sink.takes
    assert service.wait_idle(WAIT_S)
    assert (sink.contents(), sink.takes) == (["one"], takes)


def test_what_was_reverted_and_what_is_half_written(home: Any, sink: Any) -> None:
    """Undone talk is out of use; a file that the host is just writing waits."""
    path = FILES.put(home.path, ONE, TALK)
    whole = path.read_text("utf-8")
    path.write_text(whole[:-5], "utf-8")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == []
    session(path, revert={"messageID": f"msg_{ONE}_1"})
    assert sink.wait(lambda s: len(s.turns) == len(TALK))
    assert sink.standing() == ["one"]


def test_the_database_knows_better(home: Any, sink: Any) -> None:
    """The new version took the session over, and the person undid and went on there: the old files stand still."""
    path = FILES.put(home.path, ONE, TALK)
    ROWS.put(home.path, path.stem, [Say(0, "user", "one"), Say(3, "user", "instead")])
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["one", "instead"]
