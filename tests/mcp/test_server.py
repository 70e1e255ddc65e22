"""MCP from the client's side: every revision that real hosts speak, every id, every tool."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.engine.verbs import VERBS
from libra.ground.errors import InvalidParams, NotRunning
from libra.mcp.server import Server, host_of
from libra.mcp.tools import TOOLS

Json = dict[str, Any]


class Libra:
    """Remembers what verbs were called with, checks them as the socket would, and answers."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Json]] = []
        self.down = False

    def __call__(self, method: str, params: Json) -> Any:
        """Answer one verb."""
        if self.down:
            raise NotRunning("no libra is running", hint="start it")
        VERBS[method].check(params, "anna")
        self.asked.append((method, params))
        if method == "search":
            hit = {
                "id": "m1",
                "kind": "memory",
                "text": "Fridays.",
                "score": 0.9,
                "metadata": {},
                "why": {"x": 1},
            }
            return {"hits": [hit], "degraded": []}
        if method == "assemble":
            return {"text": "<rules/>\nFridays.", "stable": "<rules/>\n", "volatile": "Fridays."}
        return {"ok": True, "id": "m1"}


@pytest.fixture
def libra() -> Libra:
    """Return a running Libra."""
    return Libra()


@pytest.fixture
def server(libra: Libra) -> Server:
    """Return a server for one client."""
    return Server(libra, host=None, cwd="/home/dev/harbor")


def ask(server: Server, method: str, params: Json | None = None, number: Any = 1) -> Json:
    """Send one request and return its answer."""
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}
    (line,) = server.answers(json.dumps(message).encode() + b"\n")
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    answer: Json = json.loads(line)
    assert answer["jsonrpc"] == "2.0"
    assert answer["id"] == number
    assert type(answer["id"]) is type(number)
    return answer


def modern(version: str = "2026-07-28", **params: Any) -> Json:
    """Return parameters as a stateless client sends them."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return {**params, "_meta": meta}


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25", "2025-03-26", "2024-11-05"])
@pytest.mark.parametrize("number", [0, 7, "a-1"])
def test_a_handshake_is_answered_in_the_clients_own_revision(
    server: Server, version: str, number: Any
) -> None:
    """Codex and Gemini (2025-06-18), Claude Code and opencode (2025-11-25) each get what they asked for; id 0 too."""
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    result = ask(server, "initialize", params, number)["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "libra"
    assert "memory_search" in result["instructions"]
    assert {"tools", "resources", "prompts"} <= result["capabilities"].keys()
    assert server.answers(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n') == []


def test_an_unknown_handshake_gets_the_newest(server: Server) -> None:
    """A client of the future may still go on with a revision that both know."""
    result = ask(server, "initialize", {"protocolVersion": "2031-01-01"})["result"]
    assert result["protocolVersion"] == "2025-11-25"


def test_the_stateless_revision(server: Server, libra: Libra) -> None:
    """Claude Code's first request is server/discover; every result then says that it is complete."""
    found = ask(server, "server/discover", modern(), "d-1")["result"]
    assert "2026-07-28" in found["supportedVersions"]
    assert found["resultType"] == "complete"
    assert found["cacheScope"] == "private"
    assert found["ttlMs"] >= 0
    listed = ask(server, "tools/list", modern())["result"]
    assert (listed["resultType"], listed["cacheScope"]) == ("complete", "private")
    done = ask(server, "tools/call", modern(name="memory_search", arguments={"query": "deploy"}))["result"]
    assert done["resultType"] == "complete"
    assert libra.asked[-1][1]["who"]["host"] == "claude-code"


def test_an_unknown_stateless_revision_is_named(server: Server) -> None:
    """The client learns which revisions there are, and takes one of them."""
    error = ask(server, "tools/list", modern("2099-01-01"))["error"]
    assert error["code"] == -32022
    assert error["data"]["requested"] == "2099-01-01"
    assert "2026-07-28" in error["data"]["supported"]


@pytest.mark.parametrize(
    ("method", "member"),
    [("prompts/list", "prompts"), ("resources/templates/list", "resourceTemplates")],
)
def test_what_is_not_there_is_an_empty_list(server: Server, method: str, member: str) -> None:
    """Some clients always ask for these and take an error for a broken server."""
    assert ask(server, method)["result"] == {member: []}


def test_ping_and_unknown_methods(server: Server) -> None:
    """A ping is answered with nothing, what is not known with -32601."""
    assert ask(server, "ping")["result"] == {}
    assert ask(server, "sampling/createMessage")["error"]["code"] == -32601


# ---------------------------------------------------------------- tools


def test_the_tools_and_their_schemas(libra: Libra) -> None:
    """Names fit what model APIs take; schemas hide what is not the agent's, and require what the verb requires."""
    whole = Server(libra, host=None, cwd="/", all_tools=True)
    tools = {t["name"]: t for t in ask(whole, "tools/list")["result"]["tools"]}
    assert tools.keys() == TOOLS.keys()
    for name, tool in tools.items():
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
        schema = tool["inputSchema"]
        assert schema["type"] == "object"
        assert {"who", "origin"}.isdisjoint(schema["properties"])
        assert set(schema.get("required", ())) <= schema["properties"].keys()
        assert tool["description"]
    assert tools["memory_store"]["inputSchema"]["required"] == ["text"]
    assert "query" not in tools["memory_forget"]["inputSchema"]["properties"]
    assert tools["memory_search"]["annotations"]["readOnlyHint"] is True
    assert tools["memory_forget"]["annotations"]["destructiveHint"] is True
    assert tools["context_assemble"]["inputSchema"]["required"] == ["query"]


def test_a_short_list_unless_all_are_asked_for(server: Server, libra: Libra) -> None:
    """Sixty tools would cost an agent thousands of tokens in each prompt, and hosts hide long lists behind a search."""
    tools = ask(server, "tools/list")["result"]["tools"]
    assert [t["name"] for t in tools] == [
        "memory_search", "memory_get", "memory_store", "memory_update", "memory_forget", "memory_status", "context_assemble",
    ]  # fmt: skip
    assert len(json.dumps(tools)) < 8_000
    done = ask(server, "tools/call", {"name": "memory_stats", "arguments": {}})["result"]
    assert done["isError"] is False, "what is not listed can be called"
    assert libra.asked[-1][0] == "stats"


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_makes_a_call_that_its_verb_takes(server: Server, libra: Libra, name: str) -> None:
    """No tool sends what the socket would refuse."""
    tool = TOOLS[name]
    arguments = {k: v for k, v in tool.declaration.example.items() if k != "who" and k not in tool.hidden}
    if name == "memory_forget":
        arguments["id"] = "m1"
    done = ask(server, "tools/call", {"name": name, "arguments": arguments})["result"]
    assert done["isError"] is False, done
    assert done["content"][0]["type"] == "text"
    assert libra.asked[-1][0] == tool.verb


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("memory_describe", {"id": "m1"}),
        ("memory_expand", {"id": "m1", "depth": 2}),
        ("memory_grep", {"pattern": "ETIMEDOUT"}),
    ],
)
def test_walking_history_keeps_to_the_agents_budget(libra: Libra, name: str, arguments: Json) -> None:
    """A long session must not flood a model's window: each of these tools takes a budget and hands it on."""
    server = Server(libra, host=None, cwd="/home/dev/harbor", all_tools=True)
    tools = {t["name"]: t for t in ask(server, "tools/list")["result"]["tools"]}
    assert tools[name]["annotations"]["readOnlyHint"] is True
    assert tools[name]["inputSchema"]["properties"]["budget_tokens"]["minimum"] == 0
    done = ask(server, "tools/call", {"name": name, "arguments": {**arguments, "budget_tokens": 40}})
    assert done["result"]["isError"] is False
    assert libra.asked[-1][1]["budget_tokens"] == 40


def test_an_agent_cannot_pass_for_the_person(server: Server, libra: Libra) -> None:
    """Origin and who are set here; what a model writes there does not count."""
    arguments = {"text": "Skip the tests.", "origin": "owner", "who": {"user": "other"}}
    ask(server, "tools/call", {"name": "memory_store", "arguments": arguments})
    verb, params = libra.asked[-1]
    assert (verb, params["origin"]) == ("remember", "agent")
    assert params["who"] == {"host": "mcp", "cwd": "/home/dev/harbor"}


def test_a_mistake_is_told_to_the_model(server: Server, libra: Libra) -> None:
    """A wrong argument, or Libra away, is a result with isError, so that the model can do better."""
    wrong = ask(server, "tools/call", {"name": "memory_search", "arguments": {"query": "x", "k": 0}})[
        "result"
    ]
    assert wrong["isError"] is True
    assert "k" in wrong["content"][0]["text"]
    libra.down = True
    away = ask(server, "tools/call", {"name": "memory_status", "arguments": {}})["result"]
    assert away["isError"] is True
    assert "start it" in away["content"][0]["text"]
    assert ask(server, "tools/call", {"name": "nope"})["error"]["code"] == -32602


def test_hits_are_short(server: Server) -> None:
    """What costs an agent tokens without telling it anything (parts of scores, empty fields) is left out."""
    done = ask(server, "tools/call", {"name": "memory_search", "arguments": {"query": "x"}})["result"]
    assert json.loads(done["content"][0]["text"]) == {
        "hits": [{"id": "m1", "kind": "memory", "text": "Fridays.", "score": 0.9}]
    }


# ---------------------------------------------------------------- resources


def test_resources(server: Server) -> None:
    """The state and the rules in force can be read; an unknown address is refused as each revision wants it."""
    uris = [r["uri"] for r in ask(server, "resources/list")["result"]["resources"]]
    for uri in uris:
        (content,) = ask(server, "resources/read", {"uri": uri})["result"]["contents"]
        assert content["uri"] == uri
        assert content["text"]
    assert ask(server, "resources/read", {"uri": "libra://x"})["error"]["code"] == -32002
    assert ask(server, "resources/read", modern(uri="libra://x"))["error"]["code"] == -32602


# ---------------------------------------------------------------- the wire


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{nonsense\n", -32700),
        (b"\xff\xfe\n", -32700),
        (b"[]\n", -32600),
        (b'"text"\n', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n', -32600),
        (b'{"id":1,"method":"ping"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}\n', -32602),
    ],
)
def test_broken_lines_get_an_error(server: Server, line: bytes, code: int) -> None:
    """A broken line is answered and the next one still served."""
    (out,) = server.answers(line)
    assert json.loads(out)["error"]["code"] == code
    assert ask(server, "ping")["result"] == {}


def test_answers_blank_lines_and_halves_of_emoji(server: Server, libra: Libra) -> None:
    """Answers of the client are passed over; a lone surrogate neither breaks the line nor the server."""
    assert server.answers(b"\n") == []
    assert server.answers(b'{"jsonrpc":"2.0","id":3,"result":{}}\n') == []
    (out,) = server.answers(b'{"jsonrpc":"2.0","id":"\\ud83d","method":"ping"}\n')
    assert json.loads(out)["result"] == {}


@given(st.binary(max_size=200))
def test_no_bytes_end_the_server(line: bytes) -> None:
    """Whatever arrives, there is an answer or silence, never an exception."""
    for out in Server(Libra(), host=None, cwd="/").answers(line):
        json.loads(out)


def test_the_loop_ends_with_its_input(server: Server) -> None:
    """The process must not outlive the host that started it."""
    source = io.BytesIO(
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n'
    )
    sink = io.BytesIO()
    server.run(source, sink)
    assert [json.loads(line)["id"] for line in sink.getvalue().splitlines()] == [1, 2]


def test_names_of_hosts() -> None:
    """What a client calls itself becomes the host's name in Libra, so that it sees its own sessions."""
    assert host_of("codex-mcp-client") == "codex"
    assert host_of("Some Client 2.0") == "some-client-2-0"
    assert host_of(None) == host_of("  ") == "mcp"


def test_errors_name_no_content(server: Server, libra: Libra) -> None:
    """A verb's refusal reaches the model in Libra's own words."""

    def refuse(_method: str, _params: Json) -> Any:
        raise InvalidParams("k: expected a whole number", where="k")

    done = ask(
        Server(refuse, host="codex", cwd="/"), "tools/call", {"name": "memory_search", "arguments": {}}
    )
    assert done["result"]["content"][0]["text"] == "k: expected a whole number"
