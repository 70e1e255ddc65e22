"""Connect and disconnect over a home with every host in it: what is shown is what is done, and all of it goes again."""

from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from libra.hosts import jsonc
from libra.hosts.table import HOSTS

FILES = {
    ".claude/settings.json": b'{\n  "model": "opus",\n  "enabledPlugins": { "other@place": true }\n}\n',
    ".codex/config.toml": b'# my settings\r\nmodel = "gpt"\r\n\r\n[mcp_servers.other]\r\ncommand = "x"\r\n',
    ".codex/hooks.json": b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}',
    ".gemini/settings.json": b'\xef\xbb\xbf{\n\t// mine\n\t"theme": "Dark", // dark\n\t"mcpServers": {},\n}\n',
    ".cursor/mcp.json": b"{}",
    ".config/opencode/opencode.jsonc": b'{\r\n    "$schema": "https://opencode.ai/config.json"\r\n}\r\n',
    ".hermes/config.yaml": b"# mine\nmodel: fake\nmemory:\n    memory_enabled: true\n    provider: builtin # for now\nui:\n  x: 1\n",
    ".openclaw/openclaw.json": (
        b"{\n  plugins: {\n    allow: ['discord'],\n    slots: { memory: 'memory-core' }, // the default\n  },\n}\n"
    ),
}


@pytest.fixture
def home(tmp_path: Path, libra: Any) -> Path:
    """Return a home with the settings of every host."""
    for name, raw in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    (tmp_path / ".codex/config.toml").chmod(0o640)
    for name in [n for n in libra.env if n.startswith(("CLAUDE", "CODEX", "GEMINI", "OPENCLAW", "HERMES"))]:
        del libra.env[name]
    libra.env["HOME"] = str(tmp_path)
    return tmp_path


def contents(home: Path) -> dict[str, bytes]:
    """Return all files of a home."""
    return {str(p.relative_to(home)): p.read_bytes() for p in sorted(home.rglob("*")) if p.is_file()}


def test_a_dry_run_shows_the_exact_change_and_makes_none(home: Path, libra: Any) -> None:
    """Every file is named with its diff; nothing is written, not even into Libra's own folder."""
    before = contents(home)
    shown = libra("connect", "--dry-run")
    assert shown.code == 0
    assert contents(home) == before
    assert not (libra.data / "connect").exists()
    assert '+  "extraKnownMarketplaces"' in shown.out
    assert "+[mcp_servers.libra]" in shown.out
    planned = libra("connect", "--dry-run", "--json").json
    assert {h["host"] for h in planned["hosts"]} == {h.name for h in HOSTS} - {"libravdb"}
    libra("connect")
    for host in planned["hosts"]:
        for change in host["changes"]:
            assert Path(change["file"]).exists()


def test_in_and_out_to_the_byte(home: Path, libra: Any) -> None:
    """After disconnect each of the person's files is what it was: BOM, CRLF, comments, order, mode; ours are gone."""
    before = contents(home)
    assert libra("connect").code == 0
    assert contents(home) != before
    assert stat.S_IMODE((home / ".codex/config.toml").stat().st_mode) == 0o640
    assert libra("disconnect").code == 0
    assert contents(home) == before
    left = [p for p in (libra.data / "connect").rglob("*") if p.is_file() and "backups" not in p.parts]
    assert [p.name for p in left] == ["connected.json"]
    assert "nothing is connected" in libra("disconnect").out


def test_it_is_written_once(home: Path, libra: Any) -> None:
    """A second connect changes nothing and says so."""
    libra("connect")
    once = contents(home)
    again = libra("connect")
    assert contents(home) == once
    assert "Claude Code: already connected" in again.out
    libra("disconnect")
    assert {k: v for k, v in contents(home).items() if k in FILES} == FILES


def test_what_is_written(home: Path, libra: Any) -> None:
    """Each host gets its entry in its own form, next to what was there."""
    libra("connect")

    def settings(name: str) -> Any:
        return jsonc.read((home / name).read_text("utf-8"))

    claude = settings(".claude/settings.json")
    assert claude["enabledPlugins"] == {"other@place": True, "libra@libra": True}
    market = Path(claude["extraKnownMarketplaces"]["libra"]["source"]["path"])
    hooks = json.loads((market / "libra/hooks/hooks.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"}
    assert "matcher" not in hooks["SessionStart"][0]
    codex = tomllib.loads((home / ".codex/config.toml").read_text("utf-8"))
    assert "mcp" in codex["mcp_servers"]["libra"]["args"]
    assert codex["mcp_servers"]["other"] == {"command": "x"}
    assert len(settings(".codex/hooks.json")["hooks"]["Stop"]) == 2
    assert settings(".gemini/settings.json")["mcpServers"]["libra"]["args"]
    assert settings(".cursor/hooks.json")["version"] == 1
    assert settings(".config/opencode/opencode.jsonc")["mcp"]["libra"]["type"] == "local"
    assert b"provider: libra # for now" in (home / ".hermes/config.yaml").read_bytes()
    assert (home / ".hermes/plugins/libra/client.py").exists()
    (plugin,) = settings(".config/opencode/opencode.jsonc")["plugin"]
    assert (libra.data / "connect/opencode/connection.js").exists()
    assert plugin == (libra.data / "connect/opencode/index.js").as_uri()
    claw = settings(".openclaw/openclaw.json")["plugins"]
    assert claw["slots"] == {"memory": "libra", "contextEngine": "libra"}
    assert claw["allow"] == ["discord", "libra"]


def test_a_copy_is_kept(home: Path, libra: Any) -> None:
    """Before a file is changed its bytes are in Libra's folder, for its owner only."""
    libra("connect", "gemini")
    (copy,) = (libra.data / "connect/backups").glob("*-gemini-settings.json")
    assert copy.read_bytes() == FILES[".gemini/settings.json"]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_what_the_person_wrote_since_stays(home: Path, libra: Any) -> None:
    """They changed their settings after connect: ours go, theirs stay."""
    libra("connect", "claude-code", "codex")
    path = home / ".claude/settings.json"
    path.write_bytes(path.read_bytes().replace(b'"opus"', b'"sonnet", "theme": "dark"'))
    toml = home / ".codex/config.toml"
    toml.write_bytes(b'approval = "never"\r\n' + toml.read_bytes())
    libra("disconnect")
    assert jsonc.read(path.read_text("utf-8")) == {
        "model": "sonnet",
        "theme": "dark",
        "enabledPlugins": {"other@place": True},
    }
    assert toml.read_bytes() == b'approval = "never"\r\n' + FILES[".codex/config.toml"]


def test_what_the_person_wrote_into_our_table_goes_with_it(home: Path, libra: Any) -> None:
    """A key of theirs below our head would else become one of the table above, and their program might not start."""
    libra("connect", "codex")
    toml = home / ".codex/config.toml"
    toml.write_bytes(toml.read_bytes() + b"required = true\r\n")
    libra("disconnect", "codex")
    assert tomllib.loads(toml.read_text("utf-8")) == tomllib.loads(FILES[".codex/config.toml"].decode())


def test_without_the_record_it_still_goes(home: Path, libra: Any) -> None:
    """The data folder was deleted in between: every entry is found by its name."""
    libra("connect")
    (libra.data / "connect/connected.json").unlink()
    libra("disconnect")
    assert not any(b"libra" in raw for raw in contents(home).values())


def test_a_link_stays_a_link(home: Path, libra: Any, tmp_path: Path) -> None:
    """Settings that are kept in a folder of dotfiles are changed there."""
    real = tmp_path / "dotfiles.json"
    link = home / ".claude/settings.json"
    link.rename(real)
    link.symlink_to(real)
    libra("connect", "claude-code")
    assert link.is_symlink()
    assert b"libra@libra" in real.read_bytes()


def test_a_broken_file_is_refused_with_its_name(home: Path, libra: Any) -> None:
    """Nothing is guessed about a file that its own program could not read, and nothing of that host is written."""
    path = home / ".claude/settings.json"
    path.write_bytes(b'{"model": ')
    before = contents(home)
    done = libra("connect", "claude-code")
    assert done.code == 1
    assert str(path) in done.err
    assert contents(home) == before


def test_only_what_is_installed(home: Path, libra: Any) -> None:
    """A host that is not on this machine gets no files, unless it is named; an unknown one is an error."""
    for path in sorted((home / ".cursor").rglob("*")):
        path.unlink()
    (home / ".cursor").rmdir()
    assert "Cursor" not in libra("connect", "--dry-run").out
    assert "Cursor" in libra("connect", "cursor", "--dry-run").out
    assert libra("connect", "emacs").code == 2


def test_folders_that_variables_name(home: Path, libra: Any, tmp_path: Path) -> None:
    """CLAUDE_CONFIG_DIR and its like are honoured (C77)."""
    moved = tmp_path / "elsewhere" / "Phạm 测试"
    moved.mkdir(parents=True)
    done = libra("connect", "claude-code", env={"CLAUDE_CONFIG_DIR": str(moved)})
    assert done.code == 0
    assert json.loads((moved / "settings.json").read_text("utf-8"))["enabledPlugins"] == {"libra@libra": True}
    libra("disconnect", "claude-code", env={"CLAUDE_CONFIG_DIR": str(moved)})
    assert list(moved.iterdir()) == []


def test_clients_of_libravdb(home: Path, libra: Any) -> None:
    """Libra's own settings say that it listens where they look; the person's other settings stay."""
    config = libra.data / "config.toml"
    before = b'# mine\nuser = "anna"\n[compat]\ngrpc = true\n'
    config.write_bytes(before)
    assert libra("connect", "libravdb").code == 0
    compat = {"libravdb": True, "grpc": True}
    assert tomllib.loads(config.read_text("utf-8")) == {"user": "anna", "compat": compat}
    assert libra("disconnect", "libravdb").code == 0
    assert config.read_bytes() == before
