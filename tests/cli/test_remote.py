"""The commands that call the running app."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from libra.ground.records import Kind, Who

CALLS = {
    "status": [],
    "sources": [],
    "assemble": ["When do we deploy?"],
    "search": ["deploy"],
    "get": ["a1b2c3d4e5f60718"],
    "expand": ["a1b2c3d4e5f60718"],
    "describe": ["a1b2c3d4e5f60718"],
    "grep": ["ETIMEDOUT"],
    "compaction": ["report"],
    "compact": ["--force"],
    "forget": ["a", "--yes"],
    "drain": [],
    "pause": ["2h"],
    "resume": [],
    "off-record": ["10m"],
    "shutdown": [],
    "partition": ["CLAUDE.md"],
    "ingest": [],
    "confirm": ["m1"],
    "correct": ["m1", "We deploy on Thursdays."],
    "explain": ["m1"],
    "undo": ["last"],
    "journal": ["--limit", "5"],
    "calibrate": [],
    "list": ["--sort", "priority"],
    "recent": ["-k", "5"],
    "stats": [],
    "recap": ["--in-session", "s1"],
    "episodes": ["--since", "2026-01-01"],
    "set-priority": ["m1", "90"],
    "pin": ["m1"],
    "unpin": ["m1"],
    "extend": ["m1", "30"],
    "archive": ["--types", "todo", "--dry-run"],
    "unarchive": ["m1"],
}

every_call = pytest.mark.parametrize(("name", "words"), CALLS.items(), ids=CALLS)


@every_call
def test_every_command_has_a_human_and_a_json_form(
    libra: Any, engine: Any, name: str, words: list[str]
) -> None:
    """Standard output holds the data alone; --json makes it one document."""
    human = libra(name, *words)
    assert (human.code, human.err) == (0, "")
    assert human.out.strip()
    assert "\x1b" not in human.out
    document = libra(name, *words, "--json")
    assert (document.code, document.err) == (0, "")
    assert isinstance(document.json, dict)


@every_call
def test_without_an_app_the_exit_code_is_3(libra: Any, name: str, words: list[str]) -> None:
    """Every client command says so on standard error, with --json on standard output, too."""
    human = libra(name, *words, stdin=b'{"role":"user","content":"a"}')
    assert (human.code, human.out) == (3, "")
    assert "no libra is running" in human.err
    document = libra("--json", name, *words, stdin=b'{"role":"user","content":"a"}')
    assert document.code == 3
    assert document.json["error"]["data"]["reason"] == "not_running"


def test_flags_stand_before_or_after_the_command(libra: Any, engine: Any, data_dir: Path) -> None:
    """--data-dir, --socket and --json are known in both places; the flag beats the environment."""
    elsewhere = {"LIBRA_DATA_DIR": "/nonexistent"}
    assert libra("--data-dir", str(data_dir), "--json", "status", env=elsewhere).json["ok"]
    assert libra("status", "--json", "--data-dir", str(data_dir), env=elsewhere).json["ok"]
    socket = str(data_dir / "run" / "libra.sock")
    assert libra("status", "--json", "--socket", socket, env=elsewhere).json["ok"]
    assert libra("status", "--json", env=elsewhere | {"LIBRA_SOCKET": socket}).json["ok"]
    assert libra("status", env=elsewhere).code == 3


def test_status_is_readable(libra: Any, engine: Any) -> None:
    """Counts, model, what waits and what is degraded are on the screen."""
    out = libra("status").out
    for words in (
        "12,345 turns, 1 memory\n",
        "minilm-l6-v2 on cpu",
        "12.3 MB",
        "We deploy on Fridays",
        "embedding",
    ):
        assert words in out


def test_sources_are_tables(libra: Any, engine: Any) -> None:
    """Hosts with their figures, folders, what is unreadable, times as times."""
    out = libra("sources").out
    for words in ("openclaw", "1,200", "/home/dev/.openclaw/agents", "Permission denied", "2026-04-01"):
        assert words in out
    assert "openclaw 3/4 files" in libra("status").out


def test_search_passes_everything_on(libra: Any, engine: Any, data_dir: Path) -> None:
    """Each flag arrives as its parameter; the present folder tells the project."""
    flags = [
        "-k",
        "5",
        "--kinds",
        "turn,memory",
        "--since",
        "2026-04-01T00:00:00Z",
        "--until",
        "1775001600000",
    ]
    done = libra(
        "search", "deploy", *flags, "--session", "s", "--agent", "ops", "--archive", "--explain", cwd=data_dir
    )
    _, asked = engine.asked[-1]
    assert asked["who"] == Who("anna", agent="ops", session="s", cwd=os.path.realpath(data_dir))
    assert (asked["k"], asked["kinds"], asked["archive"], asked["explain"]) == (
        5,
        frozenset({Kind.TURN, Kind.MEMORY}),
        True,
        True,
    )
    assert asked["since"] == asked["until"] == 1_775_001_600_000
    assert "log.jsonl:7" in done.out
    assert "0.812" in done.out
    assert "relevance=0.90" in done.out


def test_a_text_of_several_lines_stays_on_its_row(libra: Any, engine: Any) -> None:
    """Tables never break, and letters of any script come out as UTF-8."""
    lines = libra.alone("search", "deploy", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}).out.splitlines()
    assert len([line for line in lines if "deploy on Fridays" in line]) == 1
    assert "测试 một" in lines[1]


def test_nothing_found_says_so(libra: Any, engine: Any) -> None:
    """An empty answer is not an empty screen."""
    assert "nothing found" in libra("search", "nothing").out


def test_assemble_prints_items_and_text(libra: Any, engine: Any) -> None:
    """The table shows tier, source and tokens; --text is what a prompt gets, byte for byte."""
    out = libra("assemble", "when?", "--budget", "100").out
    assert "20 of 100 tokens" in out
    assert "p/CLAUDE.md:3" in out
    assert "Use tabs." in out
    assert libra("assemble", "when?", "--text").out == "<block>\nUse tabs.\n</block>\n"
    _, asked = engine.asked[-1]
    assert asked["budget_tokens"] == 2_000


def test_bad_parameters_are_usage_errors(libra: Any, engine: Any) -> None:
    """Whether argparse or the app finds them: exit 2, nothing on standard output."""
    for words in (
        ("search", "a", "-k", "0"),
        ("search", "a", "-k", "many"),
        ("search", "a", "--kinds", "poem"),
        ("search", "a", "--since", "soon"),
        ("search",),
        ("nope",),
        ("forget",),
        ("archive",),
        ("list", "--after", "page two"),
        ("list", "--sort", "length"),
        ("set-priority", "m1", "101"),
        ("pause", "soon"),
    ):
        done = libra(*words)
        assert (done.code, done.out) == (2, ""), words
        assert done.err.startswith("libra")


def test_an_error_of_the_app_is_exit_1(libra: Any, engine: Any) -> None:
    """The message is on standard error; with --json the code is in the document."""
    assert libra("get", "zzz").code == 1
    assert libra("get", "zzz", "--json").json["error"]["code"] == -32003


def test_forget_asks_first(libra: Any, engine: Any) -> None:
    """Without a terminal and without --yes nothing is deleted."""
    refused = libra("forget", "--query", "my address")
    assert (refused.code, refused.out) == (2, "")
    assert [asked["dry_run"] for name, asked in engine.asked if name == "forget"] == [True]
    assert "2 records would be deleted" in libra("forget", "a", "--dry-run").out
    assert "2 records deleted" in libra("forget", "a", "b", "-y").out
    assert engine.asked[-1][1]["ids"] == ["a", "b"]


def test_what_many_records_are_chosen_by_reaches_the_app(libra: Any, engine: Any) -> None:
    """--in-project and --in-session choose records; --project and --session say who asks."""
    words = ["--in-project", "harbor", "--in-session", "s7", "--before", "2026-01-01", "--kinds", "turn"]
    assert libra("forget", *words, "--project", "mine", "--yes", "--confirm", "120").code == 0
    _, asked = engine.asked[-1]
    assert (asked["project"], asked["session"], asked["who"].project) == ("harbor", "s7", "mine")
    assert (asked["kinds"], asked["confirm"]) == (frozenset({Kind.TURN}), 120)
    assert asked["until"] is not None
    done = libra("archive", "--types", "todo", "--dry-run")
    assert "2 memories would be put away" in done.out
    assert "and 3 more" in done.out


def test_ingest_sends_in_parts(libra: Any, engine: Any) -> None:
    """Some hundred turns a call; sums and ids over all; a request id is distinct for each part."""
    lines = [json.dumps({"role": "user", "content": f"turn {i}"}) for i in range(1_201)]
    done = libra("ingest", "--session", "s", "--request-id", "r", "--json", stdin="\n".join(lines).encode())
    assert done.json["accepted"] == 1_201
    assert len(done.json["ids"]) == 1_201
    parts = [asked for name, asked in engine.asked if name == "ingest"]
    assert [len(asked["turns"]) for asked in parts] == [500, 500, 201]
    assert [asked["request_id"] for asked in parts] == ["r", "r+500", "r+1000"]


@pytest.mark.parametrize(
    "line", [b"\xff\xfe", b"{", b"[1]", b'{"role":"robot","content":"x"}', b'{"role":"user"}']
)
def test_a_wrong_turn_is_a_usage_error(libra: Any, engine: Any, line: bytes) -> None:
    """The place is named."""
    done = libra("ingest", stdin=b'{"role":"user","content":"a"}\n' + line)
    assert done.code == 2
    assert "line 2" in done.err or "turns[1]" in done.err


def test_drain_tells_by_its_exit_code(libra: Any, engine: Any) -> None:
    """1 while something waits."""
    assert libra("drain").code == 0
    engine.pending = 3
    assert libra("drain", "--timeout-ms", "10").code == 1


def test_pause_takes_durations(libra: Any, engine: Any) -> None:
    """Units are understood; without a duration it is until resumed."""
    for text, seconds in (("90", 90), ("30m", 1_800), ("2h", 7_200), ("1.5h", 5_400), ("1d", 86_400)):
        libra("pause", text)
        assert engine.asked[-1][1]["seconds"] == seconds
    assert "until resumed" in libra("pause").out


def test_partition_reads_a_file_where_the_person_is(libra: Any, engine: Any, data_dir: Path) -> None:
    """The path is made absolute; - is standard input."""
    libra("partition", "CLAUDE.md", cwd=data_dir)
    assert engine.asked[-1][1]["path"] == os.path.join(os.path.realpath(data_dir), "CLAUDE.md")  # noqa: PTH118
    libra("partition", "-", stdin="- Dùng tab.\n".encode())
    assert engine.asked[-1][1] == {"path": None, "name": "stdin", "text": "- Dùng tab.\n"}


def test_a_reader_that_leaves_is_no_failure(libra: Any, engine: Any) -> None:
    """`libra search … | head -0` ends quietly."""
    process = subprocess.Popen(
        [sys.executable, "-m", "libra", "status"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=libra.env,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, b"")


def test_remember_says_what_became_of_it(libra: Any, engine: Any) -> None:
    """The person sees the memory's id and what it took the place of; a forgotten thing is not called kept."""
    done = libra("remember", "We deploy on Fridays.", "--priority", "70")
    assert done.code == 0
    assert "created: We deploy on Fridays." in done.out
    assert "in place of: m0" in done.out
    assert engine.asked[-1][1]["priority"] == 70
    assert "not kept" in libra("remember", "taken back").out
    assert libra("remember", "x", "--type", "nonsense").code == 2


def test_update_and_flush(libra: Any, engine: Any) -> None:
    """Other words for a memory, and a file that was just written, go to the app as they were given."""
    assert libra("update", "m1", "Thursdays.", "--json").json["text"] == "Thursdays."
    assert libra("flush", "/home/dev/a.jsonl").out == "reading it\n"
    assert engine.asked[-1] == ("flush", {"path": "/home/dev/a.jsonl"})
    assert libra("update", "m1").code == 2


def test_explain_tells_the_whole_story(libra: Any, engine: Any) -> None:
    """What is kept, how sure, why with the sum, whence, what else, where used, what changed."""
    out = libra("explain", "m1").out
    for part in (
        "We deploy on Fridays.",
        "0.57 now",
        "novelty",
        "0.800 * 0.35",
        "threshold 0.350",
        "told by",
        "same subject",
    ):
        assert part in out
    for part in ("used", "supersede", "history", "3 turns"):
        assert part in out


def test_the_journal_and_its_undoing(libra: Any, engine: Any) -> None:
    """A number or the word last; anything else is a mistake of the command line."""
    out = libra("journal").out
    assert "supersede" in out
    assert "superseded by" in out
    assert "new m2" in out
    assert "journal 7" in libra("undo", "7").out
    assert engine.asked[-1][1]["journal_id"] == 7
    assert "journal 9" in libra("undo", "last").out
    assert libra("undo", "first").code != 0


def test_calibrate_draws_the_curve(libra: Any, engine: Any) -> None:
    """Numbers and bars, the more useful the longer; the threshold in force stands above."""
    lines = libra("calibrate").out.splitlines()
    bars = [line.count("█") for line in lines if "█" in line]
    assert bars == sorted(bars)
    assert len(bars) == 2
    assert any("threshold" in line and "0.500" in line for line in lines)
