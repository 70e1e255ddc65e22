"""Lessons: what went wrong, why, what helped, and how it does not happen again; kept as memories of a type of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from libra.engine import browse, remember
from libra.engine.browse import ListRequest
from libra.engine.deps import Deps
from libra.engine.remember import Wish
from libra.engine.search import SearchRequest, search
from libra.engine.which import Which
from libra.ground.records import Kind, MemoryType, Origin, Who

_PARTS = ("symptom", "cause", "fix", "prevention")


@dataclass(frozen=True, slots=True)
class Lesson:
    """The parameters of ``lesson``. Source: reference-systems.md LP-28."""

    symptom: str
    fix: str
    cause: str | None = None
    prevention: str | None = None
    origin: Origin | None = None

    @property
    def text(self) -> str:
        """The memory's words: a line for each part that is given."""
        parts = ((name, getattr(self, name)) for name in _PARTS)
        return "\n".join(f"{name.capitalize()}: {' '.join(said.split())}" for name, said in parts if said)


def lesson(deps: Deps, who: Who | None, learnt: Lesson) -> dict[str, Any]:
    """Answer the method ``lesson``; see :func:`libra.engine.remember.remember`."""
    return remember.remember(deps, who, learnt.text, Wish(type=MemoryType.LESSON, origin=learnt.origin))


def lessons(deps: Deps, who: Who | None, query: str | None, k: int) -> dict[str, Any]:
    """Answer the method ``lessons``: those that fit a symptom, best first; without one the newest."""
    if query is None:
        asked = ListRequest(Which(types=(MemoryType.LESSON,)), k=k)
        found = browse.list_(deps, who, asked)["items"]
    else:
        wanted = SearchRequest(query, k, frozenset({Kind.MEMORY}), (MemoryType.LESSON,))
        found = search(deps, who, wanted)["hits"]
    return {"lessons": [_shown(one) for one in found]}


def _shown(one: Mapping[str, Any]) -> dict[str, Any]:
    # A search that finds little looks into the archive, too.
    archived = {"archived": one["archived"]} if one.get("archived") else {}
    return {**_parts(one["text"]), "id": one["id"], "ts": one["ts"], **archived}


def _parts(text: str) -> dict[str, str]:
    said = (line.partition(": ") for line in text.split("\n"))
    return {name.lower(): rest for name, sign, rest in said if sign and name.lower() in _PARTS}
