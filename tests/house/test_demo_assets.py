"""The demo's workspace: what its generator writes, with answers that are really there, and nobody's path."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="module")
def demo(root: Path) -> Path:
    """Return the folder of the demo's workspace."""
    return root / "assets" / "demo"


@pytest.fixture(scope="module")
def plan(demo: Path) -> dict[str, Any]:
    """Return the demo's questions."""
    loaded: dict[str, Any] = json.loads((demo / "questions.json").read_text(encoding="utf-8"))
    return loaded


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield a transcript's objects; a line that is none fails the test."""
    for line in path.read_text(encoding="utf-8").splitlines():
        loaded = json.loads(line)
        assert isinstance(loaded, dict)
        yield loaded


def spoken(path: Path) -> list[str]:
    """Return the texts of persons and assistants in a transcript of either host, wrappers included."""
    texts = []
    for line in lines(path):
        message = line.get("message")
        if not isinstance(message, dict):
            continue
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if message["role"] in {"user", "assistant"}:
            texts += [part["text"] for part in parts if part["type"] == "text"]
    return texts


def transcripts(demo: Path) -> list[Path]:
    """Return all sessions of the demo."""
    return sorted(demo.rglob("*.jsonl"))


def test_the_files_are_what_the_generator_writes(root: Path, tmp_path: Path, demo: Path) -> None:
    """A changed talk without a new run, or a session edited by hand, is noticed."""
    shutil.copytree(root / "assets" / "talks", tmp_path / "talks")
    shutil.copy(root / "assets" / "make_demo.py", tmp_path)
    spec = importlib.util.spec_from_file_location("make_demo", tmp_path / "make_demo.py")
    assert spec is not None
    assert spec.loader is not None
    maker: ModuleType = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(__import__("sys").modules, "make_demo", maker)  # dataclasses look their module up
        spec.loader.exec_module(maker)
        maker.main()
    for path in transcripts(demo):
        assert path.read_bytes() == (tmp_path / "demo" / path.relative_to(demo)).read_bytes(), path.name


def test_enough_is_said(demo: Path) -> None:
    """Two agents, seven sessions, well over a hundred turns."""
    paths = transcripts(demo)
    assert len(paths) == 7
    assert sum(len(spoken(path)) for path in paths) >= 120


def test_other_scripts_are_there(demo: Path) -> None:
    """One exchange in Chinese and one in Vietnamese."""
    everything = "\n".join(text for path in transcripts(demo) for text in spoken(path))
    assert "上限就定为 500 条" in everything
    assert "giữ nguyên dấu" in everything


def test_each_answer_can_be_found(demo: Path, plan: dict[str, Any]) -> None:
    """The phrase that an answer must hold was said, and is not in the question itself."""
    everything = "\n".join(text for path in transcripts(demo) for text in spoken(path))
    for question in plan["questions"]:
        assert question["must"] in everything
        assert question["must"].lower() not in question["query"].lower()


def test_the_live_session_is_not_there_before(demo: Path, plan: dict[str, Any]) -> None:
    """What the third question asks for is said only in the session that the demo writes."""
    live = demo / plan["live"]["file"]
    assert live.is_file()
    assert not (demo / plan["live"]["target"]).exists()
    must = plan["questions"][2]["must"]
    assert [path for path in transcripts(demo) if must in "\n".join(spoken(path))] == [live]


def test_every_path_begins_with_the_home_that_is_replaced(demo: Path, plan: dict[str, Any]) -> None:
    """A session's folder is under the home that ``libra demo`` replaces by its throw-away folder."""
    for path in transcripts(demo):
        for line in lines(path):
            assert line.get("cwd", plan["home"]).startswith(plan["home"])


def test_nothing_asks_for_a_real_host(demo: Path) -> None:
    """Names of hosts end in .example, which nobody can own."""
    import re

    everything = "\n".join(path.read_text(encoding="utf-8") for path in demo.rglob("*") if path.is_file())
    for host in re.findall(r"https?://([a-z.]+)", everything):
        assert host.rstrip(".").endswith(".example"), host
