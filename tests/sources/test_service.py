"""The whole way with real files, a real watcher and a real thread: from the disk to the sink."""

from __future__ import annotations

import itertools
import logging
import os
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from libra.sources.backlog import BacklogParams
from libra.sources.follower import LookParams
from libra.sources.progress import Progress
from libra.sources.service import SourceParams, SourceService
from libra.sources.transcripts import SliceParams

WAIT_S = 20.0


def write(path: Path, text: str | bytes) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def append(path: Path, text: str) -> None:
    """Append to a file."""
    with path.open("ab") as file:
        file.write(text.encode())


def test_history_then_live_talk(home: Any, sink: Any, lines: Any) -> None:
    """What is there is read at start; what is appended comes by an event, without any look."""
    file = write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "old"))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["old"]
    append(file, lines.cc("u2" * 10, "assistant", "live"))
    assert sink.wait(lambda s: len(s.turns) == 2)
    assert sink.contents() == ["old", "live"]


def test_new_file_in_a_new_folder_is_seen(home: Any, sink: Any, lines: Any) -> None:
    """A new slug with a new session, after the start."""
    (home.claude / "projects").mkdir(parents=True)
    service = home.service()
    assert service.wait_idle(WAIT_S)
    write(
        home.claude / "projects" / "-new" / "deep" / "subagents" / "agent-1.jsonl",
        lines.cc("u1" * 10, "user", "x"),
    )
    write(home.claude / "projects" / "-new" / "b.jsonl", lines.cc("u2" * 10, "user", "y"))
    assert sink.wait(lambda s: sorted(s.contents()) == ["x", "y"])


def test_host_installed_later(home: Any, sink: Any, lines: Any) -> None:
    """A host's folder that appears while Libra runs is followed from then on."""
    service = home.service()
    assert service.wait_idle(WAIT_S)
    file = write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "first"))
    assert sink.wait(lambda s: s.contents() == ["first"])
    assert sink.wait(lambda _s: service.status()["watch"]["folders"] > 0)
    append(file, lines.cc("u2" * 10, "user", "second"))
    assert sink.wait(lambda s: s.contents() == ["first", "second"])


def test_newest_first_with_progress(home: Any, sink: Any, lines: Any) -> None:
    """Back-fill begins with the newest file; progress ends with all files done."""
    for number in range(6):
        path = write(home.slug / f"s{number}.jsonl", lines.cc(f"u{number}" * 10, "user", f"t{number}"))
        at = time.time() - 100 + number
        os.utime(path, (at, at))
    told: list[Progress] = []
    params = SourceParams(
        "u", surroundings=home.surroundings(), look=LookParams(check_s=0.05), progress_s=0.0
    )
    service = SourceService(sink, params, sink.clock, told.append)
    home.services.append(service)
    service.start()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == [f"t{n}" for n in (5, 4, 3, 2, 1, 0)]
    last = service.progress()
    assert (last.files_done, last.files_known, last.turns, last.busy) == (6, 6, 6, False)
    assert told
    assert all(a.files_done <= b.files_done for a, b in itertools.pairwise(told))
    assert any(one.busy for one in told)


def test_restart_reads_nothing_again(home: Any, sink: Any, lines: Any) -> None:
    """After a restart unchanged files are not even opened; appended ones are read on."""
    first = write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "one"))
    write(home.slug / "b.jsonl", lines.cc("u2" * 10, "user", "two"))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    service.stop()
    takes = sink.takes
    append(first, lines.cc("u3" * 10, "user", "three"))
    again = home.service()
    assert again.wait_idle(WAIT_S)
    assert sorted(sink.contents()) == ["one", "three", "two"]
    assert sink.takes == takes + 1
    assert again.progress().files_known == 2


def test_lost_cursors_insert_nothing_twice(home: Any, sink: Any, lines: Any) -> None:
    """C13, C25: without cursors all is read again, and nothing is new."""
    write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "one") + lines.cc("u1" * 10, "user", "one"))
    home.service().wait_idle(WAIT_S)
    sink.cursors.clear()
    again = home.service()
    assert again.wait_idle(WAIT_S)
    assert sink.contents() == ["one"]
    assert again.status()["hosts"]["claude-code"]["duplicates"] == 2


@pytest.mark.parametrize("later", [False, True])
def test_resumed_copy_is_no_new_talk(home: Any, sink: Any, lines: Any, later: bool) -> None:  # noqa: FBT001 - a case
    """B02: a copy of four turns and one more is five turns, whichever comes first."""
    four = [
        (f"u{n}" * 10, "user" if n % 2 else "assistant", f"turn {n}", f"2026-04-01T10:0{n}:00Z")
        for n in range(4)
    ]
    write(home.slug / "a.jsonl", "".join(lines.cc(*one) for one in four))
    copy = "".join(lines.cc(*one, sessionId="B" * 20) for one in four)
    copy += lines.cc("u5" * 10, "user", "turn 5", "2026-04-01T10:05:00Z", sessionId="B" * 20)
    if not later:
        write(home.slug / "b.jsonl", copy)
    service = home.service()
    assert service.wait_idle(WAIT_S)
    if later:
        write(home.slug / "b.jsonl", copy)
    assert sink.wait(lambda s: len(s.turns) == 5)
    assert service.wait_idle(WAIT_S)
    assert len(sink.turns) == 5


def test_torn_last_line_waits_over_a_restart(home: Any, sink: Any, lines: Any) -> None:
    """B03: three turns and one line waiting; restart; the line's end comes; four turns, none twice."""
    good = "".join(lines.cc(f"u{n}" * 10, "user", f"turn {n}") for n in range(3))
    file = write(home.slug / "a.jsonl", good + '{"type":"user","uuid":"u4","mess')
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert len(sink.turns) == 3
    status = service.status()
    assert (status["waiting_lines"], status["message"]) == (1, "1 line waiting")
    service.stop()
    again = home.service()
    assert again.wait_idle(WAIT_S)
    assert again.status()["message"] == "1 line waiting"
    append(file, 'age":{"role":"user","content":"blue heron"}}\n')
    assert sink.wait(lambda s: len(s.turns) == 4)
    assert again.wait_idle(WAIT_S)
    assert sink.contents().count("blue heron") == 1
    assert {kept.session.key for kept in sink.turns} == {f"claude-code:{lines.session}"}
    assert again.status()["message"] == ""


def test_nul_and_broken_lines_cost_only_themselves(home: Any, sink: Any, lines: Any) -> None:
    """B04: NUL bytes and half JSON are counted; the lines around them are taken whole."""
    text = [
        lines.cc("u1" * 10, "user", "one").encode(),
        b"\x00" * 16 + b"\n",
        lines.cc("u2" * 10, "user", "two").encode(),
        b"[1,2\n",
        lines.cc("u3" * 10, "user", "three\u2028and more").encode(),
    ]
    write(home.slug / "a.jsonl", b"".join(text))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["one", "two", "three\u2028and more"]
    assert service.status()["malformed_lines"] == 2


@pytest.mark.parametrize("running", [True, False])
def test_reset_renames_the_transcript(home: Any, sink: Any, lines: Any, running: bool) -> None:  # noqa: FBT001 - a case
    """B15: four turns, a rename, two new ones in a bigger file of the old name: six, and two linked windows."""
    live = home.sessions / "s1.jsonl"
    old = "".join(lines.ocl(f"aaaa000{n}", None, "user", f"old {n}", n) for n in range(4))
    write(live, lines.header("w1") + old)
    service = home.service()
    assert service.wait_idle(WAIT_S)
    if not running:
        service.stop()
    live.rename(home.sessions / "s1.jsonl.reset.2026-04-11T10-00-00.000Z")
    new = "".join(lines.ocl(f"bbbb000{n}", None, "user", f"new {n} " + "x" * 900, 30 + n) for n in range(2))
    write(live, lines.header("w2") + new)
    if not running:
        service = home.service()
    assert sink.wait(lambda s: len(s.turns) == 6)
    assert service.wait_idle(WAIT_S)
    assert len(sink.turns) == 6
    windows = {kept.session.key: kept.session.parent_key for kept in sink.turns}
    assert windows == {"openclaw:w1": None, "openclaw:w2": "openclaw:w1"}
    if running:  # the archive was read on under its new name, not again
        assert service.status()["hosts"]["openclaw"]["duplicates"] == 0


def test_truncated_file_is_read_again(home: Any, sink: Any, lines: Any) -> None:
    """A file that was cut and written anew loses nothing and repeats nothing."""
    first, second = lines.cc("u1" * 10, "user", "one"), lines.cc("u2" * 10, "user", "two")
    file = write(home.slug / "a.jsonl", first + second)
    service = home.service()
    assert service.wait_idle(WAIT_S)
    write(file, second + lines.cc("u3" * 10, "user", "three"))
    assert sink.wait(lambda s: len(s.turns) == 3)
    assert service.wait_idle(WAIT_S)
    assert sorted(sink.contents()) == ["one", "three", "two"]


def test_oversize_line_is_counted(home: Any, sink: Any, lines: Any) -> None:
    """A line over 8 MiB is skipped; the cursor goes on."""
    big = lines.cc("u2" * 10, "user", "y" * (8 * 1024 * 1024))
    write(
        home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "one") + big + lines.cc("u3" * 10, "user", "three")
    )
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["one", "three"]
    assert service.status()["oversize_lines"] == 1


def test_deleted_by_the_person_is_never_read(home: Any, sink: Any, lines: Any) -> None:
    """A deleted archive is known and excluded; its copy in the import archive too."""
    talk = lines.header("s9") + lines.ocl("aaaa0001", None, "user", "secret")
    write(home.sessions / "s9.jsonl.deleted.2026-03-06T18-05-12.431Z", talk)
    archive = home.sessions.parent / "session-sqlite-import-archive"
    write(archive / "archive-tier.s9.jsonl.imported-1", talk)
    write(
        archive / "archive-tier.s8.jsonl.imported-1",
        lines.header("s8") + lines.ocl("bbbb0001", None, "user", "kept"),
    )
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["kept"]
    assert service.status()["excluded"] == 2
    assert sorted(set(sink.source_states.values())) == ["excluded"]


def test_vanished_transcript_is_gone_but_not_forgotten(home: Any, sink: Any, lines: Any) -> None:
    """C02: the host's clean-up takes files; what was learnt stays and the source is marked."""
    file = write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "one"))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    file.unlink()
    service._agenda.look()
    assert sink.wait(lambda s: s.source_states.get(str(file)) == "gone")
    assert sink.contents() == ["one"]


def test_unreadable_transcript_is_tried_again(home: Any, sink: Any, lines: Any) -> None:
    """A transcript that cannot be read now is named, kept, and read when it can be."""
    (home.sessions.parent / "agent").mkdir(parents=True)
    database = write(
        home.sessions.parent / "agent" / "openclaw-agent.sqlite", b"SQLite format 3\x00" + b"\xff" * 4096
    )
    write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "one"))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert service.status()["unreadable"][str(database)] == "damaged"
    assert sink.source_states[str(database)] == "unreadable"
    assert sink.contents() == ["one"]


def test_store_that_refuses_loses_nothing(home: Any, sink: Any, lines: Any) -> None:
    """C15: the cursor moves only with the rows; when the store takes again, all comes."""
    write(home.slug / "a.jsonl", "".join(lines.cc(f"u{n}" * 10, "user", f"t{n}") for n in range(9)))
    sink.refusals = 2
    settings = SourceParams("u").agenda
    service = home.service(agenda=replace(settings, retry_s=0.05), slices=SliceParams(turns=2))
    assert sink.wait(lambda s: len(s.turns) == 9)
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == [f"t{n}" for n in range(9)]
    assert service.status()["store"] == ""


def test_refusal_is_shown_and_nothing_moves(home: Any, sink: Any, lines: Any) -> None:
    """While the store refuses, the status says so and no cursor stands ahead of its rows."""
    write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "one"))
    sink.refusals = 10**6
    service = home.service()
    assert sink.wait(lambda s: s.takes > 0)
    assert not service.wait_idle(0.2)
    assert "disk_full" in service.status()["message"]
    assert (sink.cursors, sink.turns) == ({}, [])


def test_slices_share_the_thread_with_live_talk(home: Any, sink: Any, lines: Any) -> None:
    """A long history does not keep what is said now from being taken."""
    (home.slug).mkdir(parents=True)
    live = write(home.slug / "live.jsonl", "")
    started = threading.Event()
    plain = sink.take

    def take(batch: Any) -> Any:
        if not started.is_set():
            started.set()
            append(live, lines.cc("live" * 5, "user", "now", sessionId="L" * 20))
        return plain(batch)

    sink.take = take
    write(home.slug / "long.jsonl", "".join(lines.cc(f"u{n:019}", "user", f"t{n}") for n in range(4000)))
    service = home.service(slices=SliceParams(turns=10), backlog=BacklogParams(debounce_s=0.0))
    assert service.wait_idle(WAIT_S)
    assert len(sink.turns) == 4001
    assert sink.contents().index("now") < 3000


def test_lost_events_lead_to_a_look_at_everything(home: Any, sink: Any, lines: Any) -> None:
    """The system's queue of events ran over and told of nothing: what changed meanwhile is read all the same, at once."""
    home.slug.mkdir(parents=True)
    service = home.service(events=False)
    assert service.wait_idle(WAIT_S)
    (home.slug / "a.jsonl").write_text(lines.cc("u1", "user", "while nobody listened"))
    # Without events and with a minute between two looks nothing else would find it in time.
    service._watcher._alarm.filter(
        logging.LogRecord("watchdog", logging.WARNING, "", 0, "inotify queue overflow", None, None)
    )
    assert sink.wait(lambda s: s.contents() == ["while nobody listened"])


def test_without_events_files_are_looked_at(home: Any, sink: Any, lines: Any) -> None:
    """C55: where the system gives no events, looking does it, and the status says so."""
    file = write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "one"))
    look = LookParams(poll_s=0.1, reconcile_s=60, check_s=0.05, confirm_s=0.2)
    service = home.service(events=False, look=look)
    assert sink.wait(lambda s: s.contents() == ["one"])
    append(file, lines.cc("u2" * 10, "user", "two"))
    assert sink.wait(lambda s: s.contents() == ["one", "two"])
    assert service.status()["watch"]["mode"] == "polling"


def test_instruction_file_of_a_transcript_s_folder(home: Any, sink: Any, lines: Any) -> None:
    """A folder that a transcript names brings its CLAUDE.md, and a change of it is seen by event."""
    repo = home.path / "app"
    rules = write(repo / "CLAUDE.md", "- Never push.")
    write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "one", cwd=str(repo)))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.in_force()["CLAUDE.md"].text == "- Never push."
    assert sink.turns[0].session.project == os.path.realpath(repo)
    write(rules, "- Never push to main.")
    assert sink.wait(lambda s: s.in_force()["CLAUDE.md"].text == "- Never push to main.")


def test_folder_of_an_assemble_is_known_at_once(home: Any, sink: Any) -> None:
    """``add_folder`` with a wait returns when the folder's rules are there."""
    write(home.path / "app" / "AGENTS.md", "- Ask first.")
    service = home.service()
    assert service.add_folder(str(home.path / "app"), wait_s=WAIT_S)
    assert sink.in_force()["AGENTS.md"].text == "- Ask first."
    assert not service.add_folder(str(home.path / "app"))


def test_replaced_and_removed_instruction_file(home: Any, sink: Any) -> None:
    """An atomic replacement is a change; a deletion takes effect after the second look."""
    rules = write(home.claude / "CLAUDE.md", "- One.")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    write(home.claude / "CLAUDE.md.tmp", "- Two.").replace(rules)
    assert sink.wait(lambda s: s.in_force()["CLAUDE.md"].text == "- Two.")
    rules.unlink()
    assert sink.wait(lambda s: s.doc_states[str(rules)].state == "missing_once")
    sink.now_ms += 3000
    assert sink.wait(lambda s: s.doc_states[str(rules)].state == "gone")


def test_notes_find_their_project(home: Any, sink: Any, lines: Any) -> None:
    """Auto memory is the project's from the first look on, by the folder in a transcript beside it."""
    repo = home.path / "app"
    repo.mkdir()
    write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "one", cwd=str(repo)))
    write(home.slug / "memory" / "MEMORY.md", "Note.")
    assert home.service().wait_idle(WAIT_S)
    assert sink.in_force()["MEMORY.md"].scope.text == f"project:{os.path.realpath(repo)}"


def test_database_of_a_running_host(home: Any, sink: Any, lines: Any) -> None:
    """OpenClaw's database: history, then live rows that only touch the WAL."""
    folder = home.sessions.parent / "agent"
    folder.mkdir(parents=True)
    host = apsw.Connection(str(folder / "openclaw-agent.sqlite"))
    host.execute("PRAGMA journal_mode = wal")
    with host:
        host.execute(
            "CREATE TABLE transcript_events(session_id, seq INTEGER, event_json, created_at, event_zstd)"
        )
        insert = "INSERT INTO transcript_events VALUES ('s1', ?, ?, 0, NULL)"
        host.execute(insert, (0, lines.header("s1")))
        host.execute(insert, (1, lines.ocl("aaaa0001", None, "user", "old")))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["old"]
    host.execute(insert, (2, lines.ocl("aaaa0002", None, "user", "live", 2)))
    assert sink.wait(lambda s: s.contents() == ["old", "live"])
    # The same events as lines are no new talk.
    write(home.sessions / "s1.jsonl", lines.header("s1") + lines.ocl("aaaa0001", None, "user", "old"))
    assert service.wait_idle(WAIT_S)
    assert len(sink.turns) == 2
    host.close()


def test_links_in_a_circle_do_no_harm(home: Any, sink: Any, lines: Any) -> None:
    """A folder of transcripts that links to itself is read once."""
    write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "one"))
    (home.slug / "self").symlink_to(home.slug)
    (home.slug / "loop.jsonl").symlink_to(home.slug / "loop.jsonl")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["one"]
    assert service.progress().files_known == 1


def test_transcript_that_a_host_names(home: Any, sink: Any, lines: Any) -> None:
    """``follow`` reads a transcript outside all known folders, and goes on with it."""
    service = home.service()
    assert service.wait_idle(WAIT_S)
    file = write(home.path / "elsewhere" / "t.jsonl", lines.cc("u1" * 10, "user", "one"))
    assert service.follow(str(file))
    assert sink.wait(lambda s: s.contents() == ["one"])
    append(file, lines.cc("u2" * 10, "user", "two"))
    assert service.wait_idle(WAIT_S)
    assert sink.contents() == ["one", "two"]
    claw = write(
        home.path / "elsewhere" / "c.jsonl", lines.header("c") + lines.ocl("aaaa0001", None, "user", "claw")
    )
    assert service.follow(str(claw))
    assert not service.follow(str(write(home.path / "elsewhere" / "x.txt", "no transcript\n")))
    assert sink.wait(lambda s: "claw" in s.contents())
    own = Path(__file__).resolve().parents[1] / "data" / "sources"
    for host in ("codex", "gemini"):
        taken = len(sink.turns)
        assert service.follow(str(own / f"{host}.jsonl"))
        assert sink.wait(lambda s, taken=taken: len(s.turns) > taken)
        assert sink.turns[-1].session.host == host


def test_pause_and_resume(home: Any, sink: Any, lines: Any) -> None:
    """Paused, nothing is taken; resumed, everything that came meanwhile is."""
    file = write(home.slug / "a.jsonl", lines.cc("u1" * 10, "user", "one"))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    service.pause()
    assert service.status()["paused"]
    append(file, lines.cc("u2" * 10, "user", "two"))
    assert not service.wait_idle(0.2)
    assert sink.contents() == ["one"]
    service.resume()
    assert sink.wait(lambda s: s.contents() == ["one", "two"])


def test_status_names_the_roots(home: Any, sink: Any, tmp_path: Path) -> None:
    """C77: where is read, and which variable said so."""
    home.env["CLAUDE_CONFIG_DIR"] = str(tmp_path / "cc")
    service = home.service()
    assert service.wait_idle(WAIT_S)
    roots = service.status()["roots"]
    assert {
        "host": "claude-code",
        "path": str(tmp_path / "cc" / "projects"),
        "named_by": "CLAUDE_CONFIG_DIR",
        "found": False,
    } in roots


def test_names_with_spaces_and_letters_of_all_kinds(home: Any, sink: Any, lines: Any) -> None:
    """C73: folders named by people."""
    home.env["CLAUDE_CONFIG_DIR"] = str(home.path / "Anıl Phạm 测试")
    file = write(
        home.path / "Anıl Phạm 测试" / "projects" / "-x" / "a b.jsonl", lines.cc("u1" * 10, "user", "one")
    )
    service = home.service()
    assert service.wait_idle(WAIT_S)
    append(file, lines.cc("u2" * 10, "user", "two"))
    assert sink.wait(lambda s: s.contents() == ["one", "two"])


def test_stop_is_prompt_and_may_come_twice(home: Any) -> None:
    """Stopping ends the thread; a second stop is harmless."""
    service = home.service()
    service.stop()
    service.stop()
    assert not service.status()["running"]
