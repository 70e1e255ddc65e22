"""Flags that several commands have; their help is what the verbs' declarations say."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from libra.cli.parser import words
from libra.engine.fields import Flag, ListOf, Text
from libra.engine.verbs import VERBS


def doc_of(name: str) -> str:
    """Return what a verb does."""
    return VERBS[name].doc


def help_of(verb: str, param: str) -> str:
    """Return what a verb's declaration says of a parameter."""
    found = next(p for p in VERBS[verb].params if p.name == param)
    kind = found.kind.kind if isinstance(found.kind, ListOf) else found.kind
    text = found.doc.rstrip(".")
    if not isinstance(kind, Flag | Text):
        text += f": {kind.expected}"
    if isinstance(found.default, str | int | float) and found.default is not False:
        text += f"; default {found.default}"
    return text.replace("%", "%%")


def who_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say who asks."""
    group = parser.add_argument_group("who asks (decides what is visible)")
    for name, doc in (
        ("user", "the person; by default the one who is logged in"),
        ("agent", "the agent; by default main"),
        ("project", "the project's key; by default the one of the present folder"),
        ("session", "the session's key"),
        ("host", "the program that the agent runs in"),
    ):
        group.add_argument(f"--{name}", help=doc)


def one(verb: str, *more: str) -> Callable[[argparse.ArgumentParser], None]:
    """Return what adds the arguments of a verb about one record."""

    def add(parser: argparse.ArgumentParser) -> None:
        for name in ("id", *more):
            parser.add_argument(name, help=help_of(verb, name))
        if any(p.name == "origin" for p in VERBS[verb].params):
            parser.add_argument("--origin", metavar="WHOSE", help=help_of(verb, "origin"))
        who_flags(parser)

    return add


def scoped(parser: argparse.ArgumentParser, verb: str, *lists: str) -> None:
    """Add the flags that narrow a choice: lists of words, and the project (``--project`` says who asks)."""
    for name in lists:
        parser.add_argument(f"--{name}", type=words, metavar="WORD,…", help=help_of(verb, name))
    parser.add_argument("--in-project", metavar="KEY", help=help_of(verb, "project"))


def many(parser: argparse.ArgumentParser, verb: str) -> None:
    """Add the flags of a verb that chooses among all records and can show beforehand what it would do."""
    scoped(parser, verb, "types", "scopes")
    parser.add_argument("--in-session", metavar="KEY", help=help_of(verb, "session"))
    for name in ("before", "after"):
        parser.add_argument(f"--{name}", metavar="TIME", help=help_of(verb, name))
    parser.add_argument("--query", metavar="WORDS", help=help_of(verb, "query"))
    parser.add_argument("--dry-run", action="store_true", help=help_of(verb, "dry_run"))
