"""OpenClaw's database, read beside its writer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
import zstandard

from libra.ground.errors import SourceError
from libra.ground.records import Cursor, NewTurn
from libra.sources.events import ParseParams
from libra.sources.host_sqlite import DatabaseParams, signature
from libra.sources.openclaw_database import OpenClawDatabase
from libra.sources.slices import Slice

SCHEMA = """
CREATE TABLE session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT, created_via TEXT);
CREATE TABLE session_windows(session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT, reason TEXT,
  parent_session_key TEXT);
CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB,
  PRIMARY KEY(session_id, seq));
CREATE TABLE transcript_rewrite_watermarks(session_id TEXT PRIMARY KEY, generation TEXT, updated_at INTEGER);
CREATE TABLE session_transcript_active_events(session_id TEXT, active_position INTEGER, event_seq INTEGER);
CREATE TABLE memory_session_tombstones(session_id TEXT PRIMARY KEY);
CREATE TABLE auth_profile_store(secret TEXT);
"""


class HostDb:
    """The host's side: a writer that stays connected, in WAL mode."""

    def __init__(self, path: Path, lines: Any) -> None:
        self.path = path
        self.lines = lines
        self.db = apsw.Connection(str(path))
        self.db.execute("PRAGMA journal_mode = wal")
        self.db.execute(SCHEMA)

    def add(self, session: str, *texts: str | bytes) -> None:
        """Append events to a session."""
        for text in texts:
            (last,) = self.db.execute(
                "SELECT coalesce(max(seq), -1) FROM transcript_events WHERE session_id = ?", (session,)
            ).fetchone()
            json_text = text.strip() if isinstance(text, str) else None
            blob = text if isinstance(text, bytes) else None
            self.db.execute(
                "INSERT INTO transcript_events VALUES (?, ?, ?, 0, ?)", (session, last + 1, json_text, blob)
            )

    def talk(self, session: str, *words: str, start: int = 0) -> None:
        """Append a header if there is none, and one user message a word."""
        if not self.db.execute("SELECT 1 FROM transcript_events WHERE session_id = ?", (session,)).fetchone():
            self.add(session, self.lines.header(session))
        for number, word in enumerate(words, start):
            self.add(session, self.lines.ocl(f"{session}{number:06d}", None, "user", word, number))

    def clear(self, session: str) -> None:
        """Take a session's events away."""
        self.db.execute("DELETE FROM transcript_events WHERE session_id = ?", (session,))


@pytest.fixture
def host(tmp_path: Path, lines: Any) -> Iterator[HostDb]:
    """Return a host's database with its writer connected."""
    made = HostDb(tmp_path / "openclaw-agent.sqlite", lines)
    yield made
    made.db.close()


def read(
    path: Path, cursor: Cursor | None = None, params: DatabaseParams | None = None
) -> tuple[list[NewTurn], Cursor, list[Slice]]:
    """Return the turns of one whole pass, the cursor after it, and its slices."""
    job = OpenClawDatabase(str(path), "main", ParseParams("u"), params)
    slices: list[Slice] = []
    while not slices or not slices[-1].done:
        slices.append(job.step(slices[-1].cursor if slices else cursor))
    turns = [turn for piece in slices for batch in piece.batches for turn in batch.turns]
    return turns, slices[-1].cursor, slices


def test_all_then_only_news(host: HostDb) -> None:
    """A first pass brings all sessions, the next what came since, the one after that nothing."""
    host.talk("s1", "one", "two")
    host.talk("s2", "three")
    turns, cursor, _ = read(host.path)
    assert sorted(t.content for t in turns) == ["one", "three", "two"]
    host.talk("s2", "four", start=5)
    turns, cursor, slices = read(host.path, cursor)
    assert [t.content for t in turns] == ["four"]
    assert slices[0].batches[0].session.cwd == "/home/dev/claw"
    assert read(host.path, cursor)[0] == []


def test_turns_are_those_of_the_lines(host: HostDb, lines: Any) -> None:
    """Both eras give the same ids and times, and the row's number as line."""
    host.add("s1", lines.header("s1"), lines.ocl("aaaa0001", None, "user", "hello", 3))
    turn = read(host.path)[0][0]
    assert (turn.event_id, turn.ts_ms, turn.line) == ("aaaa0001", 1_775_037_780_000, 2)


def test_new_generation_reads_the_session_again(host: HostDb) -> None:
    """A rewrite makes the position void for that session only."""
    host.talk("s1", "one", "two")
    host.talk("s2", "three")
    host.db.execute("INSERT INTO transcript_rewrite_watermarks VALUES ('s1', 'g1', 0)")
    _, cursor, _ = read(host.path)
    host.db.execute("UPDATE transcript_rewrite_watermarks SET generation = 'g2'")
    assert [t.content for t in read(host.path, cursor)[0]] == ["one", "two"]


def test_other_rows_under_an_old_number_are_read(host: HostDb) -> None:
    """B15 in rows: a session whose events were replaced, longer than before, is read from its start."""
    host.talk("s1", "one", "two")
    _, cursor, _ = read(host.path)
    host.clear("s1")
    host.talk("s1", "new", "newer", "newest", start=30)
    assert [t.content for t in read(host.path, cursor)[0]] == ["new", "newer", "newest"]


def test_newest_event_waits_until_it_is_whole(host: HostDb, lines: Any) -> None:
    """B03 in rows: a torn last event waits, later it is taken; with events behind it it is malformed."""
    host.talk("s1", "one")
    host.add("s1", '{"type":"message","id":"t","mess')
    turns, cursor, slices = read(host.path)
    assert [t.content for t in turns] == ["one"]
    assert slices[-1].waiting == 1
    host.db.execute(
        "UPDATE transcript_events SET event_json = ? WHERE seq = 2",
        (lines.ocl("t", None, "user", "torn", 9).strip(),),
    )
    turns, cursor, slices = read(host.path, cursor)
    assert [t.content for t in turns] == ["torn"]
    assert slices[-1].waiting == 0
    host.add("s1", "[1,2", lines.ocl("v", None, "user", "after", 10))
    turns, cursor, slices = read(host.path, cursor)
    assert [t.content for t in turns] == ["after"]
    assert cursor.bad_lines == 1


def test_packed_and_oversize_events(host: HostDb, lines: Any) -> None:
    """Zstd events are unpacked; what is too long or cannot be unpacked is counted, and passed."""
    packed = zstandard.ZstdCompressor().compress(lines.ocl("z", None, "user", "packed", 1).encode())
    bomb = zstandard.ZstdCompressor().compress(b" " * 4000)
    host.add("s1", lines.header("s1"), packed, bomb, b"\x28\xb5\x2f\xfdnonsense", b"other")
    host.add("s1", lines.ocl("l", None, "user", "x" * 3000, 2), lines.ocl("k", None, "user", "short", 3))
    turns, cursor, _ = read(host.path, None, DatabaseParams(row_max_bytes=2000))
    assert [t.content for t in turns] == ["packed", "short"]
    assert cursor.oversize_lines == 4


def test_sessions_the_person_had_forgotten_are_not_read(host: HostDb) -> None:
    """The host's tombstones hold here too."""
    host.talk("s1", "one")
    host.talk("s2", "secret")
    host.db.execute("INSERT INTO memory_session_tombstones VALUES ('s2')")
    turns, _, slices = read(host.path)
    assert [t.content for t in turns] == ["one"]
    assert slices[-1].forgotten == 1


def test_facts_come_from_the_session_tables(host: HostDb) -> None:
    """Kind and lineage without guessing from names."""
    host.talk("s1", "one")
    host.talk("s2", "two")
    host.talk("s3", "three")
    host.db.execute(
        """INSERT INTO session_nodes VALUES ('agent:main:main', 's2', '{}', 'operator'), ('agent:main:x', 's3', '{}', 'spawn');
        INSERT INTO session_windows VALUES ('s2', 'agent:main:main', 's1', 'reset', NULL),
          ('s3', 'agent:main:x', NULL, 'initial', 'agent:main:main')"""
    )
    sessions = {b.session.key: b.session for piece in read(host.path)[2] for b in piece.batches}
    assert sessions["openclaw:s2"].parent_key == "openclaw:s1"
    assert (sessions["openclaw:s3"].kind, sessions["openclaw:s3"].parent_key) == ("subagent", "openclaw:s2")
    assert sessions["openclaw:s1"].kind == "main"


def test_undone_events_are_marked(host: HostDb) -> None:
    """What is not on the active branch is not considered for memory."""
    host.talk("s1", "one", "undone", "two")
    host.db.execute(
        "INSERT INTO session_transcript_active_events VALUES ('s1', 0, 0), ('s1', 1, 1), ('s1', 2, 3)"
    )
    assert [t.undone for t in read(host.path)[0]] == [False, True, False]


def test_many_rows_come_in_steps_beside_a_writer(host: HostDb) -> None:
    """Rows come in short transactions; the writer is never kept from writing, the WAL never pinned."""
    host.talk("s1", *(f"word {n}" for n in range(50)))
    job = OpenClawDatabase(str(host.path), "main", ParseParams("u"), DatabaseParams(rows=7))
    cursor: Cursor | None = None
    turns: list[str] = []
    done = False
    while not done:
        piece = job.step(cursor)
        cursor, done = piece.cursor, piece.done
        turns += [t.content for b in piece.batches for t in b.turns]
        host.talk("s2", "meanwhile", start=len(turns))
        assert host.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    assert len([t for t in turns if t.startswith("word")]) == 50


def test_unreadable_is_no_news_and_never_empty(host: HostDb, tmp_path: Path) -> None:
    """Missing, damaged and foreign files raise; nothing is reported as read."""
    nowhere = OpenClawDatabase(str(tmp_path / "none.sqlite"), "main", ParseParams("u"))
    with pytest.raises(SourceError):
        nowhere.step(None)
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    with pytest.raises(SourceError) as caught:
        OpenClawDatabase(str(broken), "main", ParseParams("u")).step(None)
    assert caught.value.reason == "damaged"
    foreign = tmp_path / "foreign.sqlite"
    apsw.Connection(str(foreign)).execute("CREATE TABLE other(a)")
    assert read(foreign)[0] == []


def test_host_file_is_not_changed(host: HostDb) -> None:
    """Reading writes nothing into the database or its WAL."""
    host.talk("s1", "one")
    before = (host.path.read_bytes(), Path(f"{host.path}-wal").read_bytes(), signature(str(host.path)))
    read(host.path)
    assert before == (
        host.path.read_bytes(),
        Path(f"{host.path}-wal").read_bytes(),
        signature(str(host.path)),
    )


def test_wal_growth_changes_the_signature(host: HostDb) -> None:
    """Writes to the WAL do not touch the main file, but they are news."""
    host.talk("s1", "one")
    before = signature(str(host.path))
    host.talk("s1", "two", start=3)
    assert signature(str(host.path)) != before


def test_older_schema_without_the_newer_tables(tmp_path: Path, lines: Any) -> None:
    """The first release had neither packed events nor tombstones nor an active branch."""
    path = tmp_path / "old.sqlite"
    with apsw.Connection(str(path)) as db:
        db.execute(
            "CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER)"
        )
        for seq, text in enumerate((lines.header("s1"), lines.ocl("a", None, "user", "old"))):
            db.execute(
                "INSERT INTO transcript_events VALUES ('s1', ?, ?, 0)", (seq, json.dumps(json.loads(text)))
            )
    assert [t.content for t in read(path)[0]] == ["old"]


def _activate(host: HostDb, *seqs: int) -> None:
    """Let the host say that these events of s1 are on its active branch."""
    host.db.execute("DELETE FROM session_transcript_active_events")
    for position, seq in enumerate(seqs):
        host.db.execute("INSERT INTO session_transcript_active_events VALUES ('s1', ?, ?)", (position, seq))


def test_undo_and_redo_between_two_passes(host: HostDb) -> None:
    """C96: what was read and is undone in the host is taken back without a new word, and comes back when redone."""
    host.talk("s1", "one", "two")
    _activate(host, 0, 1, 2)
    turns, cursor, _ = read(host.path)
    assert [t.undone for t in turns] == [False, False]
    _activate(host, 0, 1)
    turns, cursor, _ = read(host.path, cursor)
    assert [(t.content, t.undone) for t in turns] == [("one", False), ("two", True)]
    assert read(host.path, cursor)[0] == []
    host.talk("s1", "three", start=5)
    _activate(host, 0, 1, 3)
    turns, cursor, _ = read(host.path, cursor)
    assert [(t.content, t.undone) for t in turns] == [("three", False)]
    _activate(host, 0, 1, 2)
    turns, cursor, _ = read(host.path, cursor)
    assert [(t.content, t.undone) for t in turns] == [("one", False), ("two", False), ("three", True)]
    assert read(host.path, cursor)[0] == []


def test_rewind_where_the_host_keeps_no_list(host: HostDb, lines: Any) -> None:
    """Without the host's own list, an event that does not go on at the last one shows that others were left."""
    host.add(
        "s1", lines.header("s1"), lines.ocl("a", None, "user", "ask"), lines.ocl("b", "a", "user", "wrong", 1)
    )
    turns, cursor, _ = read(host.path)
    assert [t.undone for t in turns] == [False, False]
    host.add("s1", lines.ocl("c", "a", "user", "right", 2))
    turns, cursor, _ = read(host.path, cursor)
    assert [(t.content, t.undone) for t in turns] == [("ask", False), ("wrong", True), ("right", False)]
    assert read(host.path, cursor)[0] == []


def test_what_a_reset_put_aside_is_read_and_what_was_deleted_is_not(host: HostDb, lines: Any) -> None:
    """A transcript that only the archive table holds is talk, plain or packed; a deleted one stays deleted."""
    host.db.execute(
        "CREATE TABLE session_transcript_archives(session_id TEXT, generation TEXT, reason TEXT, encoding TEXT,"
        " archive_blob BLOB)"
    )
    host.talk("s1", "now")
    plain = (lines.header("s1") + lines.ocl("a", None, "user", "before", 1)).encode()
    packed = zstandard.ZstdCompressor().compress(lines.ocl("b", None, "user", "long before", 2).encode())
    broken = packed[:12] + b"broken"
    deleted = lines.ocl("c", None, "user", "deleted", 3).encode()
    for generation, reason, blob in (
        ("g1", "reset", plain),
        ("g2", "reset", packed),
        ("g3", "reset", broken),
        ("g4", "deleted", deleted),
    ):
        host.db.execute(
            "INSERT INTO session_transcript_archives VALUES ('s1', ?, ?, '', ?)", (generation, reason, blob)
        )
    turns, cursor, slices = read(host.path)
    assert sorted(turn.content for turn in turns) == ["before", "long before", "now"]
    assert {batch.session.key for piece in slices for batch in piece.batches} == {"openclaw:s1"}
    turns, cursor, slices = read(host.path, cursor)
    assert turns == []
    assert slices[-1].lost == frozenset()


def test_a_session_that_the_host_pruned_is_told(host: HostDb) -> None:
    """C02: a session that was read and is not there any more is named; one that the person had forgotten is not."""
    for name in ("s1", "s2", "s3"):
        host.talk(name, f"talk of {name}")
    _, cursor, _ = read(host.path)
    host.clear("s1")
    host.db.execute("INSERT INTO memory_session_tombstones VALUES ('s2')")
    assert read(host.path, cursor)[2][-1].lost == {"openclaw:s1"}
