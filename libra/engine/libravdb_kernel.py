"""What LibraVDB's gRPC generation calls beyond the JSON-RPC one, over Libra's own memory (hosts.md §4.5).

A name here is the gRPC method's in snake_case; parameters and answers are the messages' fields by their JSON names.
Two things differ from the JSON-RPC generation: a client hands turns in without ids or times, one by one or again with the
whole conversation, and it cuts hits at the ``gatingThreshold`` that ``Status`` tells it.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from libra.assembly.packer import Tier
from libra.engine.host_files import OWN_FILES
from libra.engine.libravdb import METHODS, LibraVdb
from libra.engine.libravdb_wire import Json, Verbs, count_of, known_ids, session_key, text_of
from libra.ground.errors import InvalidParams
from libra.ground.records import NewTurn, Origin, Role, digest, normal_text
from libra.store import hints, turns
from libra.store.rows import ItemRow

HERMES = "hermes"

_CUT = 0.2
"""Smallest score of a hit that a client may use: the one that the JSON-RPC generation cuts at (hosts.md §4.4), for which the
scores here were made. The gate's own threshold, which ``status`` tells, judges turns and not hits."""
_RECENT = 16
"""A turn that comes again is looked for in so many, as with the JSON-RPC generation."""
_SHARE = 4
_MOST_TOKENS = 4_000
"""A prompt gets at most this share of its budget and so many tokens, as from Libra's own plugins (docs/hosts.md)."""
_ID = "kernel:"
_ID_CHARS = 24
_REPEATED_TOKENS = 16_000
"""What a remark may repeat is looked for in the last turns with so many tokens."""
_REPEATED_PARTS = 16
"""Hermes's client repeats six messages at most."""
_TOLD_BETWEEN = "\n---\n"
"""Before Hermes shortens a conversation, its client hands the last messages in once more, joined by this."""
_DELETED = re.compile(r"\[deleted\] target=[^\n]*\Z")
_TARGET = re.compile(r"\A\[[^\]\n]{1,200}\]\n")
_ORIGINS: Mapping[Role, Origin] = {Role.USER: Origin.OWNER, Role.ASSISTANT: Origin.AGENT}


class KernelVerbs(Verbs, Protocol):
    """The engine's verbs that stand behind these methods."""

    def health(self) -> Json:
        """See ``Engine``."""
        ...

    def status(self) -> Json:
        """See ``Engine``."""
        ...

    def flush(self) -> Json:
        """See ``Engine``."""
        ...

    def assemble(self, **asked: Any) -> Json:
        """See ``Engine``."""
        ...


class LibraVdbKernel(LibraVdb):
    """The methods for one running engine and the clients of one host.

    Args:
        verbs: The engine.
        user: The person.
        host: Whose plugin calls.
    """

    def __init__(self, verbs: KernelVerbs, user: str, host: str = HERMES) -> None:
        super().__init__(verbs, user, host)
        self._engine = verbs
        self._writing = threading.Lock()

    def __call__(self, method: str, params: Json) -> Any:
        """Carry out one of :data:`KERNEL`.

        Raises:
            LibraError: As the verbs behind it.
        """
        return KERNEL[method](self, params)

    # ------------------------------------------------------------------ how it is

    def health(self, _params: Json) -> Json:
        """Say whether turns can be stored and searched."""
        return self._engine.health()

    def status(self, _params: Json) -> Json:
        """Say what is stored, and from which score on hits are worth a place in a prompt."""
        return {
            **self._engine.status(),
            "gatingThreshold": _CUT,
            "lifecycleHintCount": self._hint_count(),
            "embeddingBackend": "libra",
        }

    def _hint_count(self) -> int:
        with self._verbs.deps.store.snapshot() as snapshot:
            return len(hints.newest(snapshot, self._user, None, self._verbs.deps.params.audit.hints))

    def flush(self, _params: Json) -> Json:
        """Agree: what was answered is on disk."""
        return self._engine.flush()

    # ------------------------------------------------------------------ turns

    def ingest_message_kernel(self, params: Json) -> Json:
        """Keep one message: a turn, a copy of what the agent wrote into its own memory, or a remark of the host."""
        session, said = text_of(params, "sessionId"), _said(params.get("message"))
        if said is None or params.get("isHeartbeat"):
            return {"ok": True, "ingested": 0}
        role, text = said
        if role in _ORIGINS:
            kept = self._keep(session, [(Role(role), text)])
        elif role == "memory":
            kept = self._curated(session, text)
        else:
            kept = self._remark(session, text)
        return {"ok": True, "ingested": kept}

    def before_turn_kernel(self, params: Json) -> Json:
        """Agree: nothing is foretold, recall comes with ``AssembleContextInternal``."""
        return {"ok": True, "cursor": params.get("cursor")}

    def after_turn_kernel(self, params: Json) -> Json:
        """Keep what is new in a conversation; its client may hand all of it in, each time."""
        session = text_of(params, "sessionId")
        told = [_said(message) for message in params.get("messages") or ()]
        talk = [(Role(said[0]), said[1]) for said in told if said is not None and said[0] in _ORIGINS]
        if talk and not params.get("isHeartbeat"):
            self._keep(session, talk, whole=True)
        return {"ok": True, "cursor": params.get("cursor")}

    def _keep(self, session: str, talk: Sequence[tuple[Role, str]], *, whole: bool = False) -> int:
        """Store what is not there yet; return how many.

        A session whose transcript Libra reads itself is left to the reader, which knows ids and times.

        Args:
            session: The client's name of it.
            talk: Roles and texts, in their order.
            whole: Look for equal ones among all turns, since the talk may begin with the first; else among the newest.
        """
        who = self._who(session)
        with self._writing:
            rows = self._rows(session) if whole else self._lately(session)[:_RECENT]
            if any(row.source_path for row in rows):
                return 0
            known = Counter(_name(row) for row in rows)
            now_ms = self._verbs.deps.clock()
            fresh: list[NewTurn] = []
            times: Counter[str] = Counter()
            for role, text in talk:
                name = _name_of(role, text)
                if known[name] > 0:
                    known[name] -= 1
                    continue
                # The same words at the same time would be the same turn: who says them again does so later.
                again = times[name]
                times[name] += 1
                said_ms = now_ms + again if again else None
                event = f"{name}:{now_ms + again}"
                fresh.append(NewTurn(role, text, said_ms, event, _ORIGINS[role]))
            if fresh:
                self._verbs.ingest(who=who, turns=fresh)
        return len(fresh)

    def _rows(self, session: str) -> list[ItemRow]:
        with self._verbs.deps.store.snapshot() as snapshot:
            return turns.turns_of(snapshot, session_key(session, self._host))

    def _lately(self, session: str, tokens: int = 0) -> list[ItemRow]:
        """Return the newest turns, newest first: so many tokens and at least 16 turns, whatever the session's length."""
        with self._verbs.deps.store.snapshot() as snapshot:
            return turns.tail(snapshot, session_key(session, self._host), tokens, with_lineage=False)

    def _curated(self, session: str, text: str) -> int:
        """Keep what the agent wrote into its own memory, as the agent's; that something left it names nothing."""
        words = _TARGET.sub("", text)
        if _DELETED.match(text) or not words.strip():
            return 0
        try:
            done = self._verbs.remember(text=words, who=self._who(session), origin=Origin.AGENT)
        except InvalidParams:
            return 0
        return int(done["outcome"] != "forgotten")

    def _remark(self, session: str, text: str) -> int:
        """Keep a remark of the host, such as what became of a subagent, unless it repeats what was said."""
        said = [normal_text(row.text) for row in self._lately(session, _REPEATED_TOKENS)]
        parts = [normal_text(part) for part in text.split(_TOLD_BETWEEN)]
        if len(parts) <= _REPEATED_PARTS and all(any(part in one for one in said) for part in parts):
            return 0
        turn = NewTurn(Role.SYSTEM, text, None, f"{_name_of(Role.SYSTEM, text)}:0", Origin.EXTERNAL)
        self._verbs.ingest(who=self._who(session), turns=[turn])
        return 1

    # ------------------------------------------------------------------ context

    def assemble_context_internal(self, params: Json) -> Json:
        """Return what belongs into the system prompt; the messages stay as they came."""
        messages = params.get("messages") or []
        asked: Json = {"query": str(params.get("prompt") or _last_asked(messages))}
        if (budget := params.get("tokenBudget") or 0) > 0:
            asked["budget_tokens"] = min(_MOST_TOKENS, int(budget) // _SHARE)
        if (limit := params.get("deadlineMs")) is not None:
            asked["deadline_ms"] = min(int(limit), self._verbs.deps.params.deadline_ms)
        have = frozenset({Tier.TAIL.value, OWN_FILES})
        done = self._engine.assemble(who=self._who(text_of(params, "sessionId")), have=have, **asked)
        return {
            "messages": messages,
            "systemPromptAddition": done["text"],
            "estimatedTokens": done["tokens"],
        }

    # ------------------------------------------------------------------ the same in other shapes

    def list_collection(self, params: Json) -> Json:
        """List ids only."""
        return {"ids": [hit["id"] for hit in super().list_collection(params)["results"]]}

    def list_by_meta(self, params: Json) -> Json:
        """List a session's turns; "every collection" is asked for user cards only."""
        return super().list_by_meta({"collection": "", **params})

    def query_raw_session(self, params: Json) -> Json:
        """Search the turns of one session; they come as messages."""
        name = f"session_raw:{text_of(params, 'sessionId')}"
        found = self._find(name, text_of(params, "text"), count_of(params), known_ids(params))
        return {
            "messages": [
                {"role": hit["metadata"]["role"], "content": hit["text"], "id": hit["id"]} for hit in found
            ]
        }

    def expand_summary(self, params: Json) -> Json:
        """Walk from a summary back to its turns."""
        found = super().expand_summary(params)["results"]
        return {
            "summaryId": params["summaryId"],
            "connected": [{"recordId": hit["id"], "text": hit["text"]} for hit in found],
        }

    def list_lifecycle_journal(self, params: Json) -> Json:
        """List the hints as texts."""
        found = super().list_lifecycle_journal(params)["results"]
        return {"entries": [json.dumps(hit["metadata"], ensure_ascii=False) for hit in found]}


def _said(message: Any) -> tuple[str, str] | None:
    """Return role and text of a message; None where nothing is said."""
    if not isinstance(message, dict):
        return None
    text = str(message.get("content") or "")
    return (str(message.get("role") or Role.USER), text) if text.strip() else None


def _last_asked(messages: Sequence[Any]) -> str:
    told = (_said(message) for message in reversed(messages))
    return next((said[1] for said in told if said is not None and said[0] == Role.USER), "")


def _name_of(role: Role, text: str) -> str:
    """Name a turn after its words as they came: what is stored may be redacted, and would not be known again."""
    return f"{_ID}{digest(role.value, normal_text(text))[:_ID_CHARS]}"


def _name(row: ItemRow) -> str:
    """Return a stored turn's name; one that came another way is named after what is stored."""
    if row.external_id is not None and row.external_id.startswith(_ID):
        return row.external_id.rpartition(":")[0]
    return _name_of(Role(row.role or Role.USER), row.text)


KERNEL: Mapping[str, Callable[[LibraVdbKernel, Json], Json]] = {
    **METHODS,
    **{
        method.__name__: method
        for method in (
            LibraVdbKernel.health, LibraVdbKernel.status, LibraVdbKernel.flush, LibraVdbKernel.ingest_message_kernel,
            LibraVdbKernel.before_turn_kernel, LibraVdbKernel.after_turn_kernel, LibraVdbKernel.assemble_context_internal,
            LibraVdbKernel.list_collection, LibraVdbKernel.list_by_meta, LibraVdbKernel.query_raw_session,
            LibraVdbKernel.expand_summary, LibraVdbKernel.list_lifecycle_journal,
        )
    },
    "bootstrap_session_kernel": LibraVdb.nothing,
}  # fmt: skip
"""The gRPC methods that are served; the others answer UNIMPLEMENTED."""
