"""The commands of a desktop app: login, the first start, off the record, and the end of it all; what each takes."""

from __future__ import annotations

import argparse

from libra.cli.flags import doc_of, help_of, who_flags
from libra.cli.parser import Command, duration


def _nothing(_parser: argparse.ArgumentParser) -> None:
    return


def _off_record(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "seconds", nargs="?", type=duration, metavar="duration", help="10m, 1h; without one 10 minutes"
    )
    parser.add_argument("--in-session", metavar="KEY", help=help_of("off_record", "session"))
    parser.add_argument("--dry-run", action="store_true", help=help_of("off_record", "dry_run"))
    who_flags(parser)


def _uninstall(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", action="store_true", help="delete everything it knows and its settings, too"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would go, and change nothing")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask before deleting the data")


def _autostart(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("state", nargs="?", choices=("on", "off"), help="without one it says how it is")


DESKTOP = (
    Command("autostart", "app", "Start Libra at login, or no more.",
            "libra autostart on", _autostart, "libra.cli.service", "at_login"),
    Command("welcome", "app", "Show once more what the first start said: what is read, what is never done.",
            "libra welcome", _nothing, "libra.cli.welcome", "welcome"),
    Command("uninstall", "app", "Take out every trace in agents' settings and at login; the data stays unless told.",
            "libra uninstall --dry-run", _uninstall, "libra.cli.uninstall", "uninstall"),
    Command("off-record", "app", doc_of("off_record"),
            "libra off-record 10m", _off_record, "libra.cli.remote", "off_record"),
)  # fmt: skip
"""In the order of the overview."""
