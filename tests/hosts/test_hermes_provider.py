"""Our provider for Hermes against the real server, under a host that hands it what Hermes does."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from libra.hosts import hook
from tests.hosts.served import served

SOURCE = Path(__file__).resolve().parents[2] / "packaging" / "hermes"
Json = dict[str, Any]


class FakeEngine:
    """Answers what the provider asks."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Json]] = []

    def __getattr__(self, name: str) -> Any:
        """Return a handler that notes what it was asked."""
        if name.startswith("_"):
            raise AttributeError(name)

        def handler(**asked: Any) -> Json:
            self.asked.append((name, asked))
            hit = {"id": "m1", "kind": "memory", "text": "Fridays.", "score": 0.9, "why": {"x": 1}}
            return {
                "stable": "rules",
                "volatile": "Fridays.",
                "hits": [hit],
                "outcome": "created",
                "ok": True,
            }

        return handler


@pytest.fixture
def provider(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Yield the provider as Hermes loads it: from a folder with its client and its settings."""
    place = data_dir / "plugins" / "libra"
    place.mkdir(parents=True)
    shutil.copy(SOURCE / "__init__.py", place)
    shutil.copy(hook.__file__, place / "client.py")
    (place / "settings.json").write_text(json.dumps({"socket": str(data_dir / "s.sock")}))
    base = types.ModuleType("agent.memory_provider")
    base.MemoryProvider = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "agent", types.ModuleType("agent"))
    monkeypatch.setitem(sys.modules, "agent.memory_provider", base)
    spec = importlib.util.spec_from_file_location(
        "hermes_libra", place / "__init__.py", submodule_search_locations=[str(place)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "hermes_libra", module)
    spec.loader.exec_module(module)
    found: list[Any] = []
    module.register(types.SimpleNamespace(register_memory_provider=found.append))
    found[0].initialize("S", hermes_home=str(data_dir), platform="cli")
    yield found[0]
    sys.modules.pop("hermes_libra.client", None)


@pytest.fixture
def engine(data_dir: Path) -> Iterator[FakeEngine]:
    """Yield a fake engine behind the real server."""
    with served(FakeEngine(), data_dir / "s.sock") as fake:
        yield fake


def test_rules_recall_and_the_transcript(provider: Any, engine: FakeEngine, data_dir: Path) -> None:
    """Stable into the system prompt, volatile with the turn; the turn itself is read from Hermes' own database."""
    assert provider.system_prompt_block() == "rules"
    assert provider.prefetch("When do we deploy?", session_id="S2") == "Fridays."
    assert provider.prefetch(" ") == ""
    provider.sync_turn("a", "b", session_id="S")
    (_, rules), (_, recall), (verb, flushed) = engine.asked
    assert "own_files" in rules["have"]
    assert (recall["who"].host, recall["who"].session) == ("hermes", "S2")
    assert (verb, flushed["path"]) == ("flush", str(data_dir / "state.db"))


def test_the_tools(provider: Any, engine: FakeEngine) -> None:
    """Hits without what costs tokens only; what the agent stores is the agent's."""
    names = [tool["name"] for tool in provider.get_tool_schemas()]
    hits = json.loads(provider.handle_tool_call(names[0], {"query": "deploy"}))["hits"]
    assert hits == [
        {"id": "m1", "kind": "memory", "text": "Fridays.", "score": 0.9, "ts": None, "source": None}
    ]
    assert (
        json.loads(provider.handle_tool_call(names[1], {"text": "We deploy on Fridays."}))["outcome"]
        == "created"
    )
    assert engine.asked[-1][1]["origin"] == "agent"


def test_a_sub_agent_hands_nothing_over(provider: Any, engine: FakeEngine) -> None:
    """Scheduled runs and sub-agents are no conversation with the person."""
    provider.initialize("S", agent_context="cron")
    provider.sync_turn("a", "b")
    assert engine.asked == []


def test_libra_is_away(provider: Any) -> None:
    """Every answer is empty and nothing is raised."""
    assert provider.system_prompt_block() == ""
    assert provider.prefetch("x") == ""
    provider.sync_turn("a", "b")
    provider.on_session_end([])
    assert provider.on_pre_compress([]) == ""
    assert json.loads(provider.handle_tool_call("libra_search", {"query": "x"})) == {"hits": []}
    assert "not kept" in provider.handle_tool_call("libra_remember", {"text": "x"})
