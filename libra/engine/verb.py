"""What a verb is, and the parameters that many of them take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from libra.engine.fields import Choice, Free, Json, ListOf, Param, Parsed, Struct, Text, Time, Whole, wrong
from libra.ground.records import Kind, MemoryType, NewTurn, Origin, Role, Scope, Who

DEFAULT_AGENT = "main"
"""Who asks when neither an agent nor a host is named: the person, at the command line."""

MAX_TURNS = 10_000
MAX_TOKENS = 10_000_000

_ORIGIN_OF_ROLE = {
    Role.USER: Origin.OWNER,
    Role.ASSISTANT: Origin.AGENT,
    Role.TOOL: Origin.TOOL,
    Role.SYSTEM: Origin.EXTERNAL,
}


def _turn(found: Json) -> NewTurn:
    if found["origin"] is None:
        found["origin"] = _ORIGIN_OF_ROLE[found["role"]]
    if found["metadata"] is None:
        found["metadata"] = {}
    return NewTurn(**found)


def _who(found: Json) -> Who:
    given: Json = {name: value or None for name, value in found.items()}
    given["user"] = given["user"] or ""
    return Who(**given)


NAME = Text(max_chars=4_096)
TOKENS = Whole(0, MAX_TOKENS)

TURN = Struct(
    (
        Param("id", NAME, "The caller's id of the message; the same id is stored once.", None, "event_id"),
        Param("role", Choice(tuple(Role), Role), "Who spoke."),
        Param("content", Text(), "The words."),
        Param("ts", Time(), "When it was said.", None, "ts_ms"),
        Param("speaker", NAME, "A name to show.", None),
        Param("tokens", TOKENS, "The caller's own token count.", None),
        Param("origin", Choice(tuple(Origin), Origin), "Whose words they are; by default the role's.", None),
        Param("metadata", Free(), "Free JSON, kept with the turn.", None),
    ),
    _turn,
)

WHO = Struct(
    (
        Param("user", NAME, "The person; by default the one who is logged in.", None),
        Param("agent", NAME, "The agent that asks.", None),
        Param("project", NAME, "The project's key; by default found from cwd.", None),
        Param("session", NAME, "The session's key.", None),
        Param("host", NAME, "The program that the agent runs in.", None),
        Param("cwd", NAME, "The folder that the agent works in.", None),
    ),
    _who,
)


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing that a caller may ask for.

    Attributes:
        name: The method's name on the socket, and the engine's method.
        doc: What it does, in a sentence or two.
        params: What it takes.
        result: The shape of the answer.
        example: Parameters of a call that makes sense.
        any_of: If set, at least one of these has to be given.
        changes: True if it may change what is stored.
    """

    name: str
    doc: str
    params: tuple[Param, ...]
    result: str
    example: Mapping[str, Any]
    any_of: tuple[str, ...] = ()
    changes: bool = False

    def check(self, params: Any, user: str) -> Json:
        """Return the handler's keywords.

        Args:
            params: What the caller sent: an object, or None for nothing.
            user: The person that an absent ``who.user`` stands for.

        Raises:
            InvalidParams: A field is unknown, missing, of a wrong type or out of range; ``where`` is its path.
        """
        found: Json = Struct(self.params).check({} if params is None else params, "")
        asked = {p.name: found[p.target or p.name] for p in self.params}
        if self.any_of and all(asked[name] is None for name in self.any_of):
            raise wrong(self.any_of[0], f"one of the fields {', '.join(self.any_of)}")
        if "who" in found:
            found["who"] = _complete(found["who"], user)
        return found

    def schema(self) -> Json:
        """Return the JSON schema of the parameters."""
        return Struct(self.params).schema()


def _complete(who: Who | None, user: str) -> Who | None:
    """Fill in the person and, where nobody is named, the agent ``main``."""
    if who is None:
        return None
    agent = who.agent or (None if who.host else DEFAULT_AGENT)
    return replace(who, user=who.user or user, agent=agent)


_ANYBODY = Who(user="")
WHO_PARAM = Param("who", WHO, "Who asks; decides what is visible.", _ANYBODY)
ID_PARAM = Param("id", Text(1, 200), "The record's id, or its first eight characters and more.")
TYPES_PARAM = Param(
    "types", ListOf(Choice(tuple(MemoryType), MemoryType), 50, make=tuple), "These memory types.", None
)
SCOPES_PARAM = Param(
    "scopes",
    ListOf(Parsed("a scope such as global, user:<id> or project:<id>", Scope.parse), 50, make=tuple),
    "These scopes only.",
    None,
)
SINCE_PARAM = Param("since", Time(local=True), "Not older than this.", None)
UNTIL_PARAM = Param("until", Time(local=True), "Older than this.", None)
ORIGIN_PARAM = Param(
    "origin",
    Choice(tuple(Origin), Origin),
    "Whose words they are: by default the agent's where who.host is given, else the person's.",
    None,
)


def _kind(word: str) -> Kind:
    return Kind[word.upper()]


def kinds_param(kinds: Sequence[Kind], doc: str = "These kinds.") -> Param:
    """Return the parameter that takes some of these kinds."""
    return Param("kinds", ListOf(Choice(tuple(k.wire for k in kinds), _kind), 20, make=frozenset), doc, None)
