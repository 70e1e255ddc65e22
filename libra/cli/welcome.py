"""What a person reads at the first start: on one screen what Libra reads, what it never does, and how to connect agents."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from pathlib import Path

from libra.cli import EXIT_OK, output
from libra.cli.reaching import places_of
from libra.ground.paths import Places
from libra.hosts import here
from libra.hosts.table import HOSTS
from libra.sources.catalog import Surroundings, survey

FILE = "welcome.txt"
_COLUMNS = 68
_COUNTED = 5_000
"""More files than so many are not counted: the screen must not wait for a large disk."""


def welcome(args: argparse.Namespace) -> int:
    """``libra welcome``: the screen of the first start once more."""
    places = places_of(args)
    if args.json:
        output.show_json({"reads": dict(_talk()), "agents": _agents(), "data": str(places.data)})
    else:
        print(screen(places))
    return EXIT_OK


def greet(args: argparse.Namespace, places: Places) -> Path | None:
    """Show the screen at a first start and offer to connect; without a terminal it is written to a file.

    Returns:
        The file that the tray may show, None if the person has read it already.
    """
    text = screen(places)
    if not sys.stderr.isatty():
        path = places.data / FILE
        path.touch(mode=0o600)
        path.write_text(text + "\n", "utf-8")
        return path
    output.note(text + "\n")
    if _agents() and sys.stdin.isatty():
        output.note(
            "Connect these agents now? Each change is shown, and `libra disconnect` takes it back. [y/N] "
        )
        if sys.stdin.readline().strip().lower() in {"y", "yes"}:
            from libra.cli.connect import connect

            connect(argparse.Namespace(**{**vars(args), "hosts": [], "dry_run": False, "json": False}))
    return None


def screen(places: Places) -> str:
    """Return the screen: at most 24 lines of 80 columns, long paths aside."""
    talk = _talk()
    reads = [f"{title}: {count}" for title, count in talk] or ["nothing yet: no agent was found"]
    agents = _agents()
    connect = (
        [
            *textwrap.wrap(", ".join(agents), _COLUMNS),
            "are given what is known after: libra connect --dry-run",
        ]
        if agents
        else ["no agent was found that can be connected; libra connect, once one is there"]
    )
    parts = [
        ("reads", [*reads, "and their instruction files (CLAUDE.md, AGENTS.md and the like)"]),
        (
            "keeps",
            [
                "one database that you alone can read, in",
                str(places.data),
                "passwords, keys and tokens are taken out before anything is stored",
            ],
        ),
        (
            "never",
            [
                "sends anything anywhere: it opens no connection to the network",
                "changes your transcripts, or an agent's settings without being told",
                "learns while it is paused, or what you took off the record",
            ],
        ),
        ("connects", connect),
        *(
            [("icon", textwrap.wrap(missing, _COLUMNS, break_on_hyphens=False))]
            if (missing := _without_icon())
            else []
        ),
        (
            "ends",
            [
                "the icon's menu or libra pause, libra off-record, libra shutdown",
                "libra uninstall takes out every trace, and keeps the data unless told",
            ],
        ),
    ]
    lines = ["Libra is one long-term memory for the AI agents on this machine.", ""]
    for name, rows in parts:
        lines += [f"  {name if number == 0 else '':<10}{row}" for number, row in enumerate(rows)]
    return "\n".join(lines)


def _without_icon() -> str | None:
    """Say what to do where nothing shows the icon, as on GNOME as it comes."""
    from libra.desktop import tray

    missing = tray.advice(os.environ, host=tray.host_there())
    return None if missing is None else f"nothing here shows it: {missing}"


def _talk() -> list[tuple[str, str]]:
    """Return the agents whose transcripts are read, and how many there are."""
    titles = {host.name: host.title for host in HOSTS}
    found: dict[str, int] = {}
    for place in survey(Surroundings.of_process()).talk:
        if place.path.is_dir():
            found[place.host] = found.get(place.host, 0) + _transcripts(place.path)
    return [
        (
            titles.get(host, host),
            f"{number:,} transcript{'' if number == 1 else 's'}"
            if number < _COUNTED
            else f"more than {_COUNTED:,} files",
        )
        for host, number in found.items()
    ]


def _transcripts(folder: Path) -> int:
    count = 0
    for seen, path in enumerate(folder.rglob("*")):
        count += path.suffix in {".jsonl", ".sqlite", ".db"}
        if seen >= _COUNTED:
            return _COUNTED
    return count


def _agents() -> list[str]:
    return [host.title for host in here.found(here.surroundings())]
