r"""Where each host keeps things, on each platform: one table, and the rules behind its rows.

| host        | what              | where                                                          | moved by |
|-------------|-------------------|----------------------------------------------------------------|----------|
| claude-code | transcripts, auto memory | ``~/.claude/projects``                                  | CLAUDE_CONFIG_DIR |
| claude-code | user rules        | ``~/.claude/CLAUDE.md``, ``~/.claude/rules``                   | CLAUDE_CONFIG_DIR |
| claude-code | managed rules     | ``/etc/claude-code``, ``/Library/Application Support/ClaudeCode``, ``%ProgramFiles%\ClaudeCode`` | – |
| codex       | rollouts          | ``~/.codex/sessions``, ``~/.codex/archived_sessions``          | CODEX_HOME |
| gemini      | chats             | ``~/.gemini/tmp``                                              | GEMINI_CLI_HOME |
| opencode    | database; before it files | ``~/.local/share/opencode/opencode.db``, ``…/storage/session``    | XDG_DATA_HOME |
| cursor      | transcripts       | ``~/.cursor/projects/*/agent-transcripts``                     | – |
| hermes      | database          | ``~/.hermes/state.db``, ``~/.hermes/profiles/*/state.db``       | HERMES_HOME |
| openclaw    | transcripts, database | ``~/.openclaw/agents``                                     | OPENCLAW_STATE_DIR, OPENCLAW_PROFILE |
| openclaw    | workspaces        | ``~/.openclaw/workspace``, ``workspace-<agent>``, openclaw.json | OPENCLAW_WORKSPACE_DIR, … |

On Windows ``~`` is ``%USERPROFILE%``; the folders below it are the same.

Source: hosts.md §1.5–1.7, §2.1, §2.3; transcripts.md.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from libra.sources import retention
from libra.sources.looking import is_folder
from libra.sources.loose_json import loads
from libra.sources.retention import Retention

CLAUDE_CODE: Final = "claude-code"
OPENCLAW: Final = "openclaw"
CODEX: Final = "codex"
CURSOR: Final = "cursor"
GEMINI: Final = "gemini"
OPENCODE: Final = "opencode"
HERMES: Final = "hermes"
ANY_HOST: Final = "any"

_CONFIG_MAX_BYTES: Final = 4 * 1024 * 1024
_MANAGED: Final = {
    "linux": Path("/etc/claude-code"),
    "darwin": Path("/Library/Application Support/ClaudeCode"),
    "win32": Path(r"C:\Program Files\ClaudeCode"),
}
_MAIN_AGENT: Final = "main"
_DEFAULT_PROFILE: Final = "default"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What decides where a host keeps things: the home folder, the environment, the platform."""

    home: Path
    env: Mapping[str, str]
    platform: str = sys.platform
    managed: Path | None = None
    """Another folder for managed rules than the platform's own; for tests."""

    @classmethod
    def of_process(cls) -> Surroundings:
        """Return those of this process."""
        return cls(home=Path.home(), env=dict(os.environ))

    def folder(self, text: str) -> Path:
        """Return the absolute path of a folder as a person or a setting writes it (``~/x``)."""
        if text == "~" or text.startswith(("~/", "~\\")):
            return self.home / text[2:]
        return Path(os.path.abspath(text))  # noqa: PTH100 - resolve() would follow links


@dataclass(frozen=True, slots=True)
class TalkFolder:
    """A folder in which a host keeps transcripts, watched with what is below it.

    Attributes:
        host: Whose it is.
        path: The folder; it may not exist yet.
        named_by: The variable that named it, or ``default``.
        depth: How many levels down transcripts are; 1 for the folder itself only, which may hold much else.
    """

    host: str
    path: Path
    named_by: str = "default"
    depth: int = 8


@dataclass(frozen=True, slots=True)
class Workspace:
    """An OpenClaw agent's workspace."""

    agent: str
    path: Path


@dataclass(frozen=True, slots=True)
class Catalog:
    """All known places of one person's hosts."""

    surroundings: Surroundings
    talk: tuple[TalkFolder, ...] = ()
    claude: Path = Path()
    managed: Path | None = None
    workspaces: tuple[Workspace, ...] = ()
    settings: tuple[Path, ...] = ()
    """Configuration files of hosts that were read; a change of one makes a new catalog."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """Configuration files that could not be read, and why."""
    retention: Mapping[str, Retention] = field(default_factory=dict)
    """How long hosts keep transcripts, by host; those without one keep them for ever."""
    homes: Mapping[str, Path] = field(default_factory=dict)
    """Where other hosts than Claude Code and OpenClaw keep a person's own instructions."""


def survey(surroundings: Surroundings) -> Catalog:
    """Return the catalog for these surroundings; reads only hosts' configuration files."""
    kept: dict[str, Retention | None] = {}
    settings: list[Path] = []
    problems: dict[str, str] = {}

    def configured(path: Path) -> Mapping[str, Any]:
        settings.append(path)
        values, problem = _read(path)
        if problem:
            problems[str(path)] = problem
        return values

    claude, named_by = home_folder(surroundings, "CLAUDE_CONFIG_DIR", ".claude")
    talk = [TalkFolder(CLAUDE_CODE, claude / "projects", named_by)]
    kept[CLAUDE_CODE] = retention.claude_code(configured(claude / "settings.json"))
    codex, named_by = home_folder(surroundings, "CODEX_HOME", ".codex")
    talk += [TalkFolder(CODEX, codex / name, named_by) for name in ("sessions", "archived_sessions")]
    above, named_by = home_folder(surroundings, "GEMINI_CLI_HOME", "")
    talk.append(TalkFolder(GEMINI, above / ".gemini" / "tmp", named_by, depth=4))
    kept[GEMINI] = retention.gemini(configured(above / ".gemini" / "settings.json"))
    data, named_by = home_folder(surroundings, "XDG_DATA_HOME", ".local/share")
    talk.append(TalkFolder(OPENCODE, data / "opencode", named_by, depth=1))
    talk.append(TalkFolder(OPENCODE, data / "opencode" / "storage" / "session", named_by, depth=2))
    talk.append(TalkFolder(CURSOR, surroundings.home / ".cursor" / "projects", depth=5))
    talk += [TalkFolder(HERMES, folder, by, depth=1) for folder, by in hermes_homes(surroundings)]
    kept[HERMES] = retention.hermes(_text_of(hermes_homes(surroundings)[0][0] / "config.yaml"))
    workspaces: list[Workspace] = []
    for state, named_by in openclaw_states(surroundings):
        talk.append(TalkFolder(OPENCLAW, state / "agents", named_by))
        values = configured(_openclaw_config(surroundings, state))
        kept.setdefault(OPENCLAW, retention.openclaw(values))
        workspaces += _workspaces(surroundings, state, values)
    managed = surroundings.managed or _MANAGED.get(surroundings.platform)
    settings_home, _ = home_folder(surroundings, "XDG_CONFIG_HOME", ".config")
    homes = {
        CODEX: codex,
        GEMINI: above / ".gemini",
        OPENCODE: settings_home / "opencode",
        HERMES: hermes_homes(surroundings)[0][0],
    }
    spans = {host: span for host, span in kept.items() if span is not None}
    return Catalog(
        surroundings,
        tuple(talk),
        claude,
        managed,
        _distinct(workspaces),
        tuple(settings),
        problems,
        spans,
        homes,
    )


def home_folder(surroundings: Surroundings, variable: str, default: str) -> tuple[Path, str]:
    """Return the folder that a variable names, else one below the home folder, and what named it."""
    named = surroundings.env.get(variable, "").strip()
    return (surroundings.folder(named), variable) if named else (surroundings.home / default, "default")


def hermes_homes(surroundings: Surroundings) -> list[tuple[Path, str]]:
    """Return Hermes's home and those of the profiles below it, and what named each."""
    home, named_by = home_folder(surroundings, "HERMES_HOME", ".hermes")
    try:
        profiles = sorted(path for path in (home / "profiles").glob("*") if is_folder(path))
    except OSError:
        profiles = []
    return [(home, named_by), *((profile, "profile on disk") for profile in profiles)]


def openclaw_states(surroundings: Surroundings) -> list[tuple[Path, str]]:
    """Return OpenClaw's state folders and what named each.

    A named state folder stands alone. Else it is the profile's or the default one, and beside it every
    other profile that is on the disk, since Libra is started by the desktop and not from a profile's shell.
    """
    env = surroundings.env
    if named := env.get("OPENCLAW_STATE_DIR", "").strip():
        return [(surroundings.folder(named), "OPENCLAW_STATE_DIR")]
    profile = env.get("OPENCLAW_PROFILE", "").strip()
    found: dict[Path, str] = {}
    if profile and profile != _DEFAULT_PROFILE:
        found[surroundings.home / f".openclaw-{profile}"] = "OPENCLAW_PROFILE"
    found.setdefault(surroundings.home / ".openclaw", "default")
    try:
        others = sorted(p for p in surroundings.home.glob(".openclaw-*") if is_folder(p / "agents"))
    except OSError:
        others = []
    for other in others:
        found.setdefault(other, "profile on disk")
    return list(found.items())


def _openclaw_config(surroundings: Surroundings, state: Path) -> Path:
    named = surroundings.env.get("OPENCLAW_CONFIG_PATH", "").strip()
    return surroundings.folder(named) if named else state / "openclaw.json"


def _read(path: Path) -> tuple[Mapping[str, Any], str | None]:
    """Return the settings in a host's configuration file, {} without one, and what was wrong with it."""
    try:
        with path.open("rb") as file:
            data = file.read(_CONFIG_MAX_BYTES)
        values = loads(data.decode("utf-8", errors="replace"))
    except FileNotFoundError:
        return {}, None
    except OSError as error:
        return {}, error.strerror or type(error).__name__
    except (ValueError, RecursionError):
        return {}, "not JSON"
    return (values, None) if isinstance(values, dict) else ({}, "not an object")


def _text_of(path: Path) -> str:
    """Return a configuration file's text, "" without one."""
    try:
        with path.open("rb") as file:
            return file.read(_CONFIG_MAX_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return ""


def _workspaces(surroundings: Surroundings, state: Path, values: Mapping[str, Any]) -> list[Workspace]:
    """Return the workspaces of one state folder: pinned ones first, then the rules' own places."""
    agents = _mapping(values.get("agents"))
    base = _text(_mapping(agents.get("defaults")).get("workspace")) or _text(
        _mapping(values.get("agent")).get("workspace")
    )
    pinned = _pinned(agents)
    default = next((agent for agent, (_, first) in pinned.items() if first), _MAIN_AGENT)
    out: dict[str, Path] = {}
    if named := surroundings.env.get("OPENCLAW_WORKSPACE_DIR", "").strip():
        out[default] = surroundings.folder(named)
    for agent, (folder, _) in pinned.items():
        if folder:
            out.setdefault(agent, surroundings.folder(folder))
    out.setdefault(default, surroundings.folder(base) if base else state / "workspace")
    for agent in dict.fromkeys([*pinned, *_agents_on_disk(state)]):
        out.setdefault(agent, surroundings.folder(base) / agent if base else state / f"workspace-{agent}")
    return [Workspace(agent, path) for agent, path in out.items()]


def _pinned(agents: Mapping[str, Any]) -> dict[str, tuple[str, bool]]:
    """Return workspace and "is the default" of each configured agent, in both shapes of the file."""
    out: dict[str, tuple[str, bool]] = {}
    for agent, entry in _mapping(agents.get("entries")).items():
        out[agent] = (_text(_mapping(entry).get("workspace")), bool(_mapping(entry).get("default")))
    listed = agents.get("list")
    for entry in listed if isinstance(listed, list) else []:
        if name := _text(_mapping(entry).get("id")):
            out.setdefault(name, (_text(entry.get("workspace")), bool(entry.get("default"))))
    return out


def _agents_on_disk(state: Path) -> list[str]:
    try:
        return sorted(p.name for p in (state / "agents").iterdir() if is_folder(p))
    except OSError:
        return []


def _distinct(workspaces: list[Workspace]) -> tuple[Workspace, ...]:
    """Return one workspace a folder: a document has one scope, the first agent's."""
    out: dict[Path, Workspace] = {}
    for workspace in workspaces:
        out.setdefault(workspace.path, workspace)
    return tuple(out.values())


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
