"""Start at login, and what the tray tells by itself."""

from __future__ import annotations

import plistlib
import re
from pathlib import Path

import pytest

from libra.desktop.autostart import autostart, desktop_entry, launch_agent, quoted
from libra.desktop.desk import Desktop
from libra.desktop.menu import Desk
from libra.desktop.news import News
from libra.ground.errors import ConfigError

WORDS = ["/opt/My Apps/libra ünï", "run", "--data-dir", "/srv/100% mine/$x"]


def test_start_at_login_is_written_found_and_taken_back(tmp_path: Path) -> None:
    """One file in the folder that the desktop reads; off takes it away and leaves nothing."""
    way = autostart(tmp_path, {}, "linux")
    assert not way.is_on()
    way.turn_on(WORDS)
    assert way.is_on()
    assert [p.name for p in (tmp_path / ".config" / "autostart").iterdir()] == ["libra.desktop"]
    assert way.turn_off()
    assert not way.is_on()
    assert not way.turn_off()
    assert list(tmp_path.iterdir()) == []


def test_folders_of_the_persons_own_stay(tmp_path: Path) -> None:
    """Who had a folder for such entries has it afterwards, empty or not; also after it was switched on twice."""
    way = autostart(tmp_path, {}, "linux")
    (tmp_path / ".config").mkdir()
    way.turn_on(WORDS)
    way.turn_on(["/usr/bin/libra", "run"])
    way.turn_off()
    assert [p.name for p in tmp_path.rglob("*")] == [".config"]
    (tmp_path / ".config" / "autostart").mkdir()
    way.turn_on(WORDS)
    way.turn_off()
    assert (tmp_path / ".config" / "autostart").is_dir()


def test_the_desktop_settings_own_switch_is_believed(tmp_path: Path) -> None:
    """Who switched it off in GNOME's or KDE's settings sees it off in the menu, too."""
    way = autostart(tmp_path, {"XDG_CONFIG_HOME": str(tmp_path / "c")}, "linux")
    way.turn_on(WORDS)
    file = tmp_path / "c" / "autostart" / "libra.desktop"
    for line in ("Hidden=true", "X-GNOME-Autostart-enabled=false"):
        file.write_text(desktop_entry(WORDS) + line + "\n", "utf-8")
        assert not way.is_on()


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """A click that did nothing must not look as if it had."""
    (tmp_path / ".config").write_text("a file", "utf-8")
    with pytest.raises(ConfigError):
        autostart(tmp_path, {}, "linux").turn_on(WORDS)


def test_a_path_with_spaces_and_signs_is_one_word() -> None:
    """A program in a folder with spaces, quotes or a percent sign is started, not its first half."""
    line = next(row for row in desktop_entry(WORDS).splitlines() if row.startswith("Exec="))
    said = line.removeprefix("Exec=").replace("\\\\", "\\").replace("%%", "%")
    words = re.findall(r'"((?:[^"\\]|\\.)*)"', said)
    assert [re.sub(r"\\(.)", r"\1", word) for word in words] == WORDS
    assert quoted('a"b') == '"a\\\\"b"'


def test_the_launch_agent_is_one_that_launchd_reads() -> None:
    """macOS: started at login with its words, and not brought back after Quit."""
    agent = plistlib.loads(launch_agent(WORDS))
    assert (agent["ProgramArguments"], agent["RunAtLoad"], agent["KeepAlive"]) == (WORDS, True, False)
    assert autostart(Path("/Users/dev"), {}, "darwin").where.endswith(
        "LaunchAgents/org.libra-memory.libra.plist"
    )


def test_a_click_is_seen_at_once_and_files_are_read_now_and_then(tmp_path: Path) -> None:
    """The mark follows the click; agents' settings are not read every two seconds."""
    looked: list[int] = []
    now = [0.0]

    def agents() -> tuple[tuple[str, bool], ...]:
        looked.append(1)
        return (("Codex", False),)

    desktop = Desktop(autostart(tmp_path, {}, "linux"), WORDS, agents, clock=lambda: now[0])
    for _ in range(5):
        assert desktop.desk() == Desk(page=False, at_login=False, agents=(("Codex", False),))
    assert len(looked) == 1
    desktop.start_at_login(wanted=True)
    assert desktop.desk().at_login is True
    desktop.start_at_login(wanted=False)
    assert desktop.desk().at_login is False
    now[0] = 60.0
    desktop.desk()
    assert len(looked) == 4


def test_a_problem_is_told_once() -> None:
    """A reason that stays or flickers is one message; one that comes back after hours is a new one."""
    news = News(again_s=100.0)
    assert news.fresh(["a"], 0.0) == ["a"]
    assert news.fresh(["a", "b"], 1.0) == ["b"]
    assert news.fresh([], 50.0) == []
    assert news.fresh(["a"], 60.0) == []
    assert news.fresh(["a"], 161.0) == ["a"]
    assert news.fresh([], 162.0) == []
