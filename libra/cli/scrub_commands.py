"""The commands that take words out of everything: what each takes."""

from __future__ import annotations

import argparse

from libra.cli.flags import doc_of, help_of, who_flags
from libra.cli.parser import Command

_SCRUB = "libra.cli.scrub"


def _scrub(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words", help="the words; - to read them from standard input, out of the shell's history"
    )
    parser.add_argument("-e", "--regex", action="store_true", help=help_of("scrub", "pattern"))
    parser.add_argument("--dry-run", action="store_true", help=help_of("scrub", "dry_run").split(";")[0])
    parser.add_argument("--confirm", type=int, metavar="N", help=help_of("scrub", "confirm"))
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask before changing anything")
    who_flags(parser)


def _rehearse(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        required=True,
        metavar="KEY=VALUE",
        help="a setting to try; may be given more than once",
    )
    parser.add_argument("--sessions", type=int, metavar="N", help=help_of("rehearse", "sessions"))
    parser.add_argument("--prompts", type=int, metavar="N", help=help_of("rehearse", "prompts"))
    parser.add_argument("--accept", action="store_true", help="write the settings afterwards, if you say yes")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask before writing them")
    who_flags(parser)


def _nothing(_parser: argparse.ArgumentParser) -> None:
    return


def _vacuum(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--whole", action="store_true", help=help_of("vacuum", "whole"))


def _reindex(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help=help_of("reindex", "dry_run"))


def _reembed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="NAME", help=help_of("reembed", "model"))


def _recover(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask before replacing the database")


HOUSE = (
    Command("scrub", "change", doc_of("scrub"),
            "libra scrub Tangerine-47 --dry-run", _scrub, _SCRUB, "scrub"),
    Command("rehearse", "ask", doc_of("rehearse"),
            "libra rehearse --set rank.floor=0.4", _rehearse, _SCRUB, "rehearse"),
    Command("mirror", "change", doc_of("mirror"),
            "libra mirror", _nothing, _SCRUB, "mirror"),
    Command("reapply", "change", doc_of("reapply"),
            "libra reapply", _nothing, _SCRUB, "reapply"),
    Command("recover", "app", "Read what can be read of a damaged database into a new one, Libra being stopped; says exactly what is lost.",
            "libra shutdown; libra recover", _recover, "libra.cli.copies", "recover"),
    Command("vacuum", "change", doc_of("vacuum"),
            "libra vacuum", _vacuum, _SCRUB, "vacuum"),
    Command("reindex", "change", doc_of("reindex"),
            "libra reindex --dry-run", _reindex, _SCRUB, "reindex"),
    Command("reembed", "change", doc_of("reembed"),
            "libra reembed --model multilingual-e5-small", _reembed, _SCRUB, "reembed"),
)  # fmt: skip
