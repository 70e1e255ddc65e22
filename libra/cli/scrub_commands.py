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


HOUSE = (
    Command("scrub", "change", doc_of("scrub"),
            "libra scrub Tangerine-47 --dry-run", _scrub, _SCRUB, "scrub"),
)  # fmt: skip
