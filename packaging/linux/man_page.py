"""Write the manual page libra(1) from the table of commands.

python packaging/linux/man_page.py libra.1
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from libra import __version__  # noqa: E402 - the checkout has to be found first
from libra.cli.commands import COMMANDS  # noqa: E402
from libra.cli.parser import GROUPS  # noqa: E402

BEGIN = """.SH NAME
libra \\- long\\-term memory for AI agents
.SH SYNOPSIS
.B libra
.RI [ options ] " command " [ arguments ]
.SH DESCRIPTION
Libra runs in the background, reads what a person and their AI agents say to each other, and gives every agent what is
worth knowing. Everything stays on the machine. Most commands ask the Libra that runs;
.B libra run
starts it, and
.BI libra " command " \\-\\-help
says what a command takes.
.SH OPTIONS
Before or after the command:
.TP
.BI \\-\\-data\\-dir " folder"
The data folder.
.TP
.BI \\-\\-socket " path"
The socket of the Libra that runs.
.TP
.BI \\-\\-config " file"
The settings.
.TP
.B \\-\\-json
One JSON document on standard output.
.TP
.B \\-\\-verbose
Log more.
.TP
.B \\-\\-version
Show version, build and schema of the database.
"""
END = """.SH EXIT STATUS
0 done; 1 it did not work; 2 the command was not understood, or refused; 3 no Libra is running.
.SH ENVIRONMENT
.BR LIBRA_DATA_DIR ", " LIBRA_SOCKET ", " LIBRA_CONFIG
stand for the options of these names.
.SH FILES
.TP
.I ~/.local/share/libra/
The data folder: database, copies, logs.
.TP
.I ~/.config/libra/config.toml
The settings.
"""


def roff(text: str) -> str:
    """Return a text so that roff prints every sign of it as it is."""
    safe = text.replace("%%", "%").replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", safe)


def commands() -> Iterator[str]:
    """Yield the lines about all commands."""
    for group, title in GROUPS.items():
        yield f'.SS "{roff(title)}"'
        for command in COMMANDS:
            if command.group == group:
                yield ".TP"
                yield f".B {roff(command.name)}"
                yield roff(command.doc)


def page(date: str) -> str:
    """Return the page.

    Args:
        date: Of the version, as ``2026-11-30``.
    """
    head = f'.TH LIBRA 1 {date} "libra {__version__}" "User Commands"\n'
    return head + BEGIN + ".SH COMMANDS\n" + "\n".join(commands()) + "\n" + END


def main() -> None:
    """Write it into the file that is named."""
    Path(sys.argv[1]).write_text(page(time.strftime("%Y-%m-%d")), "utf-8")


if __name__ == "__main__":
    main()
