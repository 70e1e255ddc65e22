"""Places of the hosts: platform defaults, the variables that move them, OpenClaw's configuration file."""

from __future__ import annotations

from pathlib import Path

import pytest

from libra.sources.catalog import Surroundings, openclaw_states, survey
from libra.sources.loose_json import loads


def around(home: Path, platform: str = "linux", **env: str) -> Surroundings:
    """Return surroundings with this home folder."""
    return Surroundings(home, env, platform)


def test_defaults(tmp_path: Path) -> None:
    """Without any setting everything is below the home folder."""
    catalog = survey(around(tmp_path))
    assert [(f.host, f.path) for f in catalog.talk] == [
        ("claude-code", tmp_path / ".claude" / "projects"),
        ("codex", tmp_path / ".codex" / "sessions"),
        ("codex", tmp_path / ".codex" / "archived_sessions"),
        ("gemini", tmp_path / ".gemini" / "tmp"),
        ("opencode", tmp_path / ".local" / "share" / "opencode"),
        ("opencode", tmp_path / ".local" / "share" / "opencode" / "storage" / "session"),
        ("cursor", tmp_path / ".cursor" / "projects"),
        ("hermes", tmp_path / ".hermes"),
        ("openclaw", tmp_path / ".openclaw" / "agents"),
    ]
    assert [(w.agent, w.path) for w in catalog.workspaces] == [("main", tmp_path / ".openclaw" / "workspace")]
    assert catalog.managed == Path("/etc/claude-code")
    assert "ClaudeCode" in str(survey(around(tmp_path, "darwin")).managed)
    assert "ClaudeCode" in str(survey(around(tmp_path, "win32")).managed)


def test_variables_move_the_folders(tmp_path: Path) -> None:
    """C77: the hosts' own variables are honoured, and named in the status."""
    env = {
        "CLAUDE_CONFIG_DIR": str(tmp_path / "cc"),
        "CODEX_HOME": str(tmp_path / "cx"),
        "XDG_DATA_HOME": str(tmp_path / "xdg"),
        "HERMES_HOME": str(tmp_path / "hm"),
        "GEMINI_CLI_HOME": str(tmp_path / "gm"),
        "OPENCLAW_STATE_DIR": "~/claw",
        "OPENCLAW_WORKSPACE_DIR": str(tmp_path / "ws"),
    }
    catalog = survey(around(tmp_path / "home", **env))
    assert [(f.path, f.named_by) for f in catalog.talk] == [
        (tmp_path / "cc" / "projects", "CLAUDE_CONFIG_DIR"),
        (tmp_path / "cx" / "sessions", "CODEX_HOME"),
        (tmp_path / "cx" / "archived_sessions", "CODEX_HOME"),
        (tmp_path / "gm" / ".gemini" / "tmp", "GEMINI_CLI_HOME"),
        (tmp_path / "xdg" / "opencode", "XDG_DATA_HOME"),
        (tmp_path / "xdg" / "opencode" / "storage" / "session", "XDG_DATA_HOME"),
        (tmp_path / "home" / ".cursor" / "projects", "default"),
        (tmp_path / "hm", "HERMES_HOME"),
        (tmp_path / "home" / "claw" / "agents", "OPENCLAW_STATE_DIR"),
    ]
    assert catalog.workspaces[0].path == tmp_path / "ws"


def test_profiles(tmp_path: Path) -> None:
    """A profile has a state folder of its own; others on the disk are read too, for Libra has no shell."""
    (tmp_path / ".openclaw-work" / "agents").mkdir(parents=True)
    (tmp_path / ".openclaw-old").mkdir()
    assert openclaw_states(around(tmp_path, OPENCLAW_PROFILE="work"))[0] == (
        tmp_path / ".openclaw-work",
        "OPENCLAW_PROFILE",
    )
    states = [path.name for path, _ in openclaw_states(around(tmp_path))]
    assert states == [".openclaw", ".openclaw-work"]


CONFIG = """
// agents of this machine
{
  agents: {
    defaults: { workspace: '~/claw', /* for all */ },
    entries: {
      main: {},
      "ops": { workspace: "/srv/ops", },
      work: { bootstrapMaxChars: +20000, ratio: .5, mask: 0xFF },
    },
  },
}
"""


def test_configured_workspaces(tmp_path: Path) -> None:
    """openclaw.json, with comments, bare keys and trailing commas, says where each agent works."""
    state = tmp_path / ".openclaw"
    (state / "agents" / "extra").mkdir(parents=True)
    (state / "openclaw.json").write_text(CONFIG)
    found = {w.agent: w.path for w in survey(around(tmp_path)).workspaces}
    assert found == {
        "main": tmp_path / "claw",
        "ops": Path("/srv/ops"),
        "work": tmp_path / "claw" / "work",
        "extra": tmp_path / "claw" / "extra",
    }


def test_listed_agents_of_the_older_shape(tmp_path: Path) -> None:
    """``agents.list`` names agents too; the one marked as default has the plain workspace."""
    state = tmp_path / ".openclaw"
    state.mkdir()
    (state / "openclaw.json").write_text(
        '{"agents": {"list": [{"id": "boss", "default": true}, {"id": "aide"}, 5]}}'
    )
    found = {w.agent: w.path for w in survey(around(tmp_path)).workspaces}
    assert found == {"boss": state / "workspace", "aide": state / "workspace-aide"}


@pytest.mark.parametrize(
    "text", ["{broken", "[]", '"x"', "{" * 5000, '{"agents": 5}', '{"agents": {"list": 5}}']
)
def test_broken_configuration_is_said_not_fatal(tmp_path: Path, text: str) -> None:
    """A configuration that cannot be read leaves the defaults."""
    state = tmp_path / ".openclaw"
    state.mkdir()
    (state / "openclaw.json").write_text(text)
    catalog = survey(around(tmp_path))
    assert catalog.workspaces[0].path == state / "workspace"
    assert bool(catalog.problems) == (not text.startswith('{"'))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        (
            "{a: 'it\\'s \"x\"', b: -1, c: +2.5, d: .5, e: 5., f: 0x10}",
            {"a": 'it\'s "x"', "b": -1, "c": 2.5, "d": 0.5, "e": 5, "f": 16},
        ),
        ('\ufeff{"url": "http://x/y" /* c */}', {"url": "http://x/y"}),
        ("[true, null, NaN] // end", [True, None, None]),
    ],
)
def test_loose_json(text: str, value: object) -> None:
    """What people write in configuration files is read."""
    assert loads(text) == value


@pytest.mark.parametrize("text", ["", "{", "{a b}", "#", "'"])
def test_loose_json_refuses(text: str) -> None:
    """What is no JSON in any form is refused."""
    with pytest.raises(ValueError):  # noqa: PT011 - json's own
        loads(text)
