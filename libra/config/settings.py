"""The settings as a person sees them: every key with its value, its default, what it may be and what it does."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
import types
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Union, get_args, get_origin

from libra.config.choices import CHOICES, check
from libra.config.edit import put
from libra.config.limits import unit
from libra.config.person import os_user
from libra.config.reader import Key, keys
from libra.config.tree import SECTIONS, TOP, Config, Section, defaults, load, section_keys
from libra.engine.deps import EngineParams
from libra.engine.reach import reach
from libra.ground import toml
from libra.ground.errors import ConfigError, InvalidParams, LibraError, StoreReadOnly
from libra.ground.zones import SystemZone

_EFFECTS = Path(__file__).with_name("effects.json")
"""What each key does, gathered from the docstrings by ``packaging/configuration_page.py``: a built program has no sources."""
_KINDS = {bool: "flag", int: "whole", float: "number", str: "text"}

_OWN = "own"
"""The kind of a key that a person changes in the file alone: a table of tables, or whose memory it is."""
_NAMED = {"time_zone": "text", "documents.instructions": "texts", "documents.notes": "texts"}
"""Kinds of the keys that :mod:`libra.config.named` reads; the others of them are one's own."""
_TOP = "At the file's top: whose memory it is, and who sees what of it."


class Settings:
    """Reads and writes the settings file; what is written holds from the next start on.

    Args:
        file: The file; it may be absent.
        running: The settings that this Libra was started with.
    """

    def __init__(self, file: Path, running: Config) -> None:
        self._file = file
        self._running = running
        self._lock = threading.Lock()
        self._at_start = self._named_values()

    def listed(self) -> dict[str, Any]:
        """Return ``{file, sections[], waiting}``: all keys by section, and those that a restart would change.

        Raises:
            ConfigError: The file cannot be read by now.
        """
        saved = load(self._file)
        standard = defaults(saved.user, SystemZone())
        own = self._named_values()
        sections: list[dict[str, Any]] = [
            {"name": "top", "doc": _TOP, "keys": [_named(key, own, words) for key, words in TOP.items()]}
        ]
        for section in SECTIONS:
            made = _section(section, saved, standard)
            made["keys"] += [
                _named(f"{section.name}.{key}", own, words) for key, words in section.named.items()
            ]
            sections.append(made)
        now = {
            key.path: _wire(value) for section in SECTIONS for key, value in _leaves(self._running, section)
        }
        waiting = [
            key["key"]
            for section in sections
            for key in section["keys"]
            if key["value"]
            != (now[key["key"]] if key["key"] in now else self._at_start.get(key["key"], key["default"]))
        ]
        return {"file": str(self._file), "sections": sections, "waiting": waiting}

    def change(self, name: str, value: Any) -> dict[str, Any]:
        """Set a key in the file, or give it back its default where the value is None; return ``{key, value, restart, reach}``.

        Raises:
            InvalidParams: There is no such key, or the value does not fit it: nothing is written.
            Conflict: The file says the key in a form that is left to its owner.
            StoreReadOnly: The file cannot be written.
        """
        with self._lock:
            known = {key.path: key for section in SECTIONS for key, _ in _leaves(self._running, section)}
            key = known.get(name)
            if key is None and name not in _NAMED:
                raise InvalidParams("there is no such setting", where="key")
            whole = isinstance(value, int) and not isinstance(value, bool)
            if key is not None and whole and _kind(key)[0] == "number":
                value = float(value)
            check(name, value, self._file)
            try:
                text = self._file.read_text("utf-8-sig") if self._file.exists() else ""
                self._write(put(text, name, value))
            except OSError as error:
                raise StoreReadOnly(
                    f"the settings cannot be written: {error.strerror}", where=str(self._file)
                ) from error
            saved = load(self._file)
            found = {key.path: _wire(v) for section in SECTIONS for key, v in _leaves(saved, section)}
            found |= self._named_values()
        return {"key": name, "value": found.get(name), "restart": True, "reach": reach(name).value}

    def _named_values(self) -> dict[str, Any]:
        """Return what the file says of the keys that are no fields of the tree, by their full names."""
        try:
            table = toml.loads(self._file.read_text("utf-8-sig"))
        except (OSError, ValueError):
            return {}
        named = {name: table[name] for name in TOP if name in table}
        for section in SECTIONS:
            inner = table.get(section.name, {})
            named |= {f"{section.name}.{key}": inner[key] for key in section.named if key in inner}
        return {name: json.loads(json.dumps(value, default=str)) for name, value in named.items()}

    def with_changes(self, changes: Mapping[str, Any]) -> EngineParams:
        """Return the engine's settings as they would be with some keys changed; nothing is written.

        Raises:
            InvalidParams: There is no such key, or a value does not fit it.
        """
        known = {key.path: key for section in SECTIONS for key, _ in _leaves(self._running, section)}
        text = self._file.read_text("utf-8-sig") if self._file.exists() else ""
        for name, value in changes.items():
            key = known.get(name)
            if key is None:
                raise InvalidParams("there is no such setting", where=f"set.{name}")
            whole = isinstance(value, int) and not isinstance(value, bool)
            text = put(text, name, float(value) if whole and _kind(key)[0] == "number" else value)
        with tempfile.TemporaryDirectory(prefix="libra-") as folder:
            file = Path(folder) / "config.toml"
            file.write_text(text, "utf-8")
            try:
                return load(file).engine
            except ConfigError as error:
                raise InvalidParams(
                    error.message.replace(f"{file}: ", ""), where="set", hint=error.hint
                ) from None

    def _write(self, text: str) -> None:
        """Put the text in the file's place at one go, if Libra would start with it."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        target = self._file.resolve()
        made, name = tempfile.mkstemp(prefix=".config-", suffix=".toml", dir=target.parent)
        fresh = Path(name)
        try:
            with os.fdopen(made, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
            try:
                load(fresh)
            except ConfigError as error:
                raise InvalidParams(
                    error.message.replace(f"{fresh}: ", ""), where="value", hint=error.hint
                ) from None
            if target.exists():
                fresh.chmod(target.stat().st_mode & 0o777)
            fresh.replace(target)
        finally:
            with contextlib.suppress(OSError):
                fresh.unlink(missing_ok=True)


@cache
def effects() -> dict[str, str]:
    """Return what each key does, by its full name; a table's name has its table's summary."""
    try:
        found: dict[str, str] = json.loads(_EFFECTS.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise LibraError("the descriptions of the settings are missing", where=str(_EFFECTS)) from error
    return found


def _section(section: Section, saved: Config, standard: Config) -> dict[str, Any]:
    normal = {key.path: value for key, value in _leaves(standard, section)}
    return {
        "name": section.name,
        "doc": section.doc,
        "keys": [
            {
                "key": key.path,
                "value": _wire(value),
                "default": _wire(normal[key.path]),
                **dict(zip(("kind", "optional"), _kind(key), strict=True)),
                **({} if key.bounds is None else {"least": key.bounds[0], "most": key.bounds[1]}),
                **({} if key.bounds is None or unit(key.name) is None else {"unit": unit(key.name)}),
                **({"choices": list(CHOICES[key.path])} if key.path in CHOICES else {}),
                "effect": effects().get(key.path, ""),
            }
            for key, value in _leaves(saved, section)
        ],
    }


def _named(key: str, own: Mapping[str, Any], words: str) -> dict[str, Any]:
    """Return a key that is no field of the tree as it is listed."""
    default: Any = os_user() if key == "user" else [] if _NAMED.get(key) == "texts" else None
    told = {"kind": _NAMED.get(key, _OWN), "optional": default is None, "effect": words}
    return {"key": key, "value": own.get(key, default), "default": default, **told}


def _leaves(config: Config, section: Section) -> Iterator[tuple[Key, Any]]:
    """Yield the keys of a section that hold a value that a person can type, with their values; tables are opened."""
    for _, key in section_keys(config, section):
        yield from _below(key, key.default)


def _below(key: Key, value: Any) -> Iterator[tuple[Key, Any]]:
    if is_dataclass(key.kind):
        for inner in keys(key.kind, key.path, value):  # type: ignore[arg-type]
            yield from _below(inner, inner.default)
    elif _kind(key)[0]:
        yield key, value


def _kind(key: Key) -> tuple[str, bool]:
    """Return what a value must be, and whether the key may be left out for good; an empty word for tables of lists."""
    kind, optional = key.kind, False
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(a for a in get_args(kind) if a is not types.NoneType)
        optional = True
    word = _KINDS.get(kind, "texts" if get_origin(kind) in (tuple, frozenset) else "")
    return word, optional


def _wire(value: Any) -> Any:
    return (
        sorted(value) if isinstance(value, frozenset) else list(value) if isinstance(value, tuple) else value
    )
