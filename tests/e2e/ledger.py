"""What was acknowledged to whom, and whether the files of a killed process hold just that."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from libra.store.connection import load_vectors
from tests.e2e.running import Json, minute

_RULES_EVERY = 9


@dataclass(frozen=True)
class Line:
    """A line of a transcript."""

    path: str
    uuid: str
    text: str


@dataclass
class Ledger:
    """Filled by many threads.

    Attributes:
        lines: All lines of transcripts, in the order in which they were written.
        read: How many of these a drain has acknowledged.
        turns: Text of each acknowledged turn, by uid.
        memories: The same of statements that were to be remembered.
        gone: Uids of what was acknowledged to be forgotten.
        doubtful: Uids whose forgetting had no answer yet.
    """

    lines: list[Line] = field(default_factory=list)
    read: int = 0
    turns: dict[str, str] = field(default_factory=dict)
    memories: dict[str, str] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)
    doubtful: dict[str, str] = field(default_factory=dict)
    _calls: dict[str, Json] = field(default_factory=dict)
    _turn_of: dict[str, tuple[Json, Json]] = field(default_factory=dict)
    _fresh: list[str] = field(default_factory=list)
    _number: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    # ------------------------------------------------------------------ what is said

    def new_words(self, kind: str) -> tuple[str, str]:
        """Return an id and a text like no other."""
        with self._lock:
            self._number += 1
            n = self._number
        # A word that stands nowhere else, so that even its bytes can be looked for.
        mark = f"zq{kind}{n}q"
        if kind == "m":
            return mark, f"Berth {n} uses the tariff {mark} since the relay moved to port {7000 + n}."
        if n % _RULES_EVERY == 0:
            return f"e{n}", f"Never restart the relay of berth HARB-{n} without a backup of {mark}."
        return (
            f"e{n}",
            f"We moved the start of berth HARB-{n} behind {mark}; it takes {n + 90} ms on the oldest machine.",
        )

    def new_turn(self) -> Json:
        """Return a turn for ``ingest``."""
        event, text = self.new_words("r")
        number = int(event[1:])
        role = "assistant" if number % 2 else "user"
        return {"id": event, "role": role, "content": text, "ts": minute(number % 900)}

    def begin(self, params: Json) -> Json:
        """Note a call of ``ingest`` before it is made; return it with an id under which it is carried out once."""
        with self._lock:
            self._number += 1
            call = {**params, "request_id": f"q{self._number}"}
            self._calls[call["request_id"]] = call
        return call

    def answered(self, call: Json, answer: Json) -> None:
        """The call was answered: its turns are acknowledged."""
        assert len(answer["ids"]) == len(call["turns"])
        assert None not in answer["ids"], "a turn was not kept"
        with self._lock:
            del self._calls[call["request_id"]]
            for uid, turn in zip(answer["ids"], call["turns"], strict=True):
                self.turns[uid] = turn["content"]
                self._turn_of[uid] = (call, turn)

    def unanswered(self) -> list[Json]:
        """Return the calls that had no answer."""
        with self._lock:
            return list(self._calls.values())

    def kept(self, uid: str, text: str) -> None:
        """A statement is remembered."""
        with self._lock:
            self.memories[uid] = text

    def all_read(self) -> None:
        """Everything that stands in the transcripts is stored."""
        self.read = len(self.lines)

    # ------------------------------------------------------------------ what is taken back

    def pick_to_forget(self, rng: random.Random) -> str | None:
        """Return something acknowledged, noted as doubtful from now on."""
        with self._lock:
            source = self.memories if rng.random() < 0.5 else self.turns
            if not source:
                return None
            uid = rng.choice(list(source))
            self.doubtful[uid] = source.pop(uid)
        return uid

    def forgot(self, uid: str, also: list[str]) -> None:
        """The app said that it has forgotten these."""
        with self._lock:
            for each in {uid, *also}:
                for known in (self.doubtful, self.turns, self.memories):
                    if each in known:
                        self.gone[each] = known.pop(each)
                        self._fresh.append(self.gone[each])

    def settle(self, standing: set[str]) -> None:
        """Decide about the doubtful ones: each is there or not."""
        with self._lock:
            for uid, text in self.doubtful.items():
                if uid in standing:
                    (self.turns if uid in self._turn_of else self.memories)[uid] = text
                else:
                    self.gone[uid] = text
                    self._fresh.append(text)
            self.doubtful.clear()

    def once_forgotten(self, rng: random.Random) -> list[Json]:
        """Return calls that say a forgotten turn again, in the words and with the id of the first time."""
        known = [uid for uid in self.gone if uid in self._turn_of]
        return [
            {"who": call["who"], "turns": [turn]}
            for call, turn in (self._turn_of[uid] for uid in rng.sample(known, min(2, len(known))))
        ]

    def fresh_marks(self) -> list[bytes]:
        """Return the marks of what was forgotten since the last time, as they would stand in a file."""
        with self._lock:
            texts, self._fresh = self._fresh, []
        return [word.strip(".;").encode() for text in texts for word in text.split() if word.startswith("zq")]


# ---------------------------------------------------------------------- what a killed process left


def look(data: Path, ledger: Ledger) -> None:
    """Check a copy of the files.

    Raises:
        AssertionError: They do not hold what was acknowledged, or an index does not fit its rows.
    """
    with tempfile.TemporaryDirectory(prefix="lb-") as folder:
        for path in data.glob("libra.db*"):
            if not path.name.endswith("-shm"):
                shutil.copy(path, Path(folder) / path.name)
        con = apsw.Connection(str(Path(folder) / "libra.db"))
        try:
            if _all(con, "PRAGMA user_version") == [(0,)]:
                # Killed before there was a table: nothing can have been acknowledged.
                assert not ledger.turns
                assert not ledger.read
                return
            _sound(con)
            _acknowledged(con, ledger)
            _cursors(con, ledger)
            _coverage(con)
        finally:
            con.close()


def _all(con: apsw.Connection, sql: str, *values: Any) -> list[Any]:
    return list(con.execute(sql, values))


def _sound(con: apsw.Connection) -> None:
    """The file and its indexes are whole, and fit each other."""
    assert load_vectors(con) is None
    assert _all(con, "PRAGMA integrity_check") == [("ok",)]
    assert _all(con, "PRAGMA foreign_key_check") == []
    con.execute("INSERT INTO fts_word(fts_word, rank) VALUES('integrity-check', 1)")
    con.execute("INSERT INTO fts_side(fts_side) VALUES('integrity-check')")
    stray = "SELECT id FROM fts_side_docsize EXCEPT SELECT id FROM item"
    assert _all(con, stray) == []


def _acknowledged(con: apsw.Connection, ledger: Ledger) -> None:
    rows = _all(con, "SELECT uid, kind, text FROM item WHERE kind IN (1, 3)")
    uids = {uid for uid, _, _ in rows}
    words = Counter(text for _, kind, text in rows if kind == 1)
    doubled = [text for text, count in words.items() if count > 1]
    assert not doubled, f"{len(doubled)} turns stand twice"
    lost = [text for uid, text in ledger.turns.items() if uid not in uids or words[text] != 1]
    assert not lost, f"{len(lost)} acknowledged turns are lost, the first: {lost[0]}"
    lost = [line.text for line in ledger.lines[: ledger.read] if not words[line.text]]
    assert not lost, f"{len(lost)} acknowledged lines are lost, the first: {lost[0]}"
    lost = [text for uid, text in ledger.memories.items() if uid not in uids]
    assert not lost, f"{len(lost)} remembered statements are lost, the first: {lost[0]}"
    ledger.settle(uids)
    told = "\0".join(text for _, _, text in rows)
    back = [text for uid, text in ledger.gone.items() if uid in uids or text in told]
    assert not back, f"{len(back)} forgotten texts are there, the first: {back[0]}"
    buried = {uid for (uid,) in _all(con, "SELECT uid FROM tombstone")}
    assert ledger.gone.keys() <= buried


def _cursors(con: apsw.Connection, ledger: Ledger) -> None:
    """No cursor stands behind a line whose turn is not stored."""
    stored = {text for (text,) in _all(con, "SELECT text FROM item WHERE kind = 1")}
    for path, offset in _all(con, "SELECT path, offset FROM source WHERE has_cursor = 1 AND form = 'jsonl'"):
        head = Path(path).read_bytes()[:offset]
        assert head.endswith(b"\n") or not head, "a cursor stands within a line"
        uuids = {json.loads(line)["uuid"] for line in head.splitlines()}
        ahead = [line.text for line in ledger.lines if line.uuid in uuids and line.text not in stored]
        assert not ahead, f"the cursor is {len(ahead)} turns ahead of the rows"


def _coverage(con: apsw.Connection) -> None:
    """What is covered is covered once, by what it says, and what covers it is there."""
    twice = "SELECT child_id FROM coverage GROUP BY child_id HAVING count(*) > 1"
    assert _all(con, twice) == []
    one_sided = (
        "SELECT item_id FROM turn WHERE covered_by IS NOT NULL AND NOT EXISTS"
        " (SELECT 1 FROM coverage WHERE child_id = item_id AND parent_id = covered_by)"
        " UNION SELECT child_id FROM coverage JOIN turn ON item_id = child_id WHERE covered_by IS NOT parent_id"
    )
    assert _all(con, one_sided) == []
    childless = (
        "SELECT item_id FROM summary WHERE NOT EXISTS (SELECT 1 FROM coverage WHERE parent_id = item_id)"
    )
    assert _all(con, childless) == []
    hidden = "SELECT id FROM item JOIN turn ON item_id = id WHERE kind = 1 AND undone = 0 AND active = (covered_by IS NOT NULL)"
    assert _all(con, hidden) == []
