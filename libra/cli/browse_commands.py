"""The commands that show what is kept and say how long and how much it counts: what each takes."""

from __future__ import annotations

import argparse

from libra.cli.flags import doc_of, help_of, many, one, scoped, who_flags
from libra.cli.parser import Command

_BROWSE = "libra.cli.browse"


def _list(parser: argparse.ArgumentParser) -> None:
    scoped(parser, "list", "kinds", "types", "scopes")
    parser.add_argument("--in-agent", metavar="NAME", help=help_of("list", "agent"))
    for name in ("since", "until"):
        parser.add_argument(f"--{name}", metavar="TIME", help=help_of("list", name))
    parser.add_argument("--archive", action="store_true", help=help_of("list", "archive"))
    parser.add_argument("--sort", metavar="ORDER", help=help_of("list", "sort"))
    parser.add_argument("-k", type=int, metavar="N", help=help_of("list", "k"))
    parser.add_argument("--after", metavar="PLACE", help=help_of("list", "after"))
    who_flags(parser)


def _recent(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-k", type=int, metavar="N", help=help_of("recent", "k"))
    who_flags(parser)


def _set_priority(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help=help_of("set_priority", "id"))
    parser.add_argument("priority", nargs="?", type=int, help=help_of("set_priority", "priority"))
    parser.add_argument("--origin", metavar="WHOSE", help=help_of("set_priority", "origin"))
    who_flags(parser)


def _extend(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help=help_of("extend", "id"))
    parser.add_argument("days", nargs="?", type=int, help=help_of("extend", "days"))
    parser.add_argument("--origin", metavar="WHOSE", help=help_of("extend", "origin"))
    who_flags(parser)


def _archive(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="id", help="ids of memories")
    many(parser, "archive")
    parser.add_argument("--origin", metavar="WHOSE", help=help_of("archive", "origin"))
    who_flags(parser)


def _unarchive(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="+", metavar="id", help="ids of memories")
    parser.add_argument("--origin", metavar="WHOSE", help=help_of("unarchive", "origin"))
    who_flags(parser)


def _recap(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--in-session", metavar="KEY", help=help_of("recap", "session"))
    parser.add_argument(
        "--budget-tokens", "--budget", type=int, metavar="N", help=help_of("recap", "budget_tokens")
    )
    who_flags(parser)


def _episodes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--in-session", metavar="KEY", help=help_of("episodes", "session"))
    parser.add_argument("--since", metavar="TIME", help=help_of("episodes", "since"))
    parser.add_argument("-k", type=int, metavar="N", help=help_of("episodes", "k"))
    who_flags(parser)


ASKS = (
    Command("list", "ask", doc_of("list"),
            "libra list --types decision --sort priority", _list, _BROWSE, "list_"),
    Command("recent", "ask", doc_of("recent"),
            "libra recent -k 10", _recent, _BROWSE, "recent"),
    Command("stats", "ask", doc_of("stats"),
            "libra stats", who_flags, _BROWSE, "stats"),
    Command("recap", "ask", doc_of("recap"),
            "libra recap --in-session claude-code:7c0f2b9a", _recap, _BROWSE, "recap"),
    Command("episodes", "ask", doc_of("episodes"),
            "libra episodes --since 2026-04-01", _episodes, _BROWSE, "episodes"),
)  # fmt: skip

CHANGES = (
    Command("set-priority", "change", doc_of("set_priority"),
            "libra set-priority m3f9a0c1 90", _set_priority, _BROWSE, "set_priority"),
    Command("pin", "change", doc_of("pin"),
            "libra pin m3f9a0c1", one("pin"), _BROWSE, "pin"),
    Command("unpin", "change", doc_of("unpin"),
            "libra unpin m3f9a0c1", one("unpin"), _BROWSE, "unpin"),
    Command("extend", "change", doc_of("extend"),
            "libra extend m3f9a0c1 30", _extend, _BROWSE, "extend"),
    Command("archive", "change", doc_of("archive"),
            "libra archive --types todo --before 2026-01-01 --dry-run", _archive, _BROWSE, "archive"),
    Command("unarchive", "change", doc_of("unarchive"),
            "libra unarchive m3f9a0c1", _unarchive, _BROWSE, "unarchive"),
)  # fmt: skip
