"""No bytes of any host's files or rows raise anything, and the worst megabyte takes no time to speak of."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libra.ground.records import NewTurn
from libra.sources.events import ParseParams
from libra.sources.formats import formats
from libra.sources.hermes import HermesParser
from libra.sources.hermes import Talk as HermesTalk
from libra.sources.opencode import OpencodeParser, Talk, is_open
from libra.sources.slices import TalkFile
from libra.sources.transcripts import SliceParams, Transcript

PLACES = {
    "claude-code": ("-home-dev-app", "5d2f6a1e.jsonl"),
    "codex": ("2026", "03", "07", "rollout-x-01a0c3d4-5e6f-7a8b-9c0d-1e2f3a4b5c6d.jsonl"),
    "gemini": ("app", "chats", "session-x.jsonl"),
    "openclaw": ("main", "sessions", "s1.jsonl"),
}
KEYS = """type id uuid parentUuid parentId sessionId session_id timestamp cwd isSidechain agentId message role content
 text payload item source subagent thread_spawn parent_thread_id forked_from_id num_turns output $set $rewindTo messages
 toolCalls displayContent kind model stopReason __openclaw senderIsOwner isMeta forkedFrom summary error time created
 completed path parts state active compacted tool_calls name arguments""".split()
WORDS = """user assistant system tool toolResult message session session_meta response_item event_msg turn_context
 compacted thread_rolled_back item_completed UserMessage user_message gemini text input_text tool_result tool_use main
 function_call_output subagent \x00json: <session_context> [{"type":"text"}] 2026-03-07T11:00:00Z""".split()

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(WORDS)
)
keys = st.sampled_from(KEYS) | st.text(max_size=4)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=8,
)
records = st.dictionaries(keys, values, max_size=8)
quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check(turns: list[NewTurn]) -> None:
    """Whatever was read, a turn has words, and a time that can be."""
    for turn in turns:
        assert turn.content.strip()
        assert turn.ts_ms is None or 0 <= turn.ts_ms < 2**53


@pytest.mark.parametrize("host", sorted(PLACES))
@quick
@given(events=st.lists(records, max_size=8), tool_output=st.booleans())
def test_any_json(host: str, events: list[dict[str, Any]], *, tool_output: bool) -> None:
    """Values of any kind at any place: the white list takes them or leaves them."""
    form = formats(ParseParams("u", tool_output=tool_output))[host]
    assert form.parser is not None
    left = form.left(iter(events))
    file = TalkFile(host, "/nowhere/x", PLACES[host])
    first = form.parser(file, None, left)
    said = [one.turn for event in events[:4] for one in first.feed(event, 1)]
    second = form.parser(file, json.loads(json.dumps(first.memory())), left)
    said += [one.turn for event in events[4:] for one in second.feed(event, 1)]
    check(said)
    assert second.session().key.startswith(f"{host}:")


@pytest.mark.parametrize("host", sorted(PLACES))
@quick
@given(
    lines=st.lists(
        st.binary(max_size=60) | records.map(lambda r: json.dumps(r, default=str).encode()), max_size=6
    ),
    end=st.binary(max_size=20),
)
def test_any_bytes(
    host: str, lines: list[bytes], end: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Files of any bytes are read to their end, in slices as well as at once."""
    path = tmp_path_factory.mktemp("fuzz") / "x.jsonl"
    path.write_bytes(b"\n".join(lines) + end)
    form = formats(ParseParams("u"))[host]
    job = Transcript(TalkFile(host, str(path), PLACES[host]), form, SliceParams(turns=1, slice_bytes=16))
    cursor, steps = None, 0
    while True:
        piece = job.step(cursor)
        cursor, steps = piece.cursor, steps + 1
        check([turn for batch in piece.batches for turn in batch.turns])
        assert steps < 1000
        if piece.done:
            break


@quick
@given(
    data=records,
    parts=st.lists(st.tuples(st.text(max_size=4), records, st.integers(0, 9)), max_size=4),
    rows=st.lists(st.dictionaries(st.sampled_from(KEYS), scalars | values, max_size=10), max_size=4),
    tool_output=st.booleans(),
)
def test_any_rows(data: Any, parts: Any, rows: list[dict[str, Any]], *, tool_output: bool) -> None:
    """Rows of opencode and Hermes with values of any kind."""
    params = ParseParams("u", tool_output=tool_output)
    is_open(data)
    opencode = OpencodeParser(params, Talk("s", reverted="m", reverted_part="p"))
    check([one.turn for named in ("a", "m") for one in opencode.feed(named, data, parts, 1)])
    hermes = HermesParser(params)
    check([one.turn for row in rows for one in hermes.feed(HermesTalk("s"), row)])


_MEGABYTE = 1_000_000
_WORST = {
    "spaces": " " * _MEGABYTE,
    "open tags": "<system-reminder>" * (_MEGABYTE // 17),
    "open hooks": "<hook_context>" * (_MEGABYTE // 14),
    "brackets": "[" * _MEGABYTE,
    "files": "--- Content from referenced files ---" * (_MEGABYTE // 37),
    "blocks": "Sender (untrusted metadata):\n```json\n" * (_MEGABYTE // 37),
    "from": "[from: " * (_MEGABYTE // 7),
    "headings": "# AGENTS.md instructions " * (_MEGABYTE // 25),
    "backslashes": "\\" * _MEGABYTE,
}
_AS_LINE = {
    "claude-code": lambda text: {"type": "user", "uuid": "u", "message": {"role": "user", "content": text}},
    "codex": lambda text: {
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]},
    },
    "gemini": lambda text: {"id": "u", "type": "user", "content": [{"text": text}]},
    "openclaw": lambda text: {"type": "message", "id": "a", "message": {"role": "user", "content": text}},
}


@pytest.mark.parametrize("host", sorted(PLACES))
@pytest.mark.parametrize("worst", sorted(_WORST))
def test_a_bad_megabyte_is_read_in_linear_time(host: str, worst: str, tmp_path: Path) -> None:
    """One line of a megabyte made to be slow: quadratic work would take minutes, not a part of a second."""
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(_AS_LINE[host](_WORST[worst])) + "\n", encoding="utf-8")
    form = formats(ParseParams("u"))[host]
    before = time.process_time()
    Transcript(TalkFile(host, str(path), PLACES[host]), form).step(None)
    assert time.process_time() - before < 5
