"""The hosts: where each keeps its settings, and what Libra writes there. Source: hosts.md §1–3."""

from __future__ import annotations

import json
import shlex
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from libra import __version__
from libra.hosts.hook import EVENTS, START
from libra.hosts.wishes import Append, Form, Own, Program, Put, Wish

Json = dict[str, Any]

_TIMEOUT_S = 5
"""A host gives up on a hook after this long; the hook itself gives up on Libra sooner."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a person's settings are.

    Attributes:
        home: The home folder.
        env: The environment: hosts' own variables move their folders.
        there: Says whether a path is there.
    """

    home: Path
    env: Mapping[str, str]
    there: Callable[[Path], bool]

    def folder(self, variable: str, *usual: str) -> Path:
        """Return the folder that a variable names, else the usual one in the home folder."""
        named = self.env.get(variable)
        return Path(named).expanduser() if named else self.home.joinpath(*usual)


@dataclass(frozen=True, slots=True)
class Host:
    """A program that Libra can be connected to.

    Attributes:
        name: The word of the command line, and ``who.host``.
        title: What people call it.
        folder: Its settings folder: it is installed if this is there.
        wishes: What is to stand in its files.
        after: What the person has to do next, if anything.
    """

    name: str
    title: str
    folder: Callable[[Surroundings], Path]
    wishes: Callable[[Surroundings, Program], list[Wish]]
    after: str = ""


def _line(program: Program, host: str) -> str:
    """Return the hook's command line, as a shell takes it."""
    words = [*program.hook, host, "--socket", str(program.socket)]
    if program.windows:
        return " ".join(f'"{w}"' if " " in w else w for w in words)
    return shlex.join(words)


def _mcp(program: Program, host: str) -> Json:
    command, *args = program.libra
    return {"command": command, "args": [*args, "mcp", "--host", host, *program.flags]}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


# ------------------------------------------------------------------ Claude Code


def _claude(s: Surroundings) -> Path:
    return s.folder("CLAUDE_CONFIG_DIR", ".claude")


def _claude_wishes(s: Surroundings, program: Program) -> list[Wish]:
    """A plugin in a marketplace of one, in Libra's folder; the settings name it and switch it on."""
    market = program.folder / "claude-code"
    plugin = market / "libra"
    hook = {"type": "command", "command": _line(program, "claude-code"), "timeout": _TIMEOUT_S}
    hooks = {"hooks": {event: [{"hooks": [hook]}] for event in EVENTS["claude-code"]}}
    servers = {"mcpServers": {"libra": _mcp(program, "claude-code")}}
    # Claude Code keeps a copy of each version: other contents have to be another version.
    mark = f"{zlib.crc32((_json(hooks) + _json(servers)).encode()):08x}"
    about = "Long-term memory: your rules at the start, what was said before with each prompt."
    manifest = {"name": "libra", "version": f"{__version__}-{mark}", "description": about}
    entry = {"name": "libra", "source": "./libra", "description": about}
    listing = {"name": "libra", "owner": {"name": "Libra"}, "plugins": [entry]}
    settings = _claude(s) / "settings.json"
    place = {"source": {"source": "directory", "path": str(market)}}
    return [
        Own(market / ".claude-plugin" / "marketplace.json", _json(listing)),
        Own(plugin / ".claude-plugin" / "plugin.json", _json(manifest)),
        Own(plugin / "hooks" / "hooks.json", _json(hooks)),
        Own(plugin / ".mcp.json", _json(servers)),
        Put(settings, ("extraKnownMarketplaces", "libra"), place),
        Put(settings, ("enabledPlugins", "libra@libra"), value=True),
    ]


# ------------------------------------------------------------------ hosts with a command for each hook


def _hooks(program: Program, host: str, file: Path, hook: Json) -> list[Wish]:
    one = {"hooks": [{"type": "command", "command": _line(program, host), **hook}]}
    return [Append(file, ("hooks", event), one) for event in EVENTS[host]]


def _codex(s: Surroundings) -> Path:
    return s.folder("CODEX_HOME", ".codex")


def _codex_wishes(s: Surroundings, program: Program) -> list[Wish]:
    entry = Put(_codex(s) / "config.toml", ("mcp_servers", "libra"), _mcp(program, "codex"), Form.TOML)
    return [entry, *_hooks(program, "codex", _codex(s) / "hooks.json", {"timeout": _TIMEOUT_S})]


def _gemini(s: Surroundings) -> Path:
    return s.folder("GEMINI_CLI_HOME", ".") / ".gemini"


def _gemini_wishes(s: Surroundings, program: Program) -> list[Wish]:
    settings = _gemini(s) / "settings.json"
    entry = Put(settings, ("mcpServers", "libra"), _mcp(program, "gemini"))
    return [entry, *_hooks(program, "gemini", settings, {"name": "libra", "timeout": _TIMEOUT_S * 1000})]


def _cursor(s: Surroundings) -> Path:
    return s.home / ".cursor"


def _cursor_wishes(s: Surroundings, program: Program) -> list[Wish]:
    """Cursor takes context from a hook at the start of a session only."""
    hooks = _cursor(s) / "hooks.json"
    one = {"command": _line(program, "cursor")}
    return [
        Put(_cursor(s) / "mcp.json", ("mcpServers", "libra"), _mcp(program, "cursor")),
        Put(hooks, ("version",), 1, unless=True),
        *(Append(hooks, ("hooks", event), one) for event in EVENTS["cursor"]),
    ]


# ------------------------------------------------------------------ hosts with a plugin of ours


def _opencode(s: Surroundings) -> Path:
    return s.folder("XDG_CONFIG_HOME", ".config") / "opencode"


def _opencode_wishes(s: Surroundings, program: Program) -> list[Wish]:
    folder = _opencode(s)
    names = ("opencode.jsonc", "opencode.json", "config.json")
    file = next((folder / name for name in names if s.there(folder / name)), folder / "opencode.json")
    entry = _mcp(program, "opencode")
    local = {"type": "local", "command": [entry["command"], *entry["args"]], "enabled": True}
    place = program.folder / "opencode"
    return [
        *(Own(place / name, text) for name, text in program.opencode.items()),
        Own(place / "settings.json", _json({"socket": str(program.socket)})),
        Append(file, ("plugin",), (place / "index.js").as_uri()),
        Put(file, ("mcp", "libra"), local),
    ]


def _openclaw(s: Surroundings) -> Path:
    return s.folder("OPENCLAW_STATE_DIR", ".openclaw")


def _openclaw_wishes(s: Surroundings, program: Program) -> list[Wish]:
    """The plugin of ours in both slots; what was in them comes back with ``disconnect``."""
    place = program.folder / "openclaw"
    named = s.env.get("OPENCLAW_CONFIG_PATH")
    file = Path(named).expanduser() if named else _openclaw(s) / "openclaw.json"
    entry = {
        "enabled": True,
        "config": {"socket": str(program.socket)},
        # Without this a plugin that is not part of OpenClaw sees no conversation (hosts.md §1.4).
        "hooks": {"allowConversationAccess": True},
    }
    return [
        *(Own(place / name, text) for name, text in program.openclaw.items()),
        Append(file, ("plugins", "load", "paths"), str(place)),
        Append(file, ("plugins", "allow"), "libra", only_if_there=True),
        Put(file, ("plugins", "entries", "libra"), entry),
        Put(file, ("plugins", "slots", "memory"), "libra"),
        Put(file, ("plugins", "slots", "contextEngine"), "libra"),
    ]


def _hermes(s: Surroundings) -> Path:
    return s.folder("HERMES_HOME", ".hermes")


def _hermes_wishes(s: Surroundings, program: Program) -> list[Wish]:
    """A provider where Hermes looks for them, chosen in its settings."""
    place = _hermes(s) / "plugins" / "libra"
    return [
        *(Own(place / name, text) for name, text in program.hermes.items()),
        Own(place / "settings.json", _json({"socket": str(program.socket)})),
        Put(_hermes(s) / "config.yaml", ("memory", "provider"), "libra", Form.YAML),
    ]


# ------------------------------------------------------------------ clients of another memory


def _libravdb(s: Surroundings) -> Path:
    return s.home / ".clawdb"


def _libravdb_wishes(_s: Surroundings, program: Program) -> list[Wish]:
    """Their clients stay as they are: Libra listens where they look."""
    return [Put(program.config, ("compat", "libravdb"), value=True, form=Form.TOML)]


HOSTS: tuple[Host, ...] = (
    Host("claude-code", "Claude Code", _claude, _claude_wishes, "Restart running sessions."),
    Host("codex", "Codex", _codex, _codex_wishes, "Codex asks once whether it may run the hooks."),
    Host("gemini", "Gemini CLI", _gemini, _gemini_wishes, "Restart running sessions."),
    Host("cursor", "Cursor", _cursor, _cursor_wishes, "Restart Cursor."),
    Host("opencode", "opencode", _opencode, _opencode_wishes, "Restart running sessions."),
    Host(
        "openclaw", "OpenClaw", _openclaw, _openclaw_wishes, "Restart the gateway: openclaw gateway restart."
    ),
    Host("hermes", "Hermes", _hermes, _hermes_wishes, "Restart Hermes."),
    Host("libravdb", "Clients of LibraVDB", _libravdb, _libravdb_wishes, "Restart Libra, then the clients."),
)
"""Every host, in the order of the documentation."""

BY_NAME: Mapping[str, Host] = {host.name: host for host in HOSTS}


def starts(host: str) -> bool:
    """Return True if the host gets the standing rules from a hook at the start of a session."""
    return START in EVENTS.get(host, {}).values()
