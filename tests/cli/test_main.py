"""The command line as a whole: help, exit codes, what is imported, what goes where."""

from __future__ import annotations

import argparse
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from libra.cli import output
from libra.cli.commands import COMMANDS
from libra.cli.parser import GROUPS, Command, build, duration

PROMISED = {
    *("run", "serve", "status", "doctor", "demo", "assemble", "search", "get", "expand", "compact", "forget"),
    *(
        "pause",
        "resume",
        "sources",
        "ingest",
        "shutdown",
        "classify",
        "summarize",
        "gate",
        "partition",
        "drain",
    ),
    *("describe", "grep", "compaction", "hook", "connect", "disconnect", "export", "import"),
    *("backup", "backups", "restore"),
    *("mcp", "remember", "update", "flush", "confirm", "correct", "explain", "undo", "journal", "calibrate"),
}

every_command = pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name)


def test_every_promised_command_is_there() -> None:
    """The names that others rely on: new ones may join, none may go."""
    assert {c.name for c in COMMANDS} >= PROMISED
    assert {c.group for c in COMMANDS} == set(GROUPS)


@every_command
def test_every_help_has_a_sentence_and_an_example(libra: Any, command: Command) -> None:
    """--help works without an app, on standard output, and its example is a command that parses."""
    done = libra(command.name, "--help")
    assert (done.code, done.err) == (0, "")
    assert command.doc.split(".")[0] in " ".join(done.out.split())
    assert f"example:\n  {command.example}" in done.out
    for flag in ("--data-dir", "--socket", "--config", "--json"):
        assert flag in done.out
    assert f"libra {command.name}" in command.example


@every_command
def test_every_argument_is_explained(command: Command) -> None:
    """No flag without help."""
    parser = argparse.ArgumentParser()
    command.flags(parser)
    assert all(action.help for action in parser._actions)


def test_the_overview_names_every_command(libra: Any) -> None:
    """`libra --help` and bare `libra` show all commands; the bare one is a usage error."""
    done = libra("--help")
    assert all(f"\n  {c.name}" in done.out for c in COMMANDS)
    bare = libra()
    assert (bare.code, bare.out) == (2, done.out)
    assert re.fullmatch(r"libra 0\.\d+\.\d+ \(build \S.*, schema \d+\)\n", libra("--version").out)


CLIENT_WORDS = (
    "status",
    "search x",
    "assemble x",
    "compact",
    "get x",
    "sources",
    "pause",
    "shutdown",
    "drain",
)
HEAVY = (
    "numpy",
    "onnxruntime",
    "tokenizers",
    "apsw",
    "sqlite_vec",
    "mistletoe",
    "watchdog",
    "pystray",
    "PIL",
    "asyncio",
)


@pytest.mark.parametrize("words", CLIENT_WORDS)
def test_client_commands_load_nothing_heavy(libra: Any, words: str) -> None:
    """A client answers without a model, a database or arithmetic in its process (lessons C107)."""
    code = (
        "import sys\nfrom libra.cli import main\n"
        f"code = main({words.split()!r})\n"
        f"loaded = [m for m in {HEAVY!r} if m in sys.modules]\n"
        "print(code, loaded)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=libra.env, timeout=60, check=False, text=True
    )
    assert done.stdout.strip() == "3 []"


def test_a_client_command_works_in_a_process_of_its_own(libra: Any, engine: Any) -> None:
    """The real program against the real socket."""
    done = libra.alone("status", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json["counts"]["turn"] == 12_345


def test_serve_hands_over_what_was_asked(libra: Any, monkeypatch: pytest.MonkeyPatch, data_dir: Any) -> None:
    """Both call the app with the places, the settings and what they stand for."""
    from libra import app

    calls: list[Any] = []
    monkeypatch.setattr(
        app, "serve", lambda places, _config, shown, **how: calls.append((places, shown, how)) or 7
    )
    assert libra("serve", "--verbose").code == 7
    assert libra("run").code == 7
    assert libra("run", "--no-tray").code == 7
    assert [shown.tray for _, shown, _ in calls] == [False, True, False]
    assert calls[0][0].data == data_dir
    assert calls[0][2]["verbose"] is True


def test_settings_that_are_named_must_be_there(libra: Any, data_dir: Any) -> None:
    """A file that the person has named and that is not there is an error, named."""
    done = libra("serve", "--config", str(data_dir / "nope.toml"))
    assert done.code == 1
    assert "nope.toml is not there" in done.err


@pytest.mark.parametrize(
    ("text", "seconds"), [("1", 1), ("90s", 90), ("5 min", 300), ("1w", 604_800), ("0.5h", 1_800)]
)
def test_durations(text: str, seconds: int) -> None:
    """Every unit."""
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "x", "-5", "1y", "1h30m"])
def test_wrong_durations(text: str) -> None:
    """What is no duration is a usage error."""
    with pytest.raises(argparse.ArgumentTypeError):
        duration(text)


def test_tables_count_columns_not_characters() -> None:
    """Wide and combining characters keep the columns straight; texts are cut to what fits."""
    assert output.width("测试a") == 5
    assert output.width("e\u0301") == 1
    assert output.fit("测试测试", 5) == "测试…"
    assert output.fit("a\nb\tc", 10) == "a b c"
    rows = output.table(["a", "b"], [["测试", "x"], ["ab", None]]).split("\n")
    assert rows[1].index("x") == rows[0].index("b") - 2


def test_colours_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe gets plain text; NO_COLOR is respected."""

    class Terminal:
        def isatty(self) -> bool:
            return True

    assert output.paint("x", "1", stream=Terminal()) == "\x1b[1mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert output.paint("x", "1", stream=Terminal()) == "x"
    assert output.paint("x", "1") == "x"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_500, "1.5 kB"),
        (250_000, "250 kB"),
        (12_300_000_000, "12.3 GB"),
        (None, "–"),
    ],
)
def test_sizes(number: int | None, text: str) -> None:
    """For people."""
    assert output.size(number) == text


def test_moments_that_no_clock_has() -> None:
    """A broken time is no crash."""
    assert output.moment(10**20) == "–"
    assert output.moment(None) == "–"


def test_the_parser_is_built_once_and_whole() -> None:
    """No abbreviations: a new flag never changes what an old command means."""
    with pytest.raises(SystemExit):
        build().parse_args(["search", "x", "--arch"])


def test_the_page_of_commands_is_fresh(root: Path) -> None:
    """A changed command changes docs/commands.md: run packaging/commands_page.py."""
    spec = importlib.util.spec_from_file_location("libra_cmd_page", root / "packaging" / "commands_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (root / "docs" / "commands.md").read_text("utf-8") == module.page()
