"""The few keys whose values are not plain: a time zone, scopes, documents with their scope."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from libra.config.reader import Table, fault, unknown
from libra.ground.records import Scope, ScopeKind
from libra.sources.document_places import NamedRoot

_ROOT_KEYS = ("path", "scope", "instructions", "include", "exclude", "tags")
_SCOPES = "global, user:<id>, agent:<id>, project:<key> or session:<key>"


def text(table: Table, key: str, file: Path) -> str | None:
    """Return a text of the file's top, None if it is absent."""
    value = table.get(key)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise fault(file, key, "expected a text that is not empty")
    return value


def zone(table: Table, file: Path) -> ZoneInfo | None:
    """Return the time zone that the file names, None if it names none."""
    name = text(table, "time_zone", file)
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        hint = "leave it out for the machine's own zone; on Windows names need the package tzdata"
        raise fault(file, "time_zone", "expected an IANA time zone such as Europe/Berlin", hint) from None


def place(text_: str, file: Path) -> Path:
    """Return the absolute path that a text means: ``~`` is the home folder, relative is to the file's folder."""
    return Path(os.path.abspath(file.parent / Path(text_).expanduser()))  # noqa: PTH100 - links stay as named


def access(table: Any, file: Path) -> dict[str, tuple[str, ...]]:
    """Return the scopes that agents may see beyond their own."""
    if not isinstance(table, dict):
        raise fault(file, "access", "expected a table of lists of scopes")
    return {
        agent: tuple(s.text for s in _scopes(found, f"access.{agent}", file))
        for agent, found in table.items()
    }


def tenants(table: Any, file: Path) -> dict[str, str]:
    """Return the user whose memory an agent has, by agent."""
    if not isinstance(table, dict) or not all(isinstance(v, str) and v.strip() for v in table.values()):
        raise fault(file, "tenants", "expected a table of users by agents")
    return dict(table)


def _scopes(value: Any, key: str, file: Path) -> list[Scope]:
    if not isinstance(value, list):
        raise fault(file, key, f"expected a list of scopes: {_SCOPES}")
    return [_scope(item, f"{key}[{i}]", file) for i, item in enumerate(value)]


def _scope(value: Any, key: str, file: Path) -> Scope:
    try:
        return Scope.parse(value)
    except (ValueError, AttributeError):
        raise fault(file, key, f"expected a scope: {_SCOPES}") from None


def roots(table: Any, file: Path) -> tuple[NamedRoot, ...]:
    """Return the further documents that the section ``[documents]`` names."""
    out = []
    for key, instructions in (("instructions", True), ("notes", False)):
        for i, value in enumerate(_list(table.get(key, []), f"documents.{key}", file)):
            out.append(
                NamedRoot(_path(value, f"documents.{key}[{i}]", file), Scope(ScopeKind.GLOBAL), instructions)
            )
    for i, entry in enumerate(_list(table.get("roots", []), "documents.roots", file)):
        out.append(_root(entry, f"documents.roots[{i}]", file))
    return tuple(out)


def _list(value: Any, key: str, file: Path) -> list[Any]:
    if not isinstance(value, list):
        raise fault(file, key, "expected a list")
    return value


def _path(value: Any, key: str, file: Path) -> Path:
    if not isinstance(value, str) or not value.strip():
        raise fault(file, key, "expected a path in quotes")
    return place(value, file)


def _root(entry: Any, key: str, file: Path) -> NamedRoot:
    if not isinstance(entry, dict):
        raise fault(file, key, "expected a table with path, scope, instructions, include, exclude, tags")
    for name in entry:
        if name not in _ROOT_KEYS:
            raise unknown(file, f"{key}.{name}", name, dict.fromkeys(_ROOT_KEYS))
    instructions = entry.get("instructions", True)
    if not isinstance(instructions, bool):
        raise fault(file, f"{key}.instructions", "expected true or false")
    scope = _scope(entry.get("scope", "global"), f"{key}.scope", file)
    patterns = {
        name: tuple(_texts(entry.get(name, []), f"{key}.{name}", file))
        for name in ("include", "exclude", "tags")
    }
    return NamedRoot(_path(entry.get("path"), f"{key}.path", file), scope, instructions, **patterns)


def _texts(value: Any, key: str, file: Path) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise fault(file, key, "expected a list of texts")
    return value
