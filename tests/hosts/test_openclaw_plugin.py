"""Our plugin for OpenClaw, run by Node against the real server: both slots, and a host that never notices our absence."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.served import served

PLUGIN = Path(__file__).resolve().parents[2] / "packaging" / "openclaw"
NODE = shutil.which("node")
Json = dict[str, Any]

pytestmark = pytest.mark.skipif(NODE is None, reason="needs node")

HARNESS = """
import plugin from "%(plugin)s/index.js";
const slots = {}, hooks = {};
plugin.register({
  pluginConfig: { socket: "%(socket)s", deadlineMs: 1000 },
  logger: {},
  registerContextEngine: (id, make) => (slots.engine = make),
  registerMemoryCapability: (found) => (slots.memory = found),
  registerTool: (tool) => (slots.tool = tool),
  on: (name, handler) => (hooks[name] = handler),
});
const messages = [{ role: "user", content: "Hello.", timestamp: 1772000000000 }];
const engine = await slots.engine({ workspaceDir: "/w" });
const asked = {
  sessionId: "S", sessionKey: "agent:main:main", messages, prompt: "When do we deploy?", tokenBudget: 20000,
  availableTools: new Set(["memory_search"]),
};
const out = await (async () => { %(body)s })();
console.log(JSON.stringify(out));
hooks.gateway_stop();
"""


class FakeEngine:
    """Answers what the plugin asks."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Json]] = []

    def _note(self, name: str, asked: Json) -> None:
        self.asked.append((name, asked))

    def assemble(self, **asked: Any) -> Json:
        """Answer with context."""
        self._note("assemble", asked)
        return {"text": "<recall>\nFridays. 测试\n</recall>\n", "tokens": 9}

    def ingest(self, **asked: Any) -> Json:
        """Take turns; the same request a second time brings nothing new."""
        again = any(a["request_id"] == asked["request_id"] for n, a in self.asked if n == "ingest")
        self._note("ingest", asked)
        return {"accepted": 0 if again else len(asked["turns"]), "duplicates": 0, "ids": []}

    def compact(self, **asked: Any) -> Json:
        """Shorten history."""
        self._note("compact", asked)
        return {"ok": True, "did_compact": True, "tokens_before": 900, "tokens_after": 300}

    def search(self, **asked: Any) -> Json:
        """Find a turn and a memory."""
        self._note("search", asked)
        hit = {
            "text": "We deploy\non Fridays.",
            "score": 0.8,
            "ts": 1_772_000_000_000,
            "source": {"session": "s"},
        }
        return {"hits": [{**hit, "id": "t1", "kind": "turn"}, {**hit, "id": "m1", "kind": "memory"}]}

    def get(self, **asked: Any) -> Json:
        """Show a record of four lines."""
        self._note("get", asked)
        return {"id": asked["id"], "text": "a\nb\nc\nd"}

    def remember(self, **asked: Any) -> Json:
        """Keep a statement."""
        self._note("remember", asked)
        return {"id": "m2", "outcome": "created", "text": asked["text"]}


@pytest.fixture
def engine(data_dir: Path) -> Iterator[FakeEngine]:
    """Yield a fake engine behind the real server."""
    with served(FakeEngine(), data_dir / "s.sock") as fake:
        yield fake


def run(data_dir: Path, body: str) -> Any:
    """Run the plugin under a host that hands it what OpenClaw does; return what the body returns."""
    script = HARNESS % {"plugin": PLUGIN.as_posix(), "socket": data_dir / "s.sock", "body": body}
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


ASSEMBLE = "const got = await engine.assemble(asked); return { got, same: got.messages === messages, info: engine.info };"


def test_memory_stands_beside_the_conversation(engine: FakeEngine, data_dir: Path) -> None:
    """The messages are the host's very own; memory is in the system prompt, within a quarter of the budget."""
    out = run(data_dir, ASSEMBLE)
    assert out["same"]
    assert "Fridays. 测试" in out["got"]["systemPromptAddition"]
    assert out["got"]["estimatedTokens"] >= 9
    assert set(out["info"]["transcriptSemantics"].values()) == {
        "before-current-turn-entry-v1",
        "atomic-idempotent-v1",
    }
    _, asked = engine.asked[0]
    assert asked["query"] == "When do we deploy?"
    assert asked["budget_tokens"] == 4000
    assert asked["have"] == {"own_files", "tail"}
    who = asked["who"]
    assert (who.host, who.agent, who.session, who.cwd) == ("openclaw", "main", "S", "/w")


def test_a_tool_loop_assembles_once(engine: FakeEngine, data_dir: Path) -> None:
    """The host asks again for each model call of a turn: the text stays the same bytes, the prompt cache warm."""
    out = run(data_dir, "const a = await engine.assemble(asked); const b = await engine.assemble(asked);"
              " return a.systemPromptAddition === b.systemPromptAddition;")  # fmt: skip
    assert out is True
    assert len(engine.asked) == 1


def test_libra_is_away(data_dir: Path) -> None:
    """Nobody listens: the original messages at once, no error, every turn counted as taken; and again within the back-off."""
    out = run(
        data_dir,
        """
        const started = Date.now();
        const got = await engine.assemble(asked);
        for (let i = 0; i < 50; i++) await engine.assemble({ ...asked, prompt: "p" + i });
        const done = await engine.commitTurn({ ...asked, advancementKey: "k", messages });
        const compacted = await engine.compact({ ...asked, currentTokenCount: 70 });
        const { manager } = await slots.memory.runtime.getMemorySearchManager({ agentId: "main" });
        return { same: got.messages === messages, addition: got.systemPromptAddition ?? null, done, compacted,
          hits: await manager.search("x"), file: await manager.readFile({ relPath: "libra/m1.md" }),
          probe: await manager.probeEmbeddingAvailability(), fast: Date.now() - started < 1000 };
        """,
    )
    assert out["same"]
    assert out["addition"] is None
    assert out["done"] == {"status": "committed"}
    assert out["compacted"]["compacted"] is False
    assert out["compacted"]["result"] == {"tokensBefore": 70, "tokensAfter": 70}
    assert out["hits"] == []
    assert out["file"]["status"] == "not_found"
    assert out["probe"]["ok"] is False
    assert out["fast"]


def test_a_turn_is_committed_once(engine: FakeEngine, data_dir: Path) -> None:
    """The host repeats a commit whose answer it has not seen: the same key is carried out once."""
    body = """
        const turn = { ...asked, advancementKey: "k1", messages: [
          { role: "user", content: "We deploy on Fridays.", timestamp: 1772000000000 },
          { role: "assistant", content: [{ type: "thinking", thinking: "hm" }, { type: "text", text: "Noted." }] },
          { role: "toolResult", content: [{ type: "text", text: "x".repeat(9000) }] },
          { role: "user", content: "Hi all", __openclaw: { senderIsOwner: false } },
          { role: "assistant", content: [{ type: "toolCall", id: "1", name: "ls", arguments: {} }] } ] };
        return [await engine.commitTurn(turn), await engine.commitTurn(turn),
          await engine.commitTurn({ ...turn, isHeartbeat: true, advancementKey: "k2" })];
    """
    assert run(data_dir, body) == [{"status": "committed"}, {"status": "duplicate"}, {"status": "committed"}]
    turns = engine.asked[0][1]["turns"]
    assert [(t.role, t.origin) for t in turns] == [
        ("user", "owner"), ("assistant", "agent"), ("tool", "tool"), ("user", "external"),
    ]  # fmt: skip
    assert turns[0].ts_ms == 1_772_000_000_000
    assert turns[1].content == "Noted."
    assert len(turns[2].content) == 4000
    assert len(engine.asked) == 2


def test_compact_tells_before_and_after(engine: FakeEngine, data_dir: Path) -> None:
    """Without numbers a host would compact again on every message (C99)."""
    out = run(data_dir, "return await engine.compact({ ...asked, force: true, currentTokenCount: 70 });")
    assert out["ok"] is True
    assert out["result"] == {"tokensBefore": 900, "tokensAfter": 300}
    assert engine.asked[0][1]["force"] is True


def test_the_memory_slot(engine: FakeEngine, data_dir: Path) -> None:
    """Hits lead back to whole records; parts of a long one can be read; sources can be chosen."""
    out = run(
        data_dir,
        """
        const { manager } = await slots.memory.runtime.getMemorySearchManager({ agentId: "ops", cfg: {} });
        const hits = await manager.search("deploy", { maxResults: 3, minScore: 0.3 });
        return { hits, only: await manager.search("deploy", { sources: ["memory"] }),
          part: await manager.readFile({ relPath: hits[1].path, from: 2, lines: 2 }),
          all: await manager.readFile({ relPath: hits[1].path }),
          prompt: slots.memory.promptBuilder({ availableTools: new Set(["memory_search"]) }),
          none: slots.memory.promptBuilder({ availableTools: new Set() }),
          kept: await slots.tool.execute("1", { text: "We deploy on Fridays." }) };
        """,
    )
    first = out["hits"][0]
    assert (first["startLine"], first["endLine"], first["source"], first["score"]) == (1, 2, "sessions", 0.8)
    assert [h["source"] for h in out["only"]] == ["memory"]
    assert out["part"] == {
        "status": "ok", "text": "b\nc", "path": "libra/m1.md", "from": 2, "lines": 2, "truncated": True, "nextFrom": 4,
    }  # fmt: skip
    assert out["all"]["text"] == "a\nb\nc\nd"
    assert "memory_search" in "".join(out["prompt"])
    assert out["none"] == []
    assert "created" in out["kept"]["content"][0]["text"]
    remembered = engine.asked[-1][1]
    assert remembered["origin"] == "agent"
    assert engine.asked[0][1]["who"].agent == "ops"


def test_the_manifest_names_what_is_registered() -> None:
    """A tool that the manifest does not list is not found by the host; unknown settings are errors there."""
    manifest = json.loads((PLUGIN / "openclaw.plugin.json").read_text("utf-8"))
    package = json.loads((PLUGIN / "package.json").read_text("utf-8"))
    assert manifest["contracts"]["tools"] == ["libra_remember"]
    assert set(manifest["kind"]) == {"memory", "context-engine"}
    assert "dependencies" not in package
    assert (PLUGIN / package["openclaw"]["extensions"][0]).exists()
