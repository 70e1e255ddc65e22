"""How LibraVDB's clients name things, and what they find in an answer (hosts.md §4.3–4.4)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from libra.engine.deps import Deps
from libra.ground.errors import InvalidParams
from libra.ground.records import DocumentText, NewTurn, Origin, Who

Json = dict[str, Any]

HOST = "openclaw"
"""Whose plugin these clients are, if nothing else is known: their sessions are those that the reader of transcripts knows."""
MOST = 1_000
"""Records of one answer."""


class Verbs(Protocol):
    """The engine's verbs that stand behind these methods."""

    deps: Deps

    def search(self, *, who: Who | None = None, **asked: Any) -> Json:
        """See ``Engine``."""
        ...

    def ingest(self, *, turns: Sequence[NewTurn], who: Who | None = None) -> Json:
        """See ``Engine``."""
        ...

    def remember(self, *, text: str, who: Who | None = None, **wish: Any) -> Json:
        """See ``Engine``."""
        ...

    def compact(self, *, who: Who | None = None, force: bool = False) -> Json:
        """See ``Engine``."""
        ...

    def expand(self, id: str, who: Who | None = None, depth: int = 3) -> Json:  # noqa: A002 - the socket's name
        """See ``Engine``."""
        ...

    def forget(self, *, who: Who | None = None, ids: Sequence[str] | None = None) -> Json:
        """See ``Engine``."""
        ...

    def card_update(
        self,
        *,
        name: str,
        fields: Mapping[str, Any],
        who: Who | None = None,
        main: bool | None = None,
        origin: Origin | None = None,
    ) -> Json:
        """See ``Engine``."""
        ...

    def card_delete(self, *, name: str, who: Who | None = None, origin: Origin | None = None) -> Json:
        """See ``Engine``."""
        ...

    def document(self, doc: DocumentText) -> bool:
        """See ``Engine``."""
        ...

    def document_state(self, path: str, state: str) -> None:
        """See ``Engine``."""
        ...


def session_key(session: str, host: str) -> str:
    """Return the key of a host's session in Libra."""
    return f"{host}:{session}"


def agent_of(namespace: str) -> str | None:
    """Return the agent that a namespace names: ``session-key:agent:<agent>:…`` or ``agent-id:<agent>``."""
    found = re.match(r"(?:session-key:agent:|agent-id:)([^:]+)", namespace)
    return found[1] if found else None


def hit_of(hit: Json, collection: str, host: str) -> Json:
    """Return a hit of ``search`` or ``expand`` as a host's client reads it."""
    source = hit.get("source") or {}
    meta = {
        "role": hit.get("role") or "", "ts": hit.get("ts") or 0, "type": hit.get("type") or hit.get("kind"),
        "sessionId": str(source.get("session") or "").removeprefix(f"{host}:"),
    }  # fmt: skip
    return record(hit.get("external_id") or hit["id"], hit["score"], hit["text"], collection, meta)


def record(uid: str, value: float, text: str, collection: str, meta: Json) -> Json:
    """Return a record as these clients read it: metadata is an object, always."""
    return {
        "id": uid,
        "score": value,
        "text": text,
        "metadata": {"collection": collection, **meta},
        "version": 1,
    }


def text_of(params: Json, name: str) -> str:
    """Return a text that a method needs.

    Raises:
        InvalidParams: It is missing; ``where`` names it.
    """
    found = params.get(name)
    if not isinstance(found, str) or not found:
        raise InvalidParams(f"{name}: missing; expected a text", where=name)
    return found


def names_of(params: Json, name: str) -> list[str]:
    """Return a list of texts; an empty one where it is missing."""
    return [x for x in params.get(name) or () if isinstance(x, str)]


def known_ids(params: Json) -> list[str]:
    """Return the ids that the caller has already."""
    return names_of(params, "excludeIds")


def count_of(params: Json) -> int:
    """Return how many hits are asked for; 8 if that is not said."""
    k = params.get("k")
    return max(1, min(MOST, k)) if isinstance(k, int) else 8
