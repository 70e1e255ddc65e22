"""Rules and sessions as the page shows them."""

from __future__ import annotations

import pytest

from libra.engine.core import Engine
from libra.engine.page_places import TalkPlace
from libra.ground.errors import NotFound
from libra.ground.records import DocumentText, Scope, Who
from tests.conftest import FixedClock
from tests.engine.conftest import ME, assistant, settle, user


def write(engine: Engine, path: str, text: str, scope: str = "global") -> None:
    """Let an instruction file be read."""
    engine.document(DocumentText(path, text, "any", Scope.parse(scope), instructions=True))


def test_every_line_of_a_file_stands_in_its_tier_with_its_numbers(engine: Engine) -> None:
    """Else a person could not see what Libra made of their file."""
    write(
        engine,
        "/w/CLAUDE.md",
        "# Harbor\n\nThe harbor was built in 1901.\n\n- Never push to main.\n\nYou should write short messages.\n",
    )
    (document,) = engine.rulebook(who=ME)["documents"]
    assert [(n["tier"], n["lines"], n["text"]) for n in document["nodes"]][-3:] == [
        ("lore", [3, 3], "The harbor was built in 1901."),
        ("hard", [5, 5], "Never push to main."),
        ("soft", [7, 7], "You should write short messages."),
    ]
    assert (
        document["tokens"]["hard"] == sum(n["tokens"] for n in document["nodes"] if n["tier"] == "hard") > 0
    )


def test_the_doctor_names_both_places_of_a_contradiction(engine: Engine) -> None:
    """Else a person would have to look for it."""
    write(engine, "/w/CLAUDE.md", "- Never push to main.\n")
    write(engine, "/w/p/AGENTS.md", "\n- Always push to main.\n", "project:/w/p")
    assert engine.rulebook(who=ME)["findings"] == []
    (finding,) = engine.rulebook(who=ME, everywhere=True)["findings"]
    assert finding["kind"] == "contradiction"
    assert [(r["path"], r["lines"]) for r in finding["rules"]] == [
        ("/w/CLAUDE.md", [1, 1]),
        ("/w/p/AGENTS.md", [2, 2]),
    ]


def test_files_over_their_budget_long_rules_and_files_that_are_gone_are_found(engine: Engine) -> None:
    """Else a file that is too large would be loaded in part without anybody knowing."""
    write(
        engine,
        "/w/big.md",
        "".join(f"- Rule {n} of the harbor says that berth {n} is for ship {n}.\n" for n in range(400)),
    )
    write(
        engine,
        "/w/long.md",
        "- Never " + "and never ".join(f"touch berth {n} without asking, " for n in range(150)) + "\n",
    )
    write(engine, "/w/lost.md", "- Never shout.\n")
    engine.document_state("/w/lost.md", "unreadable")
    found = {(f["kind"], f.get("path") or f["rules"][0]["path"]) for f in engine.rulebook(who=ME)["findings"]}
    assert {("over_budget", "/w/big.md"), ("long", "/w/long.md"), ("unreadable", "/w/lost.md")} <= found


def test_another_users_files_are_not_shown(engine: Engine) -> None:
    """Else one person would read another one's instructions."""
    write(engine, "/home/other/CLAUDE.md", "- Never tell.\n", "user:somebody")
    assert engine.rulebook(who=ME, everywhere=True)["documents"] == []


def test_sessions_come_page_by_page_with_what_is_in_them(engine: Engine, clock: FixedClock) -> None:
    """Else a person could not find the talk that they remember."""
    for n in range(5):
        engine.ingest(
            who=Who(user="me", session=f"talk{n}"),
            turns=[user(f"Decision: berth {n} is for ship {n}."), assistant("Noted.")],
        )
        clock.advance(60_000)
    settle(engine)
    got: list[str] = []
    after: TalkPlace | None = None
    while True:
        page = engine.sessions(who=ME, k=2, after=after)
        got += [item["key"] for item in page["items"]]
        if "next" not in page:
            break
        after = TalkPlace.parse(page["next"])
    assert got == [f"me/talk{n}" for n in reversed(range(5))]
    assert (page["items"][0]["turns"], page["items"][0]["memories"]) == (2, 1)
    assert engine.sessions(who=Who(user="somebody"))["items"] == []


def test_a_session_shows_its_turns_and_the_graph_over_them(engine: Engine, clock: FixedClock) -> None:
    """Else nobody could see what stands behind a summary."""
    said = [
        t
        for n in range(30)
        for t in (user(f"Berth {n} needs {n} ropes today."), assistant(f"Berth {n} got {n} ropes."))
    ]
    engine.ingest(who=ME, turns=said)
    settle(engine)
    engine.compact(who=ME, force=True)
    found = engine.session(who=ME, session="s1", first=10, k=5)
    assert (found["of"], found["first"], found["turns"][0]["text"]) == (
        60,
        10,
        "Berth 5 needs 5 ropes today.",
    )
    everything = engine.session(who=ME, session="me/s1", k=1_000)
    turns = {turn["id"] for turn in everything["turns"]}
    covered = {turn["id"] for turn in everything["turns"] if turn["covered"]}
    lowest = [node for node in everything["nodes"] if node["level"] == 1]
    assert {child for node in lowest for child in node["children"]} == covered <= turns
    assert all(0 <= node["cover"] <= 1 and node["tokens_in"] > 0 for node in everything["nodes"])


def test_another_users_session_is_not_shown(engine: Engine) -> None:
    """Else one person would read another one's talks."""
    engine.ingest(who=ME, turns=[user("The vault opens at nine.")])
    for name in ("s1", "me/s1"):
        with pytest.raises(NotFound):
            engine.session(who=Who(user="somebody"), session=name)
