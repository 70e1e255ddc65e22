"""The law of connecting: whatever a person's settings look like, disconnecting gives back their bytes, or they were never touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libra.hosts import plan
from libra.hosts.edits import Unreadable
from libra.hosts.plan import Change, Record
from libra.hosts.table import HOSTS, Host, Surroundings
from libra.hosts.wishes import Form, Own, Program, Put
from tests.conftest import examples

AROUND = Surroundings(Path("/home/anna"), {}, lambda _: True)
HOW = Program(
    libra=("/opt/li bra/libra",),
    hook=("/opt/li bra/libra", "hook"),
    data=Path("/home/anna/.local/share/libra"),
    config=Path("/home/anna/.config/libra/config.toml"),
    socket=Path("/run/user/1000/libra/libra.sock"),
    openclaw={"index.js": "// ours\n"},
    hermes={"__init__.py": "# ours\n"},
    opencode={"index.js": "// ours\n"},
)

KEYS = ["mcpServers", "hooks", "plugins", "plugin", "mcp", "theme", "enabledPlugins", "version", "测试"]
VALUES = ['"x"', "true", "1", '{"other": {"command": "x"}}', '{ "a": [1, 2], }', "[]", '["a", "b"]', "{}",
          '{"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}', '{"allow": ["discord"], "slots": {"memory": "x"}}']  # fmt: skip
TOMLS = ['model = "gpt"', "# a comment", "[tui]\nx = 1", '[mcp_servers.other]\ncommand = "x"', '[[list]]\ny = """\n[compat]\n"""', "",
         "[compat.more]\nz = 1", "[mcp_servers]"]  # fmt: skip
YAMLS = [
    "a: 1",
    "# a comment",
    "memory:\n    x: 1",
    "memory:",
    "memory: # mine\n  provider: mem0  # old",
    "ui:\n  - y",
    "",
    "memory: {x: 1}",
]


@st.composite
def jsons(draw: st.DrawFn) -> str:
    """Return settings in JSON as people write them: any order, comments, trailing commas, one line or many."""
    keys = draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=5))
    gap = draw(st.sampled_from(["", " ", "\n\t", "\n  ", "\n  // note, with }\n  ", " /* ] */ "]))
    members = [f"{gap}{json.dumps(key, ensure_ascii=False)}: {draw(st.sampled_from(VALUES))}" for key in keys]
    end = draw(st.sampled_from(["", "\n", ",\n"])) if members else draw(st.sampled_from(["", "\n"]))
    return "{" + ",".join(members) + end + "}"


TEXTS = {
    Form.JSON: jsons(),
    Form.TOML: st.lists(st.sampled_from(TOMLS), unique=True, max_size=4).map("\n".join),
    Form.YAML: st.lists(st.sampled_from(YAMLS), unique_by=lambda part: part.split(":")[0], max_size=4).map(
        "\n".join
    ),
}


@st.composite
def files(draw: st.DrawFn, host: Host) -> dict[Path, bytes]:
    """Return the settings of a host: each file there or not, with a mark, either line end, an end of line or none."""
    out = {}
    for wish in host.wishes(AROUND, HOW):
        if isinstance(wish, Own) or wish.file in out or draw(st.integers(0, 4)) == 0:
            continue
        form = wish.form if isinstance(wish, Put) else Form.JSON
        text = draw(TEXTS[form]) + draw(st.sampled_from(["", "\n", "\n\n"]))
        newline = draw(st.sampled_from(["\n", "\r\n"]))
        mark = draw(st.sampled_from(["", "\ufeff"]))
        out[wish.file] = (mark + text.replace("\n", newline)).encode()
    return out


def written(disk: dict[Path, bytes], changes: list[Change]) -> dict[Path, bytes]:
    """Return the disk after changes."""
    after = {path: raw for path, raw in disk.items() if path not in {c.file for c in changes}}
    return after | {c.file: c.after for c in changes if c.after is not None}


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
@settings(examples(30))
@given(data=st.data())
def test_in_and_out_to_the_byte(host: Host, data: st.DataObject) -> None:
    """Comments, order, line ends, marks, a missing last line end: a person would find them changed."""
    disk = data.draw(files(host))
    try:
        changes = plan.connect(host.wishes(AROUND, HOW), disk.get)
    except Unreadable:
        return  # refused as a whole: nothing was written
    connected = written(disk, changes)
    assert plan.connect(host.wishes(AROUND, HOW), connected.get) == [], "a second time changes nothing"
    for change in changes:
        if change.before is not None:
            assert b"\r\n" in (change.after or b"") or b"\r\n" not in change.before
            assert (change.after or b"").startswith(b"\xef\xbb\xbf") == change.before.startswith(
                b"\xef\xbb\xbf"
            )
    kept = json.loads(json.dumps([Record.of(c, None).json() for c in changes if not c.own]))
    records = {record.file: record for record in map(Record.read, kept)}
    assert written(connected, plan.disconnect(host.wishes(AROUND, HOW), records, connected.get)) == disk
