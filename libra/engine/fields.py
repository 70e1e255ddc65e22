"""Kinds of parameters: each checks a JSON value, turns it into a typed one and describes itself.

A message names the field and what was expected, never the value: values hold what people said.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any, Protocol

from libra.ground.errors import InvalidParams
from libra.ground.zones import SystemZone
from libra.text.dates import parse_ts

_SHOWN_NAME_CHARS = 60


class Required:
    """The default of a parameter that has none."""

    def __repr__(self) -> str:
        """Show what it means."""
        return "required"


REQUIRED = Required()

Json = dict[str, Any]


class Field(Protocol):
    """A kind of parameter."""

    @property
    def expected(self) -> str:
        """What a value must be, for a person: ``a whole number from 1 to 1,000``."""
        ...

    def check(self, value: Any, where: str) -> Any:
        """Return the typed value.

        Raises:
            InvalidParams: The value does not fit; ``where`` is the path of the field.
        """
        ...

    def schema(self) -> Json:
        """Return the JSON schema of the value."""
        ...


@dataclass(frozen=True, slots=True)
class Param:
    """One named parameter of a verb or member of an object."""

    name: str
    kind: Field
    doc: str
    default: Any = REQUIRED
    target: str | None = None
    """The keyword that the handler gets, if it differs from ``name``."""

    @property
    def required(self) -> bool:
        """True if the caller has to give it."""
        return isinstance(self.default, Required)


def wrong(where: str, expected: str, value: Any = REQUIRED) -> InvalidParams:
    """Return the error for a value that does not fit, naming its JSON type only."""
    got = "" if isinstance(value, Required) else f", got {_json_type(value)}"
    return InvalidParams(f"{where}: expected {expected}{got}", where=where)


def _json_type(value: Any) -> str:
    if value is None:
        return "null"
    names: tuple[tuple[type, str], ...] = (
        (bool, "a boolean"),
        (int, "a number"),
        (float, "a number"),
        (str, "a string"),
        (list, "an array"),
        (dict, "an object"),
    )
    return next((name for kind, name in names if isinstance(value, kind)), "something else")


@dataclass(frozen=True, slots=True)
class Text:
    """A string."""

    min_chars: int = 0
    max_chars: int | None = None

    @property
    def expected(self) -> str:
        """Say so."""
        words = "a string" if not self.min_chars else "a string that is not empty"
        return words if self.max_chars is None else f"{words}, at most {self.max_chars:,} characters"

    def check(self, value: Any, where: str) -> str:
        """Return the string."""
        if not isinstance(value, str):
            raise wrong(where, self.expected, value)
        if len(value) < self.min_chars or (self.max_chars is not None and len(value) > self.max_chars):
            raise wrong(where, self.expected)
        return value

    def schema(self) -> Json:
        """Return the JSON schema."""
        out: Json = {"type": "string"}
        if self.min_chars:
            out["minLength"] = self.min_chars
        if self.max_chars is not None:
            out["maxLength"] = self.max_chars
        return out


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within bounds; ``10.0`` counts as ``10``, a boolean does not."""

    low: int
    high: int

    @property
    def expected(self) -> str:
        """Say so."""
        return f"a whole number from {self.low:,} to {self.high:,}"

    def check(self, value: Any, where: str) -> int:
        """Return the number as an int."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(where, self.expected, value)
        if not self.low <= value <= self.high or value != int(value):
            raise wrong(where, self.expected)
        return int(value)

    def schema(self) -> Json:
        """Return the JSON schema."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Number:
    """A number within bounds."""

    low: float
    high: float

    @property
    def expected(self) -> str:
        """Say so."""
        return f"a number from {self.low:g} to {self.high:g}"

    def check(self, value: Any, where: str) -> float:
        """Return the number as a float."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(where, self.expected, value)
        if not self.low <= value <= self.high:
            raise wrong(where, self.expected)
        return float(value)

    def schema(self) -> Json:
        """Return the JSON schema."""
        return {"type": "number", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    expected: str = "true or false"

    def check(self, value: Any, where: str) -> bool:
        """Return the boolean."""
        if not isinstance(value, bool):
            raise wrong(where, self.expected, value)
        return value

    def schema(self) -> Json:
        """Return the JSON schema."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One word of a closed list, turned into a value by ``make``."""

    words: tuple[str, ...]
    make: Callable[[str], Any] = str

    @property
    def expected(self) -> str:
        """Say so."""
        return f"one of {', '.join(self.words)}"

    def check(self, value: Any, where: str) -> Any:
        """Return the value that the word stands for."""
        if not isinstance(value, str):
            raise wrong(where, self.expected, value)
        if value not in self.words:
            raise wrong(where, self.expected)
        return self.make(value)

    def schema(self) -> Json:
        """Return the JSON schema."""
        return {"type": "string", "enum": list(self.words)}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A string that ``make`` turns into a value or refuses with ValueError."""

    expected: str
    make: Callable[[str], Any]

    def check(self, value: Any, where: str) -> Any:
        """Return what ``make`` made of it."""
        if not isinstance(value, str):
            raise wrong(where, self.expected, value)
        try:
            return self.make(value)
        except ValueError:
            raise wrong(where, self.expected) from None

    def schema(self) -> Json:
        """Return the JSON schema."""
        return {"type": "string", "description": self.expected}


@dataclass(frozen=True, slots=True)
class Time:
    """A moment: RFC 3339 text, or seconds or milliseconds since 1970. Becomes epoch milliseconds.

    Attributes:
        local: A date or time without a zone is one of this machine's: what a person asks about (field case
            B20). Without it, such a time is UTC: what hosts write.
    """

    local: bool = False
    expected: str = "a time (RFC 3339, or seconds or milliseconds since 1970)"

    def check(self, value: Any, where: str) -> int:
        """Return epoch milliseconds."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise wrong(where, self.expected, value)
        parsed = parse_ts(value, SystemZone() if self.local else UTC)
        if parsed is None:
            raise wrong(where, self.expected)
        return parsed

    def schema(self) -> Json:
        """Return the JSON schema."""
        return {"type": ["string", "number"], "description": self.expected}


@dataclass(frozen=True, slots=True)
class Free:
    """Any JSON object, kept as it is."""

    expected: str = "an object"

    def check(self, value: Any, where: str) -> Json:
        """Return the object."""
        if not isinstance(value, dict):
            raise wrong(where, self.expected, value)
        return value

    def schema(self) -> Json:
        """Return the JSON schema."""
        return {"type": "object"}


@dataclass(frozen=True, slots=True)
class ListOf:
    """An array of values of one kind, gathered by ``make`` (list, tuple, frozenset)."""

    kind: Field
    max_items: int
    min_items: int = 0
    make: Callable[[list[Any]], Any] = list

    @property
    def expected(self) -> str:
        """Say so."""
        size = (
            f"{self.min_items:,} to {self.max_items:,}" if self.min_items else f"at most {self.max_items:,}"
        )
        return f"an array of {size} items"

    def check(self, value: Any, where: str) -> Any:
        """Return the gathered values."""
        if not isinstance(value, list):
            raise wrong(where, self.expected, value)
        if not self.min_items <= len(value) <= self.max_items:
            raise wrong(where, self.expected)
        return self.make([self.kind.check(item, f"{where}[{i}]") for i, item in enumerate(value)])

    def schema(self) -> Json:
        """Return the JSON schema."""
        out: Json = {"type": "array", "items": self.kind.schema(), "maxItems": self.max_items}
        if self.min_items:
            out["minItems"] = self.min_items
        return out


def _keywords(found: Json) -> Json:
    return found


@dataclass(frozen=True, slots=True)
class Struct:
    """An object with named members; unknown members are refused. ``make`` gets the members by keyword."""

    members: tuple[Param, ...]
    make: Callable[[Json], Any] = field(default=_keywords)

    @property
    def expected(self) -> str:
        """Say so."""
        return f"an object with {', '.join(p.name for p in self.members)}" if self.members else "no members"

    def check(self, value: Any, where: str) -> Any:
        """Return what ``make`` made of the checked members; a member that is null counts as absent."""
        if not isinstance(value, dict):
            raise wrong(where or "params", self.expected, value)
        known = {p.name for p in self.members}
        for name in value:
            if name not in known:
                raise self._unknown(name, where)
        found: Json = {}
        for p in self.members:
            path = f"{where}.{p.name}" if where else p.name
            given = value.get(p.name)
            if given is not None:
                found[p.target or p.name] = p.kind.check(given, path)
            elif p.required:
                raise InvalidParams(f"{path}: missing; expected {p.kind.expected}", where=path)
            else:
                found[p.target or p.name] = p.default
        return self.make(found)

    def _unknown(self, name: str, where: str) -> InvalidParams:
        shown = name[:_SHOWN_NAME_CHARS].encode("ascii", "replace").decode()
        path = f"{where}.{shown}" if where else shown
        near = difflib.get_close_matches(name, [p.name for p in self.members], 1)
        return InvalidParams(
            f"{path}: unknown field; expected {self.expected}",
            where=path,
            hint=f"did you mean {near[0]}?" if near else None,
        )

    def schema(self) -> Json:
        """Return the JSON schema."""
        properties: Json = {}
        for p in self.members:
            properties[p.name] = {**p.kind.schema(), "description": p.doc}
            if isinstance(p.default, str | int | float | bool):
                properties[p.name]["default"] = p.default
        out: Json = {"type": "object", "properties": properties, "additionalProperties": False}
        required = [p.name for p in self.members if p.required]
        if required:
            out["required"] = required
        return out
