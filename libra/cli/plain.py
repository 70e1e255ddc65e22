"""Commands that are read off a verb's declaration alone: its call, and a plain way to print any answer."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from libra.cli import output
from libra.cli.plain_flags import dest
from libra.cli.remote import Json, answer, call, times, who
from libra.engine.fields import Free, Time
from libra.engine.verbs import VERBS
from libra.ground.errors import InvalidParams

_TIMES = ("created", "changed", "expires", "last", "at", "ts", "learnt", "start", "end")


def run(args: argparse.Namespace) -> int:
    """Carry out the verb of a command."""
    verb = str(args.command).replace("-", "_")
    result = call(args, verb, params_of(args, verb))
    return answer(args, result, told(result))


def params_of(args: argparse.Namespace, verb: str) -> Json:
    """Return what was given on the command line, as the verb's parameters."""
    out: Json = {}
    for param in VERBS[verb].params:
        if param.name == "who":
            out["who"] = who(args)
            continue
        name = dest(param.name)
        value = getattr(args, name, None)
        if isinstance(param.kind, Time):
            out |= {param.name: times(args, name)[name]} if value is not None else {}
        elif value is not None and value != []:
            out[param.name] = _pairs(value) if isinstance(param.kind, Free) else value
    return out


def _pairs(given: Sequence[str]) -> Json:
    found = {}
    for one in given:
        name, sign, value = one.partition("=")
        if not sign or not name.strip():
            raise InvalidParams("expected NAME=VALUE; NAME= takes it away", where="fields")
        found[name.strip()] = value or None
    return found


# ---------------------------------------------------------------- printing


def told(result: Any) -> str:
    """Return an answer for a person: its single values, then a table of each list of objects."""
    if not isinstance(result, Mapping):
        return str(result)
    single = [(name, _cell(name, value)) for name, value in result.items() if not _is_table(value)]
    tables = [_table(name, value) for name, value in result.items() if _is_table(value)]
    empty = "" if any(shown for _, shown in single) or tables else "nothing"
    return "\n\n".join(part for part in (output.pairs(single), *tables, empty) if part)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _table(name: str, found: Sequence[Mapping[str, Any]]) -> str:
    columns = list(dict.fromkeys(key for one in found for key in one))
    columns.sort(key=lambda key: key in ("text", "remind", "fields"))
    rows = [[_cell(column, one.get(column)) for column in columns] for one in found]
    return f"{name} ({len(found)})\n{output.table(columns, rows)}"


def _cell(name: str, value: Any) -> str:
    if value is None or value in ([], {}):
        return ""
    if name in _TIMES and isinstance(value, int) and not isinstance(value, bool):
        return output.moment(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_cell(key, one)}" for key, one in value.items())
    return ", ".join(_cell(name, one) for one in value) if isinstance(value, list) else str(value)
