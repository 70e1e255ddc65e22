"""B01: a recalled block is not stored again, however often it comes back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest

from tests.e2e.running import Running, cc, minute, write

pytestmark = [pytest.mark.e2e, pytest.mark.model]

FACT = "Our staging host is zeta-9, port 7443."


def memories_with(running: Running, word: str) -> list[str]:
    """Return the active memories that hold a word."""
    hits = running.search(word, kinds=["memory"], k=100)
    return [h["text"] for h in hits if word in h["text"]]


DRESSES: dict[str, Callable[[str], str]] = {
    "none": lambda text: text,
    "indented": lambda text: "\n".join("    " + line for line in text.splitlines()),
    "quoted": lambda text: "\n".join(f"> {line}" for line in text.splitlines()),
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "cut": lambda text: text[: text.rindex("</libra-context>")],
    "cut in a line": lambda text: text[: text.rindex("port 7443")],
    "start cut in a line": lambda text: text[text.index("earlier conversations") :],
    "shortened": lambda text: f"{text[: text.rindex('zeta-9') + 3]}…",
    "html": lambda text: text.replace("<", "&lt;").replace(">", "&gt;"),
}
"""What careless hosts make of a block."""


@pytest.mark.parametrize("damage", DRESSES)
def test_ten_rounds_leave_one_memory(running: Running, damage: str) -> None:
    """The assembled text is written back in front of each next message, as hosts do; nothing grows."""
    path = running.transcript("A")
    write(path, cc("u-0", "user", FACT, minute(0)))
    running.start()
    running.drain()
    who = {"host": "claude-code", "session": "A", "cwd": "/home/dev/harbor"}
    for number in range(1, 11):
        # Another session asks, so that the fact is recalled and not in the tail.
        text = running.call(
            "assemble", who={**who, "session": "B"}, query="where is staging?", budget_tokens=2000
        )["text"]
        assert "zeta-9" in text
        running.call("assemble", who=who, query="where is staging?", budget_tokens=2000)
        write(
            path,
            cc(
                f"u-{number}",
                "user",
                DRESSES[damage](text) + "\n\n" + ["ok", "thanks", "good"][number % 3],
                minute(number),
            ),
        )
        running.drain()
        assert len(memories_with(running, "zeta-9")) == 1
    stored = texts(running)
    assert {t for t in stored if "zeta-9" not in t} <= {"ok", "thanks", "good"}
    assert not [t for t in stored if "libra-context" in t.lower()]
    assert len([t for t in stored if "zeta-9" in t]) == 2  # the turn and its memory
    again = running.call(
        "assemble", who={**who, "session": "C"}, query="where is staging?", budget_tokens=2000
    )["text"]
    assert again.count("zeta-9") == 1


def texts(running: Running) -> list[str]:
    """Return every stored text."""
    with sqlite3.connect(f"file:{running.data / 'libra.db'}?mode=ro", uri=True) as db:
        found = [row[0] for row in db.execute("SELECT text FROM item")]
    db.close()
    return found
