"""Install and forget, and the way out: login, the first screen, and an uninstall that leaves nothing behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.desktop.display import virtual_display

FILES = {
    ".claude/settings.json": b'{\n  "model": "opus"\n}\n',
    ".codex/config.toml": b'model = "gpt"\n',
    ".gemini/settings.json": b'{"theme": "Dark"}',
    ".hermes/config.yaml": b"model: x\n# mine\n",
}


@pytest.fixture
def home(tmp_path: Path, libra: Any) -> Path:
    """Return a home with the settings of some agents."""
    for name, raw in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    for name in [
        n for n in libra.env if n.startswith(("CLAUDE", "CODEX", "GEMINI", "OPENCLAW", "HERMES", "XDG"))
    ]:
        del libra.env[name]
    libra.env["HOME"] = str(tmp_path)
    return tmp_path


def contents(home: Path) -> dict[str, bytes]:
    """Return all files of a home."""
    return {str(p.relative_to(home)): p.read_bytes() for p in sorted(home.rglob("*")) if p.is_file()}


def folders(home: Path) -> set[str]:
    """Return all folders of a home."""
    return {str(p.relative_to(home)) for p in home.rglob("*") if p.is_dir()}


def test_login_is_set_and_taken_back(home: Path, libra: Any) -> None:
    """One file of ours, which starts this Libra at its own places, and none after off."""
    assert "does not start" in libra("autostart").out
    assert libra("autostart", "on", "--json").json["at_login"] is True
    entry = (home / ".config/autostart/libra.desktop").read_text("utf-8")
    assert f'"--data-dir" "{libra.data}"' in entry
    libra("autostart", "off")
    assert contents(home) == FILES


def test_uninstall_leaves_others_files_as_they_were(home: Path, libra: Any) -> None:
    """After connect and login every foreign file is back to the byte; what Libra knows is kept."""
    there = folders(home)
    libra("connect")
    libra("autostart", "on")
    (libra.data / "libra.db").write_bytes(b"what it knows")
    assert contents(home) != FILES
    changed = contents(home)
    planned = libra("uninstall", "--dry-run")
    assert contents(home) == changed
    assert str(home / ".codex/config.toml") in planned.out
    done = libra("uninstall", "--json").json
    assert contents(home) == FILES
    assert folders(home) == there
    assert {step["what"] for step in done["removed"]} >= {"agents' settings", "start at login"}
    assert (libra.data / "libra.db").read_bytes() == b"what it knows"
    assert "nothing to take out" in libra("uninstall").out


def test_data_goes_only_when_told(home: Path, libra: Any) -> None:
    """Without --yes and without a person at the keyboard nothing is deleted."""
    (libra.data / "libra.db").write_bytes(b"what it knows")
    refused = libra("uninstall", "--data")
    assert refused.code == 2
    assert (libra.data / "libra.db").exists()
    assert libra("uninstall", "--data", "--yes").code == 0
    assert not libra.data.exists()


def test_the_first_screen_fits_and_says_what_matters(home: Path, libra: Any) -> None:
    """What it reads, what it never does, how to connect and how to get rid of it: on one screen."""
    (home / ".claude/projects/-x").mkdir(parents=True)
    (home / ".claude/projects/-x/a.jsonl").write_text("{}", "utf-8")
    out = libra("welcome").out
    lines = out.splitlines()
    assert len(lines) <= 24
    assert all(len(line) <= 90 for line in lines if str(libra.data) not in line)
    for words in (
        "Claude Code: 1 transcript\n",
        "never",
        "no connection to the network",
        "libra connect",
        "uninstall",
    ):
        assert words in out
    assert "Codex" in libra("welcome", "--json").json["agents"]


def test_the_first_screen_says_how_an_icon_is_shown_where_none_is(home: Path, libra: Any) -> None:
    """On GNOME as it comes a person would wait for an icon that never appears."""
    (home / ".claude/projects/-x").mkdir(parents=True)
    with virtual_display() as (name, _server):
        out = libra("welcome", env={"DISPLAY": name, "XDG_CURRENT_DESKTOP": "ubuntu:GNOME"}).out
    said = " ".join(out.split())
    assert "gnome-shell-extension-appindicator" in said
    assert "libra open" in said
    assert len(out.splitlines()) <= 24
