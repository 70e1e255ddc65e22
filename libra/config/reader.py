"""From a TOML table to a frozen dataclass: unknown keys, wrong types and values out of range are errors.

Every error names the file, the key and what was expected; the value is not repeated.
"""

from __future__ import annotations

import difflib
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from libra.config.limits import Bounds, bounds
from libra.ground.errors import ConfigError

T = TypeVar("T")

Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the file.

    Attributes:
        path: Its full name: ``store.writer.busy_ms``.
        name: The field's name.
        kind: The field's type.
        default: Its value in the defaults.
        bounds: Smallest and largest value, for numbers.
    """

    path: str
    name: str
    kind: Any
    default: Any
    bounds: Bounds | None


def fault(file: Path, key: str, expected: str, hint: str | None = None) -> ConfigError:
    """Return the error for one key."""
    return ConfigError(f"{file}: {key}: {expected}", where=f"{file}: {key}", hint=hint)


def configurable(kind: Any) -> bool:
    """Return True for a type that a TOML value can give: functions and tables of tuples are not."""
    return is_dataclass(kind) or _checker(kind) is not None


def keys(kind: type, path: str, default: Any, skipped: frozenset[str] = frozenset()) -> list[Key]:
    """Return the keys of a table, nested tables not opened; ``default`` is an instance of ``kind``."""
    hints = get_type_hints(kind)
    out = []
    for field in fields(kind):
        full = f"{path}.{field.name}" if path else field.name
        if full in skipped or not configurable(hints[field.name]):
            continue
        value = getattr(default, field.name)
        out.append(Key(full, field.name, hints[field.name], value, bounds(full, hints[field.name], value)))
    return out


def read(
    kind: type[T], table: Table, path: str, file: Path, default: T, skipped: frozenset[str] = frozenset()
) -> T:
    """Return ``default`` with what the table says.

    Args:
        kind: The dataclass.
        table: The TOML table.
        path: The table's name in the file; empty at the top.
        file: For error messages.
        default: The values of keys that are absent.
        skipped: Full names of fields that are not set from here.

    Raises:
        ConfigError: A key is unknown, of a wrong type or out of range, or the values contradict each other.
    """
    known = {key.name: key for key in keys(kind, path, default, skipped)}
    values = {f.name: getattr(default, f.name) for f in fields(kind)}  # type: ignore[arg-type]
    for name, value in table.items():
        key = known.get(name)
        if key is None:
            raise unknown(file, f"{path}.{name}" if path else name, name, known)
        values[name] = _value(key, value, file, skipped)
    try:
        return kind(**values)
    except ValueError as error:
        raise fault(file, path or "the file", str(error)) from None


def unknown(file: Path, path: str, name: str, known: Mapping[str, Any]) -> ConfigError:
    """Return the error for a key that does not exist."""
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(sorted(known))}"
    return fault(file, path, "unknown key", hint)


def _value(key: Key, value: Any, file: Path, skipped: frozenset[str]) -> Any:
    if is_dataclass(key.kind):
        if not isinstance(value, dict):
            raise fault(file, key.path, "expected a table")
        return read(key.kind, value, key.path, file, key.default, skipped)  # type: ignore[arg-type]
    check = _checker(key.kind)
    if check is None:
        raise unknown(file, key.path, key.name, {})
    try:
        return check(value, key.bounds)
    except ValueError as error:
        raise fault(file, key.path, f"expected {error}") from None


Check = Callable[[Any, Bounds | None], Any]


def _checker(kind: Any) -> Check | None:
    """Return the function that checks a value of this type, or None if no TOML value gives one."""
    if kind in _SCALARS:
        return _SCALARS[kind]
    arguments = get_args(kind)
    if get_origin(kind) in (Union, types.UnionType):
        inner = [a for a in arguments if a is not types.NoneType]
        return _checker(inner[0]) if len(inner) == 1 else None
    if get_origin(kind) in (tuple, frozenset) and arguments[0] is str:
        return _strings if get_origin(kind) is tuple else lambda v, b: frozenset(_strings(v, b))
    if isinstance(get_origin(kind), type) and issubclass(get_origin(kind), Mapping):
        return _lists if arguments == (str, tuple[str, ...]) else None
    return None


def _flag(value: Any, _bounds: Bounds | None) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")  # noqa: TRY004 - becomes a ConfigError
    return value


def _whole(value: Any, limits: Bounds | None) -> int:
    low, high = limits or (-math.inf, math.inf)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"a whole number from {low:,.0f} to {high:,.0f}")
    return value


def _number(value: Any, limits: Bounds | None) -> float:
    low, high = limits or (-math.inf, math.inf)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"a number from {low:g} to {high:g}")
    return float(value)


def _text(value: Any, _bounds: Bounds | None) -> str:
    if not isinstance(value, str):
        raise ValueError("a text in quotes")  # noqa: TRY004 - becomes a ConfigError
    return value


def _strings(value: Any, _bounds: Bounds | None) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("a list of texts")
    return tuple(value)


def _lists(value: Any, limits: Bounds | None) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError("a table of lists of texts")  # noqa: TRY004 - becomes a ConfigError
    return {name: _strings(item, limits) for name, item in value.items()}


_SCALARS: dict[Any, Check] = {
    bool: _flag,
    int: _whole,
    float: _number,
    str: _text,
}


def default_of(kind: type[T]) -> T:
    """Return a dataclass with all its defaults.

    Raises:
        TypeError: A field has none.
    """
    missing = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]  # type: ignore[arg-type]
    if missing:
        raise TypeError(f"{kind.__name__} has no defaults for {', '.join(missing)}")
    return kind()
