"""Commands that are read off a verb's declaration alone: their flags. What they do stands in :mod:`libra.cli.plain`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from libra.cli.flags import help_of, who_flags
from libra.cli.parser import AddFlags, Command, words
from libra.engine.fields import Flag, Free, ListOf, Number, Param, Time, Whole
from libra.engine.verbs import VERBS

_MODULE = "libra.cli.plain"
_WHO_FLAGS = frozenset({"user", "agent", "project", "session", "host"})
"""Names that say who asks: a parameter of the same name gets ``--in-…``."""


def plain(verb: str, group: str, example: str, *positional: str) -> Command:
    """Return the command of a verb.

    Args:
        verb: Its name; the command has hyphens for underscores.
        group: Where it stands in the overview.
        example: A call that makes sense.
        *positional: Parameters that are given without a flag, in order; the last one may be a list.
    """
    flags = _flags(verb, positional)
    return Command(verb.replace("_", "-"), group, VERBS[verb].doc, example, flags, _MODULE, "run")


def _flags(verb: str, positional: Sequence[str]) -> AddFlags:
    def add(parser: argparse.ArgumentParser) -> None:
        params = {p.name: p for p in VERBS[verb].params}
        for name in positional:
            _positional(parser, verb, params[name])
        for name, param in params.items():
            if name != "who" and name not in positional:
                _flag(parser, verb, param)
        if "who" in params:
            who_flags(parser)

    return add


def _positional(parser: argparse.ArgumentParser, verb: str, param: Param) -> None:
    text = help_of(verb, param.name)
    if isinstance(param.kind, ListOf):
        parser.add_argument(param.name, nargs="+" if param.required else "*", help=text)
    elif param.required:
        parser.add_argument(param.name, type=_type(param), help=text)
    else:
        parser.add_argument(param.name, nargs="?", type=_type(param), help=text)


def _flag(parser: argparse.ArgumentParser, verb: str, param: Param) -> None:
    text, flag = help_of(verb, param.name), "-k" if param.name == "k" else f"--{_shown(param.name)}"
    if isinstance(param.kind, Flag):
        parser.add_argument(flag, dest=param.name, action="store_true", default=None, help=text)
    elif isinstance(param.kind, Free):
        parser.add_argument(
            flag, dest=param.name, metavar="NAME=VALUE", action="append", required=param.required, help=text
        )
    else:
        parser.add_argument(
            flag, dest=dest(param.name), type=_type(param), metavar=_metavar(param), required=param.required, help=text
        )  # fmt: skip


def _shown(name: str) -> str:
    return f"in-{name}" if name in _WHO_FLAGS else name.replace("_", "-")


def dest(name: str) -> str:
    """Return where a parameter's value stands among the parsed arguments."""
    return f"in_{name}" if name in _WHO_FLAGS else name


def _type(param: Param) -> Any:
    kind = param.kind
    if isinstance(kind, ListOf):
        return words
    return int if isinstance(kind, Whole) else float if isinstance(kind, Number) else str


def _metavar(param: Param) -> str:
    kind = param.kind
    if isinstance(kind, ListOf):
        return "WORD,…"
    return "TIME" if isinstance(kind, Time) else "N" if isinstance(kind, Whole | Number) else "TEXT"
