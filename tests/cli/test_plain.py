"""Commands that are read off their verbs: the flags become parameters, any answer is printed."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from libra.cli.parser import parse
from libra.cli.plain import params_of, told
from libra.cli.plain_commands import PLAIN
from libra.engine.verbs import VERBS
from libra.ground.errors import InvalidParams


@pytest.mark.parametrize("command", PLAIN, ids=lambda c: c.name)
def test_every_example_is_a_call_that_its_verb_takes(command: object) -> None:
    """A person who types the example of the help would get an error."""
    words = shlex.split(command.example)[1:]  # type: ignore[attr-defined]
    args = parse(words)
    verb = str(args.command).replace("-", "_")
    found = VERBS[verb].check(params_of(args, verb), "me")
    assert "who" not in found or found["who"].cwd == str(Path.cwd())


def test_flags_become_parameters() -> None:
    """A list, a time, a pair of name and value, or a session to ask about would not arrive."""
    args = parse(shlex.split("card-update Sam --fields role=pilot --fields tea= --aliases sam_r,s --main"))
    sent = params_of(args, "card_update")
    assert (sent["fields"], sent["aliases"], sent["main"]) == (
        {"role": "pilot", "tea": None},
        ["sam_r", "s"],
        True,
    )
    args = parse(shlex.split("correction-stats --since 1775000000"))
    assert params_of(args, "correction_stats")["since"] == 1775000000
    args = parse(shlex.split("suggest-capture --in-session s1 --session s2 -k 3"))
    sent = params_of(args, "suggest_capture")
    assert (sent["session"], sent["who"]["session"], sent["k"]) == ("s1", "s2", 3)
    with pytest.raises(InvalidParams):
        params_of(parse(shlex.split("card-update Sam --fields role")), "card_update")


def test_any_answer_is_printed() -> None:
    """A person would see raw JSON, or nothing where there is nothing."""
    shown = told(
        {"ok": True, "g": 0.12345, "rules": [{"name": "a", "keywords": ["x", "y"], "at": None}], "more": 0}
    )
    assert "ok    yes" in shown
    assert "0.123" in shown
    assert "rules (1)" in shown
    assert "x, y" in shown
    assert told({"cards": []}) == "nothing"
    assert told({"fields": {"role": "pilot"}}).endswith("role: pilot")
    assert told("x") == "x"
