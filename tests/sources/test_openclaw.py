"""OpenClaw's events: what is talk, whose it is, and on which branch it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from libra.ground.records import Origin, Role
from libra.sources.events import ParseParams, Said, Verdict
from libra.sources.openclaw import OpenClawParser, abandoned, named_session, sender, verdict
from libra.sources.openclaw_sessions import (
    SessionFacts,
    SessionLists,
    facts_of_key,
    header_id,
    predecessor,
    session_named,
)


def parse(*texts: str, **settings: Any) -> tuple[list[Said], OpenClawParser]:
    """Return what is said in some lines, and the parser after them."""
    parser = OpenClawParser(ParseParams("u"), "main", "by-name", **settings)
    said: list[Said] = []
    for number, text in enumerate(texts, 1):
        said += parser.feed(json.loads(text), number)
    return said, parser


def test_question_and_answer(lines: Any) -> None:
    """Header, question, answer: session and agent, roles and origins."""
    said, parser = parse(
        lines.header("s1", parentSession="/x/s0.jsonl"),
        lines.ocl("aaaa0001", None, "user", "[Mon 2026-11-30 01:35 UTC] Where is it?"),
        lines.ocl("aaaa0002", "aaaa0001", "assistant", "There.", 1),
    )
    question, answer = (one.turn for one in said)
    assert (question.role, question.origin, question.content) == (Role.USER, Origin.OWNER, "Where is it?")
    assert (answer.role, answer.origin, answer.event_id) == (Role.ASSISTANT, Origin.AGENT, "aaaa0002")
    session = said[0].session
    assert (session.key, session.agent, session.cwd) == ("openclaw:s1", "main", "/home/dev/claw")
    assert session.parent_key == "openclaw:s0"
    assert (parser.counts["user"], parser.counts["assistant"], parser.counts["session"]) == (1, 1, 1)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "custom_message", "id": "a", "content": "host text", "display": False},
        {"type": "compaction", "id": "a", "summary": "older talk"},
        {"type": "branch_summary", "id": "a", "summary": "left talk"},
        {"type": "from_the_future", "message": {"role": "user", "content": "x"}},
        {"type": "message", "id": "a", "message": {"role": "compactionSummary", "content": "x"}},
        {"type": "message", "id": "a", "message": {"role": ["user"], "content": "x"}},
        {"type": "message", "id": "a", "message": None},
        {"type": None},
    ],
)
def test_host_events_are_no_talk(event: dict[str, Any]) -> None:
    """Only messages of users and assistants are read."""
    assert parse(json.dumps(event))[0] == []


@pytest.mark.parametrize("reason", ["error", "aborted"])
def test_failed_answers_are_left_out(lines: Any, reason: str) -> None:
    """C39: an error or a broken-off answer is never stored."""
    said, parser = parse(lines.ocl("a", None, "assistant", "Rate limit reached", stopReason=reason))
    assert said == []
    assert parser.counts["failedAnswers"] == 1


def test_heartbeats_and_silence_are_left_out(lines: Any) -> None:
    """The host's poll and the agent's "nothing to say" are no talk; a real answer to a poll is."""
    said, parser = parse(
        lines.ocl("a", None, "user", "HEARTBEAT"),
        lines.ocl("b", "a", "assistant", "NO_REPLY"),
        lines.ocl("c", "b", "user", "HEARTBEAT"),
        lines.ocl("d", "c", "assistant", "HEARTBEAT_OK"),
        lines.ocl("e", "d", "user", "HEARTBEAT"),
        lines.ocl("f", "e", "assistant", "The disk on db-2 is 91 % full."),
    )
    assert [one.turn.content for one in said] == ["The disk on db-2 is 91 % full."]
    assert (parser.counts["heartbeats"], parser.counts["silentAnswers"]) == (3, 2)


@pytest.mark.parametrize("mirror_first", [False, True])
def test_delivery_mirror_repeats_nothing(lines: Any, mirror_first: bool) -> None:  # noqa: FBT001 - a case
    """C19: of an answer and its mirror one is taken; a mirror with words of its own is taken too."""
    pair = [
        lines.ocl("b", "a", "assistant", "Done.", model="qwen"),
        lines.ocl("c", "b", "assistant", " Done. ", model="delivery-mirror"),
    ]
    if mirror_first:
        pair.reverse()
    said, _ = parse(
        lines.ocl("a", None, "user", "Do it."),
        *pair,
        lines.ocl("d", "c", "assistant", "Sent to the channel.", model="delivery-mirror"),
        lines.ocl("e", "d", "user", "Do it."),
        lines.ocl("f", "e", "assistant", "Done.", model="qwen"),
    )
    assert [one.turn.content.strip() for one in said] == [
        "Do it.",
        "Done.",
        "Sent to the channel.",
        "Do it.",
        "Done.",
    ]


def test_mirror_is_known_after_a_pause(lines: Any) -> None:
    """The parser's memory carries the last answers over a restart."""
    _, parser = parse(lines.header("s1"), lines.ocl("b", "a", "assistant", "Done.", model="qwen"))
    said, _ = parse(
        lines.ocl("c", "b", "assistant", "Done.", model="delivery-mirror"), memory=parser.memory()
    )
    assert said == []


def test_message_time_wins_and_envelope_is_kept(lines: Any) -> None:
    """C104: the message's own time; the event's where it differs."""
    said, _ = parse(lines.ocl("a", None, "user", "x", 5, timestamp=1_775_037_600_000))
    assert said[0].turn.ts_ms == 1_775_037_600_000
    assert said[0].turn.metadata == {"envelope_ms": 1_775_037_900_000}


def test_other_people_are_not_the_owner(lines: Any) -> None:
    """In a group only words marked as the owner's are the owner's; alone they are, unless marked otherwise."""
    texts = [
        lines.ocl("a", None, "user", "I like tea"),
        lines.ocl("b", "a", "user", "I like tea", 1, __openclaw={"senderIsOwner": True}),
        lines.ocl("c", "b", "user", "I like tea", 2, __openclaw={"senderIsOwner": False}),
    ]
    alone = [one.turn.origin for one in parse(*texts)[0]]
    group = [one.turn.origin for one in parse(*texts, facts_of=lambda _id: SessionFacts(shared=True))[0]]
    assert alone == [Origin.OWNER, Origin.OWNER, Origin.EXTERNAL]
    assert group == [Origin.EXTERNAL, Origin.OWNER, Origin.EXTERNAL]


def test_sender_preface() -> None:
    """The host's preface names the speaker and is cut."""
    text = 'Sender (untrusted metadata):\n```json\n{"label":"Linh (77)","name":"Linh"}\n```\n\nHello'
    assert sender(text) == ("Linh", "Hello")
    assert sender("Hello\n[from: Linh (+84 1)]") == ("Linh", "Hello")
    assert sender("Sender of the mail: me") == (None, "Sender of the mail: me")


def test_fixed_session_outranks_a_copied_header(lines: Any) -> None:
    """Rows of a forked session keep their own session; the copied header says where it came from."""
    said, _ = parse(lines.header("old"), lines.ocl("a", None, "user", "x"), fixed=True)
    assert (said[0].session.key, said[0].session.parent_key) == ("openclaw:by-name", "openclaw:old")


@pytest.mark.parametrize(
    ("key", "via", "kind", "shared"),
    [
        ("agent:main:main", None, "main", False),
        ("agent:main:telegram:group:12", None, "main", True),
        ("agent:main:discord:channel:9", None, "main", True),
        ("cron:nightly", None, "cron", False),
        ("agent:main:cron:nightly", None, "cron", False),
        ("hook:77aa", None, "cron", True),
        ("agent:main:subagent:77aa", None, "subagent", False),
        ("agent:main:main:heartbeat", None, "heartbeat", False),
        ("agent:main:x", "spawn", "subagent", False),
        ("agent:main:x", "cron", "cron", False),
        ("agent:main:x", "internal", "subagent", False),
        ("agent:main:x", "channel", "main", False),
    ],
)
def test_kind_of_session(key: str, via: str | None, kind: str, shared: bool) -> None:  # noqa: FBT001 - a case
    """Cron, hook and helper sessions are not a person's own."""
    facts = facts_of_key(key, via)
    assert (facts.kind, facts.shared) == (kind, shared)


def test_left_branches() -> None:
    """Events that the active path does not lead over are left; separate trees leave each other alone."""
    tree = [("1", None), ("2", "1"), ("3", "2"), ("4", "1"), ("5", "4")]
    assert abandoned(tree) == {"2", "3"}
    assert abandoned([("1", None), ("2", "1"), ("7", None), ("8", "7")]) == frozenset()
    assert abandoned([("2", "missing"), ("3", "2")]) == frozenset()
    assert abandoned([("1", "1"), ("2", "3"), ("3", "2")]) is not None


def test_left_branch_is_marked(lines: Any) -> None:
    """C96: what the person took back is kept as talk, but never considered for memory."""
    said, _ = parse(
        lines.ocl("a", None, "user", "x"), lines.ocl("b", "a", "user", "y"), abandoned=frozenset({"a"})
    )
    assert [one.turn.undone for one in said] == [True, False]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("s1.jsonl", Verdict.TAKE),
        ("s1-topic-7.jsonl", Verdict.TAKE),
        ("s1.jsonl.reset.2026-03-04T08-30-00.000Z", Verdict.TAKE),
        ("s1.jsonl.deleted.2026-03-06T18-05-12.431Z", Verdict.EXCLUDED),
        ("s1.jsonl.deleted.2026-03-06T18-05-12Z.zst", Verdict.EXCLUDED),
        ("s1.trajectory.jsonl", Verdict.IGNORE),
        ("s1.trajectory-path.json", Verdict.IGNORE),
        ("s1.checkpoint.0f0f-11.jsonl", Verdict.IGNORE),
        ("s1.jsonl.bak.2026-03-04T08-30-00Z", Verdict.IGNORE),
        ("s1.jsonl.lock", Verdict.IGNORE),
        ("sessions.json", Verdict.IGNORE),
        ("sessions.json.77.tmp", Verdict.IGNORE),
    ],
)
def test_which_files_are_transcripts(name: str, expected: Verdict) -> None:
    """Live files and reset archives are read, deleted ones never."""
    assert verdict(("main", "sessions", name)) is expected


def test_import_archive_files() -> None:
    """Of the import archive only the tier that exists nowhere else is read."""
    folder = ("main", "session-sqlite-import-archive")
    assert verdict((*folder, "archive-tier.s1.jsonl.imported-2026")) is Verdict.TAKE
    assert verdict((*folder, "s1.jsonl.imported-2026")) is Verdict.IGNORE
    assert named_session((*folder, "archive-tier.s1.jsonl.imported-2026")) == "s1"
    assert named_session(("main", "sessions", "s1-topic-7.jsonl")) == "s1"


def test_session_list(tmp_path: Path) -> None:
    """``sessions.json`` gives facts by session id, and is read again when it changed."""
    lists = SessionLists()
    assert lists.facts(str(tmp_path), "s1") is None
    listed = tmp_path / "sessions.json"
    listed.write_text('{"agent:main:cron:x": {"sessionId": "s1"}, "odd": 5}')
    facts = lists.facts(str(tmp_path), "s1")
    assert facts is not None
    assert facts.kind == "cron"
    listed.write_text("[]")
    assert lists.facts(str(tmp_path), "s1") is None
    listed.write_text("{broken")
    assert lists.facts(str(tmp_path), "s1") is None


def test_predecessor_is_the_newest_archive_of_the_name(tmp_path: Path, lines: Any) -> None:
    """A new window under an old name goes on from the archived one."""
    live = tmp_path / "s1.jsonl"
    live.write_text(lines.header("new"))
    assert predecessor(str(live)) is None
    (tmp_path / "s1.jsonl.reset.2026-01-01T00-00-00Z").write_text(lines.header("older"))
    (tmp_path / "s1.jsonl.reset.2026-02-01T00-00-00Z").write_text(lines.header("old"))
    assert predecessor(str(live)) == "old"
    assert predecessor(str(tmp_path / "s1.jsonl.reset.2026-01-01T00-00-00Z")) is None
    assert header_id(tmp_path / "nowhere") is None
    assert session_named("C:\\x\\s9.jsonl.reset.2026") == "s9"
    assert session_named("s9") == "s9"
    assert session_named(None) is None
