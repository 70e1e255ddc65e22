"""The words of the command line: one table of commands, with their flags, their help and their examples."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from libra import __version__

Run = Callable[[argparse.Namespace], int]
AddFlags = Callable[[argparse.ArgumentParser], None]

GROUPS = {
    "app": "The app",
    "ask": "Ask it",
    "change": "Change it",
    "pipe": "Pipes (no running app needed)",
}


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        name: The word.
        group: Where it stands in the overview.
        doc: What it does, in a sentence.
        example: A call that makes sense, and what it is for.
        flags: Adds the command's own arguments.
        module: Where its function is; imported only when the command is run.
        function: The function's name; takes the parsed arguments, returns the exit code.
    """

    name: str
    group: str
    doc: str
    example: str
    flags: AddFlags
    module: str
    function: str


def duration(text: str) -> int:
    """Return the seconds of ``90``, ``30m``, ``2h``, ``1d`` or ``1w``."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|sec|m|min|h|d|w|)", text.strip().lower())
    units = {"": 1, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
    seconds = round(float(match[1]) * units[match[2]]) if match else 0
    if seconds < 1:
        raise argparse.ArgumentTypeError("expected a duration such as 90, 30m, 2h or 1d")
    return seconds


def words(text: str) -> list[str]:
    """Return the words of a comma-separated list."""
    return [word for word in (part.strip() for part in text.split(",")) if word]


class Parser(argparse.ArgumentParser):
    """Prints a hint with a usage error rather than the whole usage."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and end."""
        self.exit(2, f"{self.prog}: {message}\n  {self.prog} --help shows what it takes\n")


class _Version(argparse.Action):
    """Shows version, build and schema; only then is it looked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print and end."""
        from libra.ground import program
        from libra.store.migrations import SCHEMA

        print(f"libra {__version__} (build {program.build()}, schema {SCHEMA})")
        parser.exit(0)


def shared(parser: argparse.ArgumentParser, *, top: bool) -> None:
    """Add the flags that stand before or after the command; the later one wins."""
    group = parser.add_argument_group("everywhere")
    absent: Any = None if top else argparse.SUPPRESS
    off: Any = False if top else argparse.SUPPRESS
    group.add_argument(
        "--data-dir", metavar="FOLDER", default=absent, help="the data folder (LIBRA_DATA_DIR)"
    )
    group.add_argument("--socket", metavar="PATH", default=absent, help="the socket (LIBRA_SOCKET)")
    group.add_argument("--config", metavar="FILE", default=absent, help="the settings (LIBRA_CONFIG)")
    group.add_argument(
        "--json", action="store_true", default=off, help="one JSON document on standard output"
    )
    group.add_argument("-v", "--verbose", action="store_true", default=off, help="log more on standard error")


def mcp_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of ``libra mcp``, which also runs without the other commands."""
    parser.add_argument(
        "--host", metavar="NAME", help="the program that starts it; by default what it calls itself"
    )
    parser.add_argument("--no-start", action="store_true", help="do not start Libra if it is not running")
    parser.add_argument(
        "--all-tools", action="store_true", help="list every tool, not the seven that agents need daily"
    )


def build() -> argparse.ArgumentParser:
    """Return the whole parser."""
    from libra.cli.commands import COMMANDS

    parser = Parser(
        prog="libra",
        description="One long-term memory for every AI agent on this machine.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_overview(COMMANDS),
        usage="libra [flags] <command> …",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show version, build and database schema")
    shared(parser, top=True)
    commands = parser.add_subparsers(dest="command", metavar="<command>", help=argparse.SUPPRESS)
    for command in COMMANDS:
        sub = commands.add_parser(
            command.name,
            prog=f"libra {command.name}",
            description=command.doc,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            epilog=f"example:\n  {command.example}",
            allow_abbrev=False,
        )
        command.flags(sub)
        shared(sub, top=False)
        sub.set_defaults(run=_later(command))
    return parser


def _overview(commands: Sequence[Command]) -> str:
    lines = []
    for group, title in GROUPS.items():
        lines.append(f"{title}:")
        lines += [f"  {c.name:<11} {c.doc}" for c in commands if c.group == group]
        lines.append("")
    return "\n".join([*lines, "example:", "  libra demo"])


def _later(command: Command) -> Run:
    """Return a function that imports the command's module when it is called."""

    def run(args: argparse.Namespace) -> int:
        from importlib import import_module

        function: Run = getattr(import_module(command.module), command.function)
        return function(args)

    return run


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the parsed arguments; ``run`` is the command's function.

    Raises:
        SystemExit: 2 for a usage error, 0 after help.
    """
    parser = build()
    args, unknown = parser.parse_known_args(list(argv))
    if unknown:
        command = f"{parser.prog} {args.command}" if args.command else parser.prog
        parser.exit(
            2, f"{command}: nothing is known of {' '.join(unknown)}\n  {command} --help shows what it takes\n"
        )
    if args.command is None:
        parser.print_help()
        parser.exit(2)
    return args
