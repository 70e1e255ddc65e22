"""Write docs/commands.md from the table of commands, so that the page cannot differ from the program.

python packaging/commands_page.py
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "commands.md"

sys.path.insert(0, str(ROOT))

from libra.cli.commands import COMMANDS  # noqa: E402 - the checkout has to be found first
from libra.cli.parser import GROUPS, Command  # noqa: E402

HEAD = """# Commands

Written by `packaging/commands_page.py` from `libra/cli/commands.py`; change that, not this.

Every command takes, before or after its name, `--data-dir`, `--socket`, `--config` (or the variables `LIBRA_DATA_DIR`, `LIBRA_SOCKET`,
`LIBRA_CONFIG`), `--json` for one document on standard output, and `--verbose`. Standard output holds data only; everything else goes to
standard error.

| exit code | |
|---:|---|
| 0 | done |
| 1 | it did not work |
| 2 | the command was not understood, or refused |
| 3 | no Libra is running |
"""


def cell(text: str) -> str:
    """Return the text as it may stand in a table's cell."""
    return text.replace("|", "\\|").replace("%%", "%")


def arguments(command: Command) -> Iterator[tuple[str, str]]:
    """Yield each argument as it is written, and its help."""
    parser = argparse.ArgumentParser(add_help=False)
    command.flags(parser)
    for action in parser._actions:  # noqa: SLF001 - argparse has no public list of them
        name = ", ".join(action.option_strings) or str(action.metavar or action.dest)
        value = (
            f" {action.metavar or action.dest.upper()}" if action.option_strings and action.nargs != 0 else ""
        )
        yield f"{name}{value}", action.help or ""


def section(command: Command) -> Iterator[str]:
    """Yield the lines about one command."""
    yield f"## libra {command.name}"
    yield ""
    yield command.doc
    yield ""
    found = list(arguments(command))
    if found:
        yield "| argument | |"
        yield "|---|---|"
        yield from (f"| `{name}` | {cell(doc)} |" for name, doc in found)
        yield ""
    yield "```console"
    yield f"$ {command.example}"
    yield "```"
    yield ""


def page() -> str:
    """Return the whole page."""
    lines = [HEAD]
    for group, title in GROUPS.items():
        lines.append(
            f"**{title}**: " + ", ".join(f"[{c.name}](#libra-{c.name})" for c in COMMANDS if c.group == group)
        )
        lines.append("")
    for command in COMMANDS:
        lines += section(command)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    print(f"{PAGE.name}: {len(COMMANDS)} commands")
