"""Libra as a memory provider of Hermes: rules in the system prompt, recall before each turn, a tool to remember.

``connect`` puts this folder into ``$HERMES_HOME/plugins/libra``, with ``client.py`` (Libra's hook program, which needs
the standard library only) and ``settings.json`` (where Libra listens). If Libra is away every answer is empty.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from agent.memory_provider import MemoryProvider

from . import client

DEADLINE_MS = 1000
PROMPT_TOKENS = 1500
RULES_TOKENS = 2400
SEARCH = {
    "name": "libra_search",
    "description": "Search everything that was said or decided before, in all sessions and by all agents on this machine.",
    "parameters": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to look for."}},
        "required": ["query"],
    },
}
REMEMBER = {
    "name": "libra_remember",
    "description": "Keep a fact or decision for later sessions, as one sentence that is understandable by itself. Never a secret.",
    "parameters": {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "The statement."}},
        "required": ["text"],
    },
}


class LibraProvider(MemoryProvider):
    """One agent's way to Libra."""

    def __init__(self) -> None:
        self._session = ""
        self._database = ""
        self._writes = True
        self._flags: dict[str, str] = {}

    @property
    def name(self) -> str:
        """The provider's name in config.yaml."""
        return "libra"

    def is_available(self) -> bool:
        """Libra needs no key; whether it runs shows with each call."""
        return True

    def initialize(self, session_id: str, **kwargs: object) -> None:
        """Note the session, and where Libra listens."""
        self._session = session_id
        home = str(kwargs.get("hermes_home") or os.environ.get("HERMES_HOME") or Path.home() / ".hermes")
        self._database = str(Path(home) / "state.db")
        # Sub-agents and scheduled runs are no conversation with the person.
        self._writes = kwargs.get("agent_context", "primary") in ("primary", None, "")
        try:
            found = json.loads((Path(__file__).parent / "settings.json").read_text("utf-8"))
            self._flags = {"socket": found["socket"]}
        except (OSError, ValueError, KeyError, TypeError):
            self._flags = {}

    def on_session_switch(self, new_session_id: str, **_: object) -> None:
        """Follow the agent into another session."""
        self._session = new_session_id

    def _ask(self, method: str, params: dict) -> dict:
        """Return a method's result, an empty one if Libra is away or refuses."""
        try:
            found = client.ask(client.place(self._flags, os.environ), method, params)
        except Exception:  # noqa: BLE001 - whatever it is, the agent goes on
            return {}
        return found if isinstance(found, dict) else {}

    def _who(self, session_id: str = "") -> dict:
        return {"host": "hermes", "session": session_id or self._session, "cwd": str(Path.cwd())}

    def system_prompt_block(self) -> str:
        """Return the rules that hold here and that Hermes does not read itself: the same text for a whole session."""
        have = ["own_files", "guidance", "tail", "recall"]
        params = {
            "who": self._who(),
            "query": "",
            "budget_tokens": RULES_TOKENS,
            "have": have,
            "deadline_ms": DEADLINE_MS,
        }
        return self._ask("assemble", params).get("stable", "")

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """Return what a prompt recalls."""
        if not query.strip():
            return ""
        have = ["hard", "soft", "tail"]
        params = {"query": query, "budget_tokens": PROMPT_TOKENS, "have": have, "deadline_ms": DEADLINE_MS}
        return self._ask("assemble", {"who": self._who(session_id), **params}).get("volatile", "")

    def sync_turn(
        self, user_content: str, assistant_content: str, *, session_id: str = "", messages: object = None
    ) -> None:
        """Hand the transcript over: Libra reads Hermes' own database, so that nothing is there twice."""
        del user_content, assistant_content, session_id, messages
        if self._writes:
            self._ask("flush", {"path": self._database})

    def on_pre_compress(self, messages: list) -> str:
        """Have everything read before it is compressed away."""
        del messages
        self._ask("flush", {"path": self._database})
        return ""

    def on_session_end(self, messages: list) -> None:
        """Have the end of the session read."""
        del messages
        self._ask("flush", {"path": self._database})

    def get_tool_schemas(self) -> list:
        """Return the two tools."""
        return [SEARCH, REMEMBER]

    def handle_tool_call(self, tool_name: str, args: dict, **_: object) -> str:
        """Carry out a tool; what an agent stores is marked as the agent's."""
        if tool_name == SEARCH["name"]:
            found = self._ask("search", {"who": self._who(), "query": str(args.get("query") or ""), "k": 8})
            names = ("id", "kind", "text", "score", "ts", "source")
            hits = [{name: hit.get(name) for name in names} for hit in found.get("hits", ())]
            return json.dumps({"hits": hits}, ensure_ascii=False)
        text = str(args.get("text") or "")
        kept = self._ask("remember", {"who": self._who(), "origin": "agent", "text": text})
        return json.dumps(kept or {"error": "not kept"}, ensure_ascii=False)

    def shutdown(self) -> None:
        """Nothing is held open."""


def register(ctx: object) -> None:
    """Register with Hermes."""
    ctx.register_memory_provider(LibraProvider())
