"""The demo: the main job in one go, and nothing is left behind. How long it takes is for `bench/` and its own answer to say."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from libra.cli import demo
from libra.cli.demo_app import DemoApp, command, environment
from libra.ground.errors import NotReady


def test_the_workspace_is_moved_to_the_new_home(root: Path, tmp_path: Path) -> None:
    """No session and no question names the old home any more; every line is still JSON."""
    home = tmp_path / "Anıl Phạm 测试"
    script = demo.lay_out(root / "assets" / "demo", home)
    assert script["questions"]
    transcripts = list(home.rglob("*.jsonl"))
    assert len(transcripts) >= 6
    for path in transcripts:
        for line in path.read_text("utf-8").splitlines():
            assert "/home/dev" not in json.dumps(json.loads(line))
    assert script["questions"][0]["who"]["cwd"] == str(home / "larder")


@pytest.mark.parametrize(
    ("line", "turns"),
    [
        ({"type": "user", "message": {"content": "hello"}}, 1),
        ({"type": "assistant", "message": {"content": [{"type": "text", "text": "hi"}]}}, 1),
        ({"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "x"}]}}, 0),
        ({"type": "user", "message": {"content": " "}}, 0),
        ({"type": "attachment"}, 0),
        ({"type": "user"}, 0),
    ],
)
def test_spoken_lines_are_known(line: Any, turns: int) -> None:
    """Only words of the person or the agent are expected as turns."""
    assert demo._is_spoken(json.dumps(line).encode()) == bool(turns)


def test_the_app_sees_nothing_of_the_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its home is the throw-away one; variables that lead elsewhere are gone; it finds this very package."""
    for name in ("LIBRA_DATA_DIR", "OPENCLAW_PROFILE", "CLAUDE_CONFIG_DIR", "XDG_RUNTIME_DIR", "CODEX_HOME"):
        monkeypatch.setenv(name, "/somewhere")
    env = environment(tmp_path)
    assert not [k for k in env if k.startswith(("LIBRA_", "XDG_", "CODEX_"))]
    assert (env["HOME"], env["CLAUDE_CONFIG_DIR"]) == (str(tmp_path), str(tmp_path / "claude"))
    assert "OPENCLAW_PROFILE" not in env
    assert command() == [sys.executable, "-m", "libra"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert command() == [sys.executable]
    assert (
        "PYTHONPATH" not in environment(tmp_path)
        or environment(tmp_path)["PYTHONPATH"] == os.environ["PYTHONPATH"]
    )


def test_an_app_that_does_not_start_is_told_with_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of what it said is in the error, and no process stays."""
    monkeypatch.setattr(
        "libra.cli.demo_app.command", lambda: [sys.executable, "-c", "raise SystemExit('no disk')"]
    )
    with DemoApp(tmp_path, tmp_path) as app:
        with pytest.raises(NotReady) as caught:
            app.start()
        assert "no disk" in caught.value.message
    assert not app.running


def test_a_kept_folder_must_be_empty(libra: Any, tmp_path: Path) -> None:
    """Nothing of the person's is overwritten."""
    (tmp_path / "mine").write_text("x")
    done = libra("demo", "--keep", str(tmp_path))
    assert done.code == 1
    assert "is not empty" in done.err


@pytest.mark.e2e
@pytest.mark.model
@pytest.mark.slow
def test_the_demo_does_the_main_job(libra: Any, data_dir: Path) -> None:
    """Read, follow, ask, compact, ask again; each within its budget; nothing left in the temporary folder."""
    done = libra.alone(
        "demo", "--json", env={"TMPDIR": str(data_dir), "TEMP": str(data_dir), "TMP": str(data_dir)}
    )
    result = done.json
    assert result["failed"] == []
    assert (done.code, done.err, result["ok"]) == (0, "", True)
    assert [step["step"] for step in result["steps"]] == [
        *("start", "read", "follow", "ask", "ask", "ask", "compact", "ask again", "stop"),
    ]
    for step in result["steps"]:
        if step["step"].startswith("ask"):
            assert step["found"]
            assert step["tokens"] <= step["budget_tokens"]
            assert {item["tier"] for item in step["items"]} >= {"hard", "recall"}
    assert list(data_dir.iterdir()) == []
