"""The rule doctor: pairs of rules that a person should look at, and no others."""

from __future__ import annotations

import pytest

from libra.lifecycle.ruledoctor import DoctorParams, Rule, Trouble, look

GLOBAL = "global"


def found(*texts: str, place: str = GLOBAL) -> list[Trouble]:
    """Return what is found in rules of one place."""
    return [finding.trouble for finding in look([Rule(text, (), place) for text in texts])]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Never push to main.", "Always push to main when the tests pass."),
        ("Do not use tabs for indentation.", "You must use tabs for indentation."),
        ("Commit messages must mention the ticket.", "Commit messages must not mention the ticket."),
        ("Niemals direkt auf den Hauptzweig pushen.", "Immer direkt auf den Hauptzweig pushen."),
    ],
)
def test_opposite_rules_are_a_contradiction(one: str, other: str) -> None:
    """Else an agent would follow one of them, and nobody would know which."""
    assert found(one, other) == [Trouble.CONTRADICTION]
    assert found(other, one) == [Trouble.CONTRADICTION]


def test_a_heading_that_forbids_turns_its_rules_round() -> None:
    """Else "Never: push to main" beside "push to main after review" would look like the same rule twice."""
    rules = [Rule("Push to main", ("Git", "Never"), GLOBAL), Rule("Push to main", ("Releases",), GLOBAL)]
    assert [f.trouble for f in look(rules)] == [Trouble.CONTRADICTION]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Run the tests before every commit.", "Before every commit, run the tests."),
        ("Never push to main.", "Never, ever push to main!"),
        ("提交之前必须运行所有测试。", "提交之前必须运行所有测试"),
    ],
)
def test_rules_that_say_the_same_are_duplicates(one: str, other: str) -> None:
    """Else each prompt would pay for them twice."""
    assert found(one, other) == [Trouble.DUPLICATE]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Never push to main.", "Never push to release branches."),
        ("Run the tests before every commit.", "Run the linter before every release."),
        ("Always write tests.", "Never write secrets into logs."),
        ("Use British English.", "Use SQLite in WAL mode."),
        (
            "Do not commit generated files, except for the schema.",
            "Commit the schema together with its migration.",
        ),
    ],
)
def test_rules_about_different_things_are_left_alone(one: str, other: str) -> None:
    """Else the list of findings would be noise, and nobody would read it."""
    assert found(one, other) == []


def test_rules_that_never_meet_are_not_compared() -> None:
    """Else every project's rules would stand against every other one's."""
    pair = ("Never push to main.", "Always push to main.")
    apart = [Rule(text, (), f"project:{n}") for n, text in enumerate(pair)]
    assert look(apart) == []
    with_all = [Rule(pair[0], (), "global"), Rule(pair[1], (), "project:x")]
    assert len(look(with_all)) == 1


def test_only_so_many_are_told() -> None:
    """Else a file that was copied would drown everything else."""
    rules = [Rule(f"Never push release {n // 2} to harbor.", (), GLOBAL) for n in range(20)]
    assert len(look(rules, DoctorParams(most=3))) == 3
