"""docs/parity.md is whole: every line of the reference systems has its row, and what a row names is there and works."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from libra.cli.commands import COMMANDS
from libra.engine.core import Engine
from libra.engine.verbs import VERBS
from tests.engine.conftest import ME, assistant, settle, user

_ROW = re.compile(r"^\| ((?:LV|NO|LP|RB)-\d+) \| (.+?) \| (same|other|not yet) \| (.*?) ?\|(?: (.*?))? ?\|$")
_NAMED = re.compile(r"`([^`]+)`")
_SETTING = re.compile(r"[a-z_]+(?:\.[a-z_]+)+")
_SESSION_TURNS = 60


def _rows(root: Path) -> list[tuple[str, str, list[str], str]]:
    text = (root / "docs" / "parity.md").read_text("utf-8")
    found = [match for line in text.splitlines() if (match := _ROW.match(line))]
    return [(m[1], m[3], _NAMED.findall(m[4]), m[5] or "") for m in found]


def _named(root: Path) -> set[str]:
    names = {name for _, _, names, _ in _rows(root) for name in names}
    return names | {n for _, _, here in _options(root) for n in _NAMED.findall(here) if _SETTING.fullmatch(n)}


def _options(root: Path) -> list[tuple[str, list[str], str]]:
    """Return line, options and what stands for them here, of the tables at the end of the page."""
    found, line = [], ""
    text = (root / "docs" / "parity.md").read_text("utf-8")
    for row in text[text.index("## Options, one by one") :].splitlines():
        if head := re.match(r"### (\S+)", row):
            line = head[1]
        elif (cells := re.match(r"\| (.+?) \| (.*) \|$", row)) and cells[1] != "option":
            found.append((line, [name.strip() for name in cells[1].split(",")], cells[2]))
    return found


def _verbs(root: Path) -> list[str]:
    return [name for name in VERBS if name in _named(root)]


def test_every_line_of_the_reference_systems_is_there_once(root: Path) -> None:
    """Something that people had elsewhere would be lost on the way here."""
    ids = json.loads((root / "tests" / "data" / "parity" / "ids.json").read_text("utf-8"))
    assert [row[0] for row in _rows(root)] == ids


def test_each_row_says_enough(root: Path) -> None:
    """Met, without a word of by what; or met otherwise or not at all, without a reason, would be no answer."""
    for line, state, names, remark in _rows(root):
        assert names or state == "not yet", line
        assert remark or state != "other", line


def test_every_option_of_theirs_is_there_once(root: Path) -> None:
    """Who comes from one of them would look for a switch and find neither it nor a reason."""
    wanted = json.loads((root / "tests" / "data" / "parity" / "options.json").read_text("utf-8"))
    found: dict[str, list[str]] = {line: [] for line in wanted}
    for line, names, here in _options(root):
        found[line] += names
        assert here, names
    assert found == wanted


def test_every_setting_and_command_that_is_named_exists(root: Path) -> None:
    """A person who looks for the switch that the page names would not find it."""
    page = (root / "docs" / "configuration.md").read_text("utf-8")
    settings, section = set(), ""
    for line in page.splitlines():
        if head := re.match(r"#+ \[(.+)\]$", line):
            section = head[1]
        elif key := re.match(r"(?:\| |- )`([\w.]+)`", line):
            settings.add(f"{section}.{key[1]}")
    commands = {f"libra {command.name}" for command in COMMANDS}
    named = _named(root)
    assert {n for n in named if n.startswith("libra ")} <= commands
    assert {n for n in named if "." in n} <= settings
    assert {n for n in named if "." not in n and not n.startswith("libra ")} <= VERBS.keys()


def _filled(engine: Engine) -> dict[str, Callable[[], str]]:
    """Tell an engine enough for every verb to have something to do; return what gives it a record of each kind."""
    said = [user("We deploy on Fridays, never on Mondays. My old address was Elm Street.")]
    for n in range(_SESSION_TURNS // 2):
        said += [
            user(f"The build of part {n} fails in src/part{n}.py with ETIMEDOUT."),
            assistant(f"Part {n} is fixed."),
        ]
    engine.ingest(who=ME, turns=said)
    settle(engine)
    done = engine.compact(who=ME, force=True)
    made = iter(range(1_000))

    def memory() -> str:
        told = engine.remember(text=f"The depot of unit {next(made)} opens at six in the morning.", who=ME)
        return str(told["id"])

    def summary() -> str:
        return str(done["summaries"][0])

    return {"m": memory, "s": summary}


def _with_real_ids(value: Any, real: dict[str, Callable[[], str]]) -> Any:
    """Put real records where an example names one that nobody has."""
    if isinstance(value, dict):
        return {k: _with_real_ids(v, real) for k, v in value.items()}
    if isinstance(value, list):
        return [_with_real_ids(v, real) for v in value]
    if isinstance(value, str) and (made := re.fullmatch(r"([ms])_[0-9a-f]{4}", value)):
        return real[made[1]]()
    return value


def test_every_verb_that_is_named_answers_its_example(engine: Engine, root: Path) -> None:
    """The page would promise what does not work: each verb is carried out, with the example of its own declaration."""
    real = _filled(engine)
    failed = []
    for name in _verbs(root):
        verb = VERBS[name]
        before = verb.check(_with_real_ids(dict(verb.example), real), "me")
        try:
            assert getattr(engine, name)(**before) is not None
        except Exception as error:  # noqa: BLE001 - all of them are told at once
            failed.append(f"{name}: {error}")
    assert failed == []
